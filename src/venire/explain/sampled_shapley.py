"""Shapley values of any model, by sampling orders of the columns (Castro 2009; Štrumbelj and Kononenko 2014).

A row starts as a background row and takes over its own values column by column, in a random order; what the prediction
moves at each step goes to that step's column. Every order is walked forwards and backwards from the same background
row, which takes out much of the noise. All rows share the orders and the background rows, so a row's values do not
depend on the rows beside it, and each walk ends at the row itself: the values add up to the prediction exactly, however
few the orders. With columns that do not act together, and with two columns, they are exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.spaced_rows import spaced_rows
from venire.explain.exchange import mixed, stacked, take

Floats = NDArray[np.float64]
_CELLS_AT_ONCE = 1 << 21  # values of made-up rows that a model is asked about in one go


@dataclass(frozen=True, eq=False, slots=True)
class Sampled:
    """Values [row, column, output], the mean prediction of the background [output], and standard errors."""

    values: Floats
    base: Floats
    standard_errors: Floats  # over orders and background rows together: rather too large than too small
    background_rows: int


def sampled_values(
    say: Callable[[Any], Floats], X: Any, background: Any, *, orders: int, rng: np.random.Generator
) -> Sampled:
    """Walk through so many orders, each from a background row of its own (all of them equally often).

    Parameters
    ----------
    say
        What the model says about rows: `[row, output]`.
    X, background
        Rows of the same columns, both frames or both arrays.
    orders
        How many; each is walked both ways.
    rng
        Where the orders come from.
    """
    used = spaced_rows(len(background), orders)
    starts = np.tile(used, -(-orders // len(used)))
    columns = X.shape[1]
    ranks = np.stack([rng.permutation(columns) for _ in starts])  # [order, column]: when its turn comes
    ranks = np.stack([ranks, columns - 1 - ranks], axis=1)  # [order, way, column]
    source = stacked(X, take(background, used))
    place = len(X) + np.searchsorted(used, starts)
    ends, begins = say(X), say(take(background, used))
    begins = begins[np.searchsorted(used, starts)]
    walks = [_moves(say, source, row, place, ranks, ends[row], begins) for row in range(len(X))]
    values = np.stack([moves.mean(axis=0) for moves in walks])
    spread = np.stack(
        [moves.std(axis=0, ddof=1) if len(starts) > 1 else np.full_like(moves[0], np.nan) for moves in walks]
    )
    return Sampled(values, begins.mean(axis=0), spread / np.sqrt(len(starts)), len(used))


def _moves(
    say: Callable[[Any], Floats],
    source: Any,
    row: int,
    place: NDArray[np.intp],
    ranks: NDArray[np.intp],
    end: Floats,
    begins: Floats,
) -> Floats:
    """What each column moved in each order, as the mean of both ways: [order, column, output]."""
    orders, ways, columns = ranks.shape
    found = np.empty((orders, columns, len(end)))
    at_once = max(1, _CELLS_AT_ONCE // max(1, ways * columns * columns))
    steps = np.arange(1, columns)
    for first in range(0, orders, at_once):
        part = slice(first, first + at_once)
        own = ranks[part, :, None, :] < steps[:, None]  # [order, way, step, column]
        rows = np.where(own, row, place[part, None, None, None]).reshape(-1, columns)
        between = say(mixed(source, rows)) if len(rows) else np.empty((0, len(end)))
        size = len(ranks[part])
        path = np.concatenate(
            [
                np.broadcast_to(begins[part, None, None], (size, ways, 1, len(end))),
                between.reshape(size, ways, columns - 1, len(end)),
                np.broadcast_to(end, (size, ways, 1, len(end))),
            ],
            axis=2,
        )
        moved = np.take_along_axis(np.diff(path, axis=2), ranks[part, :, :, None], axis=2)
        found[part] = moved.mean(axis=1)
    return found
