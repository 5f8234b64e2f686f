"""The parameters of boosting, as constraints, and what it is to fit."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.ensembles.gradient.losses import OwnLoss
from venire.models.tree.base import TREE_CONSTRAINTS
from venire.models.tree.growth import Problem
from venire.sklearn_private import Interval, StrOptions

Floats = NDArray[np.float64]

BOOSTING_CONSTRAINTS: dict[str, list[Any]] = {
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_leaf": [*TREE_CONSTRAINTS["min_samples_leaf"], None],
    "min_samples_split": [*TREE_CONSTRAINTS["min_samples_split"], None],
    "min_weight_fraction_leaf": TREE_CONSTRAINTS["min_weight_fraction_leaf"],
    "min_impurity_decrease": TREE_CONSTRAINTS["min_impurity_decrease"],
    "max_features": TREE_CONSTRAINTS["max_features"],
    "criterion": [StrOptions({"friedman_mse", "squared_error"}), None],
    "ccp_alpha": [Interval(Real, 0.0, None, closed="left")],
    "min_hessian_leaf": [Interval(Real, 0.0, None, closed="left")],
    "rows_by_hessian": ["boolean"],
    "max_bins": TREE_CONSTRAINTS["max_bins"],
    "l2_regularization": [Interval(Real, 0.0, None, closed="left")],
    "l1_regularization": [Interval(Real, 0.0, None, closed="left")],
    "min_split_gain": [Interval(Real, 0.0, None, closed="left")],
    "subsample": [Interval(Real, 0.0, 1.0, closed="right")],
    "colsample": [Interval(Real, 0.0, 1.0, closed="right")],
    "gradient_sampling": [tuple, None],
    "gradient_levels": [Interval(Integral, 2, 256, closed="both"), None],
    "monotone": ["array-like", dict, None],
    "categorical_features": TREE_CONSTRAINTS["categorical_features"],
    "early_stopping": [Interval(Integral, 1, None, closed="left"), None],
    "n_iter_no_change": [Interval(Integral, 1, None, closed="left"), None],
    "tol": [Interval(Real, 0.0, None, closed="left")],
    "warm_start": ["boolean"],
    "verbose": ["verbose"],
    "keep_losses": ["boolean", StrOptions({"auto"})],
    "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}


def strata_of(model: Any, problem: Problem) -> NDArray[np.int32] | None:
    """The classes of the rows where a model asks for them: to hold rows out of each, or to start from another model."""
    return None if model.init is model.early_stopping is model.n_iter_no_change is None else problem.labels


@dataclass(frozen=True, slots=True)
class Goal:
    """What is fitted: the loss, its outputs, the target as numbers (or codes), the weights."""

    loss: str
    outputs: int
    y: Floats
    weights: Floats | None
    alpha: float = 0.9
    own: OwnLoss | None = None
    strata: NDArray[Any] | None = None  # classes that a held-out part must share with the rest
