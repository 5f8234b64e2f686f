"""A Gaussian kernel in a few hundred columns (Nyström): a machine with a kernel becomes a linear one on them.

Rows are compared with some of them, the landmarks: k(x) = exp(−γ‖x − z‖²) for every landmark z. With K the kernel
between landmarks, the columns K^(−1/2) k(x) have products that are the best approximation of the kernel that these
landmarks allow (Williams and Seeger 2001). What it costs grows with the rows, not with their square.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics.pairwise import rbf_kernel

from venire.models.drawn_rows import drawn_rows

Floats = NDArray[np.float64]
_SMALLEST = 1e-8  # of the largest eigenvalue: directions below it are rounding


@dataclass(frozen=True, eq=False)
class Landmarks:
    """Rows to compare with, and what makes columns of the comparisons."""

    points: Floats  # [landmark, column]
    mixing: Floats  # [landmark, direction]
    gamma: float

    @classmethod
    def of(cls, X: Floats, most: int, gamma: float | str, random_state: Any = 0) -> Landmarks:
        """At most so many landmarks, drawn at random; of equal rows one."""
        scale = kernel_width(X, gamma)
        points = np.unique(X[drawn_rows(len(X), most, random_state)], axis=0)
        values, vectors = np.linalg.eigh(rbf_kernel(points, gamma=scale))
        kept = values > _SMALLEST * values[-1]
        return cls(points, np.ascontiguousarray(vectors[:, kept] / np.sqrt(values[kept])), scale)

    def columns(self, X: Floats) -> Floats:
        """[row, direction]."""
        return np.asarray(rbf_kernel(X, self.points, gamma=self.gamma) @ self.mixing)


def kernel_width(X: Floats, gamma: float | str) -> float:
    """γ as a number: `"scale"` is 1 / (columns · variance), `"auto"` is 1 / columns."""
    if not isinstance(gamma, str):
        return float(gamma)
    spread = float(X.var()) if gamma == "scale" else 1.0
    return 1.0 / (X.shape[1] * spread) if spread > 0 else 1.0
