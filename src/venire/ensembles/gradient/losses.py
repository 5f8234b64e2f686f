"""Losses as the user sees them: names, links from scores to predictions, and the loss itself, for early stopping.

Gradients are taken in the compiled core; a loss of one's own brings its gradients along.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logsumexp

from venire.errors import DataError, UsageError

Floats = NDArray[np.float64]
# (y, scores) → (gradients, hessians), one number a row each.
OwnLoss = Callable[[Floats, Floats], tuple[Floats, Floats]]

NUMBER_LOSSES = frozenset({"squared", "absolute", "huber", "quantile", "poisson", "gamma"})
CLASS_LOSSES = frozenset({"log_loss", "exponential"})
OTHER_NAMES = {"squared_error": "squared", "absolute_error": "absolute"}  # those of scikit-learn
LOG_MEANS = frozenset({"poisson", "gamma"})  # their scores are logarithms of means


def mean_of(loss: str, scores: Floats) -> Floats:
    """The predicted numbers behind scores.

    >>> mean_of("poisson", np.array([0.0, np.log(3.0)]))
    array([1., 3.])
    """
    return np.exp(scores) if loss in LOG_MEANS else scores


def shares_of(scores: Floats) -> Floats:
    """Class probabilities behind scores [..., output]: one output is the log-odds of the second of two classes.

    >>> shares_of(np.array([[0.0]]))
    array([[0.5, 0.5]])
    """
    if scores.shape[-1] == 1:
        shares = np.empty((*scores.shape[:-1], 2))
        shares[..., 1] = expit(scores[..., 0])
        shares[..., 0] = 1.0 - shares[..., 1]
        return shares
    raised = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.asarray(raised / raised.sum(axis=-1, keepdims=True))


def report_factor(loss: str) -> float:
    """By what scikit-learn multiplies the mean loss in `train_score_`: deviances and squares are not halved there."""
    return 2.0 if loss in ("squared", "logistic") else 1.0


def check_target(loss: str, y: Floats) -> None:
    """Poisson and gamma losses are for counts and positive amounts."""
    if loss == "poisson" and (y.min() < 0 or y.sum() <= 0):
        raise DataError(
            f"the Poisson loss needs a target of numbers not below 0 and not all 0; found {y.min():g}",
            code="target_range",
            hint="use loss='squared', or shift the target",
        )
    if loss == "gamma" and y.min() <= 0:
        raise DataError(
            f"the gamma loss needs a target of positive numbers; found {y.min():g}",
            code="target_range",
            hint="use loss='squared', or leave out the rows that are 0",
        )


@dataclass(frozen=True, slots=True)
class Measure:
    """The mean loss of scores [row, output], up to terms that depend on y alone."""

    loss: str
    alpha: float = 0.9

    def __call__(self, y: Floats, scores: Floats, weights: Floats | None = None) -> float:
        """The weighted mean loss."""
        return float(np.average(self._each(y, scores), weights=weights))

    def _each(self, y: Floats, scores: Floats) -> Floats:
        one = scores[:, 0]
        left = y - one
        match self.loss:
            case "absolute":
                return np.abs(left)
            case "quantile":
                return np.where(left > 0, self.alpha * left, (self.alpha - 1) * left)
            case "huber":
                size = np.abs(left)
                delta = float(np.quantile(size, self.alpha))
                return np.where(size <= delta, left**2 / 2, delta * (size - delta / 2))
            case "poisson":
                return np.exp(one) - y * one
            case "gamma":
                return one + y * np.exp(-one)
            case "logistic":
                return np.logaddexp(0.0, one) - y * one
            case "exponential":
                return np.exp(np.where(y > 0, -one, one))
            case "multinomial":
                return np.asarray(logsumexp(scores, axis=1) - scores[np.arange(len(y)), y.astype(np.intp)])
            case _:
                return left**2 / 2


def own_gradients(loss: OwnLoss, y: Floats, scores: Floats) -> tuple[Floats, Floats]:
    """The gradients and hessians of a loss of one's own, checked."""
    gradient, hessian = (np.asarray(part, dtype=np.float64) for part in loss(y, scores))
    for name, part in (("gradients", gradient), ("hessians", hessian)):
        if part.shape != y.shape or not np.isfinite(part).all():
            raise UsageError(f"the loss must give one finite number a row; its {name} have shape {part.shape}")
    if (hessian < 0).any():
        raise UsageError("the loss gave a negative hessian", hint="boosting needs a convex loss, or an upper bound ≥ 0")
    return gradient, hessian


def as_line(numbers: Floats) -> NDArray[np.float32]:
    """Gradients of one output, as the core takes them."""
    return np.ascontiguousarray(numbers[None], dtype=np.float32)
