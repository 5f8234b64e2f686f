"""Selecting the attributes of a table, with the error of the selection itself: chosen anew in every training part."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from time import monotonic
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.combine.least_cost import cost_matrix, decisive_costs
from venire.data import Table, Task
from venire.data.cost_matrix import no_costs, read_costs
from venire.data.show import account
from venire.ensembles.members import weight_params
from venire.errors import UsageError
from venire.inference import Interval, cross_validated
from venire.metrics import Metric, default_metric, metric
from venire.selection.engine import Search
from venire.selection.models import chosen_model
from venire.selection.parts import Examples
from venire.selection.search import SelectionStep, Walk, named_steps
from venire.validation.averaging import refuse_single_rows
from venire.validation.choice import mean_defined
from venire.validation.options import refuse_unknown
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Held, Plan
from venire.validation.subject import as_table
from venire.validation.text import described_plan, number, table_of, with_interval

Direction = Literal["forward", "backward"]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False, repr=False)
class Selected:
    """The path on all rows, and what the whole procedure errs on rows that had no part in it."""

    table: Table
    plan: Plan
    metric: Metric
    direction: Direction
    model: str
    path: tuple[SelectionStep, ...]  # with the errors on the blocks that two layers judge
    subsets: int  # looked at on the way through all rows
    errors: tuple[float, ...]  # two-layer: one an outer block, of the subset chosen without that block
    choices: tuple[tuple[str, ...], ...]  # the attributes chosen for each outer block
    seconds: float

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
        counted = self.metric.name == "error"
        return cross_validated(
            self.errors,
            self.plan.test_over_train(),
            rows=self.plan.independent(self.plan.rows(0, self.plan.outer_blocks())) if counted else None,
            scarce=self.table.scarce,
            repeats=self.plan.repeats,
            dependent=self.plan.dealing in ("grouped", "time"),
            bounds=self.metric.bounds,
        )

    @property
    def one_layer_error(self) -> float:
        """The cross-validated error of the chosen subset: the best of many, so too good."""
        return self._chosen.error

    @property
    def _chosen(self) -> SelectionStep:
        return next(step for step in self.path if step.chosen)

    def __repr__(self) -> str:
        return f"<Selected {', '.join(self.attributes) or 'none'}: {self.metric.label} {self.error:.4g}>"

    def __str__(self) -> str:
        change = "added" if self.direction == "forward" else "removed"
        lines = [
            ["→" if step.chosen else "", step.changed or "", str(len(step.attributes)), *_errors(step)]
            for step in self.path
        ]
        chosen = ", ".join(self.attributes) or "none"
        return "\n".join(
            [
                f"{self.direction} selection by {self.model}: {described_plan(self.plan)}",
                "",
                table_of(["", change, "attributes", "training", "held out"], lines, right=3),
                "",
                f"chosen: {chosen}",
                f"two-layer {self.metric.label} {with_interval(self.error, self.interval)} of the selection",
                f"one-layer {self.metric.label} {number(self.one_layer_error)}, the best of many: too low on average",
                *(["the choice has also seen the block before those judged"] if self.plan.ordered else []),
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """The document that `--json` prints; all but `timing` are the same for the same table and seed."""
        target = self.table.target
        assert target is not None
        names = attribute_names(self.table)[0]
        return {
            "schema_version": 1,
            "venire": version("venire"),
            "source": self.table.source,
            "rows": self.table.rows,
            "target": target.name,
            "task": str(target.task),
            "classes": list(target.labels),
            "metric": self.metric.name,
            "metric_label": self.metric.label,
            "blocks": self.plan.blocks,
            "repeats": self.plan.repeats,
            "dealing": self.plan.dealing,
            "seed": self.plan.seed,
            "direction": self.direction,
            "model": self.model,
            "attributes": list(names),
            "subsets": self.subsets,
            "most_subsets": 1 + len(names) * (len(names) + 1) // 2,
            "path": [_step(at, step) for at, step in enumerate(self.path)],
            "chosen": {
                "attributes": list(self.attributes),
                "error": _number(self.error),
                "interval": [float(self.interval.low), float(self.interval.high)] if self.interval.defined else None,
                "one_layer_error": _number(self.one_layer_error),
                "training_error": _number(self._chosen.training_error),
            },
            "chosen_in": {name: sum(name in chosen for chosen in self.choices) for name in names},
            "choices": len(self.choices),
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
    naive: bool = False,
    tick: Callable[[int, int], None] = lambda _done, _all: None,
    **reading: Any,
) -> Selected:
    """Select attributes by cross-validated error, and say what the selection errs on rows it has not seen.

    `source` is anything `read_table` takes (and `reading` its further options) or a `Table`; `model` a name (linear,
    logistic, naive_bayes, knn, tree, forest, boosting) or a scikit-learn estimator, which is given filled and scaled
    numbers and one column a category; the columns of one attribute move together. `costs` are given as to `compare`.
    Both layers use the same blocks: the path is judged on all of them, and for the two-layer error the selection is
    made again without each block, in time order on those before it. `duplicates` is as in `compare`. `naive=True` fits
    every subset anew, to the same figures.
    """
    began = monotonic()
    refuse_unknown(reading, select)
    if direction not in get_args(Direction):
        raise UsageError(f"there is no direction {direction!r}", code="bad_direction", hint="use forward or backward")
    table = as_table(source, target, duplicates=duplicates, **reading)
    assert table.target is not None
    plan = make_plan(table, blocks=folds, repeats=repeats, seed=seed, stratified=stratified)
    matrix = _costs(table, costs)
    judge = _judge(table, metric, matrix)
    refuse_single_rows(plan, judge)
    name, estimator, encoder = chosen_model(model, table, seed)
    examples = _examples(table, name, estimator, encoder)
    classes = None if table.target.task is Task.REGRESSION else np.arange(len(table.target.classes))
    decisive = None if classes is None else decisive_costs(matrix, classes)
    search = Search(estimator, judge, classes, decisive, n_jobs=-1 if jobs is None else jobs, naive=naive)
    procedure = _Procedure(examples, search, plan, direction == "forward", whole_path, n_attributes)
    steps = len(plan.outer_blocks()) * plan.repeats + 1
    tick(0, steps)
    held = [one for r in range(plan.repeats) for one in plan.final(r)]
    found = procedure.choose(None, held)
    labels = attribute_names(table)[0]
    errors: list[float] = []
    choices: list[tuple[str, ...]] = []
    for repeat in range(plan.repeats):
        for i in plan.outer_blocks():
            tick(len(errors) + 1, steps)
            error, chosen = procedure.without(repeat, i)
            errors.append(error)
            choices.append(tuple(labels[a] for a in chosen))
    return Selected(
        table,
        plan,
        judge,
        direction,
        name,
        named_steps(found, labels, [at for at, one in enumerate(held) if one.block in plan.outer_blocks()]),
        found.subsets,
        tuple(errors),
        tuple(choices),
        monotonic() - began,
    )


def attribute_names(table: Table) -> tuple[tuple[str, ...], NDArray[np.intp]]:
    """The attributes as the user knows them (the parts of a date are one), and the attribute of every column."""
    sources = [column.source for column in table.columns]
    names = tuple(dict.fromkeys(sources))
    return names, np.array([names.index(name) for name in sources], dtype=np.intp)


@dataclass(frozen=True, eq=False)
class _Procedure:
    """The selection as something that can be carried out on any training part."""

    examples: Examples
    search: Search
    plan: Plan
    forward: bool
    whole_path: bool
    wanted: int | None

    def choose(self, rows: Rows | None, held: Sequence[Held]) -> Walk:
        """Select on these rows (all), judged by models that were trained without the block they are judged on."""
        parts = [
            self.examples.parted(self.plan.train_rows(one.trial), self.plan.rows(one.trial.repeat, (one.block,)))
            for one in held
        ]
        whole = self.examples.whole() if rows is None else self.examples.parted(rows, rows)
        return self.search.walk(parts, whole, forward=self.forward, whole_path=self.whole_path, wanted=self.wanted)

    def without(self, repeat: int, i: int) -> tuple[float, tuple[int, ...]]:
        """The error on block i of what is selected and fitted without it, and what was selected."""
        outer = self.plan.outer(repeat, i).trial
        train = self.plan.train_rows(outer)
        found = self.choose(train, self.plan.inner(repeat, i))
        chosen = found.steps[found.chosen].attributes
        part = self.examples.parted(train, self.plan.rows(repeat, (i,)))
        return self.search.error(part, chosen), chosen


def _examples(table: Table, name: str, estimator: Any, encoder: Any) -> Examples:
    params = weight_params(name, estimator, table.weights)
    owner = attribute_names(table)[1]
    return Examples(table.X, table.y, table.y, params, table.weights, owner, encoder, weighted_errors=False)


def _costs(table: Table, given: Any) -> Any:
    """The costs as a matrix in the order of the classes, however they were given."""
    assert table.target is not None
    if given is None or table.target.task is Task.REGRESSION:
        return given
    labels = table.target.labels
    return cost_matrix(read_costs(given, labels, table.target.positive), np.array(labels))


def _judge(table: Table, name: str | None, costs: Any) -> Metric:
    assert table.target is not None
    task = table.target.task
    wanted = name or ("cost" if costs is not None else default_metric(task))
    if wanted == "cost" and costs is None and table.target.classes:
        raise no_costs()
    return metric(wanted, task, positive=table.target.positive, costs=costs)


def _errors(step: SelectionStep) -> tuple[str, str]:
    return number(step.training_error), number(step.error)


def _step(at: int, step: SelectionStep) -> dict[str, Any]:
    return {
        "step": at,
        "change": step.changed,
        "attributes": len(step.attributes),
        "training_error": _number(step.training_error),
        "error": _number(step.error),
        "chosen": step.chosen,
    }


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
