"""Logistic regression by plain gradient ascent, to be looked at step by step.

For work, scikit-learn's solvers are the better choice: they reach the same optimum in far fewer steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit, log_expit

from venire.errors import DataError, UsageError

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ascent:
    """Every step on the way up the log-likelihood; step 0 is the start, all zeros."""

    coefficients: Floats  # [step, 1 + attribute]: the intercept comes first
    log_likelihood: Floats  # [step]
    change: Floats  # [step]: the largest move of a coefficient that led to this step; NaN at the start
    converged: bool

    @property
    def steps(self) -> int:
        """How many steps were taken."""
        return len(self.log_likelihood) - 1

    @property
    def intercept(self) -> float:
        """Where it ended: the intercept."""
        return float(self.coefficients[-1, 0])

    @property
    def weights(self) -> Floats:
        """Where it ended: one coefficient an attribute."""
        return np.asarray(self.coefficients[-1, 1:])

    def probabilities(self, X: ArrayLike, step: int = -1) -> Floats:
        """P(class 1) of rows, as believed at that step (the last one)."""
        at = self.coefficients[step]
        return np.asarray(expit(at[0] + np.asarray(X, dtype=np.float64) @ at[1:]))


def logistic_ascent(
    X: ArrayLike,
    y: ArrayLike,
    *,
    eta: float = 0.1,
    threshold: float = 1e-6,
    max_steps: int = 10_000,
    sample_weight: ArrayLike | None = None,
) -> Ascent:
    """Maximum likelihood by gradient ascent: w ← w + η · mean gradient, until no coefficient moves by `threshold`.

    y holds two classes; the greater one is class 1. The gradient is the (weighted) mean over rows of (y − p) x, so
    that η means the same for any number of rows. It stops after `max_steps` in any case, `converged` then being False:
    classes that a line can part have no finite optimum.

    >>> ascent = logistic_ascent([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], eta=0.5)
    >>> ascent.converged, round(ascent.intercept, 3), ascent.weights.round(3)
    (True, -1.362, array([0.908]))
    """
    rows, classes, weights = _checked(X, y, sample_weight)
    _check_parameters(eta, threshold, max_steps)
    design = np.column_stack([np.ones(len(rows)), rows])
    signed = np.where(classes == 1, 1.0, -1.0)
    at = np.zeros(design.shape[1])
    path, heights, changes = [at], [_height(design, signed, weights, at)], [np.nan]
    while len(path) <= max_steps and not changes[-1] < threshold:
        step = eta * (design.T @ (weights * (classes - expit(design @ at))))
        at = at + step
        if not np.isfinite(at).all():
            raise UsageError(
                f"the ascent left the finite numbers at step {len(path)}", hint="take a smaller eta, or scale X"
            )
        path.append(at)
        heights.append(_height(design, signed, weights, at))
        changes.append(float(np.abs(step).max()))
    return Ascent(np.array(path), np.array(heights), np.array(changes), bool(changes[-1] < threshold))


def _height(design: Floats, signed: Floats, weights: Floats, at: Floats) -> float:
    """The mean log-likelihood a row."""
    return float(weights @ log_expit(signed * (design @ at)))


def _checked(X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Floats, Floats, Floats]:
    """Rows, classes as 0 and 1, and weights that sum to 1."""
    rows = np.asarray(X, dtype=np.float64)
    if rows.ndim != 2:
        raise UsageError(f"X must have two dimensions, and has shape {rows.shape}", hint="one column is X[:, None]")
    labels = np.asarray(y)
    if labels.shape != (len(rows),):
        raise UsageError(f"X has {len(rows)} rows, and y has shape {labels.shape}")
    if not np.isfinite(rows).all():
        raise DataError("X holds a value that is missing or infinite", hint="fill or leave out such rows first")
    known = np.unique(labels)
    if len(known) != 2:
        raise DataError(f"logistic ascent parts two classes, and y holds {len(known)}: {known[:5].tolist()}")
    weights = np.ones(len(rows)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != labels.shape or not (weights >= 0).all() or not weights.sum() > 0:
        raise UsageError("sample_weight must hold one number a row, none negative and not all zero")
    return rows, (labels == known[1]).astype(np.float64), weights / weights.sum()


def _check_parameters(eta: float, threshold: float, max_steps: int) -> None:
    for name, value in (("eta", eta), ("threshold", threshold), ("max_steps", max_steps)):
        if not value > 0:
            raise UsageError(f"{name} must be above 0, and is {value}")
