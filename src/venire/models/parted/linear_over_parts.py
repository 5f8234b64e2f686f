"""Linear and logistic regression over parts: cross-products, gradients and curvature are sums over blocks of rows.

The optimum is found where the sums are, by Newton's method, and does not depend on how the rows are in parts. What
comes of it is scikit-learn's model, which saves, exports and predicts as one that was fitted here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve, eigh
from threadpoolctl import threadpool_limits

from venire.errors import UsageError, VenireError
from venire.models.parted.block_sums import ColumnSums, Products, Slopes, summed
from venire.models.parted.team import (
    Team,
    classes_of,
    describe,
    refuse_gaps,
    refuse_unless,
    with_all_parts,
)

Floats = NDArray[np.float64]
_NEWTON = 100  # steps; five to fifteen are usual
_CLOSE = 1e-16  # squared distance from the optimum, in standard errors, a row
# Parameters that are asked for, and those that change how an optimum is found and not which.
_FREE = {"alpha", "C", "tol", "max_iter", "n_jobs", "random_state", "copy_X", "verbose", "intercept_scaling"}


def fit_ridge(model: Any, team: Team) -> None:
    """Least squares with a ridge, as scikit-learn's `Ridge` finds it."""
    model._validate_params()
    _refuse_others(model)
    if np.ndim(model.alpha):
        raise UsageError("alpha is one number", hint="fit once for each")
    with_all_parts(team, lambda facts: _fit_ridge(model, team, facts))


def _refuse_others(model: Any) -> None:
    """Everything else is as it comes."""
    plain = type(model)().get_params()
    refuse_unless(model, {name: value for name, value in plain.items() if name not in _FREE})


def _fit_ridge(model: Any, team: Team, facts: list[Any]) -> None:
    refuse_gaps(facts)
    describe(model, facts[0])
    sizes = [one.rows for one in facts]
    with threadpool_limits(1):  # the bits of linear algebra depend on the number of threads
        weight, *sums = summed(team, ColumnSums(), sizes)[0]
        centre = np.array(sums) / weight
        products = _whole(summed(team, Products(centre), sizes)[0])
        off = products[0, 1:] / weight  # of the centre from the mean, by what rounding left
        products = products[1:, 1:] - weight * np.outer(off, off)
        curved = products[:-1, :-1] + float(model.alpha) * np.eye(len(products) - 1)
        size = np.sqrt(np.diag(curved))  # columns of all sizes alike
        size[size == 0] = 1.0
        values, basis = eigh(curved / size / size[:, None])
        known = values > values.max(initial=0.0) * len(values) * np.finfo(np.float64).eps
        along = np.divide(basis.T @ (products[:-1, -1] / size), values, out=np.zeros(len(values)), where=known)
        mean = centre + off
        model.coef_ = basis @ along / size
        model.intercept_ = float(mean[-1] - mean[:-1] @ model.coef_)
    model.n_iter_, model.solver_ = None, "cholesky"


def fit_logistic(model: Any, team: Team) -> None:
    """Logistic regression with an L2 penalty, at the optimum that scikit-learn's `LogisticRegression` looks for."""
    model._validate_params()
    _refuse_others(model)
    with_all_parts(team, lambda facts: _fit_logistic(model, team, facts))


def _fit_logistic(model: Any, team: Team, facts: list[Any]) -> None:
    refuse_gaps(facts)
    describe(model, facts[0])
    sizes, parts = [one.rows for one in facts], len(facts)
    model.classes_ = classes_of(facts)
    team.ask("classes_counted", [model.classes_] * parts)
    outputs = 1 if len(model.classes_) == 2 else len(model.classes_)
    with threadpool_limits(1):
        weight, *sums = summed(team, ColumnSums(), sizes)[0]
        centre = np.array(sums[:-1]) / weight
        start = np.zeros((outputs, 1 + len(centre)))
        found, steps = _optimum(team, sizes, centre, start, 0.0 if np.isinf(model.C) else 1.0 / float(model.C))
    model.coef_ = found[:, 1:].copy()
    model.intercept_ = found[:, 0] - found[:, 1:] @ centre
    model.n_iter_ = np.array([steps], dtype=np.int32)


def _optimum(team: Team, sizes: list[int], centre: Floats, at: Floats, penalty: float) -> tuple[Floats, int]:
    """Newton's method: a step that goes past the lowest point on its way is made shorter."""
    rows = sum(sizes)
    gradient, curvature = _slopes(team, sizes, centre, at, penalty)
    for steps in range(1, _NEWTON + 1):
        way = _solved(curvature, -gradient)
        downhill = -float(gradient @ way)
        if downhill <= _CLOSE * rows:
            return at + way.reshape(at.shape), steps
        share = 1.0
        for _ in range(50):
            to = at + share * way.reshape(at.shape)
            gradient, curvature = _slopes(team, sizes, centre, to, penalty)
            uphill = float(gradient @ way)
            if uphill <= 0.5 * downhill:
                break
            share *= max(0.1, downhill / (downhill + uphill))
        at = to
    raise VenireError(
        "logistic regression came to no optimum: the classes may be parted by a plane without a penalty",
        code="no_optimum",
        hint="take a smaller C",
    )


def _slopes(team: Team, sizes: list[int], centre: Floats, at: Floats, penalty: float) -> tuple[Floats, Floats]:
    """Gradient and curvature with the penalty, which leaves intercepts free; of many outputs these sum up to zero."""
    gradient, curvature = summed(team, Slopes(centre, at), sizes)
    outputs, width = at.shape
    blocks = curvature.reshape(outputs, width, outputs, width)
    for k in range(outputs):
        for other in range(k, outputs):
            blocks[k, :, other] = blocks[other, :, k] = _whole(blocks[k, :, other])
    penalties = np.full((outputs, width), penalty)
    penalties[:, 0] = 0.0
    gradient = gradient + penalties * at
    curvature = curvature + np.diag(penalties.ravel())
    if outputs > 1:
        first = np.arange(outputs) * width
        curvature[np.ix_(first, first)] += 1.0
        gradient[:, 0] += at[:, 0].sum()
    return gradient.ravel(), curvature


def _whole(upper: Floats) -> Floats:
    """A symmetric matrix from its upper triangle."""
    upper = np.triu(upper)
    return upper + np.triu(upper, 1).T


def _solved(curvature: Floats, vector: Floats) -> Floats:
    """Columns of all sizes alike."""
    size = np.sqrt(np.maximum(np.diag(curvature), np.finfo(np.float64).tiny))
    scaled = curvature / size / size[:, None]
    try:
        return np.asarray(cho_solve(cho_factor(scaled), vector / size) / size)
    except np.linalg.LinAlgError:  # columns that say the same, and no penalty
        return np.asarray(np.linalg.lstsq(scaled, vector / size, rcond=None)[0] / size)
