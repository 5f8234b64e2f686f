"""k nearest neighbours: one search with the largest k serves every k of the path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from venire.validation.family import Cancel
from venire.validation.generic import Fit, GenericFamily, Predicted, Prepared


class NeighborsFamily(GenericFamily):
    """The path is k; the votes of the k nearest are running sums over one sorted list of neighbours."""

    def fit_path(
        self,
        prepared: Prepared,
        X: NDArray[np.float64],
        y: NDArray[Any],
        parts: list[NDArray[np.float64]],
        seed: int,
        cancel: Cancel,
    ) -> Iterator[Fit]:
        """Search once a part, then read off every k."""
        wanted = [min(int(setting.params["n_neighbors"]), len(X)) for setting in prepared.settings]
        search = NearestNeighbors(n_neighbors=max(wanted)).fit(X)
        lists = []
        for part in parts:
            cancel()
            lists.append(y[search.kneighbors(part, return_distance=False)])
        classes = np.unique(y)
        if not prepared.table.target or not prepared.table.target.classes:
            for k in wanted:
                means = [found[:, :k].mean(axis=1, dtype=np.float64)[:, None] for found in lists]
                yield [(classes, Predicted(mean, None)) for mean in means]
            return
        for k in wanted:
            yield [(classes, _votes(found[:, :k], classes)) for found in lists]

    def _fits(self, settings: int) -> float:
        return 1.0


def _votes(labels: NDArray[Any], classes: NDArray[Any]) -> Predicted:
    """Shares of the votes, and the class with most of them; of equal ones the lowest code."""
    counts = np.stack([(labels == c).sum(axis=1) for c in classes], axis=1)
    return Predicted(counts / labels.shape[1], classes[counts.argmax(axis=1)])
