"""Selecting as a family: a trial is the whole search inside its training part, its settings are the steps on the way.

What a trial predicts of the rows it leaves out is what each subset on the way says of them, fitted on the training
part; all attributes are among them, also where the search does not come so far. The way itself is kept beside it: which
attribute came or went at a step, the error in training, and the errors on the inner folds, on which the choice is made.
A trial that leaves out nothing is the search on all rows.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table, Task
from venire.ensembles.members import weight_params
from venire.metrics.predictions import Output
from venire.selection.engine import Search
from venire.selection.least_squares import as_least_squares
from venire.selection.parts import Examples
from venire.selection.plain import output_of
from venire.selection.search import Step, Walk, chosen_step
from venire.validation.evidence.definitions import described
from venire.validation.plans.plan import Held, Plan, Trial
from venire.validation.trials.family import Cancel, Cost, Outcome, PathPredictions, Setting, never
from venire.validation.trials.learner_warnings import caught_warnings
from venire.validation.trials.outcomes import kept_as, outcome_of
from venire.validation.trials.reasons import CannotTake
from venire.validation.trials.whose_code import is_others

Floats = NDArray[np.float64]

_OF_A_STEP = ("changed", "training")  # kept of every step, beside its error on each inner fold
_AT_ONCE = 0.02  # of a fit, for a candidate that is looked at with all others of its step


@dataclass(frozen=True, eq=False)
class SearchPlan(Plan):
    """The trials of a selection: the search on all rows, then one without each outer fold."""

    @property
    def everything(self) -> Trial:
        """The search on all rows."""
        return Trial(0, tuple(range(self.folds)), ())

    @cached_property
    def trials(self) -> tuple[Trial, ...]:
        """All of them."""
        return (self.everything, *(self.outer(*place).trial for place in self.places))

    @property
    def may_end_early(self) -> bool:
        """A search ends where no attribute helps."""
        return True

    def inside(self, trial: Trial) -> tuple[Held, ...]:
        """Where the predictions are found on which a trial's search is judged, by models of its training part."""
        return self.inner(trial.repeat, trial.test[0]) if trial.test else self.finals


@dataclass(frozen=True, eq=False)
class SelectionFamily:
    """A model by which attributes are selected, and the way through their subsets."""

    model: str
    search: Search
    encoder: Any
    forward: bool
    whole_path: bool
    wanted: int | None

    @property
    def name(self) -> str:
        """Such as `select_linear`."""
        return f"select_{self.model}"

    @property
    def tasks(self) -> frozenset[Task]:
        """That of the metric."""
        return frozenset([self.search.judge.task])

    @property
    def path_label(self) -> str:
        """What the path varies."""
        return "attributes"

    def output(self, task: Task) -> Output:
        """What the model gives for a row."""
        return output_of(self.search.estimator, task)

    def unable(self, table: Table) -> CannotTake | None:
        """Nothing: the model was made for the table."""
        return None

    def path(self, table: Table) -> tuple[Setting, ...]:
        """A setting for each number of attributes, in the order in which the search comes to it."""
        count = len(attribute_names(table)[0])
        sizes = range(count + 1) if self.forward else range(count, -1, -1)
        return tuple(Setting(f"{size} attributes" if size != 1 else "1 attribute") for size in sizes)

    def all_attributes(self, table: Table) -> int:
        """The place of the setting with all attributes on the path."""
        return len(self.path(table)) - 1 if self.forward else 0

    def prepare(self, table: Table, plan: Plan) -> tuple[Table, Plan]:
        """Nothing is shared: what is encoded is encoded by a training part."""
        return table, plan

    def run(self, prepared: tuple[Table, Plan], trial: Trial, cancel: Cancel = never) -> Outcome:
        """Search inside the training part, and predict the rows it leaves out by every subset on the way."""
        began = time.perf_counter()
        table, plan = prepared
        assert isinstance(plan, SearchPlan)
        assert table.target is not None
        examples, train, test = self._examples(table), plan.train_rows(trial), plan.test_rows(trial)
        kind, settings = self.output(table.target.task), len(self.path(table))
        classes = max(1, len(table.target.classes))
        of_all = PathPredictions(
            np.full((settings, len(test), classes), np.nan, kept_as(kind)), np.zeros((settings, len(test)), np.int16)
        )
        with caught_warnings() as caught:
            found = self._walk(examples, plan, trial, cancel)
            if len(test):
                part = examples.parted(train, test)
                subsets = {at: step.attributes for at, step in enumerate(found.steps)}
                subsets.setdefault(self.all_attributes(table), tuple(range(settings - 1)))
                for at, attributes in subsets.items():
                    cancel()
                    predicted = self.search.predicted(part, attributes)
                    of_all.outputs[at] = predicted.outputs
                    if predicted.labels is not None:
                        of_all.labels[at] = predicted.labels
        outcome = outcome_of(table, kind, [of_all], [], caught, time.perf_counter() - began)
        return Outcome(kind, outcome.outputs, outcome.labels, _kept(found, settings), outcome.warnings, outcome.seconds)

    def _walk(self, examples: Examples, plan: SearchPlan, trial: Trial, cancel: Cancel) -> Walk:
        parts = [
            examples.parted(plan.train_rows(held.trial), plan.rows(held.trial.repeat, (held.fold,)))
            for held in plan.inside(trial)
        ]
        train = plan.train_rows(trial)
        whole = examples.parted(train, train)
        how: dict[str, Any] = {"forward": self.forward, "whole_path": self.whole_path, "wanted": self.wanted}
        return self.search.walk(parts, whole, **how, cancel=cancel)

    def walked(self, table: Table, kept: Mapping[str, Floats]) -> Walk:
        """The way of a trial, from what was kept of it."""
        count = len(attribute_names(table)[0])
        present: tuple[int, ...] = () if self.forward else tuple(range(count))
        inner = np.stack([kept[_inner(part)] for part in range(len(kept) - len(_OF_A_STEP))], axis=1)
        steps: list[Step] = []
        for at in np.flatnonzero(~np.isnan(kept["changed"])):
            changed = int(kept["changed"][at]) if at else None
            present = present if changed is None else tuple(sorted(set(present) ^ {changed}))
            steps.append(Step(present, changed, tuple(inner[at].tolist()), float(kept["training"][at])))
        looked_at = 1 + sum(count - at for at in range(len(steps) - 1))
        return Walk(tuple(steps), chosen_step(steps, self.wanted), looked_at)

    def others_code(self) -> bool:
        """Whether the estimator that is fitted on every subset is neither ours nor scikit-learn's."""
        return is_others(self.search.estimator)

    def refit(self, table: Table, setting: Setting, seed: int) -> Any:
        """A selection hands over attributes, and no model."""
        raise NotImplementedError("a selection hands over attributes: see `Selected.attributes`")

    def cost(self, table: Table, plan: Plan) -> Cost:
        """Every subset there may be, on every inner fold of every trial; least squares looks at all at once."""
        count, columns = len(attribute_names(table)[0]), table.X.shape[1]
        fits = (1 + count * (count + 1) / 2) * (plan.folds - 1) * len(plan.trials)
        seconds = 1e-3 + 5e-8 * table.rows * columns * math.log2(table.rows + 2)
        if as_least_squares(self.search.estimator) is not None and not self.search.naive:
            seconds *= _AT_ONCE
        return Cost(fits * seconds, 24.0 * table.rows * columns * plan.folds, guess=True)

    def definition(self) -> str:
        """The model, its encoding, what it is judged by, and the rule of the search."""
        search = self.search
        parts = (self.forward, self.whole_path, self.wanted, search.judge.name, search.judge.costs, search.naive)
        head = f"{type(self).__name__}, all attributes beside it"
        return "\n".join([head, described(search.estimator), described(self.encoder), repr(parts)])

    def _examples(self, table: Table) -> Examples:
        params = weight_params(self.model, self.search.estimator, table.weights)
        owner = attribute_names(table)[1]
        return Examples(table.X, table.y, table.y, params, table.weights, owner, self.encoder, weighted_errors=False)


def _kept(found: Walk, settings: int) -> dict[str, Floats]:
    """A walk as evidence has it: one figure a step, NaN for those that were not taken."""

    def padded(values: Sequence[float]) -> Floats:
        return np.array([*values, *[np.nan] * (settings - len(values))])

    steps = found.steps
    inner = {_inner(part): padded([step.errors[part] for step in steps]) for part in range(len(steps[0].errors))}
    changed = [-1.0 if step.changed is None else float(step.changed) for step in steps]
    of_a_step = (padded(changed), padded([step.training_error for step in steps]))
    return dict(zip(_OF_A_STEP, of_a_step, strict=True)) | inner


def _inner(part: int) -> str:
    """The name by which the errors on an inner fold are kept."""
    return f"inner {part + 1}"


def attribute_names(table: Table) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """The attributes as the user knows them (the parts of a date are one), and the attribute of every column."""
    sources = [column.source for column in table.columns]
    names = tuple(dict.fromkeys(sources))
    place = {name: at for at, name in enumerate(names)}
    return names, np.array([place[name] for name in sources], dtype=np.intp)
