"""What rows say about each class, as sums: the whole memory of naive Bayes. Sums of parts merge into sums of the whole.

Numeric columns are kept as weight, mean and squared deviations per class, measured from the first value each column
showed: an offset of 10⁸ then costs no digits, and a constant column has exactly no spread.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import bayes_sums
from venire.errors import DataError
from venire.models.bayes.sparse_table import first_stored, sparse_sums
from venire.models.sparse import is_sparse

Floats = NDArray[np.float64]
Numbers = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class Columns:
    """Which columns are of which kind, by number."""

    numeric: Numbers
    categorical: Numbers
    counted: Numbers

    def as_arguments(self) -> dict[str, Numbers]:
        """Keyword arguments of the core."""
        return {"numeric": self.numeric, "categorical": self.categorical, "counted": self.counted}


@dataclass(frozen=True, slots=True)
class Moments:
    """Weight, mean and sum of squared deviations, elementwise; merged by Chan's rule."""

    weight: Floats
    mean: Floats
    squares: Floats

    def merge(self, other: Moments) -> Moments:
        """The moments of both together. Only non-negative numbers are added to the squares.

        >>> one, two = (Moments(np.array([1.0]), np.array([x]), np.array([0.0])) for x in (1.0, 5.0))
        >>> one.merge(two)
        Moments(weight=array([2.]), mean=array([3.]), squares=array([8.]))
        """
        total = self.weight + other.weight
        share = np.divide(other.weight, total, out=np.zeros_like(total), where=total > 0)
        apart = other.mean - self.mean
        squares = self.squares + other.squares + apart * apart * self.weight * share
        return Moments(total, self.mean + apart * share, squares)

    def pooled(self) -> Moments:
        """The moments of all classes together: [column]."""
        total = self.weight.sum(axis=0)
        mean = np.divide((self.weight * self.mean).sum(axis=0), total, out=np.zeros_like(total), where=total > 0)
        squares = self.squares + self.weight * (self.mean - mean) ** 2
        return Moments(total, mean, squares.sum(axis=0))


@dataclass(frozen=True, slots=True)
class Sums:
    """Everything learned from the rows so far."""

    columns: Columns
    class_weight: Floats  # [class]: what the priors are made of
    origin: Floats  # [numeric]; NaN until the column shows a value
    moments: Moments  # [class, numeric], measured from the origin
    tables: tuple[Floats, ...]  # per categorical column [category, class]
    counted: Floats  # [class, counted]

    @classmethod
    def empty(cls, columns: Columns, classes: int) -> Sums:
        """No rows yet."""
        width = len(columns.numeric)
        moments = Moments(*(np.zeros((classes, width)) for _ in range(3)))
        tables = tuple(np.zeros((0, classes)) for _ in columns.categorical)
        counted = np.zeros((classes, len(columns.counted)))
        return cls(columns, np.zeros(classes), np.full(width, np.nan), moments, tables, counted)

    def refuse_no_weight(self) -> None:
        """There is nothing to learn from rows none of which counts."""
        if not self.class_weight.sum() > 0:
            raise DataError(
                "no row has a positive weight: sample weights must contain at least one non-zero number",
                hint="give at least one row a weight above 0",
            )

    @property
    def categories(self) -> NDArray[np.int64]:
        """The number of categories of each categorical column."""
        return np.array([len(table) for table in self.tables], dtype=np.int64)

    def with_categories(self, counts: NDArray[np.int64]) -> Sums:
        """Room for more categories at the end of each table."""
        tables = tuple(
            np.concatenate([table, np.zeros((max(0, count - len(table)), table.shape[1]))])
            for table, count in zip(self.tables, counts, strict=True)
        )
        return replace(self, tables=tables)

    def with_moved(self, places: dict[int, NDArray[np.intp]], counts: dict[int, int]) -> Sums:
        """Tables (by position) whose category i has become category `places[i]` of `counts`."""
        tables = list(self.tables)
        for position, place in places.items():
            moved = np.zeros((counts[position], len(self.class_weight)))
            moved[place] = tables[position]
            tables[position] = moved
        return replace(self, tables=tuple(tables))

    def add(
        self,
        matrix: NDArray[Any],
        labels: NDArray[np.int32],
        prior_weights: Floats | None,
        weights: Floats | None,
        threads: int,
    ) -> Sums:
        """The sums with more rows: `weights` count in the likelihoods, `prior_weights` in the priors."""
        origin = np.where(np.isnan(self.origin), first_values(matrix, self.columns.numeric), self.origin)
        categories = self.categories
        classes, columns, start = len(self.class_weight), self.columns, np.nan_to_num(origin)
        if is_sparse(matrix):
            kinds = {"numeric": columns.numeric, "counted": columns.counted}
            weight, mean, squares, counted = sparse_sums(
                matrix, labels, weights, classes=classes, origin=start, **kinds
            )
            table = np.zeros((0, classes))
        else:
            weight, mean, squares, table, counted = bayes_sums(
                matrix,
                labels,
                weights,
                classes=classes,
                **columns.as_arguments(),
                origin=start,
                categories=categories,
                threads=threads,
            )
        shown = np.bincount(labels, weights=prior_weights, minlength=len(self.class_weight))
        more = np.split(table, np.cumsum(categories)[:-1]) if len(categories) else []
        return replace(
            self,
            class_weight=self.class_weight + shown,
            origin=origin,
            moments=self.moments.merge(Moments(weight, mean, squares)),
            tables=tuple(old + new for old, new in zip(self.tables, more, strict=True)),
            counted=self.counted + counted,
        )


def first_values(matrix: NDArray[Any], columns: Numbers) -> Floats:
    """The first value of each column that is not missing; NaN where all are.

    >>> first_values(np.array([[np.nan, 1.0], [2.0, 3.0]]), np.array([0, 1], dtype=np.uint32))
    array([2., 1.])
    """
    if is_sparse(matrix):
        return first_stored(matrix, columns)
    first: Floats = matrix[0, columns].astype(np.float64)
    for position in np.flatnonzero(np.isnan(first)):
        column = matrix[:, columns[position]]
        first[position] = column[np.argmin(np.isnan(column))]
    return first
