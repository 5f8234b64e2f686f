"""Votes for classes: how many, how strong, and who wins."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False, slots=True)
class Votes:
    """Votes by row and class: counted (`crisp`) and by how strongly they were cast (`weighted`)."""

    crisp: Floats
    weighted: Floats

    def deciding(self, *, crisp: bool) -> Floats:
        """The figures of which the largest wins.

        For crisp votes these are the counts plus a share below one of the weighted votes, so that they decide ties.

        >>> votes = Votes(np.array([[1.0, 1.0, 1.0]]), np.array([[1.2, 0.8, 1.0]]))
        >>> votes.deciding(crisp=True).argmax()
        np.int64(0)
        """
        if not crisp:
            return self.weighted
        return np.asarray(self.crisp + self.weighted / (self.weighted.shape[1] + 1))

    def winners(self, *, crisp: bool) -> NDArray[np.intp]:
        """The code of the winning class of each row; of classes equal in every respect the first."""
        return np.asarray(self.deciding(crisp=crisp).argmax(axis=1))

    def margin(self, *, crisp: bool) -> Floats:
        """The deciding figures as a decision function: one column a class, or for two classes their difference."""
        figures = self.deciding(crisp=crisp)
        return np.asarray(figures[:, 1] - figures[:, 0]) if figures.shape[1] == 2 else figures
