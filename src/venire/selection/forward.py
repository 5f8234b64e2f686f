"""Adding attributes to least squares: all candidates of a step at once, from what the chosen ones leave over.

Of every column the part that the chosen columns do not explain is kept, of the training triangle and of the rows judged
alike. A candidate then changes the prediction by its remainder times one coefficient:

    ŷ(S + j) = ŷ(S) + e_j b,   b = r_j·r_y / r_j·r_j

and choosing it takes its remainder out of all others. A step costs as much as one product of the matrix with a vector.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

from venire.selection.reduced import Reduced

Floats = NDArray[np.float64]

# Shares of a column's own length. Below the first it is explained by the chosen ones, up to rounding; between the two
# its remainder is too coarse to divide by, and the candidate is solved on its own.
DEPENDENT, COARSE = 1e-10, 1e-6
SAFETY = 1e2  # how much longer than the cut-off a remainder has to be, since it bounds a direction from above only


class Adding:
    """One part of the rows on the way from no attribute to all."""

    def __init__(self, part: Reduced) -> None:
        self._part = part
        self._lengths = part.lengths
        self._held_lengths = np.linalg.norm(part.held, axis=0)
        self._inside = part.triangle.copy()
        self._targets = part.targets.copy()
        self._outside = part.held.copy()
        self._chosen: list[int] = []
        self._present = part.shortest(np.empty(0, np.intp)).copy()
        self._shortest = np.inf  # remainder of a chosen column when it was chosen
        self._longest = 0.0
        self._solve = False  # the chosen columns depend on each other in training, but not in the rows judged

    @property
    def prediction(self) -> Floats:
        """What the chosen attributes say of the rows judged: [row, target]."""
        return self._present

    def candidates(self, attributes: list[int]) -> Floats:
        """What would be said with one attribute more: [candidate, row, target]."""
        out = np.empty((len(attributes), *self._present.shape))
        single = [at for at, attribute in enumerate(attributes) if len(self._part.columns[attribute]) == 1]
        columns = np.array([self._part.columns[attributes[at]][0] for at in single], dtype=np.intp)
        if len(single):
            inside = self._inside[:, columns]
            squares = np.einsum("ij,ij->j", inside, inside)
            safe = self._safe(np.sqrt(squares), self._lengths[columns]) & (not self._solve)
            shares = inside.T @ self._targets
            slope = np.divide(shares, squares[:, None], where=safe[:, None], out=np.zeros_like(shares))
            for t in range(slope.shape[1]):
                out[single, :, t] = (self._outside[:, columns] * slope[:, t]).T + self._present[:, t]
        else:
            safe = np.empty(0, dtype=bool)
        others = set(range(len(attributes))) - {at for at, fine in zip(single, safe, strict=True) if fine}
        for at in sorted(others):
            out[at] = self._one(attributes[at])
        return out

    def add(self, attribute: int) -> None:
        """Choose an attribute."""
        columns = self._part.columns[attribute]
        if not self._solve and len(columns) and not self._explained(columns):
            self._present = self._one(attribute)
            self._take_out(columns)
        elif self._solve:
            self._present = self._one(attribute)
        self._chosen.append(attribute)

    def _one(self, attribute: int) -> Floats:
        """The prediction with one attribute more, by whatever way is safe."""
        columns = self._part.columns[attribute]
        if not len(columns):
            return self._present
        if not self._solve:
            if self._explained(columns):
                return self._present
            basis, triangle = _directions(self._inside[:, columns])
            own = np.abs(triangle.diagonal())
            if len(own) == len(columns) and self._safe(own, self._lengths[columns]).all():
                slope = solve_triangular(triangle, basis.T @ self._targets, check_finite=False)
                return np.asarray(self._present + self._outside[:, columns] @ slope)
        together = np.concatenate([self._part.columns[a] for a in (*self._chosen, attribute)])
        return self._part.shortest(together)

    def _take_out(self, columns: NDArray[np.intp]) -> None:
        """Take what is left of the columns out of everything else; give up remainders where they have no meaning."""
        basis, triangle = _directions(self._inside[:, columns])
        own = np.abs(triangle.diagonal())
        if len(own) < len(columns) or (own <= COARSE * self._lengths[columns]).any():
            self._solve = True
            return
        self._shortest = min(self._shortest, float(own.min()))
        self._longest = max(self._longest, float(self._lengths[columns].max()))
        share = basis.T @ self._inside
        self._outside -= self._outside[:, columns] @ solve_triangular(triangle, share, check_finite=False)
        self._inside -= basis @ share
        self._targets -= basis @ (basis.T @ self._targets)

    def _safe(self, remainders: Floats, lengths: Floats) -> NDArray[np.bool_]:
        """Whether remainders can be divided by, and no direction is so short that the solver would cut it."""
        longest = np.maximum(lengths, self._longest)
        shortest = np.minimum(remainders, self._shortest)
        return np.asarray((remainders > COARSE * lengths) & (shortest > SAFETY * self._part.cutoff * longest))

    def _explained(self, columns: NDArray[np.intp]) -> bool:
        """Whether the chosen columns say all that these do, in training and on the rows judged."""
        inside = np.linalg.norm(self._inside[:, columns], axis=0) <= DEPENDENT * self._lengths[columns]
        outside = np.linalg.norm(self._outside[:, columns], axis=0) <= 100 * DEPENDENT * self._held_lengths[columns]
        return bool((inside & outside).all())


def _directions(fold: Floats) -> tuple[Floats, Floats]:
    """Orthonormal directions of some columns, and the columns in them; most often there is one, and it is quick."""
    if fold.shape[1] > 1:
        basis, triangle = np.linalg.qr(fold)
        return basis, triangle
    length = float(np.sqrt(np.vdot(fold, fold)))
    return fold / (length or 1.0), np.array([[length]])
