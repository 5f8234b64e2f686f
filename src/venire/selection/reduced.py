"""Least squares on a part of the rows, reduced to what every subset of its columns needs.

The training rows, centred and weighted, are replaced by the triangle R of their QR decomposition: RᵀR is their Gram
matrix, but the triangle keeps twice its digits, so that no case is left in which the Gram matrix would be too coarse. A
ridge is a few more rows, √λ on the diagonal, before the triangle is taken.

An attribute of several columns (one a category) has dependent ones: with the intercept they add up to one. They are
turned so that the columns without length can be dropped. A turn changes no length, so that of all solutions the
shortest, which is scikit-learn's, stays the shortest.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lstsq

Floats = NDArray[np.float64]
Columns = NDArray[np.intp]

_NO_LENGTH = 1e-13  # of a column, beside the numbers it was centred from: constant up to rounding


@dataclass(frozen=True, eq=False)
class Reduced:
    """One part: the triangle of its training rows, and the rows judged, as seen from the training mean."""

    triangle: Floats  # [at most columns + targets, column]
    targets: Floats  # [as many, target]
    held: Floats  # [row, column]
    level: Floats  # [target]: the training mean, which is the prediction without attributes
    columns: tuple[Columns, ...]  # of each attribute
    cutoff: float  # directions shorter than this share of the longest have no part in a solution

    @property
    def lengths(self) -> Floats:
        """The length of every training column."""
        return np.asarray(np.linalg.norm(self.triangle, axis=0))

    def shortest(self, columns: Columns) -> Floats:
        """Predictions [row, target] of the rows judged, by the shortest solution on some columns."""
        if not len(columns):
            return np.broadcast_to(self.level, (len(self.held), len(self.level)))
        solution = lstsq(self.triangle[:, columns], self.targets, cond=self.cutoff, check_finite=False)[0]
        return np.asarray(self.held[:, columns] @ solution + self.level)


def reduce_rows(
    X: Floats,
    Y: Floats,
    weights: Floats | None,
    held: Floats,
    columns: tuple[Columns, ...],
    *,
    penalty: float,
    cutoff: float,
) -> Reduced:
    """Centre by the (weighted) training means, take the triangle, turn the attributes of several columns."""
    if weights is not None:
        counted = weights > 0
        X, Y, weights = X[counted], Y[counted], weights[counted]
    centre = np.average(X, axis=0, weights=weights)
    inside = X - centre
    rest = np.average(inside, axis=0, weights=weights)  # what rounding left of the mean: a column may sit at 1e8
    inside -= rest
    outside = (held - centre) - rest
    level = np.average(Y, axis=0, weights=weights)
    of_targets = Y - level
    if weights is not None:
        inside *= np.sqrt(weights)[:, None]
        of_targets = of_targets * np.sqrt(weights)[:, None]
    total = float(len(X)) if weights is None else float(weights.sum())
    flat = np.linalg.norm(inside, axis=0) <= _NO_LENGTH * np.abs(centre) * np.sqrt(total)
    inside[:, flat] = 0.0
    triangle, of_targets = _triangle(inside, of_targets, penalty)
    return _turned(triangle, of_targets, outside, level, columns, cutoff)


def _triangle(inside: Floats, targets: Floats, penalty: float) -> tuple[Floats, Floats]:
    width = inside.shape[1]
    both = np.hstack([inside, targets])
    if len(both) > both.shape[1]:
        both = np.asarray(np.linalg.qr(both, mode="r"))
    if penalty > 0:
        ridge = np.zeros((width, both.shape[1]))
        ridge[:, :width] = np.sqrt(penalty) * np.eye(width)
        both = np.asarray(np.linalg.qr(np.vstack([both, ridge]), mode="r"))
    return both[:, :width], both[:, width:]


def _turned(
    triangle: Floats, targets: Floats, held: Floats, level: Floats, columns: tuple[Columns, ...], cutoff: float
) -> Reduced:
    """Every attribute in its own main directions, without those that have no length."""
    inside, outside, places = [], [], []
    at = 0
    for own in columns:
        fold, rows = triangle[:, own], held[:, own]
        if len(own) > 1:
            _, lengths, turn = np.linalg.svd(fold, full_matrices=False)
            kept = turn[lengths > _NO_LENGTH * lengths.max(initial=0.0)].T
            fold, rows = fold @ kept, rows @ kept
        elif len(own) == 1 and not fold.any():
            fold, rows = fold[:, :0], rows[:, :0]
        inside.append(fold)
        outside.append(rows)
        places.append(np.arange(at, at + fold.shape[1]))
        at += fold.shape[1]
    joined = np.hstack(inside) if inside else triangle[:, :0]
    return Reduced(joined, targets, np.hstack(outside) if outside else held[:, :0], level, tuple(places), cutoff)
