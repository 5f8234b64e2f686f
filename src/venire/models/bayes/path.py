"""Naive Bayes along a path: models of the same sums that differ in their smoothing alone, applied in one pass.

What they have in common (means, priors, a row's squared distances and its categories) is worked out once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from venire._core import bayes_path
from venire.data.store.column import STRETCH
from venire.data.store.stored_matrix import StoredMatrix, numbers_by_rows
from venire.models.bayes.model import corrected_together, gaussians, logs, widened
from venire.models.bayes.sums import Floats, Sums

_AT_ONCE = 1 << 16  # rows between two questions whether to go on


@dataclass(frozen=True, eq=False)
class BayesPath:
    """Logarithms of all models, ready to be added up: [model, class, column], the table [model, category, class]."""

    sums: Sums
    origin: Floats  # [column]
    prior: Floats  # [class]
    mean: Floats  # [class, column]
    steepness: Floats
    height: Floats
    table: Floats

    @classmethod
    def learned(cls, sums: Sums, smoothings: Sequence[tuple[float, float]]) -> BayesPath:
        """The models of `BayesModel.learned` for each pair of α and share of variance added."""
        widest, mean, variance = gaussians(sums)
        added = np.array([share for _, share in smoothings]) * widest
        if (added == added[0]).all():  # one set of Gaussians, where the path is about the categories, is weighed once
            added = added[:1]
        variances = widened(variance, added[:, None, None])
        classes = len(sums.class_weight)
        table = np.empty((len(smoothings), 0, classes))
        if sums.tables:
            counts, sizes = np.concatenate(sums.tables), sums.categories
            table = logs(np.stack([corrected_together(counts, sizes, alpha) for alpha, _ in smoothings]))
        prior = logs(sums.class_weight / sums.class_weight.sum())
        origin = np.where(np.isnan(sums.origin), 0.0, sums.origin)
        return cls(sums, origin, prior, mean, 0.5 / variances, -0.5 * np.log(2 * np.pi * variances), table)

    def predict_path(
        self,
        X: Floats,
        rows: NDArray[np.intp],
        known: NDArray[np.intp],
        classes: int,
        cancel: Callable[[], None],
    ) -> tuple[NDArray[np.float32], NDArray[np.int16]]:
        """Shares [model, row, class] and the likeliest class [model, row], of equals the first.

        `known` gives the number of each class of the models among all `classes`; of the others the share is 0.
        """
        make = np.empty if len(known) == classes else np.zeros
        shares = make((len(self.table), len(rows), classes), np.float32)
        labels = np.empty((len(self.table), len(rows)), np.int16)
        for part, matrix, chosen in _in_memory(X, rows):
            self._predict(matrix, chosen, known, (shares[:, part], labels[:, part]), cancel)
        return shares, labels

    def _predict(
        self,
        X: Floats,
        rows: NDArray[np.intp],
        known: NDArray[np.intp],
        told: tuple[NDArray[np.float32], NDArray[np.int16]],
        cancel: Callable[[], None],
    ) -> None:
        """Fill in what is told of these rows of a matrix in memory."""
        shares, labels = np.ascontiguousarray(told[0]), np.ascontiguousarray(told[1])
        for first in range(0, len(rows), _AT_ONCE):
            cancel()
            bayes_path(
                X,
                rows,
                shares,
                labels,
                first=first,
                last=min(first + _AT_ONCE, len(rows)),
                numeric=self.sums.columns.numeric,
                categorical=self.sums.columns.categorical,
                origin=self.origin,
                categories=self.sums.categories,
                codes=known.astype(np.int16),
                prior=self.prior,
                mean=self.mean,
                steepness=self.steepness,
                height=self.height,
                table=self.table,
            )
        if shares is not told[0]:
            told[0][:], told[1][:] = shares, labels


def _in_memory(X: Floats | StoredMatrix, rows: NDArray[np.intp]) -> Iterator[tuple[slice, Floats, NDArray[np.intp]]]:
    """A matrix and rows of it, for some of the rows at a time where it is in files."""
    if not isinstance(X, StoredMatrix):
        yield slice(None), X, rows
        return
    for part, matrix in numbers_by_rows(X, rows, STRETCH):
        yield part, matrix, np.arange(len(matrix))
