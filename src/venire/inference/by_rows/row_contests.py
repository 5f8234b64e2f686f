"""Models compared by the rows that they were tested on: one posterior for every pair, and for P(best).

Ten folds say little of the spread of a difference; a few hundred rows say much more. A difference between two figures
is a mean of the differences of the rows' influences on them, and varies as these do. Models whose training rows
overlap make it less sure: by half of what Nadeau and Bengio assume, and by nearly all of it where a few rows of a rare
class move the line between two classes. Rows that hang together count as fewer, and a spread that a few rows make is
known badly: as for the interval of one figure (`row_interval`).

Two models that differ on no row or on a few have not shown that they never differ: half a row that speaks for either is
allowed for, as large as the largest difference seen. Models with the same losses on every row cannot be told apart.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.errors import UsageError
from venire.inference.by_rows.row_intervals import badly_known, hanging_together
from venire.inference.by_rows.rows_tested import RowsTested
from venire.inference.joint import JointPosterior, chances, distinct_rows
from venire.metrics.all_rows import all_rows
from venire.metrics.predictions import Predictions
from venire.metrics.scores import Metric

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]

# Of the usual correction K n_test / n_train. Found on `metric_problems`, shown on others: docs/honesty.md.
_SHARED = 0.45
_LINE = {"f1": 0.9, "balanced_error": 0.9}
_ORDER, _NO_ORDER, _SURELY = 0.2, 0.9, 3.0  # of an AUC: surely better than a coin, no better; standard errors between
_IN_ORDER = 0.75  # of models trained on earlier rows only: the factor of `overlap_in_order`
_FEWEST = 3.0  # degrees of freedom of a spread, however few rows make most of it
_MOST_ROWS = 1 << 16  # kept of every model; the rows of a larger table are added up in so many parts


@dataclass(frozen=True, eq=False)
class RowContest:
    """Several models' figures by one metric, and what every row has to do with each.

    Attributes
    ----------
    values
        The figures; NaN where one is undefined.
    influence
        Of every row on every figure, `[model, row]`.
    overlap
        By how much a difference varies more than between fixed models.
    groups
        What each row hangs together with; None for independent rows.

    Examples
    --------
    Of 100 rows the first model is wrong about 10, the second about the same and 8 more:

    >>> wrong = np.arange(100) < np.array([[10], [18]])
    >>> both = RowContest(wrong.mean(axis=1), wrong - wrong.mean(axis=1, keepdims=True), overlap=1.5)
    >>> round(both.posterior().compare(0, 1).p_better, 2)
    0.98
    """

    values: Floats  # [model]
    influence: Floats  # [model, row]
    overlap: float
    groups: Codes | None = None

    @property
    def absent(self) -> NDArray[np.bool_]:
        """Models without a figure."""
        return np.isnan(self.values)

    def without(self, out: ArrayLike) -> RowContest:
        """The same with some models left out."""
        values = np.where(np.asarray(out, dtype=bool), np.nan, self.values)
        return RowContest(values, self.influence, self.overlap, self.groups)

    def posterior(self, level: float = 0.95) -> JointPosterior:
        """What is believed about all figures together. Exact copies of a model count once."""
        distinct, place = self._distinct()
        found = _posterior(distinct, level)
        pairs = np.ix_(place, place)
        return JointPosterior(
            found.mean[place],
            found.scale[place],
            found.correlation[pairs],
            found.apart[pairs],
            found.df,
            found.absent[place],
        )

    def probability_best(
        self, rng: np.random.Generator, *, rope: float = 0.0, draws: int = 20_000
    ) -> tuple[Floats, Floats]:
        """For each model: the probability that it is the best, and that it is within `rope` of the best.

        As `venire.inference.probability_best` has them: copies share, absent models get NaN.
        """
        if not rope >= 0:
            raise UsageError(f"the region of equivalence must not be negative, and is {rope}")
        distinct, place = self._distinct()
        return chances(_posterior(distinct, 0.95), place, rng, rope=rope, draws=draws)

    def _distinct(self) -> tuple[RowContest, Codes]:
        """The contest without exact copies, and where each model went."""
        first, place = distinct_rows(np.column_stack([self.values, self.influence]))
        return RowContest(self.values[first], self.influence[first], self.overlap, self.groups), place


def row_contest(
    metric: Metric,
    y: NDArray[Any],
    said: Iterable[Predictions],
    tested: RowsTested,
) -> RowContest:
    """Models that predicted the same rows.

    Parameters
    ----------
    metric
        The loss.
    y
        The actual class codes or numbers, one per prediction.
    said
        Of every model, what it predicted.
    tested
        How they were tested.

    Returns
    -------
    RowContest
        From which every pair and P(best) are read.

    Examples
    --------
    >>> from venire.data.table import Task
    >>> from venire.metrics import Output, metric
    >>> y, at = np.tile([0, 1], 50), np.arange(100)
    >>> said = [Predictions(np.where(at < wrong, 1 - y, y), None, Output.LABELS) for wrong in (10, 18)]
    >>> error = metric("error", Task.CLASSIFICATION)
    >>> both = row_contest(error, y, said, RowsTested(at, at % 10, folds=10, test_over_train=1 / 9))
    >>> both.values.round(2).tolist(), round(both.posterior().compare(0, 1).p_better, 2)
    ([0.1, 0.18], 0.98)
    """
    groups = tested.groups
    parts = tested.rows if groups is not None else tested.rows % _MOST_ROWS
    unique, where = np.unique(parts, return_inverse=True)
    share = len(unique) / len(parts)
    values, influence = [], []
    for predicted in said:
        found = all_rows(metric, y, predicted, tested.fold_of)
        values.append(found.value)
        influence.append(share * np.bincount(where, found.shown_influence, minlength=len(unique)))
    usual = tested.folds * tested.test_over_train
    shared = _shared(metric.name, np.array(values), np.array(influence))
    overlap = 1 + (_IN_ORDER if tested.in_order else shared * usual)
    return RowContest(np.array(values), np.array(influence), overlap, None if groups is None else groups[unique])


def _shared(metric: str, values: Floats, influence: Floats) -> float:
    """How much of the usual correction differences need, because models share training rows.

    Two rows that help one another's predictions are lucky together, and that counts twice. Where nothing is there to
    learn an order of rows is all such luck; where rows are ordered by what is there to learn it is little of it.
    """
    if metric != "auc":
        return _LINE.get(metric, _SHARED)
    if np.isnan(values).all():
        return _NO_ORDER
    best = int(np.nanargmin(values))
    spread = float(np.sqrt(np.square(influence[best]).sum())) / influence.shape[1]
    surely = max(0.0, 0.5 - float(values[best])) / spread if spread else np.inf
    return float(_ORDER + (_NO_ORDER - _ORDER) * np.exp(-np.square(surely / _SURELY)))


def _posterior(contest: RowContest, level: float) -> JointPosterior:
    """Of models none of which is a copy of another."""
    value, moved = contest.values, contest.influence
    models, rows = moved.shape
    absent = contest.absent
    units = rows if contest.groups is None else len(np.unique(contest.groups))
    nothing = np.full(models, np.nan)
    if units < 2 or absent.all():
        return JointPosterior(nothing, nothing, np.eye(models), np.zeros((models, models)), 0, absent | True)
    apart = np.zeros((models, models))
    for one in range(models):
        for other in range(one):
            if not (absent[one] or absent[other]):
                apart[one, other] = apart[other, one] = _spread(moved[one] - moved[other], contest, level)
    # einsum without BLAS: the same sums for any number of threads
    fixed = contest.overlap / rows**2 * np.einsum("ai,bi->ab", moved, moved)
    own = np.diag(fixed)
    more = np.square(apart) - (own[:, None] + own[None, :] - 2 * fixed)  # what the rows alone do not show of a pair
    more[absent] = more[:, absent] = 0.0
    np.fill_diagonal(more, 0.0)
    joint = fixed + _with_distances(more)
    scale = np.sqrt(np.diag(joint))
    both = scale[:, None] * scale[None, :]
    correlation = np.divide(joint, both, out=np.eye(models), where=both > 0)
    np.fill_diagonal(correlation, 1.0)
    mean = np.where(absent, np.nan, value)
    return JointPosterior(mean, np.where(absent, np.nan, scale), correlation, apart, units - 1, absent)


def _spread(between: Floats, contest: RowContest, level: float) -> float:
    """The standard error of a difference, from what every row has to do with it."""
    rows = len(between)
    as_one = contest.overlap - 1 + hanging_together(between, contest.groups, level)
    squares = np.square(between)
    doubt = 1.0 if contest.groups is not None else badly_known(squares, level, least=_FEWEST)
    unseen = (float(np.abs(between).max()) * as_one / rows) ** 2
    return float(np.sqrt(doubt * as_one * float(squares.sum()) / rows**2 + unseen))


def _with_distances(squares: Floats) -> Floats:
    """The covariance of figures whose differences have these variances, or somewhat larger ones if there is none."""
    centre = np.eye(len(squares)) - 1 / len(squares)
    values, vectors = np.linalg.eigh(-0.5 * np.einsum("ab,bc,cd->ad", centre, squares, centre))
    return np.asarray(np.einsum("ik,k,jk->ij", vectors, np.clip(values, 0.0, None), vectors))
