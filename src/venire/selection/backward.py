"""Taking attributes away from least squares: all candidates of a step at once, from the inverse of one triangle.

With R the triangle of the columns left and C = (RᵀR)⁻¹, dropping the columns J moves the coefficients by
C_·J (C_JJ)⁻¹ β_J. Predictions are made from the coefficients anew, so that rows which differ in the dropped columns
alone stay equal to the last bit, as a ranking needs it. Columns that depend on others are left out of the triangle:
where they depend on them on the rows judged too, they say nothing of their own.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular

from venire.selection.forward import COARSE, DEPENDENT, SAFETY
from venire.selection.reduced import Reduced

Floats = NDArray[np.float64]
Columns = NDArray[np.intp]

_WORST = 1e6  # condition of a triangle (of columns of length one) whose inverse still has its digits


@dataclass(frozen=True, eq=False)
class _Solved:
    """The columns left: a basis of them, their inverse, and what the others are made of."""

    place: NDArray[np.intp]  # of every column in the basis; −1 for the rest
    inverse: Floats  # of the triangle of the basis
    held: Floats  # the rows judged, of columns of length one
    targets: Floats  # their part in each direction of the basis
    slopes: Floats  # [column of the basis, target]
    shared: NDArray[np.bool_]  # [column of the basis]: some column outside the basis is made of it


class Removing:
    """One part of the rows on the way from all attributes to none."""

    def __init__(self, part: Reduced) -> None:
        self._part = part
        self._lengths = part.lengths
        self._held = part.held / np.where(self._lengths > 0, self._lengths, 1.0)
        self._left = list(range(len(part.columns)))
        self._refresh()

    @property
    def prediction(self) -> Floats:
        """What the attributes left say of the rows judged: [row, target]."""
        return self._present

    def candidates(self, attributes: list[int]) -> Floats:
        """What would be said with one attribute less: [candidate, row, target]."""
        out = np.empty((len(attributes), *self._present.shape))
        single = [at for at, attribute in enumerate(attributes) if self._plain(attribute)]
        if single:
            assert self._solved is not None
            place = self._solved.place[[self._part.columns[attributes[at]][0] for at in single]]
            rows = self._solved.inverse[place]
            moved = self._solved.slopes[place] / np.einsum("ij,ij->i", rows, rows)[:, None]
            for t in range(moved.shape[1]):
                slopes = self._solved.inverse @ (self._solved.targets[:, t, None] - rows.T * moved[:, t])
                slopes[place, np.arange(len(place))] = 0.0
                out[single, :, t] = (self._solved.held @ slopes).T + self._part.level[t]
        for at in sorted(set(range(len(attributes))) - set(single)):
            out[at] = self._without(attributes[at])
        return out

    def remove(self, attribute: int) -> None:
        """Take an attribute away."""
        self._left.remove(attribute)
        self._refresh()

    def _refresh(self) -> None:
        columns = self._columns(self._left)
        self._solved = self._solve(columns) if len(columns) else None
        if self._solved is None:
            self._present = self._part.shortest(columns)
        else:
            self._present = self._solved.held @ self._solved.slopes + self._part.level

    def _columns(self, attributes: list[int]) -> Columns:
        return np.concatenate([np.empty(0, np.intp), *(self._part.columns[a] for a in attributes)])

    def _plain(self, attribute: int) -> bool:
        """Whether it is one column, of the basis, of which no other is made."""
        gone = self._part.columns[attribute]
        if self._solved is None or len(gone) != 1:
            return False
        at = self._solved.place[gone[0]]
        return bool(at >= 0 and not self._solved.shared[at])

    def _without(self, attribute: int) -> Floats:
        gone = self._part.columns[attribute]
        if not len(gone):
            return self._present
        solved = self._solved
        if solved is None:
            return self._part.shortest(self._columns([a for a in self._left if a != attribute]))
        at = solved.place[gone]
        if (at < 0).all():
            return self._present  # the basis is left whole
        if (at < 0).any() or solved.shared[at].any():
            return self._part.shortest(self._columns([a for a in self._left if a != attribute]))
        rows = solved.inverse[at]
        slopes = solved.inverse @ (solved.targets - rows.T @ np.linalg.solve(rows @ rows.T, solved.slopes[at]))
        slopes[at] = 0.0
        return np.asarray(solved.held @ slopes + self._part.level)

    def _solve(self, columns: Columns) -> _Solved | None:
        """A basis of the columns with its inverse; None where rounding would decide what is in it."""
        scale = self._lengths[columns]
        basis, triangle, order = qr(
            self._part.triangle[:, columns] / scale, mode="economic", pivoting=True, check_finite=False
        )
        own = np.abs(triangle.diagonal())
        rank = int((own > COARSE).sum())
        if (own[rank:] > DEPENDENT).any():
            return None
        chosen, others = columns[order[:rank]], columns[order[rank:]]
        square = triangle[:rank, :rank]
        if (own[:rank] * scale[order[:rank]]).min() <= SAFETY * self._part.cutoff * scale.max():
            return None
        inverse = solve_triangular(square, np.eye(rank), check_finite=False)
        if np.linalg.norm(square) * np.linalg.norm(inverse) > _WORST:
            return None
        made_of = inverse @ triangle[:rank, rank:]
        strange = np.linalg.norm(self._held[:, others] - self._held[:, chosen] @ made_of, axis=0)
        if (strange > 100 * DEPENDENT * np.linalg.norm(self._held[:, others], axis=0)).any():
            return None
        place = np.full(self._part.triangle.shape[1], -1)
        place[chosen] = np.arange(rank)
        targets = basis[:, :rank].T @ self._part.targets
        shared = np.asarray((np.abs(made_of) > DEPENDENT).any(axis=1))
        return _Solved(place, inverse, self._held[:, chosen], targets, inverse @ targets, shared)
