"""Gradient boosting over parts: what is asked of all of them, added up here, and given back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from venire._core import Bins, BlockBinner, Booster, BoostPlan, Forest
from venire.ensembles.gradient.accepted import check_classes, refuse_or_warn
from venire.ensembles.gradient.directions import directions_of
from venire.ensembles.gradient.losses import check_target
from venire.ensembles.gradient.round_trees import joined_rounds
from venire.ensembles.gradient.settings import Goal
from venire.ensembles.parted.part import CHUNK, Facts, Task
from venire.errors import DataError, UsageError
from venire.models.input import Layout
from venire.models.tree.growth import Problem, draw_seed, resolve_max_features, thread_count
from venire.models.tree.storage import arrays_of, trees_of

# What rests on the order of rows, on rows drawn, or on all of them at once; and what it has to be.
_WHOLE = {
    "subsample": 1.0,
    "gradient_sampling": None,
    "gradient_levels": None,
    "early_stopping": None,
    "n_iter_no_change": None,
    "init": None,
    "warm_start": False,
    "class_weight": None,
    "verbose": 0,
}
_LOSSES = ("squared", "poisson", "gamma", "logistic", "exponential", "multinomial")
_SLICE = 20  # rounds after which the trees are kept here: what a lost part costs at most
_PLAN = (
    "loss",
    "alpha",
    "outputs",
    "learning_rate",
    "subsample",
    "colsample",
    "top_share",
    "other_share",
    "levels",
    "seed",
    "keep_losses",
    "max_leaf_nodes",
    "max_depth",
    "min_samples_split",
    "max_features",
    "min_samples_leaf",
    "count_rows",
    "rows_by_hessian",
    "group_share",
    "min_hessian",
    "l2_regularization",
    "l1_regularization",
    "min_split_gain",
)


class LostPart(Exception):
    """The process that held a part is gone."""


class Team(Protocol):
    """The parts, wherever they are, in the order of their rows."""

    def ask(self, method: str, *given: Sequence[Any]) -> list[Any]:
        """What a method says for each part, asked of all at once; `given` has its arguments, one a part.

        `LostPart` where one of them is gone.
        """

    def keep(self, which: Sequence[int]) -> None:
        """Go on with these parts alone."""

    def renew(self) -> None:
        """Make all parts, again after one was lost."""


def refuse_whole(model: Any, loss: str) -> None:
    """An error where a parameter asks for what parts cannot give."""
    for name, plain in _WHOLE.items():
        if getattr(model, name, plain) != plain:
            raise UsageError(
                f"{name}={getattr(model, name)!r} needs all rows in one place, and these are in parts",
                code="not_in_parts",
                hint=f"leave {name} out",
            )
    if model.keep_losses is True:
        raise UsageError("keep_losses=True needs all rows in one place", code="not_in_parts", hint="leave it out")
    if loss not in _LOSSES:
        raise UsageError(
            f"loss={loss!r} needs all rows in one place, and these are in parts",
            code="not_in_parts",
            hint="take one of " + ", ".join(_LOSSES[:3]) + ", or fit on one machine",
        )


def fit_parts(model: Any, team: Team, *, numeric: bool) -> None:
    """Fit a boosting to the rows of a team: the model that it would be on all of them in one place.

    When a part is lost, it goes on from the trees that are here, on the parts that there are then.
    """
    model._validate_params()
    refuse_or_warn(model)
    ready: _Ready | None = None
    kept: Forest | None = None
    while True:
        team.renew()
        try:
            facts = _agreed(team)
            ready = ready or _made_ready(model, team, facts, numeric=numeric)
            for trees in _slices(team, facts, ready, kept):
                kept = trees
            break
        except LostPart:
            continue
    assert kept is not None
    # In the order of a fit on one machine: files of models keep it.
    model._stages, model._init, model._start, model.stopping_ = [], None, list(ready.start), None
    model._forest, model.n_rounds_ = kept, kept.trees // ready.outputs
    model.max_features_ = resolve_max_features(model.max_features, model.n_features_in_)


@dataclass(frozen=True)
class _Ready:
    """What is known before the first tree, however the rows are in parts."""

    rounds: int
    outputs: int
    start: list[float]
    begun: Mapping[str, Any]


def _made_ready(model: Any, team: Team, facts: list[Facts], *, numeric: bool) -> _Ready:
    _describe(model, facts[0])
    classes, goal, start = _target(model, team, facts, numeric=numeric)
    plan = model._plan(goal, draw_seed(model.random_state), sum(one.rows for one in facts))
    begun = {
        "plan": {name: getattr(plan, name) for name in _PLAN},
        "start": np.array(start),
        "directions": directions_of(model),
        "cuts": [_cuts(team, j, int(model.max_bins), len(facts)) for j in range(facts[0].columns)],
        "classes": classes,
        "max_bins": int(model.max_bins),
        "wide": any(one.wide for one in facts),
        "threads": thread_count(model.n_jobs),
    }
    return _Ready(int(model.n_estimators), goal.outputs, start, begun)


def _agreed(team: Team) -> list[Facts]:
    """What is known of the parts that have rows; an error where they do not go together."""
    facts: list[Facts] = team.ask("facts")
    for one in facts:
        if one.troubles:
            raise DataError(one.troubles[0], code="bad_partition", hint="look at that partition")
    with_rows = [i for i, one in enumerate(facts) if one.rows]
    if not with_rows:
        raise DataError("the partitions have no rows", code="no_rows", hint="look at what they are made of")
    team.keep(with_rows)
    facts = [facts[i] for i in with_rows]
    for number, one in zip(with_rows, facts, strict=True):
        if (one.names, one.columns) != (facts[0].names, facts[0].columns):
            raise DataError(
                f"part {number} has other columns than part {with_rows[0]}: {_columns(one)}, not {_columns(facts[0])}",
                code="other_columns",
                hint="partitions have the same columns in the same order",
            )
        if not one.finite:
            raise DataError(f"part {number}: the target has missing or infinite values", code="bad_partition")
    return facts


def _columns(facts: Facts) -> str:
    return f"{facts.columns} columns" if facts.names is None else ", ".join(facts.names[:10])


def _describe(model: Any, facts: Facts) -> None:
    if facts.names is not None:
        model.feature_names_in_ = np.array(facts.names, dtype=object)
    model.n_features_in_ = facts.columns
    model._layout = Layout(np.zeros(facts.columns, dtype=bool))
    if model.categorical_features not in ("from_dtype", None):
        raise UsageError("categorical_features: columns of parts are numbers", code="not_in_parts")


def _target(
    model: Any, team: Team, facts: list[Facts], *, numeric: bool
) -> tuple[NDArray[Any] | None, Goal, list[float]]:
    """The classes, what is fitted (without the target itself), and the scores to start from."""
    rows, nothing = sum(one.rows for one in facts), np.zeros(0)
    if numeric:
        loss = model._loss_name()
        refuse_whole(model, loss)
        total = 0.0
        for k in range(len(facts)):  # in the order of the rows, as on one machine
            total = team.ask("added", [total if i == k else None for i in range(len(facts))])[k]
        check_target(loss, np.array([min(one.least for one in facts), total]))
        # Two rows with the sum of all, and the weight of all.
        made_up = np.array([total, 0.0]), np.array([1.0, rows - 1.0])
        goal = Goal(loss, 1, nothing, None, float(model.alpha))
        return None, goal, _start(goal, *made_up)
    classes = np.unique(np.concatenate([one.classes for one in facts]))
    model._speak_of(classes)
    check_classes(model, Problem(len(classes), None, None, None))
    loss = model._loss_of(len(classes))
    refuse_whole(model, loss)
    counts = np.sum(team.ask("classes_counted", [classes] * len(facts)), axis=0)
    goal = Goal(loss, 1 if len(classes) == 2 else len(classes), nothing, None)
    return classes, goal, _start(goal, np.arange(len(classes), dtype=np.float64), counts.astype(np.float64))


def _start(goal: Goal, y: NDArray[np.float64], weights: NDArray[np.float64]) -> list[float]:
    """The scores to start from, by a few rows that sum up to what all do."""
    plan = BoostPlan()
    plan.loss, plan.outputs, plan.alpha = goal.loss, goal.outputs, goal.alpha
    bins = Bins.of(np.zeros((len(y), 1)), np.zeros(1, dtype=bool), None, max_bins=2, threads=1)
    few = Booster.of(bins, y, weights, np.zeros(0), np.zeros(0, dtype=np.int8), plan, threads=1)
    return list(few.start)


def _cuts(team: Team, column: int, max_bins: int, parts: int) -> tuple[list[float], list[float], float, float]:
    """Where a column is cut, from how often each value is there."""
    binner, start = BlockBinner.of(CHUNK, 1, max_bins=max_bins), 0
    while True:
        told = team.ask("values", [column] * parts, [start] * parts)
        for values, counts in told:
            binner.take_weighed(0, values.reshape(-1, 1), counts)
        start += CHUNK
        if all(len(values) < CHUNK for values, _ in told):
            break
    binner.cut(0, categorical=False)
    cuts: tuple[list[float], list[float], float, float] = binner.cuts(0)
    return cuts


def _slices(team: Team, facts: list[Facts], ready: _Ready, kept: Forest | None) -> Iterator[Forest]:
    """The trees so far, after every few rounds."""
    done, parts = 0 if kept is None else kept.trees // ready.outputs, len(facts)
    if done == ready.rounds:
        return
    first = tuple(np.concatenate([[0], np.cumsum([one.rows for one in facts])]).tolist())
    before = None if kept is None else dict(arrays_of(kept))
    task = Task(**ready.begun, first=first, before=before, rounds_before=done)
    team.ask("begin", list(range(parts)), [task] * parts)
    for at in range(done, ready.rounds, _SLICE):
        numbers = team.ask("grow", [min(_SLICE, ready.rounds - at)] * parts)
        while numbers[0] is not None:
            total = np.sum(numbers, axis=0, dtype=np.uint64)
            numbers = team.ask("go_on", [total] * parts)
        grown = trees_of(team.ask("trees")[0])
        yield grown if kept is None else joined_rounds(kept, done * ready.outputs, grown)
