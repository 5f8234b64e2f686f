"""The best single rule for the rows that are left: a conjunction of tests, grown one test at a time.

Numeric columns are tested against midpoints between neighbouring values (or, where there are many, cuts of equal
frequency), categorical ones for equality. A row in which the tested value is missing fails the test. With the weights
of rows gathered by (range, class), running sums give every test of a column at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.cut import cut, equal_frequency_edges, midpoints

Floats = NDArray[np.float64]
PRIOR_ROWS = 2.0  # how many rows the prior shares count for
LOWER, UPPER, EQUAL = "<=", ">", "="


@dataclass(frozen=True, slots=True)
class Question:
    """One condition: the codes of a column, compared with one code."""

    column: int
    operator: str
    code: int


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as codes: numbers by the range they fall into, categories as they are, −1 for what is missing."""

    codes: NDArray[np.int32]  # [column, row]
    edges: tuple[Floats | None, ...]  # of numeric columns; None for categorical ones
    sizes: tuple[int, ...]  # the number of codes of each column

    @classmethod
    def of(cls, matrix: NDArray[Any], categorical: NDArray[np.bool_], max_cuts: int) -> Grid:
        """The grid of training rows."""
        edges = tuple(
            None if categorical[j] else _edges(matrix[:, j].astype(np.float64), max_cuts)
            for j in range(matrix.shape[1])
        )
        codes = encode(matrix, edges)
        sizes = tuple(
            int(codes[j].max(initial=-1)) + 1 if found is None else len(found) + 1 for j, found in enumerate(edges)
        )
        return cls(codes, edges, sizes)


def encode(matrix: NDArray[Any], edges: tuple[Floats | None, ...]) -> NDArray[np.int32]:
    """Rows as codes: [column, row]; −1 is missing."""
    codes = np.empty((len(edges), len(matrix)), dtype=np.int32)
    for j, found in enumerate(edges):
        column = matrix[:, j].astype(np.float64)
        placed = column if found is None else cut(column, found)
        codes[j] = np.where(placed >= 0, placed, -1.0)
    return codes


def passes(test: Question, codes: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which rows pass the test."""
    column = codes[test.column]
    if test.operator == LOWER:
        return np.asarray((column <= test.code) & (column >= 0))
    return np.asarray(column > test.code if test.operator == UPPER else column == test.code)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rule in the making: its tests, the rows that pass them, and their weight by class."""

    tests: tuple[Question, ...]
    rows: NDArray[np.intp]
    weights: Floats  # [class]
    promise: float  # the best lift of any class: what to grow on
    quality: float  # the lift of the majority class: what it is worth as it stands


@dataclass(frozen=True, slots=True)
class RuleSearch:
    """Beam search for the rule of best quality, the lift of its majority class over the rows that are left."""

    grid: Grid
    labels: NDArray[np.int32]
    weights: Floats
    classes: int
    max_tests: int
    min_weight: float
    beam: int

    def best(self, rows: NDArray[np.intp]) -> Candidate | None:
        """The best rule on these rows, if one is better than saying nothing about them."""
        weights = weigh(self.labels[rows], self.weights[rows], self.classes)
        prior = weights / weights.sum()
        start = Candidate((), rows, weights, 0.0, 0.0)
        best, frontier = start, [start]
        for _ in range(self.max_tests):
            grown = [longer for one in frontier for longer in self._longer(one, prior)]
            # Of equal ones the heavier, then the one found first: the order never depends on the sort.
            grown.sort(key=lambda one: (-one.promise, -one.weights.sum()))
            frontier = _distinct(grown)[: self.beam]
            for one in frontier:
                best = one if _better(one, best) else best
        return best if best.tests else None

    def _candidate(self, tests: tuple[Question, ...], rows: NDArray[np.intp], prior: Floats) -> Candidate:
        weights = weigh(self.labels[rows], self.weights[rows], self.classes)
        lifts = lift(weights, prior)
        return Candidate(tests, rows, weights, float(lifts.max()), float(lifts[weights.argmax()]))

    def _longer(self, one: Candidate, prior: Floats) -> list[Candidate]:
        """The rules with one more test, the `beam` best of each column."""
        found = []
        for j in range(len(self.grid.sizes)):
            for test in self._promising(one, j, prior):
                rows = one.rows[passes(test, self.grid.codes[:, one.rows])]
                if len(rows) < len(one.rows):
                    found.append(self._candidate((*one.tests, test), rows, prior))
        return found

    def _promising(self, one: Candidate, j: int, prior: Floats) -> list[Question]:
        size = self.grid.sizes[j]
        codes = self.grid.codes[j, one.rows]
        there = codes >= 0
        places = codes[there].astype(np.int64) * self.classes + self.labels[one.rows][there]
        table = weigh(places, self.weights[one.rows][there], size * self.classes).reshape(size, self.classes)
        if self.grid.edges[j] is None:
            groups, tests = table, [Question(j, EQUAL, code) for code in range(size)]
        else:
            below = np.cumsum(table, axis=0)[:-1]
            groups = np.concatenate([below, table.sum(axis=0) - below])
            tests = [Question(j, operator, code) for operator in (LOWER, UPPER) for code in range(size - 1)]
        totals = groups.sum(axis=1)
        promise = np.where(totals >= self.min_weight, lift(groups, prior).max(axis=1), -1.0)
        order = np.lexsort((np.arange(len(tests)), -totals, -promise))[: self.beam]
        return [tests[i] for i in order if promise[i] > 0]


def weigh(codes: NDArray[Any], weights: Floats, size: int) -> Floats:
    """The weight of each code."""
    return np.asarray(np.bincount(codes, weights=weights, minlength=size), dtype=np.float64)


def shrunk(weights: Floats, prior: Floats) -> Floats:
    """Shares of the classes, drawn towards the prior ones as if by two more rows: few rows prove little.

    >>> shrunk(np.array([[1.0, 0.0], [8.0, 0.0], [0.0, 0.0]]), np.array([0.5, 0.5])).round(2)
    array([[0.67, 0.33],
           [0.9 , 0.1 ],
           [0.5 , 0.5 ]])
    """
    return np.asarray((weights + PRIOR_ROWS * prior) / (weights.sum(axis=-1, keepdims=True) + PRIOR_ROWS))


def lift(weights: Floats, prior: Floats) -> Floats:
    """By how much the shrunk shares exceed the prior ones.

    A pure rule for a rare class is worth more than one for a frequent class, so that rare classes come first and the
    frequent ones are left to the default.

    >>> lift(np.array([[8.0, 0.0], [0.0, 8.0]]), np.array([0.9, 0.1])).max(axis=1).round(2)
    array([0.08, 0.72])
    """
    return shrunk(weights, prior) - prior


def _better(one: Candidate, other: Candidate) -> bool:
    """A longer rule has to earn its length."""
    return one.quality > other.quality + 1e-12


def _distinct(candidates: list[Candidate]) -> list[Candidate]:
    """Without those that cover the very same rows as an earlier one."""
    seen: set[bytes] = set()
    kept = []
    for one in candidates:
        key = one.rows.tobytes()
        if key not in seen:
            seen.add(key)
            kept.append(one)
    return kept


def _edges(column: Floats, max_cuts: int) -> Floats:
    every = midpoints(column)
    return every if len(every) <= max_cuts else equal_frequency_edges(column, max_cuts + 1)
