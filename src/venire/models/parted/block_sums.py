"""Sums over all rows that do not depend on where the rows are.

Rows are taken in blocks of 8,192. Within one they are added one after the other; blocks are added by twos, fours,
eights. So every part makes the sums of its own blocks, as far as they can be made without the others; and a block that
two parts share is begun by one and finished by the next, which is given what the first came to. No row travels.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import add_logistic, add_products, bayes_moments
from venire.models.parted.team import Team

BLOCK = 8192  # rows; the core's, for moments

Floats = NDArray[np.float64]
State = tuple[Floats, ...]
Rows = tuple[NDArray[Any], NDArray[Any], Floats | None]  # values, targets, weights
Place = tuple[int, int]  # a level, and which stretch of 2 ** level blocks


@dataclass(frozen=True)
class OwnBlocks:
    """The sums of stretches of blocks, and the state of a block that another part goes on with."""

    found: dict[Place, State]
    begun: State | None = None


class BlockSums(ABC):
    """What is summed up."""

    @abstractmethod
    def begin(self, X: NDArray[Any]) -> State:
        """Of no rows."""

    @abstractmethod
    def add(self, state: State, X: NDArray[Any], y: NDArray[Any], w: Floats | None) -> None:
        """Add rows of one block, in their order."""

    def finish(self, state: State) -> State:
        """Sums are what they are."""
        return state

    def merge(self, first: State, second: State) -> State:
        """By addition."""
        return tuple(a + b for a, b in zip(first, second, strict=True))

    def own(self, table: Rows, begin: int, rows: int) -> OwnBlocks:
        """What the blocks come to that begin here."""
        X, y, w = table
        end, kept = begin + len(X), list[tuple[Place, State]]()
        at = -(-begin // BLOCK) * BLOCK
        while at < end:
            last = min(at + BLOCK, rows)
            state, here = self.begin(X), slice(at - begin, min(last, end) - begin)
            self.add(state, X[here], y[here], None if w is None else w[here])
            if last > end:
                return OwnBlocks(dict(kept), state)
            kept.append(((0, at // BLOCK), self.finish(state)))
            while len(kept) > 1 and _are_twins(kept[-2][0], kept[-1][0]):
                (_, second), ((level, number), first) = kept.pop(), kept.pop()
                kept.append(((level + 1, number // 2), self.merge(first, second)))
            at = last
        return OwnBlocks(dict(kept))

    def carried(self, table: Rows, begin: int, rows: int, state: State) -> State:
        """With the rows that the block has here."""
        count = min(-(-begin // BLOCK) * BLOCK, rows) - begin
        state = tuple(np.array(one) for one in state)  # what comes by mail may not be written to
        X, y, w = table
        self.add(state, X[:count], y[:count], None if w is None else w[:count])
        return state


def _are_twins(one: Place, other: Place) -> bool:
    return one[0] == other[0] and one[1] % 2 == 0 and one[1] + 1 == other[1]


def summed(team: Team, kind: BlockSums, sizes: Sequence[int]) -> State:
    """The sums over the rows of all parts, which have so many each."""
    parts, rows = len(sizes), int(sum(sizes))
    begins = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    told: list[OwnBlocks] = team.ask("sums", [kind] * parts, begins[:-1], [rows] * parts)
    found: dict[Place, State] = {}
    for one in told:
        found.update(one.found)
    begun = {i + 1: one.begun for i, one in enumerate(told) if one.begun is not None}  # by the part that goes on
    while begun:
        states = [begun.get(i) for i in range(parts)]
        carried: list[State | None] = team.ask("carry_on", [kind] * parts, begins[:-1], [rows] * parts, states)
        begun = {}
        for i, state in enumerate(carried):
            if state is None:
                continue
            block = begins[i] // BLOCK
            if begins[i + 1] < min((block + 1) * BLOCK, rows):
                begun[i + 1] = state
            else:
                found[0, block] = kind.finish(state)
    return _together(kind, found, -(-rows // BLOCK))


def _together(kind: BlockSums, found: dict[Place, State], blocks: int) -> State:
    def of(level: int, number: int) -> State | None:
        if number << level >= blocks:
            return None
        if (level, number) in found:
            return found[level, number]
        first, second = of(level - 1, 2 * number), of(level - 1, 2 * number + 1)
        assert first is not None
        return first if second is None else kind.merge(first, second)

    total = of(max(0, blocks - 1).bit_length(), 0)
    assert total is not None
    return total


@dataclass(frozen=True)
class ColumnSums(BlockSums):
    """The sums of weights, of all columns, and of the target."""

    def begin(self, X: NDArray[Any]) -> State:
        """Nothing yet."""
        return (np.zeros(X.shape[1] + 2),)

    def add(self, state: State, X: NDArray[Any], y: NDArray[Any], w: Floats | None) -> None:
        """Row by row."""
        rows = np.column_stack([np.ones(len(y)), X, y])
        if w is not None:
            rows *= w[:, None]
        state[0][:] = np.cumsum(np.vstack([state[0], rows]), axis=0)[-1]  # one after the other; `sum` adds by pairs


@dataclass(frozen=True)
class Products(BlockSums):
    """Cross-products of 1, the columns and the target, these measured from a centre."""

    centre: Floats

    def begin(self, X: NDArray[Any]) -> State:
        """Nothing yet."""
        size = X.shape[1] + 2
        return (np.zeros((size, size)),)

    def add(self, state: State, X: NDArray[Any], y: NDArray[Any], w: Floats | None) -> None:
        """Row by row."""
        add_products(_beside_ones(X, self.centre[:-1], y - self.centre[-1]), w, state[0])


@dataclass(frozen=True)
class Slopes(BlockSums):
    """The gradient and the curvature of a logistic model at some coefficients, of columns measured from a centre."""

    centre: Floats
    coefficients: Floats  # [output][1 + column]

    def begin(self, X: NDArray[Any]) -> State:
        """Nothing yet."""
        size = self.coefficients.size
        return np.zeros(self.coefficients.shape), np.zeros((size, size))

    def add(self, state: State, X: NDArray[Any], y: NDArray[Any], w: Floats | None) -> None:
        """Row by row."""
        add_logistic(_beside_ones(X, self.centre), y, w, self.coefficients, *state)


def _beside_ones(X: NDArray[Any], centre: Floats, *more: Floats) -> Floats:
    rows = np.empty((len(X), 1 + X.shape[1] + len(more)))
    rows[:, 0] = 1.0
    np.subtract(X, centre, out=rows[:, 1 : 1 + X.shape[1]])
    for k, column in enumerate(more):
        rows[:, 1 + X.shape[1] + k] = column
    return rows


@dataclass(frozen=True)
class ClassMoments(BlockSums):
    """Weights, means and squares of numeric columns by class, as naive Bayes keeps them."""

    numeric: NDArray[np.uint32]
    origin: Floats
    classes: int

    def begin(self, X: NDArray[Any]) -> State:
        """Nothing yet."""
        state = np.zeros((4, self.classes, len(self.numeric)))
        state[1] = np.nan  # no value was seen
        return (state,)

    def add(self, state: State, X: NDArray[Any], y: NDArray[Any], w: Floats | None) -> None:
        """Row by row."""
        bayes_moments(X, np.ascontiguousarray(y), w, numeric=self.numeric, origin=self.origin, state=state[0])

    def finish(self, state: State) -> State:
        """As the core finishes a block."""
        weight, centre, total, squares = state[0]
        there = weight > 0
        off = np.divide(total, weight, out=np.zeros_like(total), where=there)
        mean = np.where(there, centre + off, 0.0)
        return weight, mean, np.where(there, np.maximum(0.0, squares - off * total), 0.0)

    def merge(self, first: State, second: State) -> State:
        """Chan's rule, in the core's order of operations."""
        (weight, mean, squares), (more, other, others) = first, second
        total = weight + more
        there = more > 0
        share = np.divide(more, total, out=np.zeros_like(total), where=there)
        apart = other - mean
        return (
            np.where(there, total, weight),
            np.where(there, mean + apart * share, mean),
            np.where(there, squares + (others + apart * apart * weight * share), squares),
        )
