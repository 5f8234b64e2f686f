"""Selecting the attributes of a table, with the error of the selection itself: chosen anew in every training part."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from time import monotonic
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.combine.least_cost import decisive_costs
from venire.data import Table, Task
from venire.data.show import account
from venire.errors import UsageError
from venire.inference import Interval, compare_learners, cross_validated
from venire.metrics import Metric
from venire.selection.all_columns import AllColumns
from venire.selection.document import SelectionDocument, StepFacts, ends_or_none, number_or_none
from venire.selection.engine import Search
from venire.selection.models import chosen_model
from venire.selection.search import SelectionStep, Walk, named_steps
from venire.selection.selection_family import SearchPlan, SelectionFamily, attribute_names
from venire.validation.averaging import refuse_single_rows
from venire.validation.choice import mean_defined
from venire.validation.evidence.questions import Kind
from venire.validation.honesty.certificate import Certificate
from venire.validation.honesty.document import certificate_facts
from venire.validation.plain_text import described_plan, figure, table_of, with_interval
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Place, Plan, Trial
from venire.validation.question import metric_facts, table_facts
from venire.validation.subject import Subject, as_table, measure_of
from venire.validation.trials.effort import Tick, unwatched
from venire.validation.trying import Tried, means, tried
from venire.validation.unknown_options import refuse_unknown

Direction = Literal["forward", "backward"]


@dataclass(frozen=True, eq=False, repr=False)
class Selected:
    """The path on all rows, and the error of the whole procedure on rows that had no part in it.

    Attributes
    ----------
    table, plan, metric
        What was selected on.
    direction, model
        How.
    path
        The steps, with the errors on the folds that two layers judge.
    subsets
        How many were looked at on the way through all rows.
    places
        The outer folds that were judged: all, unless it was stopped.
    errors
        Two-layer: one per outer fold, of the subset chosen without that fold.
    choices
        The attributes chosen for each outer fold.
    errors_of_all
        The error with all columns on each of these folds, by a model of the same training rows.
    tried
        The trials behind it.
    began
        When it began, by `time.monotonic()`.

    Examples
    --------
    >>> import numpy as np
    >>> X, noise = np.split(np.random.default_rng(0).normal(size=(60, 4)), [3], axis=1)
    >>> found = select(X, X[:, 1] + noise[:, 0], folds=4)
    >>> [step.changed for step in found.path][:2], found.choices[0]
    ([None, 'x1'], ('x0', 'x1'))
    """

    table: Table
    plan: Plan
    metric: Metric
    direction: Direction
    model: str
    path: tuple[SelectionStep, ...]  # with the errors on the folds that two layers judge
    subsets: int  # looked at on the way through all rows
    places: tuple[Place, ...]  # the outer folds that were judged: all, unless it was stopped
    errors: tuple[float, ...]  # two-layer: one an outer fold, of the subset chosen without that fold
    choices: tuple[tuple[str, ...], ...]  # the attributes chosen for each outer fold
    errors_of_all: tuple[float, ...]  # one an outer fold, of the model with all columns
    tried: Tried
    began: float

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes chosen on all rows."""
        return self._chosen.attributes

    @property
    def error(self) -> float:
        """The two-layer error of the procedure."""
        return float(mean_defined(np.array(self.errors)))

    @property
    def interval(self) -> Interval:
        """Of the two-layer error, as on the leaderboard: corrected for training sets that overlap."""
        return self._interval(self.errors)

    @property
    def all_columns(self) -> AllColumns:
        """The same model with all columns, and whether the selection differs from it."""
        both = compare_learners(self.errors, self.errors_of_all, test_over_train=self.plan.test_over_train(self.places))
        return AllColumns(self.errors_of_all, self._interval(self.errors_of_all), both)

    def _interval(self, errors: tuple[float, ...]) -> Interval:
        tested = [self.plan.rows(repeat, (fold,)) for repeat, fold in self.places]
        return cross_validated(
            errors,
            self.plan.test_over_train(self.places),
            rows=self.plan.independent(np.unique(np.concatenate(tested))) if self.metric.name == "error" else None,
            scarce=self.table.scarce,
            repeats=self.plan.repeats,
            dependent=self.plan.splitting in ("grouped", "time"),
            bounds=self.metric.bounds,
        )

    @property
    def one_layer_error(self) -> float:
        """The cross-validated error of the chosen subset: the best of many, so too good."""
        return self._chosen.error

    @property
    def stopped(self) -> str | None:
        """What ended it before all outer folds were judged: "budget" or "interrupted"; None if nothing did."""
        return self.tried.stopped

    @cached_property
    def certificate(self) -> Certificate:
        """Whether a choice learns from rows it must not see: checked when first asked for, with two more searches."""
        return self.tried.certificate()

    @cached_property
    def seconds(self) -> float:
        """How long it took, the check included if it was made."""
        return monotonic() - self.began

    @property
    def _chosen(self) -> SelectionStep:
        return next(step for step in self.path if step.chosen)

    def __repr__(self) -> str:
        figure_of = f"{self.metric.shown_label} {self.metric.shown(self.error):.4g}"
        return f"<Selected {', '.join(self.attributes) or 'none'}: {figure_of}>"

    def __str__(self) -> str:
        change = "added" if self.direction == "forward" else "removed"
        lines = [
            ["→" if step.chosen else "", step.changed or "", str(len(step.attributes)), *_errors(step, self.metric)]
            for step in self.path
        ]
        chosen, label = ", ".join(self.attributes) or "none", self.metric.shown_label
        others = self.all_columns
        return "\n".join(
            [
                f"{self.direction} selection by {self.model}: {described_plan(self.plan)}",
                "",
                table_of(["", change, "columns", "training", "held out"], lines, right=3),
                "",
                f"chosen: {chosen}",
                f"two-layer {label} {with_interval(self.error, self.interval, self.metric)} of the selection",
                f"one-layer {label} {figure(self.one_layer_error, self.metric)}, the best of many: too good on average",
                f"all columns {label} {with_interval(others.error, others.interval, self.metric)}: {others.standing}",
                *(["the choice also uses one earlier fold, which the figures leave out"] if self.plan.ordered else []),
            ]
        )

    def to_dict(self) -> SelectionDocument:
        """The document that `--json` prints; all but `timing` are the same for the same table and seed."""
        names = attribute_names(self.table)[0]
        return {
            **table_facts(self.table),
            **metric_facts(self.metric),
            "folds": self.plan.used_folds,
            "repeats": self.plan.repeats,
            "splitting": self.plan.splitting,
            "seed": self.plan.seed,
            "direction": self.direction,
            "model": self.model,
            "attributes": list(names),
            "subsets": self.subsets,
            "most_subsets": 1 + len(names) * (len(names) + 1) // 2,
            "path": [_step(at, step) for at, step in enumerate(self.path)],
            "chosen": {
                "attributes": list(self.attributes),
                "error": number_or_none(self.error),
                "interval": ends_or_none(self.interval),
                "one_layer_error": number_or_none(self.one_layer_error),
                "training_error": number_or_none(self._chosen.training_error),
            },
            "all_attributes": self.all_columns.facts(),
            "chosen_in": {name: sum(name in chosen for chosen in self.choices) for name in names},
            "choices": len(self.choices),
            "stopped": self.stopped,
            "certificates": [certificate_facts(self.certificate)],
            **account(self.table),
            "timing": {"seconds": round(self.seconds, 3)},
        }


def select(
    source: Any,
    target: str | ArrayLike | None = None,
    *,
    direction: Direction = "forward",
    model: Any = "linear",
    metric: str | None = None,
    costs: Any = None,
    whole_path: bool = False,
    n_attributes: int | None = None,
    folds: int | None = None,
    repeats: int = 1,
    stratified: bool = False,
    duplicates: str = "together",
    seed: int = 0,
    jobs: int | None = None,
    budget: float | None = None,
    home: str | os.PathLike[str] | None = None,
    naive: bool = False,
    cluster: Any = None,
    shared: str | os.PathLike[str] | None = None,
    began: float | None = None,
    tick: Callable[[Tick], None] = unwatched,
    **reading: Any,
) -> Selected:
    """Select attributes by cross-validated error, and say how good the selection is on rows it has not seen.

    Both layers use the same folds: the path is judged on all of them, and for the two-layer error the selection is made
    again without each fold, in time order on those before it. Each of these searches is a trial.

    Parameters
    ----------
    source
        Anything `read_table` takes, or a `Table`.
    target
        The column to predict, or its values, one per row.
    direction
        `"forward"` adds attributes, `"backward"` takes them away.
    model
        A name (linear, logistic, naive_bayes, knn, tree, forest, boosting) or a scikit-learn estimator, which is
        given filled and scaled numbers and one column per category; the columns of one attribute move together.
    metric
        What is measured; by default the error rate, or the root mean squared error.
    costs
        What a mistake costs, as of `compare`.
    whole_path
        Go on to the end, also where no attribute helps.
    n_attributes
        Choose the subset of this size on the path, instead of the one with the lowest error.
    folds, repeats
        How many folds, and how often rows are split into them.
    stratified
        Give every fold the same shares of the classes.
    duplicates
        Copies of a row: `"together"` in one fold, or `"apart"` like any other rows.
    seed
        The same seed gives the same selection.
    jobs
        How many trials run at a time; it changes nothing but the time.
    budget
        Seconds, None for no limit.
    home
        A folder where what trials found is kept; without one it is kept in memory.
    naive
        Fit every subset anew, to the same figures.
    cluster
        Run the trials on the workers of a Dask cluster: an address, a scheduler file, a `Client` or a `Cluster`.
    shared
        A folder that is there on all machines of the cluster.
    began
        When the budget began, by `time.monotonic()`; by default now.
    tick
        Is called after every step.
    **reading
        Further options of `read_table`.

    Returns
    -------
    Selected
        The path, the chosen attributes and their error.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> found = select(X, X[:, 1] + 0.1 * X[:, 2], folds=4)
    >>> found.attributes
    ('x1', 'x2')
    """
    refuse_unknown(reading, select)
    by = means(jobs=jobs, budget=budget, home=home, began=began, tick=tick, cluster=cluster, shared=shared)
    if direction not in get_args(Direction):
        raise UsageError(f"there is no direction {direction!r}", code="bad_direction", hint="use forward or backward")
    table = as_table(source, target, duplicates=duplicates, **reading)
    split = make_plan(table, folds=folds, repeats=repeats, seed=seed, stratified=stratified)
    judge = measure_of(table, metric, costs)
    refuse_single_rows(split, judge)
    name, estimator, encoder = chosen_model(model, table, seed)
    search = Search(estimator, judge, *_classes(table, judge), n_jobs=1, naive=naive)
    search.check(len(attribute_names(table)[0]), n_attributes)
    family = SelectionFamily(name, search, encoder, direction == "forward", whole_path, n_attributes)
    facts = {field.name: getattr(split, field.name) for field in fields(split)}
    plan = SearchPlan(**facts)
    case = Subject(family, table, judge, family.path(table))
    return _selected(tried(case, plan, by, Kind.SELECTION), direction)


def _selected(found: Tried, direction: Direction) -> Selected:
    """The path and the error of the selection, read off the evidence."""
    docket, plan, family = found.docket, found.docket.plan, found.family
    assert isinstance(plan, SearchPlan)
    assert isinstance(family, SelectionFamily)
    places = tuple(place for place in plan.places if found.has(plan.outer(*place).trial))
    if not found.has(plan.everything) or not places:
        raise found.unfinished("the search on all rows" if not found.has(plan.everything) else "any fold")
    labels = attribute_names(docket.table)[0]

    def walked(trial: Trial) -> Walk:
        return family.walked(docket.table, docket.record(family.name, trial).training())

    errors: list[float] = []
    of_all: list[float] = []
    choices = []
    for place in places:
        held = plan.outer(*place)
        way = walked(held.trial)
        for losses, setting in ((errors, way.chosen), (of_all, family.all_attributes(docket.table))):
            losses.append(docket.metric.loss(docket.truth(held), docket.predicted(family.name, held, setting)))
        choices.append(tuple(labels[a] for a in way.steps[way.chosen].attributes))
    on_all = walked(plan.everything)
    shown = [at for at, one in enumerate(plan.finals) if one.fold in plan.outer_folds()]
    return Selected(
        table=docket.table,
        plan=plan,
        metric=docket.metric,
        direction=direction,
        model=family.model,
        path=named_steps(on_all, labels, shown),
        subsets=on_all.subsets,
        places=places,
        errors=tuple(errors),
        choices=tuple(choices),
        errors_of_all=tuple(of_all),
        tried=found,
        began=found.means.effort.began,
    )


def _classes(table: Table, judge: Metric) -> tuple[NDArray[np.intp] | None, NDArray[np.float64] | None]:
    """The class codes, and the costs where they decide anything; none of numbers."""
    assert table.target is not None
    if table.target.task is Task.REGRESSION:
        return None, None
    codes = np.arange(len(table.target.classes))
    return codes, decisive_costs(judge.costs, codes)


def _errors(step: SelectionStep, metric: Metric) -> tuple[str, str]:
    return figure(step.training_error, metric), figure(step.error, metric)


def _step(at: int, step: SelectionStep) -> StepFacts:
    return {
        "step": at,
        "change": step.changed,
        "attributes": len(step.attributes),
        "training_error": number_or_none(step.training_error),
        "error": number_or_none(step.error),
        "chosen": step.chosen,
    }
