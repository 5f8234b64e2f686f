"""Stacking with weights that are non-negative and sum to one, learned on held-out predictions.

With Σ w = 1 the error of the average is the weighted sum of the members' errors, t − P w = −(P − t) w, so all that
matters is the Gram matrix of the members' residuals. Gram matrices of folds add up: leaving a fold out of the
learning costs an M × M sum, and cross-fitting is free. The weights are shared by all classes, so the result stays a
probability and M numbers tell the whole story.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cholesky, solve_triangular
from scipy.optimize import nnls

Floats = NDArray[np.float64]


def residual_gram(members: NDArray[Any], y: NDArray[Any], classes: int) -> Floats:
    """The Gram matrix of the members' residuals.

    Parameters
    ----------
    members
        What they predicted, `[member, row, output]`.
    y
        Class codes or numbers.
    classes
        The number of classes, or 0 when `y` holds numbers.

    Returns
    -------
    ndarray
        `[member, member]`.

    Examples
    --------
    >>> residual_gram(np.array([[[1.0], [2.0]], [[0.0], [4.0]]]), np.array([1.0, 3.0]), 0)
    array([[ 1., -1.],
           [-1.,  2.]])
    """
    residuals = np.array(members, dtype=np.float64)
    if classes:
        residuals[:, np.arange(len(y)), y] -= 1.0
    else:
        residuals[:, :, 0] -= y
    flat = residuals.reshape(len(residuals), -1)
    # Not a matrix product: BLAS may sum in another order with another number of threads.
    lower = np.zeros((len(flat), len(flat)))
    for m, residual in enumerate(flat):
        lower[m, : m + 1] = [np.einsum("i,i->", residual, other) for other in flat[: m + 1]]
    return lower + np.tril(lower, -1).T


def stack_weights(gram: Floats) -> Floats:
    """The weights on the simplex with the least squared error.

    The minimum of w'Gw with Σ w = 1, w ≥ 0 is proportional to the minimum of v'Gv/2 − Σ v, v ≥ 0.

    Parameters
    ----------
    gram
        Of the members' residuals, as `residual_gram` gives it; sums of such matrices serve many folds.

    Returns
    -------
    ndarray
        One weight per member, none negative, in sum one.

    Examples
    --------
    >>> stack_weights(np.array([[1.0, 0.0], [0.0, 3.0]])).round(2)
    array([0.75, 0.25])
    """
    members = len(gram)
    scale = float(np.trace(gram)) / members
    if members == 1 or not scale > 0:
        return np.full(members, 1.0 / members)
    # The ridge shares the weight of members that say the same, instead of picking one by rounding.
    steadied = gram / scale + 1e-6 * np.eye(members)
    root = cholesky(steadied, lower=True)
    found, _ = nnls(root.T, solve_triangular(root, np.ones(members), lower=True))
    return np.asarray(found / found.sum(), dtype=np.float64)
