"""Groups and time at once: forward-chaining over groups.

A group belongs to the window of time in which it begins. Its rows within that window are the fold; its rows after
the end of the window take no part. So a fold is predicted from groups that began earlier, by rows that are earlier,
and both promises hold: no group is on both sides, and nothing is predicted from its future.

            window 0     window 1     window 2
    A       a a a a  |   .
    B            b b |   . . .
    C                |   c c c     |  .
    D                |             |  d d d d

Of A and B the rows behind the bar are left out (.): in window 1 they would be tested by a model that knows their group,
and for C they would be trained on although later. Short groups lose nothing. Groups that all begin in the first window
cannot be judged so: there is no new group later on.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table

Folds = NDArray[np.int32]
Floats = NDArray[np.float64]

LEFT_OUT = -1  # in place of a fold


def beginnings(table: Table) -> Floats:
    """For every row the moment that decides where it belongs: the first of its group, or its own without groups."""
    assert table.time is not None
    if table.groups is None:
        return table.time
    first = np.full(int(table.groups.max()) + 1, np.inf)
    np.minimum.at(first, table.groups, table.time)
    return np.asarray(first[table.groups])


def equal_windows(count: NDArray[np.intp], k: int) -> NDArray[np.intp]:
    """The window of every moment, given the rows at each: about as many rows in each of `k`, and none empty."""
    before = np.cumsum(count) - count
    window = before * k // count.sum()
    # A moment with very many rows can swallow a whole window; close the ranks so that none is empty.
    _, window = np.unique(window, return_inverse=True)
    if window.max() + 1 < k:
        window = np.arange(len(count)) * k // len(count)
    return np.asarray(window)


def without_late_rows(table: Table, part: NDArray[np.integer]) -> Folds:
    """The parts, with `LEFT_OUT` for the rows that come after the first moment of a later part."""
    assigned = part.astype(np.int32)
    if table.groups is None:
        return assigned
    assert table.time is not None
    start = np.full(int(part.max()) + 2, np.inf)
    np.minimum.at(start, part, beginnings(table))
    assigned[table.time >= start[part + 1]] = LEFT_OUT
    return assigned


def with_spare_fold(assigned: Folds, k: int) -> tuple[Folds, int]:
    """Rows that are left out as a last fold of their own, and how many such folds there are: 0 or 1."""
    late = assigned == LEFT_OUT
    return np.where(late, k, assigned).astype(np.int32), int(late.any())
