"""The confusion matrix, and every figure that can be read off it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import nan
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.errors import UsageError


@dataclass(frozen=True, eq=False)
class ConfusionMatrix:
    """How often rows of each actual class (rows of `counts`) were given each label (columns).

    Figures of one class take its code; with a `positive` class they are of that one by default. A figure whose
    denominator is zero is NaN.

    Attributes
    ----------
    counts
        How many rows, `[actual, predicted]`; sums of weights where rows have weights.
    labels
        The names of the classes, in code order.
    positive
        The code of the positive class, if there is one.

    Examples
    --------
    >>> matrix = ConfusionMatrix(np.array([[90, 210], [140, 9560]]), ("cancer", "healthy"), positive=0)
    >>> round(matrix.recall(), 4), round(matrix.specificity(), 4), round(matrix.precision(), 4)
    (0.3, 0.9856, 0.3913)
    >>> matrix.with_totals()
    array([[   90,   210,   300],
           [  140,  9560,  9700],
           [  230,  9770, 10000]])
    """

    counts: NDArray[Any]
    labels: tuple[str, ...]
    positive: int | None = None

    def __post_init__(self) -> None:
        classes = len(self.labels)
        if self.counts.shape != (classes, classes):
            shape = " × ".join(str(length) for length in self.counts.shape)
            raise UsageError(f"{classes} labels need {classes} × {classes} counts, and these are {shape}")

    @property
    def total(self) -> float:
        """All rows (or all weight)."""
        return float(self.counts.sum())

    @property
    def actual(self) -> NDArray[Any]:
        """How many rows each class has: the totals on the right."""
        return np.asarray(self.counts.sum(axis=1))

    @property
    def predicted(self) -> NDArray[Any]:
        """How often each label was given: the totals below."""
        return np.asarray(self.counts.sum(axis=0))

    def with_totals(self) -> NDArray[Any]:
        """The counts with the totals as a last column and a last row."""
        below = np.vstack([self.counts, self.predicted])
        return np.column_stack([below, below.sum(axis=1)])

    @property
    def accuracy(self) -> float:
        """The share of rows labelled rightly."""
        return _ratio(np.trace(self.counts), self.total)

    @property
    def error(self) -> float:
        """The share of rows labelled wrongly."""
        return _ratio(self.total - np.trace(self.counts), self.total)

    @property
    def balanced_accuracy(self) -> float:
        """The mean recall of the classes that have rows.

        >>> always_normal = ConfusionMatrix(np.array([[343, 0], [37, 0]]), ("normal", "fraud"))
        >>> round(always_normal.accuracy, 3), always_normal.balanced_accuracy
        (0.903, 0.5)
        """
        recalls = [self.recall(int(code)) for code in np.flatnonzero(self.actual)]
        return float(np.mean(recalls)) if recalls else nan

    def weighted_accuracy(self, weights: ArrayLike) -> float:
        """The accuracy when rows count by weight: one weight an actual class, or one a cell of the matrix.

        >>> two = ConfusionMatrix(np.array([[90, 10], [5, 5]]), ("normal", "fraud"))
        >>> round(two.accuracy, 3), round(two.weighted_accuracy([1, 10]), 3)
        (0.864, 0.7)
        """
        given = np.asarray(weights, dtype=np.float64)
        if given.shape not in {(len(self.labels),), self.counts.shape}:
            raise UsageError(
                f"weights of shape {given.shape} do not fit {len(self.labels)} classes",
                hint="Give one weight a class, or a matrix with one weight a cell.",
            )
        cells = self.counts * (given[:, None] if given.ndim == 1 else given)
        return _ratio(np.trace(cells), cells.sum())

    def recall(self, code: int | None = None) -> float:
        """Of the rows of a class, the share that got its label; the sensitivity, or true positive rate."""
        k = self._code(code)
        return _ratio(self.counts[k, k], self.actual[k])

    sensitivity = recall

    def specificity(self, code: int | None = None) -> float:
        """Of the rows of the other classes, the share that did not get this class's label."""
        k = self._code(code)
        others = self.total - self.actual[k]
        return _ratio(others - (self.predicted[k] - self.counts[k, k]), others)

    def precision(self, code: int | None = None) -> float:
        """Of the rows given a class's label, the share that are of the class."""
        k = self._code(code)
        return _ratio(self.counts[k, k], self.predicted[k])

    def f_beta(self, beta: float = 1.0, code: int | None = None) -> float:
        """The harmonic mean of precision and recall, in which recall counts β² times.

        F_β = (1 + β²) TP / (β² · actual + predicted), which is defined when either of the two is.
        """
        if not beta >= 0:
            raise UsageError(f"β must not be negative, and is {beta}")
        k = self._code(code)
        return _ratio((1 + beta**2) * self.counts[k, k], beta**2 * self.actual[k] + self.predicted[k])

    def f_alpha(self, alpha: float = 0.5, code: int | None = None) -> float:
        """The same in its α form, 1 / (α / precision + (1 − α) / recall); β² = (1 − α) / α."""
        if not 0 <= alpha <= 1:
            raise UsageError(f"α must lie between 0 and 1, and is {alpha}")
        k = self._code(code)
        return _ratio(self.counts[k, k], alpha * self.predicted[k] + (1 - alpha) * self.actual[k])

    def _code(self, code: int | None) -> int:
        chosen = self.positive if code is None else int(code)
        hint = f"Give a code from 0 to {len(self.labels) - 1}."
        if chosen is None:
            raise UsageError("no class was named, and this matrix has no positive class", hint=hint)
        if not 0 <= chosen < len(self.labels):
            raise UsageError(f"there is no class {chosen} among the {len(self.labels)} of this matrix", hint=hint)
        return chosen


def confusion_matrix(
    y: ArrayLike,
    predicted: ArrayLike,
    labels: Sequence[Any],
    *,
    positive: int | None = None,
    weights: NDArray[np.float64] | None = None,
) -> ConfusionMatrix:
    """The matrix of actual and predicted classes.

    Parameters
    ----------
    y
        The actual classes, as codes or as texts.
    predicted
        The predicted ones, in the same way.
    labels
        The names of the classes, in code order.
    positive
        The code of the positive class, if there is one.
    weights
        What each row counts for; one by default.

    Returns
    -------
    ConfusionMatrix
        The counts, and figures made of them.

    Examples
    --------
    >>> confusion_matrix(np.array([0, 0, 1]), np.array([0, 1, 1]), ["no", "yes"]).counts
    array([[1, 1],
           [0, 1]])
    """
    classes, names = len(labels), [str(label) for label in labels]
    actual, expected = _codes_of(y, names), _codes_of(predicted, names)
    if actual.shape != expected.shape:
        raise UsageError(f"there are {len(actual)} actual classes and {len(expected)} predicted ones")
    cells = actual * classes + expected
    counts = np.bincount(cells, weights=weights, minlength=classes**2)
    return ConfusionMatrix(counts.reshape(classes, classes), tuple(str(label) for label in labels), positive)


def _codes_of(given: ArrayLike, names: list[str]) -> NDArray[np.int64]:
    """Codes as they are, texts by the name of the class; anything that is neither is refused, not counted elsewhere."""
    values = np.asarray(given)
    if values.dtype.kind in "OUS":
        place = {name: code for code, name in enumerate(names)}
        values = np.array([place.get(str(value), -1) for value in values.ravel()], dtype=np.int64)
    codes = values.astype(np.int64)
    wrong = np.flatnonzero((codes != values) | (codes < 0) | (codes >= len(names)))
    if wrong.size:
        found = np.asarray(given).ravel()[wrong[0]]
        raise UsageError(
            f"{found!s} is no class: codes go from 0 to {len(names) - 1}",
            hint=f"the classes are {', '.join(names[:10])}",
        )
    return codes


def _ratio(part: float, whole: float) -> float:
    return float(part) / float(whole) if whole else nan
