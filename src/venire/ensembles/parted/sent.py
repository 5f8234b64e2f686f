"""Numbers of a part on their way to the sums: stretches that are all zero stay at home.

Of what parts tell each other, much is of one part alone: the sums of its own blocks, for all others zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_PAGE = 1024

Numbers = NDArray[np.uint64]


@dataclass(frozen=True)
class Sent:
    """The pages of so many numbers that are not all zero."""

    count: int
    pages: NDArray[np.int64]
    numbers: Numbers


def sent(numbers: Numbers) -> Sent:
    """What is sent of these numbers.

    >>> sent(np.array([0] * 2000 + [7], dtype=np.uint64)).pages.tolist()
    [1]
    """
    count = len(numbers)
    padded = np.concatenate([numbers, np.zeros(-count % _PAGE, dtype=np.uint64)]).reshape(-1, _PAGE)
    pages = np.flatnonzero(padded.any(axis=1))
    return Sent(count, pages, padded[pages])


def added(parts: Sequence[Sent]) -> Numbers:
    """The sums of what all parts sent, modulo 2⁶⁴.

    >>> added([sent(np.array([1, 2], dtype=np.uint64)), sent(np.array([0, 2**64 - 1], dtype=np.uint64))]).tolist()
    [1, 1]
    """
    count = parts[0].count
    total = np.zeros((-(-count // _PAGE), _PAGE), dtype=np.uint64)
    for one in parts:
        total[one.pages] += one.numbers
    return total.reshape(-1)[:count]
