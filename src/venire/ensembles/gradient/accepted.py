"""Parameters and targets that boosting refuses, or takes without effect, with the way out."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from venire.errors import DataError, UsageError
from venire.models.tree.growth import Problem

Monitor = Callable[[int, Any, dict[str, Any]], bool]


def refuse_or_warn(model: Any) -> None:
    """Say what pruning and the criterion mean here."""
    if model.criterion is not None:
        message = (
            "criterion has no effect: boosted trees are grown on gradients. It will be removed, as in scikit-learn."
        )
        warnings.warn(message, FutureWarning, stacklevel=3)
    if model.ccp_alpha > 0:
        raise UsageError(
            f"ccp_alpha={model.ccp_alpha:g}: boosted trees are not pruned after they have grown",
            hint="use min_split_gain, which a split has to gain in the first place",
        )


def check_classes(model: Any, problem: Problem) -> None:
    """Boosting needs two classes at least, and some losses and constraints two at most."""
    seen = model.n_classes_
    if problem.weights is not None and problem.labels is not None:
        seen = len(np.unique(problem.labels[problem.weights > 0]))
    if seen < 2 <= model.n_classes_:
        raise DataError(
            f"y contains {seen} class after sample_weight trimmed classes with zero weights, while a minimum of 2 "
            "classes are required.",
            code="one_class",
            hint="is the target the right column?",
        )
    if model.n_classes_ < 2:
        raise DataError(
            f"boosting needs at least two classes; the target has one class: {model.classes_[0]!r}",
            code="one_class",
            hint="is the target the right column?",
        )
    if model.n_classes_ > 2 and model.loss == "exponential":
        raise DataError(
            f"loss='exponential' is only suitable for a binary classification problem, and there are "
            f"{model.n_classes_} classes",
            code="exponential_classes",
            hint="use loss='log_loss'",
        )
    if model.monotone is not None and model.n_classes_ > 2:
        raise DataError(
            f"monotone needs a single score, and {model.n_classes_} classes have one each",
            code="monotone_classes",
            hint="set monotone=None, or boost one class against the rest",
        )
