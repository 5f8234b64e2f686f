"""The formulas of the metrics: from a fold's predictions `[setting, row]` to one loss a setting.

Sums run along rows with numpy's own pairwise summation and never through BLAS, so that a loss does not depend
on how many settings are computed together or on a thread count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import label_counts, log_losses, squared_losses, won_pairs, wrong_labels
from venire.errors import UsageError
from venire.metrics.predictions import Output

Losses = NDArray[np.float64]

# Evidence is kept in float32, so no probability is nearer to 0 or 1 than this.
LOG_LOSS_FLOOR = float(np.finfo(np.float32).eps)
_CODES = (np.int16, np.int32)  # labels as the core counts them


@dataclass(frozen=True, eq=False, slots=True)
class Counts:
    """The (weighted) rows of each class, those labelled so, and those rightly: [class], then [setting, class]."""

    actual: NDArray[np.float64]
    predicted: NDArray[np.float64]
    hits: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Fold:
    """Held-out rows, and what all settings of a family said about them."""

    y: NDArray[Any]
    given: NDArray[Any]  # labels [setting, row], or outputs [setting, row, output]
    output: Output
    weights: NDArray[np.float64] | None = None
    positive: int | None = None
    costs: tuple[tuple[float, ...], ...] | None = None

    def mean(self, values: NDArray[Any]) -> Losses:
        """The (weighted) mean over rows of `values` [setting, row]."""
        if self.weights is not None:
            return np.asarray((values * self.weights).sum(axis=1) / self.weight)
        if values.dtype == np.bool_:  # counting is many times faster than adding
            return np.asarray(np.count_nonzero(values, axis=1) / values.shape[1])
        return np.asarray(values.mean(axis=1, dtype=np.float64))

    @property
    def weight(self) -> float:
        """The (weighted) number of all rows."""
        return float(len(self.y) if self.weights is None else self.weights.sum())

    def size(self, rows: NDArray[np.bool_]) -> float:
        """The (weighted) number of these rows."""
        return float(np.count_nonzero(rows) if self.weights is None else self.weights[rows].sum())

    @cached_property
    def counts(self) -> Counts:
        """The rows of each class and label, counted once for all metrics that are made of them."""
        y, given = self.codes, self.given
        classes = 1 + int(max(y.max(), given.max()))
        labels = np.ascontiguousarray(given if given.dtype in _CODES else given.astype(np.int32))
        predicted, hits = label_counts(labels, y, weights=self.weights, classes=classes)
        actual = np.bincount(y, self.weights, minlength=classes).astype(np.float64)
        return Counts(actual, predicted, hits)

    @property
    def codes(self) -> NDArray[np.int32]:
        """The class of each row, as the core takes it."""
        return np.ascontiguousarray(self.y, dtype=np.int32)


def error(fold: Fold) -> Losses:
    """The share of rows with a wrong label."""
    if fold.weights is None and fold.given.dtype in _CODES:
        return np.asarray(wrong_labels(np.ascontiguousarray(fold.given), fold.codes) / len(fold.y))
    return fold.mean(fold.given != fold.y)


def balanced_error(fold: Fold) -> Losses:
    """The mean over the classes in the fold of the share of each that is labelled wrongly."""
    counts = fold.counts
    there = counts.actual > 0
    return np.asarray((1 - counts.hits[:, there] / counts.actual[there]).mean(axis=1))


def cost(fold: Fold) -> Losses:
    """The mean cost of a row, by a matrix [actual][predicted]."""
    costs = np.asarray(fold.costs, dtype=np.float64)
    classes = 1 + int(max(fold.y.max(), fold.given.max()))
    if classes > len(costs):
        raise UsageError(
            f"the costs are for {len(costs)} classes, but the target has at least {classes}",
            code="costs",
            hint="Give one row and one column a class, in the order of the classes.",
        )
    return fold.mean(costs[fold.y, fold.given])


def one_minus_f1(fold: Fold) -> Losses:
    """One minus F1: of the positive class, or without one the mean over the classes seen or predicted.

    A fold without a positive row leaves F1 undefined for every model, so that all of them are
    compared on the same folds.
    """
    counts = fold.counts
    if fold.positive is not None and not (fold.positive < len(counts.actual) and counts.actual[fold.positive]):
        return np.full(len(fold.given), np.nan)
    with np.errstate(invalid="ignore"):  # a class that does not turn up at all in a setting
        each = 2 * counts.hits / (counts.actual + counts.predicted)
    if fold.positive is not None:
        return np.asarray(1 - each[:, fold.positive])
    turned_up = (counts.actual > 0) | counts.predicted.any(axis=0)
    return np.asarray(1 - np.nanmean(each[:, turned_up], axis=1))


def log_loss(fold: Fold) -> Losses:
    """Mean −ln of the probability of the actual class, once clipped to [`LOG_LOSS_FLOOR`, 1] and rescaled.

    A class that was absent from training has probability 0; the clipping makes that a large finite loss.
    """
    return np.asarray(log_losses(*_shares(fold), weights=fold.weights, floor=LOG_LOSS_FLOOR) / fold.weight)


def brier(fold: Fold) -> Losses:
    """Mean squared distance between probabilities and truth; halved for two classes, as is the custom."""
    total = squared_losses(*_shares(fold), weights=fold.weights)
    return np.asarray(total / fold.weight / (2 if fold.given.shape[2] == 2 else 1))


def _shares(fold: Fold) -> tuple[NDArray[Any], NDArray[np.int32]]:
    return np.ascontiguousarray(_floats(fold.given)), fold.codes


def one_minus_auc(fold: Fold) -> Losses:
    """One minus the area under the ROC curve; with many classes the mean over one-against-rest areas.

    A class that no row of the fold has (or that all have) defines no area: the mean is over the others, and
    the loss is NaN when none is left.
    """
    classes = fold.given.shape[2]
    if classes <= 2:
        return 1 - _area(fold, _binary_score(fold), fold.y == 1)
    each = [_area(fold, fold.given[:, :, code], fold.y == code) for code in range(classes)]
    defined = [area for area in each if not np.isnan(area).all()]
    return 1 - np.mean(defined, axis=0) if defined else np.full(len(fold.given), np.nan)


def _binary_score(fold: Fold) -> NDArray[Any]:
    """What ranks rows by class 1. Of two scores the difference decides; two probabilities say the same."""
    if fold.output is Output.SCORES and fold.given.shape[2] == 2:
        return np.asarray(fold.given[:, :, 1] - fold.given[:, :, 0])
    return np.asarray(fold.given[:, :, -1])


def _area(fold: Fold, score: NDArray[Any], chosen: NDArray[np.bool_]) -> Losses:
    """P(a chosen row scores above another row), a tie counting half; NaN when one side is empty."""
    pairs = fold.size(chosen) * fold.size(~chosen)
    if not pairs:
        return np.full(len(score), np.nan)
    if fold.weights is None:
        return np.asarray(won_pairs(_floats(score), chosen) / pairs)
    won = _weighed(score, chosen, fold.weights)
    won[np.isnan(score).any(axis=1)] = np.nan
    return won / pairs


def _floats(score: NDArray[Any]) -> NDArray[Any]:
    """As the core counts them: in single or double precision."""
    return score if score.dtype in (np.float32, np.float64) else score.astype(np.float64)


def _weighed(score: NDArray[Any], chosen: NDArray[np.bool_], weights: NDArray[np.float64]) -> Losses:
    """Pairs won, for each setting, every pair counting as much as its two rows weigh."""
    won = np.empty(len(score))
    for s, row in enumerate(score):
        order = np.argsort(row[~chosen], kind="stable")
        ranked = row[~chosen][order]
        running = np.concatenate([[0.0], np.cumsum(weights[~chosen][order])])
        below = running[np.searchsorted(ranked, row[chosen], side="left")]
        through = running[np.searchsorted(ranked, row[chosen], side="right")]
        won[s] = (weights[chosen] * (below + through)).sum() / 2
    return won


def rmse(fold: Fold) -> Losses:
    """Root of the mean squared error."""
    return np.asarray(np.sqrt(fold.mean(np.square(_residuals(fold)))))


def mae(fold: Fold) -> Losses:
    """Mean absolute error."""
    return fold.mean(np.abs(_residuals(fold)))


def one_minus_r2(fold: Fold) -> Losses:
    """SSE / SST, with the fold's own mean in SST; NaN when the fold's targets are all equal."""
    spread = fold.y - fold.mean(fold.y[None])
    total = fold.mean(np.square(spread)[None])[0]
    if np.ptp(fold.y) == 0 or total == 0:
        return np.full(len(fold.given), np.nan)
    return np.asarray(fold.mean(np.square(_residuals(fold))) / total)


def _residuals(fold: Fold) -> NDArray[np.float64]:
    return np.asarray(fold.given[:, :, 0].astype(np.float64) - fold.y)
