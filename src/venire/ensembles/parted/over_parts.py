"""Gradient boosting over parts: what is asked of all of them, added up here, and given back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import Forest
from venire.ensembles.gradient.accepted import check_classes, refuse_or_warn
from venire.ensembles.gradient.directions import directions_of
from venire.ensembles.gradient.losses import check_target
from venire.ensembles.gradient.round_trees import joined_rounds
from venire.ensembles.gradient.settings import Goal
from venire.ensembles.parted.cut_columns import Asked, Codes, Counted, Cut, cut_columns, together_coded
from venire.ensembles.parted.part import Task
from venire.ensembles.parted.sent import added
from venire.errors import UsageError
from venire.models.input import Layout
from venire.models.parted.part_rows import Facts
from venire.models.parted.team import LostPart, Team, agreed, classes_of, describe, refuse_unless
from venire.models.tree.growth import Problem, draw_seed, resolve_max_features, thread_count
from venire.models.tree.storage import arrays_of, trees_of

Floats = NDArray[np.float64]

# What rests on the order of rows, on rows drawn, or on all of them at once; and what it has to be.
_WHOLE = {
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
            facts = agreed(team)
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
    model._layout = describe(model, facts[0], model.categorical_features)
    rows = sum(one.heavy_rows for one in facts)
    classes, goal, start = _target(model, team, facts, numeric=numeric)
    plan = model._plan(goal, draw_seed(model.random_state), rows)
    begun = {
        "plan": {name: getattr(plan, name) for name in _PLAN},
        "start": np.array(start),
        "directions": directions_of(model),
        "cuts": cuts_of(team, facts, model._layout, int(model.max_bins)),
        "classes": classes,
        "max_bins": int(model.max_bins),
        "wide": any(one.wide for one in facts),
        "threads": thread_count(model.n_jobs),
    }
    return _Ready(int(model.n_estimators), goal.outputs, start, begun)


def _target(
    model: Any, team: Team, facts: list[Facts], *, numeric: bool
) -> tuple[NDArray[Any] | None, Goal, list[float]]:
    """The classes, what is fitted (without the target itself), and the scores to start from."""
    nothing, weights = np.zeros(0), np.ones(1) if facts[0].weighed else None
    if numeric:
        loss = model._loss_name()
        refuse_whole(model, loss)
        sums = _added(team, len(facts), 0)
        check_target(loss, np.array([min(one.least for one in facts), sums[1]]))
        goal = Goal(loss, 1, nothing, weights, float(model.alpha))
    else:
        classes = classes_of(facts)
        model._speak_of(classes)
        loss = model._loss_of(len(classes))
        refuse_whole(model, loss)
        counts = np.sum(team.ask("classes_counted", [classes] * len(facts)), axis=0).astype(np.float64)
        shown = np.unique(np.concatenate(team.ask("classes_shown"))).astype(np.int32)
        check_classes(model, Problem(len(classes), shown, None, np.ones(len(shown))))
        sums = np.array([counts.sum(), counts @ np.arange(len(classes)), *counts])  # whole numbers, in any order
        if weights is not None:
            sums = _added(team, len(facts), len(classes))
        goal = Goal(loss, 1 if len(classes) == 2 else len(classes), nothing, weights)
    if weights is not None:
        refuse_unless(model, {"min_weight_fraction_leaf": 0.0, "min_impurity_decrease": 0.0})  # shares of their sum
        whole = all(team.ask("whole_weights"))
        team.ask("weigh", [float(sums[0])] * len(facts), [whole] * len(facts))
    return None if numeric else classes, goal, start_scores(goal.loss, sums)


def _added(team: Team, parts: int, classes: int) -> Floats:
    """What all rows weigh, that times the target, and what classes weigh: part after part, as on one machine."""
    sums = np.zeros(2 + classes)
    for k in range(parts):
        sums = team.ask("added", [sums if i == k else None for i in range(parts)], [classes] * parts)[k]
    return sums


def start_scores(loss: str, sums: Floats) -> list[float]:
    """The scores to start from: those of the core, from sums.

    >>> start_scores("squared", np.array([2.0, 3.0]))
    [1.5]
    """
    total, tiny = float(sums[0]), 1e-12
    mean = float(sums[1]) / total
    if loss == "multinomial":
        return [math.log(max(float(share) / total, tiny)) for share in sums[2:]]
    if loss in ("poisson", "gamma"):
        return [math.log(max(mean, tiny))]
    if loss in ("logistic", "exponential"):
        odds = math.log(max(mean, tiny) / max(1 - mean, tiny))
        return [odds if loss == "logistic" else odds / 2]
    return [mean]


def cuts_of(team: Team, facts: list[Facts], layout: Layout, max_bins: int) -> list[Cut | Codes]:
    """Where the columns are cut."""
    wide, parts = any(one.wide for one in facts), len(facts)

    def ask(asked: Sequence[Asked]) -> list[list[Counted]]:
        return team.ask("counted", [asked] * parts, [wide] * parts)

    numbers = np.flatnonzero(~layout.categorical).tolist()
    cuts: dict[int, Cut | Codes] = {**cut_columns(ask, numbers, max_bins, wide=wide)}
    for j in np.flatnonzero(layout.categorical).tolist():
        cuts[j] = together_coded(team.ask("codes_counted", [j] * parts))
    return [cuts[j] for j in range(facts[0].columns)]


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
            numbers = team.ask("go_on", [added(numbers)] * parts)
        grown = trees_of(team.ask("trees")[0])
        yield grown if kept is None else joined_rounds(kept, done * ready.outputs, grown)
