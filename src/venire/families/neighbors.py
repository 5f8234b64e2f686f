"""k nearest neighbours: one search with the largest k serves every k of the path."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import NearestNeighbors

from venire.validation.generic import Fit, GenericFamily, Lesson, Predicted


class NeighborsFamily(GenericFamily):
    """The path is k; the votes of the k nearest are running sums over one sorted list of neighbours."""

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """Search once a part, then read off every k."""
        wanted = [min(int(setting.params["n_neighbors"]), len(lesson.X)) for setting in lesson.settings]
        search = NearestNeighbors(n_neighbors=max(wanted)).fit(lesson.X)
        lists = []
        for part in lesson.parts:
            lesson.cancel()
            lists.append(lesson.y[search.kneighbors(part, return_distance=False)])
        classes = np.unique(lesson.y)
        if not lesson.table.target or not lesson.table.target.classes:
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
