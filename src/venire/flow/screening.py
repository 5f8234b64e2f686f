"""Which columns of a wide table are worth shuffling: those that go with the predictions most closely."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from venire.metrics.predictions import Predictions
from venire.metrics.ranks import mean_ranks

Floats = NDArray[np.float64]


def closest_columns(X: Floats, said: Predictions, categorical: NDArray[np.bool_], most: int) -> Sequence[int] | None:
    """At most so many columns, by how far they go with a prediction: rank correlation, or the share a category tells.

    None where there are no more than that. It asks the model nothing, so it costs little with many columns, too.
    """
    if X.shape[1] <= most:
        return None
    predicted = np.asarray(said.labels[:, None] if said.outputs is None else said.outputs, dtype=np.float64)  # type: ignore[index]  # one of the two is there
    predicted = predicted[
        :, predicted.std(axis=0).argmax()
    ]  # of several classes the one that differs most between rows
    ranks = mean_ranks(predicted)
    close = [_told_by(X[:, j], ranks) if categorical[j] else _correlation(X[:, j], ranks) for j in range(X.shape[1])]
    return sorted(int(j) for j in np.argsort(-np.array(close), kind="stable")[:most])


def _correlation(values: Floats, ranks: Floats) -> float:
    known = ~np.isnan(values)
    if known.sum() < 3:
        return 0.0
    own, predicted = mean_ranks(values[known]), ranks[known]
    own, predicted = own - own.mean(), predicted - predicted.mean()
    size = np.sqrt(np.square(own).sum() * np.square(predicted).sum())
    return float(abs((own * predicted).sum()) / size) if size > 0 else 0.0


def _told_by(codes: Floats, ranks: Floats) -> float:
    """The correlation ratio: how much of the spread is between categories, a gap being one of its own."""
    _, member = np.unique(np.nan_to_num(codes, nan=-1.0), return_inverse=True)
    counts = np.bincount(member)
    means = np.bincount(member, weights=ranks) / counts
    between, total = (counts * np.square(means - ranks.mean())).sum(), np.square(ranks - ranks.mean()).sum()
    return float(np.sqrt(between / total)) if total > 0 else 0.0
