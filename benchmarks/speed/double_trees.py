"""The plain way to grow a tree of boosting: best leaf first, on sums of double precision: what the core is held to.

No penalty, no sampling, numeric codes without gaps; a leaf keeps `least` rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
_BINS = 64


@dataclass(eq=False)
class _Leaf:
    rows: NDArray[np.int32]
    sums: Floats  # [gradient, hessian, rows][column, bin]
    gain: float = 0.0
    column: int = 0
    cut: int = 0  # codes up to it go left


def grown(codes: NDArray[np.uint8], gradient: Floats, hessian: Floats, leaves: int, least: int) -> NDArray[np.int32]:
    """The leaf of every row."""
    everything = np.arange(codes.shape[1], dtype=np.int32)
    first = _Leaf(everything, _sums(codes, gradient, hessian, everything))
    _find(first, least)
    found = [first]
    while len(found) < leaves:
        best = max(found, key=lambda leaf: leaf.gain)
        if best.gain <= 0:
            break
        found.remove(best)
        left_side = codes[best.column][best.rows] <= best.cut
        parts = [best.rows[left_side], best.rows[~left_side]]
        small = int(len(parts[1]) < len(parts[0]))
        sums = _sums(codes, gradient, hessian, parts[small])
        two = [sums, best.sums - sums]
        for place in (0, 1):
            leaf = _Leaf(parts[place], two[place ^ small])
            _find(leaf, least)
            found.append(leaf)
    out = np.empty(codes.shape[1], np.int32)
    for number, leaf in enumerate(found):
        out[leaf.rows] = number
    return out


def gain_of_leaves(leaf: NDArray[Any], gradient: Floats, hessian: Floats) -> float:
    """What the best values of these leaves take away from the loss, twice, but for what one leaf would."""
    g, h = np.bincount(leaf, gradient), np.bincount(leaf, hessian)
    return float((g**2 / h).sum() - g.sum() ** 2 / h.sum())


def values_of_leaves(leaf: NDArray[Any], gradient: Floats, hessian: Floats, rate: float) -> Floats:
    """The values of leaves."""
    return np.asarray(-rate * np.bincount(leaf, gradient) / np.bincount(leaf, hessian))


def _sums(codes: NDArray[np.uint8], gradient: Floats, hessian: Floats, rows: NDArray[np.int32]) -> Floats:
    g, h = gradient[rows], hessian[rows]
    out = np.empty((3, len(codes), _BINS))
    for j, column in enumerate(codes):
        of_rows = column[rows]
        out[0, j] = np.bincount(of_rows, g, _BINS)
        out[1, j] = np.bincount(of_rows, h, _BINS)
        out[2, j] = np.bincount(of_rows, minlength=_BINS)
    return out


def _find(leaf: _Leaf, least: int) -> None:
    """The best cut of a leaf."""
    g, h, n = (np.cumsum(one, axis=1) for one in leaf.sums)
    all_g, all_h, all_n = g[:, -1:], h[:, -1:], n[:, -1:]
    with np.errstate(divide="ignore", invalid="ignore"):
        gains = g**2 / h + (all_g - g) ** 2 / (all_h - h) - all_g**2 / all_h
    gains[~((n >= least) & (all_n - n >= least) & np.isfinite(gains))] = -np.inf
    leaf.column, leaf.cut = (int(at) for at in np.unravel_index(int(gains.argmax()), gains.shape))
    leaf.gain = float(gains[leaf.column, leaf.cut])
