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

from venire.data.ranges import cut, equal_frequency_edges, midpoints

Floats = NDArray[np.float64]
PRIOR_ROWS = 2.0  # how many rows the prior shares count for
LOWER, UPPER, EQUAL = "<=", ">", "="
_MOST_PLACES = 4_000_000  # looked up at once: more would take memory and save nothing


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


def passes(test: Question, column: NDArray[np.int32]) -> NDArray[np.bool_]:
    """Which rows pass the test, by their codes in the tested column."""
    if test.operator == LOWER:
        return np.asarray((column <= test.code) & (column >= 0))
    return np.asarray(column > test.code if test.operator == UPPER else column == test.code)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rule in the making: its tests, the rows that pass them, and their weight by class."""

    tests: tuple[Question, ...]
    rows: NDArray[np.intp]
    weights: Floats  # [class]
    quality: float  # the lift of the majority class: what it is worth as it stands


@dataclass(frozen=True, eq=False, slots=True)
class Slots:
    """All tests of all columns, and for every row the place in one long table to which each column sends it.

    numeric columns, as many places each        categorical columns   missing
    | ≤ and > by running sums along each |      | = as they are |     | - |
    """

    places: NDArray[np.int32]  # [column, row]
    columns: NDArray[np.intp]  # of each test
    operators: NDArray[np.str_]
    codes: NDArray[np.intp]
    rank: NDArray[np.intp]  # the order in which tests are looked at: by column, then operator, then code
    usable: NDArray[np.bool_]
    numeric: int  # how many numeric columns
    width: int  # places of each of them
    size: int  # places in all, the last one for what is missing

    @classmethod
    def of(cls, grid: Grid) -> Slots:
        """Lay out the table of a grid."""
        numbers = [j for j, edges in enumerate(grid.edges) if edges is not None]
        others = [j for j, edges in enumerate(grid.edges) if edges is None]
        width = max((grid.sizes[j] for j in numbers), default=1)
        start = dict(zip(numbers, range(0, len(numbers) * width, width), strict=True))
        size = len(numbers) * width
        for j in others:
            start[j], size = size, size + grid.sizes[j]
        places = np.stack([np.where(codes >= 0, codes + start[j], size) for j, codes in enumerate(grid.codes)])
        cuts = [(j, operator, code) for operator in (LOWER, UPPER) for j in numbers for code in range(width - 1)]
        equal = [(j, EQUAL, code) for j in others for code in range(grid.sizes[j])]
        asked = [*cuts, *equal]
        columns = np.array([j for j, _, _ in asked], dtype=np.intp)
        operators = np.array([operator for _, operator, _ in asked], dtype=np.str_)
        codes = np.array([code for _, _, code in asked], dtype=np.intp)
        rank = np.lexsort((codes, operators == UPPER, columns)).argsort()
        usable = (operators == EQUAL) | (codes < np.array(grid.sizes)[columns] - 1)
        return cls(
            places=places.astype(np.int32),
            columns=columns,
            operators=operators,
            codes=codes,
            rank=rank,
            usable=usable,
            numeric=len(numbers),
            width=width,
            size=size + 1,
        )

    def groups(self, table: Floats) -> Floats:
        """The weights by class of the rows that pass each test, from those of each place: [test, class]."""
        cut = self.numeric * self.width
        of_numbers = table[:cut].reshape(self.numeric, self.width, table.shape[1])
        below = np.cumsum(of_numbers, axis=1)
        above = below[:, -1:] - below
        classes = table.shape[1]
        sides = (side[:, :-1].reshape(-1, classes) for side in (below, above))
        return np.concatenate([*sides, table[cut:-1]])


@dataclass(frozen=True, slots=True)
class RuleSearch:
    """Beam search for the rule of best quality, the lift of its majority class over the rows that are left."""

    grid: Grid
    slots: Slots
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
        start = Candidate((), rows, weights, 0.0)
        best, frontier = start, [start]
        for _ in range(self.max_tests):
            frontier = self._longer(frontier, prior)
            for one in frontier:
                best = one if _better(one, best) else best
        return best if best.tests else None

    def _longer(self, frontier: list[Candidate], prior: Floats) -> list[Candidate]:
        """The `beam` most promising rules with one more test: by the best lift of any class, as it can still grow.

        Of equal ones the heavier, then the one found first. Of those that cover the very same rows the first is kept.
        """
        measured = [self._measured(one, prior) for one in frontier]
        promise = np.concatenate([np.empty(0), *(promised for promised, _ in measured)])
        totals = np.concatenate([np.empty(0), *(total for _, total in measured)])
        tests = len(self.slots.rank)
        hopeful = np.flatnonzero(promise > 0)
        rank = hopeful // max(1, tests) * tests + self.slots.rank[hopeful % max(1, tests)]
        order = hopeful[np.lexsort((rank, -totals[hopeful], -promise[hopeful]))]
        found: dict[bytes, Candidate] = {}
        for at in order:
            parent, test = divmod(int(at), tests)
            longer = self._with(frontier[parent], test, prior)
            if longer is not None:
                found.setdefault(longer.rows.tobytes(), longer)
            if len(found) == self.beam:
                break
        return list(found.values())

    def _measured(self, one: Candidate, prior: Floats) -> tuple[Floats, Floats]:
        """For every test, what the rule promises with it (−1: too little weight), and the weight it would cover."""
        groups = self.slots.groups(self._table(one.rows))
        totals = groups.sum(axis=1)
        fewer = totals < one.weights.sum() - self.weights.min() / 2  # a test that all rows pass says nothing
        heavy = self.slots.usable & fewer & (totals >= self.min_weight)
        promise = np.full(len(totals), -1.0)
        promise[heavy] = lift(groups[heavy], prior).max(axis=1)
        return promise, totals

    def _table(self, rows: NDArray[np.intp]) -> Floats:
        """The weights of the rows by place and class."""
        labels, weights = self.labels[rows], self.weights[rows]
        table = np.zeros(self.slots.size * self.classes)
        at_once = max(1, _MOST_PLACES // max(1, len(rows)))
        for first in range(0, len(self.slots.places), at_once):
            places = self.slots.places[first : first + at_once, rows] * np.int64(self.classes) + labels
            table += weigh(places.ravel(), np.tile(weights, len(places)), len(table))
        return table.reshape(self.slots.size, self.classes)

    def _with(self, one: Candidate, test: int, prior: Floats) -> Candidate | None:
        """The rule with one more test, unless that leaves its rows as they are."""
        slots = self.slots
        asked = Question(int(slots.columns[test]), str(slots.operators[test]), int(slots.codes[test]))
        rows = one.rows[passes(asked, self.grid.codes[asked.column, one.rows])]
        if len(rows) == len(one.rows):
            return None
        weights = weigh(self.labels[rows], self.weights[rows], self.classes)
        return Candidate((*one.tests, asked), rows, weights, float(lift(weights, prior)[weights.argmax()]))


def unit_weight(weights: Floats) -> float:
    """The weight that counts as one row, so that weights may be given on any scale.

    Weights that are whole multiples of the smallest are numbers of rows, and that one is the unit; of any others the
    mean is.

    >>> unit_weight(np.array([0.5, 1.0, 1.5])), unit_weight(np.array([0.3, 0.5, 1.0]))
    (0.5, 0.6)
    """
    least = float(weights.min())
    multiples = weights / least
    whole = np.abs(multiples - np.round(multiples)) <= 1e-9 * multiples
    return least if whole.all() else float(weights.mean())


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


def _edges(column: Floats, max_cuts: int) -> Floats:
    every = midpoints(column)
    return every if len(every) <= max_cuts else equal_frequency_edges(column, max_cuts + 1)
