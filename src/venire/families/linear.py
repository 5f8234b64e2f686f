"""Least squares with a ridge: every λ of the path from one eigendecomposition a trial, and the rows read once for all.

With centred attributes Z and targets T, β(λ) = V (VᵀZᵀT) / (Λ + λ) where ZᵀZ = VΛVᵀ. ZᵀZ and ZᵀT of every training
part are sums over its blocks (`blocks`). Where these would be larger than the table (many blocks, or more columns than
rows), or so ill-conditioned that squaring costs digits, the trial takes its own rows. Equal, up to rounding, to
fitting scikit-learn's `Ridge` or `RidgeClassifier` once for every λ.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import eigh, qr, svd

from venire.data.table import Table
from venire.families.blocks import BlockSums, Layout, OnDemand, Part, many_cells
from venire.validation.family import Cancel, Setting
from venire.validation.generic import Fit, GenericFamily, Lesson, Predicted, Prepared
from venire.validation.plan import Plan, Trial

Floats = NDArray[np.float64]
_FINE = 1e-11  # error of a prediction, in units of the target, that cross-products may bring


@dataclass(frozen=True, eq=False)
class Grams(Prepared):
    """The blocks' cross-products, by dealing of the rows; None where they would be larger than the table."""

    sums: OnDemand[BlockSums] | None


class RidgeFamily(GenericFamily):
    """The path is λ; classes are regressed on −1 and 1, as scikit-learn does."""

    def prepare(self, table: Table, plan: Plan) -> Grams:
        """The rows are read once a dealing, block by block, when its first trial asks."""
        columns = Layout.of(table).attributes + len(table.target.classes if table.target else ())
        pays = columns * plan.blocks <= table.rows
        sums = OnDemand(lambda repeat: BlockSums(table, plan, repeat)) if pays else None
        return Grams(table, plan, self.path(table), sums)

    def learn(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> Iterator[Fit]:
        """Add up the blocks and decompose once; every λ of every row is then one product."""
        cancel()
        assert isinstance(prepared, Grams)
        part = None if prepared.sums is None else prepared.sums(trial.repeat).part(trial.train)
        solution = None if part is None else _from_products(part, _strengths(prepared.settings))
        if part is None or solution is None:
            return super().learn(prepared, trial, cancel)
        table, plan = prepared.table, prepared.plan
        wanted = [plan.test_rows(trial)] + [plan.train_rows(trial)] * plan.is_outer(trial)
        return solution.of([part.encoder.transform(table.X[rows]) for rows in wanted])

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """From the rows themselves: decompose the attributes, not their squares."""
        lesson.cancel()
        classes = np.unique(lesson.y) if lesson.table.target and lesson.table.target.classes else None
        targets = lesson.y.astype(np.float64)[:, None] if classes is None else signs(lesson.y, classes)
        # Without this, the mean of numbers far from 0 would cost the digits that are left.
        start = targets[0] if classes is None else np.zeros(targets.shape[1])
        centre, level = (np.average(part, axis=0, weights=lesson.weights) for part in (lesson.X, targets - start))
        heavy = 1.0 if lesson.weights is None else np.sqrt(lesson.weights)[:, None]
        basis, values, projected = _decompose(heavy * (lesson.X - centre), heavy * (targets - start - level))
        weights = _filtered(projected, values, _strengths(lesson.settings))
        return Solution(classes, centre, level, start, basis, weights).of(lesson.parts)

    def in_threads(self, table: Table) -> bool:
        """Products of large matrices let others run."""
        return many_cells(table)

    def _fits(self, settings: int) -> float:
        return 0.25 + 0.005 * settings


@dataclass(frozen=True, eq=False)
class Solution:
    """Coefficients of every λ: of a row it says `start + level + (row − centre) @ basis @ weights`."""

    classes: NDArray[Any] | None  # None for numbers
    centre: Floats
    level: Floats  # [target]
    start: Floats  # [target]
    basis: Floats  # [column, direction]
    weights: Floats  # [direction, λ, target]

    def of(self, parts: list[Floats]) -> Iterator[Fit]:
        """For each λ, the predictions of every part."""
        directions, strengths, targets = self.weights.shape
        coefficients = self.basis @ self.weights.reshape(directions, -1)
        said = [(part - self.centre) @ coefficients for part in parts]
        said = [each.reshape(-1, strengths, targets) + self.level for each in said]
        for s in range(strengths):
            if self.classes is None:
                yield [(np.empty(0), Predicted(each[:, s] + self.start, None)) for each in said]
            else:
                yield [(self.classes, decided(each[:, s], self.classes)) for each in said]


def _strengths(settings: tuple[Setting, ...]) -> Floats:
    return np.array([float(setting.params.get("alpha", 0.0)) for setting in settings])


def _from_products(part: Part, strengths: Floats) -> Solution | None:
    """All λ from cross-products; None where these have lost digits that a prediction would show."""
    columns = len(part.mean) - max(1, len(part.seen))
    values, vectors = eigh(part.products[:columns, :columns])
    values = np.maximum(values, 0.0)
    # A direction of variance v/n is moved by ε·Λ/(v + λ): in a prediction by at most ε·Λ / √(n (v + λ)).
    least = float(values.min(initial=np.inf) + strengths.min())
    largest = float(values.max(initial=0.0))
    if np.finfo(np.float64).eps * largest > _FINE * np.sqrt(part.weight * least):
        return None
    cross, level = part.products[:columns, columns:], part.mean[columns:]
    classes, start = None, np.array([part.origin])
    if len(part.seen):
        classes = np.flatnonzero(part.seen)
        chosen = classes[1:] if len(classes) == 2 else classes
        cross, level, start = 2.0 * cross[:, chosen], 2.0 * level[chosen] - 1.0, np.zeros(len(chosen))
    weights = _filtered(vectors.T @ cross, values, strengths)
    return Solution(classes, part.mean[:columns], level, start, vectors, weights)


def _filtered(projected: Floats, values: Floats, strengths: Floats) -> Floats:
    """[direction, λ, target]; a direction without variance and without λ stays out."""
    shrunk = (values[:, None] + strengths)[:, :, None]
    weights = np.zeros((*shrunk.shape[:2], projected.shape[1]))
    return np.divide(projected[:, None], shrunk, out=weights, where=shrunk > 0)


def _decompose(Z: Floats, T: Floats) -> tuple[Floats, Floats, Floats]:
    """A basis [column, direction], its eigenvalues, and the targets' part in each direction."""
    rows, columns = Z.shape
    if rows > 2 * columns:  # the triangle of a tall matrix has all there is to know
        orthogonal, triangle = qr(Z, mode="economic", check_finite=False)
        Z, T = np.asarray(triangle), orthogonal.T @ T
    left, singular, right = svd(Z, full_matrices=False, check_finite=False)
    singular[singular <= singular.max(initial=0.0) * max(rows, columns) * np.finfo(np.float64).eps] = 0.0
    return right.T, singular**2, singular[:, None] * (left.T @ T)


def signs(y: NDArray[Any], classes: NDArray[Any]) -> Floats:
    """−1 and 1: one column for two classes, one a class for more."""
    if len(classes) == 2:
        return np.where(y == classes[1], 1.0, -1.0)[:, None]
    return np.where(y[:, None] == classes[None, :], 1.0, -1.0)


def decided(scores: Floats, classes: NDArray[Any]) -> Predicted:
    """Scores [row, column of `signs`] as those of every class, and the class they are for."""
    if scores.shape[1] == 1:
        labels = classes[(scores[:, 0] > 0).astype(np.intp)]
        return Predicted(np.hstack([-scores, scores]), labels)
    return Predicted(scores, classes[scores.argmax(axis=1)])
