"""One part of the rows, where they are, and what it says of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import bayes_sums
from venire.models.bayes.input import category_counts, check_counts
from venire.models.bayes.sums import Columns, Floats, first_values
from venire.models.input import Layout
from venire.models.parted.block_sums import BlockSums, OwnBlocks, State
from venire.models.parted.partitions import Read, Wanted, other_kind, read


@dataclass(frozen=True)
class Facts:
    """What all need to know of a part."""

    rows: int
    names: tuple[str, ...] | None
    columns: int
    wide: bool  # are its numbers of eight bytes?
    classes: NDArray[Any] | None  # of a target of classes
    least: float  # of a target of numbers, and whether all are numbers
    finite: bool
    bytes: int
    most: float | None  # that its worker may take
    weighed: bool  # do rows have weights?
    heavy_rows: int  # how many weigh more than 0
    categories: Mapping[int, tuple[Any, ...]]  # by column
    gaps: tuple[int, ...]  # missing values, by column
    troubles: tuple[str, ...] = ()  # what is wrong with it, by its partitions


class PartRows:
    """A part of the rows; other processes call its methods one after the other."""

    def __init__(self, first: int, wanted: Wanted, most: float | None, *sources: Any) -> None:
        self._read: Read = read(sources, first, wanted, most)
        self._numeric, self._most = wanted.numeric, most
        self._labels: NDArray[np.int32] | None = None

    def facts(self) -> Facts:
        """What is in it."""
        found = self._read
        X, y = found.X, found.y
        return Facts(
            rows=len(X),
            names=found.names,
            columns=X.shape[1],
            wide=X.dtype != np.float32,
            classes=None if self._numeric else np.unique(y),
            least=self._least(),
            finite=not self._numeric or bool(np.isfinite(y).all()),
            bytes=X.nbytes + y.nbytes,
            most=self._most,
            weighed=found.weights is not None,
            heavy_rows=len(y) if found.weights is None else int((found.weights > 0).sum()),
            categories=found.categories,
            gaps=tuple(int(np.isnan(X[:, j]).sum()) for j in range(X.shape[1])),
            troubles=found.troubles,
        )

    def classes_counted(self, classes: NDArray[Any]) -> NDArray[np.int64]:
        """How many rows each class has; from now on the rows have their numbers."""
        self._labels = np.searchsorted(classes, self._read.y).astype(np.int32)
        return np.bincount(self._labels, minlength=len(classes))

    def recode(self, categories: Mapping[int, tuple[Any, ...]]) -> int | None:
        """Give categories their codes among those of all parts; a column that holds numbers instead."""
        odd = other_kind(self._read.X, self._read.categories, categories)
        if odd is None:
            self._read = self._read.recoded(categories)
        return odd

    def added(self, before: Floats | None, classes: int) -> Floats | None:
        """What the rows weigh, that times the target, and that of each class, behind those of the rows before.

        Added in the order of the rows, as the core adds them on one machine. None: not asked.
        """
        if before is None:
            return None
        y, after = self._target(), before.copy()
        w = np.ones(len(y)) if self._read.weights is None else self._read.weights
        parts = [w, w * y, *(w[y == label] for label in range(classes))]
        for k, part in enumerate(parts):
            after[k] = np.cumsum(np.concatenate([before[k : k + 1], part]))[-1]
        return after

    def whole_weights(self) -> bool:
        """Are all weights whole numbers?"""
        weights = self._read.weights
        return weights is None or bool((weights == np.rint(weights)).all())

    def classes_shown(self) -> NDArray[np.intp]:
        """The classes of the rows that weigh anything."""
        labels, weights = self._known_labels(), self._read.weights
        return np.unique(labels if weights is None else labels[weights > 0])

    def classes_weighed(self, classes: int) -> Floats:
        """What the rows of each class weigh."""
        return np.bincount(self._known_labels(), weights=self._read.weights, minlength=classes).astype(np.float64)

    def first_values(self, columns: Columns) -> Floats:
        """The first value of each numeric column."""
        return first_values(self._read.X, columns.numeric)

    def highest_codes(self, layout: Layout, columns: Columns, least: Any) -> NDArray[np.int64]:
        """How many categories each categorical column shows; counts are counts."""
        check_counts(self._read.X, columns.counted)
        return category_counts(self._read.X, layout, least)

    def tables(self, columns: Columns, classes: int, categories: NDArray[np.int64]) -> tuple[Floats, Floats, bool]:
        """How often each class shows each category, its counts, and whether these are whole numbers."""
        X, labels, weights = self._read.X, self._known_labels(), self._read.weights
        arguments = {**columns.as_arguments(), "numeric": np.zeros(0, dtype=np.uint32)}
        *_, table, counted = bayes_sums(
            X, labels, weights, classes=classes, **arguments, origin=np.zeros(0), categories=categories, threads=1
        )
        whole = all(bool((X[:, j] % 1 == 0)[~np.isnan(X[:, j])].all()) for j in columns.counted)
        return table, counted, whole

    def sums(self, kind: BlockSums, begin: int, rows: int) -> OwnBlocks:
        """What its blocks of rows come to, and the first rows of one that goes on in the next part."""
        return kind.own((self._read.X, self._target(), self._read.weights), begin, rows)

    def carry_on(self, kind: BlockSums, begin: int, rows: int, state: State | None) -> State | None:
        """The block that began in a part before, with the rows that it has here."""
        if state is None:
            return None
        return kind.carried((self._read.X, self._target(), self._read.weights), begin, rows, state)

    def here(self) -> bool:
        """It answers."""
        return True

    def end(self) -> None:
        """Nobody waits any more."""

    def _least(self) -> float:
        y, weights = self._read.y, self._read.weights
        if self._numeric and weights is not None:
            y = y[weights > 0]
        return float(y.min()) if self._numeric and len(y) else np.inf

    def _target(self) -> NDArray[Any]:
        return np.asarray(self._read.y, dtype=np.float64) if self._numeric else self._known_labels()

    def _known_labels(self) -> NDArray[np.int32]:
        assert self._labels is not None
        return self._labels
