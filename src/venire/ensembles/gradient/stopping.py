"""How many rounds a boosting keeps: what early stopping saw, and what a stored boosting has to have."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from venire._core import Booster
from venire.ensembles.gradient.losses import Measure, report_factor
from venire.ensembles.gradient.progress import NoGain
from venire.ensembles.gradient.round_trees import Stage
from venire.errors import DataError, UsageError
from venire.states.checked import Fitted
from venire.states.constraints import array, learner, maybe, number, optional, record, require, sequence, whole

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Stopping:
    """How early stopping went: the rows held out of training, their loss after 0, 1, 2, … rounds, the best round.

    The model keeps `best_round` rounds. The held-out rows chose that number, so their loss is no estimate of the
    loss on new rows.
    """

    held_out: NDArray[np.intp]
    losses: Floats
    best_round: int


BOOSTED: Fitted = {
    "stopping_": maybe(record(Stopping, held_out=array("i8", None, low=0), losses=array("f8", None, finite=False))),
    "_start": sequence(number()),
    "n_rounds_": whole(),
    "max_features_": optional(whole(low=1)),
    "train_score_": optional(array("f8", None, finite=False)),
    "oob_improvement_": optional(array("f8", None, finite=False)),
    "oob_scores_": optional(array("f8", None, finite=False)),
    "oob_score_": optional(number(finite=False)),
    "_init": optional(maybe(learner)),
    "_stages": optional(
        sequence(
            record(
                Stage,
                **dict.fromkeys(("max_depth", "max_leaf_nodes"), maybe(whole(low=1))),
                **dict.fromkeys(("min_samples_leaf", "min_samples_split"), maybe(number(0.0))),
            )
        )
    ),
}


def require_rounds(state: Mapping[str, Any], classes: int) -> None:
    """Refuse a boosting with another number of scores than its classes need, or with fewer trees than rounds."""
    outputs, grown = len(state["_start"]), state["_forest"].trees
    require(outputs == (1 if classes == 2 else classes), f"_start has {outputs} scores for {classes} classes")
    require(state["n_rounds_"] * outputs <= grown, f"n_rounds_ asks for more than the {grown} trees there are")


def held_out_rows(model: Any, goal: Any, seed: int) -> NDArray[np.intp] | None:
    """The rows that decide how many rounds there are, or None; each class has its share of them."""
    if model.early_stopping is None and model.n_iter_no_change is None:
        return None
    if model.early_stopping is not None and model.n_iter_no_change is not None:
        raise UsageError("early_stopping and n_iter_no_change both end the rounds", hint="set one of the two")
    if goal.own is not None:
        raise UsageError(
            "early_stopping needs the value of the loss, and a loss of one's own gives its gradients alone",
            hint="look at staged_predict on rows of your own",
        )
    return _drawn(model, goal, seed) if model.early_stopping is not None else _drawn_as_sklearn(model, goal, seed)


def _drawn(model: Any, goal: Any, seed: int) -> NDArray[np.intp]:
    rng = np.random.default_rng(seed)
    known = np.arange(len(goal.y)) if goal.weights is None else np.flatnonzero(goal.weights > 0)
    groups = [known] if goal.strata is None else [known[goal.strata[known] == c] for c in np.unique(goal.strata)]
    parts = [rng.permutation(rows)[: round(model.validation_fraction * len(rows))] for rows in groups]
    held_out = np.sort(np.concatenate(parts))
    if held_out.size == 0 or held_out.size == known.size:
        raise UsageError(
            f"validation_fraction={model.validation_fraction:g} of {known.size} rows leaves nothing on one side",
            hint="choose another share, or early_stopping=None",
        )
    return held_out


def _drawn_as_sklearn(model: Any, goal: Any, seed: int) -> NDArray[np.intp]:
    known = np.arange(len(goal.y)) if goal.weights is None else np.flatnonzero(goal.weights > 0)
    strata = None if goal.strata is None else goal.y[known]
    train, held_out = train_test_split(
        known, test_size=model.validation_fraction, random_state=seed % 2**32, stratify=strata
    )
    if strata is not None and len(np.unique(goal.strata[train])) < len(np.unique(goal.strata[known])):
        raise DataError(
            "The training data after the early stopping split is missing some classes. Try using another random seed.",
            code="missing_classes",
            hint="lower validation_fraction",
        )
    return np.sort(held_out)


def held_out_loss(booster: Booster, goal: Any, held_out: NDArray[np.intp]) -> Callable[[], float]:
    """What the present scores lose on the rows held out."""
    measure = Measure(goal.loss, goal.alpha)
    y = goal.y[held_out]
    weights = None if goal.weights is None else goal.weights[held_out]
    return lambda: measure(y, booster.scores()[:, held_out].T, weights)


def stopping_rule(model: Any, loss: str) -> Callable[[list[float]], bool]:
    """Whether to go on after these losses."""
    if model.early_stopping is None:
        no_gain, factor = NoGain(int(model.n_iter_no_change), float(model.tol)), report_factor(loss)
        return lambda losses: no_gain.go_on(factor * losses[-1])
    patience = int(model.early_stopping)
    return lambda losses: len(losses) - 1 - int(np.argmin(losses)) < patience
