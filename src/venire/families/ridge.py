"""Least squares with a ridge: every λ of the path from one eigendecomposition a trial, and the rows read once for all.

With centred attributes Z and targets T, β(λ) = V (VᵀZᵀT) / (Λ + λ) where ZᵀZ = VΛVᵀ. ZᵀZ and ZᵀT of every training
part are sums over its folds (`folds`). Where these would be larger than the table (many folds, or more columns than
rows), the trial takes its own rows; where they are so ill-conditioned that squaring costs digits, the triangles of its
folds. Equal, up to rounding, to fitting scikit-learn's `Ridge` or `RidgeClassifier` once for every λ.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.linalg import qr
from numpy.typing import NDArray
from scipy.linalg import eigh, svd

from venire._core import two_class_predictions
from venire.data.store.stored_matrix import is_stored
from venire.data.table import Table
from venire.families.fold_encoders import PIECE_ROWS, pays, piece_bytes
from venire.families.fold_sums import FoldSums, OnDemand, Part, many_products
from venire.families.raw_columns import encoded_rows
from venire.metrics.predictions import Output
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, PathPredictions, Setting
from venire.validation.trials.generic import GenericFamily, Prepared
from venire.validation.trials.lesson import Lesson
from venire.validation.trials.outcomes import Predicted, kept_as

Floats = NDArray[np.float64]
_FINE = 1e-11  # error of a prediction, in units of the target, that cross-products may bring


@dataclass(frozen=True, eq=False)
class Grams(Prepared):
    """The folds' cross-products, by split of the rows; None where they would be larger than the table."""

    sums: OnDemand[FoldSums] | None


class RidgeFamily(GenericFamily):
    """The path is λ; classes are regressed on −1 and 1, as scikit-learn does."""

    def prepare(self, table: Table, plan: Plan) -> Grams:
        """The rows are read once a split, fold by fold, when its first trial asks."""
        sums = OnDemand(lambda repeat: FoldSums(table, plan, repeat)) if pays(table, plan) else None
        return Grams(table, plan, self.path(table), sums)

    def predict_path(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> list[PathPredictions]:
        """Add up the folds and decompose once; every λ of every row is then one product."""
        cancel()
        assert isinstance(prepared, Grams)
        table, plan, strengths = prepared.table, prepared.plan, _strengths(prepared.settings)
        if prepared.sums is None:
            lesson = self.lesson(prepared, trial, cancel)
            return _from_rows(lesson, strengths).predict_path(lesson.parts, _classes(table))
        part = prepared.sums(trial.repeat).part(trial.train)
        solution = _from_folds(part, strengths)

        def told(rows: NDArray[np.intp]) -> PathPredictions:
            pieces = (rows[at : at + PIECE_ROWS] for at in range(0, max(1, len(rows)), PIECE_ROWS))
            encoded = (encoded_rows(part.encoder, table.X, piece) for piece in pieces)
            return joined(solution.predict_path(encoded, _classes(table)))

        return [told(rows) for rows in plan.predicted_rows(trial)]

    def in_threads(self, table: Table) -> bool:
        """Products of large matrices let others run."""
        return many_products(table)

    def _bytes(self, table: Table) -> float:
        """A stored table is summed up piece by piece."""
        return piece_bytes(table) if is_stored(table.X) else super()._bytes(table)

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

    def predict_path(self, parts: Iterable[Floats], classes: int) -> list[PathPredictions]:
        """What all λ say of every part; so many classes are known in all."""
        coefficients = np.tensordot(self.basis, self.weights, axes=1)  # [column, λ, target]
        level = self.level - np.tensordot(self.centre, coefficients, axes=1)  # [λ, target]
        if self.classes is None:
            return [_values(part, coefficients[:, :, 0], level, self.start) for part in parts]
        if len(self.level) == 1:
            return [_between_two(part, coefficients[:, :, 0], level, self.classes, classes) for part in parts]
        return [_among_many(part, coefficients, level, self.classes, classes) for part in parts]


def joined(parts: list[PathPredictions]) -> PathPredictions:
    """What is said of rows that follow each other, as one."""
    if len(parts) == 1:
        return parts[0]
    outputs, labels = ([getattr(part, name) for part in parts] for name in ("outputs", "labels"))
    return PathPredictions(np.concatenate(outputs, axis=1), np.concatenate(labels, axis=1))


def _values(rows: Floats, coefficients: Floats, level: Floats, start: Floats) -> PathPredictions:
    values = coefficients.T @ rows.T
    values += level
    values += start
    return PathPredictions(values[:, :, None], np.zeros(values.shape, np.int16))


def _between_two(
    rows: Floats, coefficients: Floats, level: Floats, known: NDArray[Any], classes: int
) -> PathPredictions:
    """One score is enough for two classes."""
    first, second = (int(code) for code in known)
    scores = np.ascontiguousarray(coefficients.T @ rows.T)
    return PathPredictions(
        *two_class_predictions(scores, level=level.ravel(), first=first, second=second, classes=classes)
    )


def _among_many(
    rows: Floats, coefficients: Floats, level: Floats, known: NDArray[Any], classes: int
) -> PathPredictions:
    """A score a class; of those that the training part lacks, one below all others."""
    scores = (rows @ coefficients.reshape(len(coefficients), -1)).reshape(len(rows), *level.shape)
    scores += level
    best = scores.argmax(axis=2).T.astype(np.int16, order="C")
    outputs = np.empty((*best.shape, classes), kept_as(Output.SCORES))
    if len(known) == classes:
        outputs[:] = scores.swapaxes(0, 1)
        return PathPredictions(outputs, best)
    outputs[:] = scores.min(axis=2, keepdims=True).swapaxes(0, 1) - 1.0
    outputs[:, :, known] = scores.swapaxes(0, 1)
    return PathPredictions(outputs, known.astype(np.int16)[best])


def _strengths(settings: tuple[Setting, ...]) -> Floats:
    return np.array([float(setting.params.get("alpha", 0.0)) for setting in settings])


def _classes(table: Table) -> int:
    return len(table.target.classes) if table.target else 0


def _from_rows(lesson: Lesson, strengths: Floats) -> Solution:
    """From the rows themselves: decompose the attributes, not their squares."""
    classes = np.unique(lesson.y) if _classes(lesson.table) else None
    targets = lesson.y.astype(np.float64)[:, None] if classes is None else signs(lesson.y, classes)
    # Without this, the mean of numbers far from 0 would cost the digits that are left.
    start = targets[0] if classes is None else np.zeros(targets.shape[1])
    centre, level = (np.average(part, axis=0, weights=lesson.weights) for part in (lesson.X, targets - start))
    heavy = 1.0 if lesson.weights is None else np.sqrt(lesson.weights)[:, None]
    basis, values, projected = _decompose(heavy * (lesson.X - centre), heavy * (targets - start - level))
    return Solution(classes, centre, level, start, basis, _filtered(projected, values, strengths))


def _from_folds(part: Part, strengths: Floats) -> Solution:
    """From cross-products, or from their root where these have lost digits that a prediction would show."""
    columns = len(part.mean) - max(1, len(part.seen))
    values, basis = eigh(part.products[:columns, :columns], check_finite=False)
    values = np.maximum(values, 0.0)
    # A direction of variance v/n is moved by ε·Λ/(v + λ): in a prediction by at most ε·Λ / √(n (v + λ)).
    least = float(values.min(initial=np.inf) + strengths.min())
    largest = float(values.max(initial=0.0))
    if np.finfo(np.float64).eps * largest <= _FINE * np.sqrt(part.weight * least):
        projected = basis.T @ part.products[:columns, columns:]
    else:
        basis, values, projected = _decompose(*np.hsplit(part.root(), [columns]))
    level = part.mean[columns:]
    classes, start = None, np.array([part.origin])
    if len(part.seen):  # a class is regressed on −1 and 1, and was summed up as 0 and 1
        classes = np.flatnonzero(part.seen)
        chosen = classes[1:] if len(classes) == 2 else classes
        projected, level, start = 2.0 * projected[:, chosen], 2.0 * level[chosen] - 1.0, np.zeros(len(chosen))
    return Solution(classes, part.mean[:columns], level, start, basis, _filtered(projected, values, strengths))


def _filtered(projected: Floats, values: Floats, strengths: Floats) -> Floats:
    """[direction, λ, target]; a direction without variance and without λ stays out."""
    shrunk = (values[:, None] + strengths)[:, :, None]
    weights = np.zeros((*shrunk.shape[:2], projected.shape[1]))
    return np.divide(projected[:, None], shrunk, out=weights, where=shrunk > 0)


def _decompose(Z: Floats, T: Floats) -> tuple[Floats, Floats, Floats]:
    """A basis [column, direction], its eigenvalues, and the targets' part in each direction."""
    rows, columns = Z.shape
    if rows > 2 * columns:  # the triangle of a tall matrix has all there is to know
        triangle = np.asarray(qr(np.hstack([Z, T]), mode="r"))[:columns]
        Z, T = triangle[:, :columns], triangle[:, columns:]
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
