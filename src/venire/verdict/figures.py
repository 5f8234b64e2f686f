"""The figure of a candidate or of the procedure on all held-out rows, and its interval.

The figure is that of the rows (`all_rows`), the interval that of `row_interval`: by how much rows differ, groups or
stretches of time where they hang together, and how much the figure hangs on the training rows. The last shows in the
models without two folds (`training_overlap`); where there are none, the correction of Nadeau and Bengio stands for it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from venire.inference import Interval, row_interval, training_overlap
from venire.metrics.all_rows import AllRows, all_rows
from venire.metrics.predictions import Output, Predictions
from venire.metrics.scores import Metric
from venire.validation.plans.plan import Place
from venire.validation.trials.docket import Docket
from venire.verdict.candidates import Candidate
from venire.verdict.predicting import predicted_by

Picks = Mapping[Place, Candidate]
Codes = NDArray[np.intp]

# With more folds the models without two of them are not asked again: K (K − 1) predictions for every line.
_MOST_FOLDS = 12
# A few rows of a rare class decide where a model draws its line, so these may vary more than the usual correction says.
_BY_CLASSES = ("balanced_error", "f1", "auc")
_MORE = 1.5


@dataclass(frozen=True)
class Figure:
    """A loss of all held-out rows with its interval; NaN where it is undefined."""

    value: float
    interval: Interval


class HeldOutRows:
    """Every held-out row by what was picked for its fold: read once, judged by any metric."""

    def __init__(self, docket: Docket, picks: Picks) -> None:
        self._docket, self._picks = docket, picks
        plan = docket.plan
        rows = [docket.rows(plan.outer(*place)) for place in plan.places]
        self._said = [predicted_by(docket, picks[place], place, plan.outer(*place)) for place in plan.places]
        self._tested = np.concatenate(rows)
        self._fold_of = np.repeat(np.arange(len(rows)), [len(part) for part in rows])

    def figure(self, metric: Metric | None = None, *, level: float = 0.95) -> Figure:
        """By the docket's metric, or another."""
        measure = metric or self._docket.metric
        found = all_rows(measure, self._docket.table.y[self._tested], joined(self._said), self._fold_of)
        rows, first, where = np.unique(self._tested, return_index=True, return_inverse=True)
        # Repeats and parts that overlap test a row more than once: it stays one row.
        share = len(rows) / len(self._tested)
        influence = share * np.bincount(where, found.influence)
        ends = row_interval(
            found.base,
            influence,
            counted=share * found.counted,
            unseen=found.unseen,
            bounds=found.bounds,
            overlap=self._overlap(measure, found),
            groups=_groups(self._docket, measure, rows, self._fold_of[first], influence),
            level=level,
        )
        if found.power == 2 and ends.defined:
            ends = Interval(sqrt(max(ends.low, 0.0)), sqrt(max(ends.high, 0.0)), level)
        if ends.defined and ends.width <= 0:  # an interval of one point is none
            ends = Interval(np.nan, np.nan, level)
        return Figure(found.value, ends)

    def _overlap(self, metric: Metric, found: AllRows) -> float:
        """By how much the variance grows because training sets overlap: by models without two folds if there are."""
        plan = self._docket.plan
        folds = len(plan.places) if plan.nested else len(plan.outer_folds())
        most = 1 + folds * plan.test_over_train() * (_MORE if metric.name in _BY_CLASSES else 1.0)
        if self._without_two is None or np.isnan(found.base):
            return most
        shifts, noise = np.full(plan.folds, np.nan), np.full(plan.folds, np.nan)
        for j, after_j in enumerate(self._without_two):
            kept = [i for i in range(plan.folds) if i != j]
            others = np.concatenate([plan.rows(0, (i,)) for i in kept])
            y, fold_of = self._docket.table.y[others], plan.fold_of[0][others]
            before = all_rows(metric, y, joined([self._said[i] for i in kept]), fold_of)
            after = all_rows(metric, y, after_j, fold_of)
            shifts[j] = after.base - before.base
            noise[j] = float(np.var(after.influence - before.influence)) / len(others)
        first = self._fold_of < plan.folds  # of the first repeat
        return training_overlap(found.influence[first], self._fold_of[first], shifts, noise, most=most)

    @cached_property
    def _without_two(self) -> list[Predictions] | None:
        """For every fold, what the models without it say of all others; None where two layers share no folds."""
        docket, plan = self._docket, self._docket.plan
        if plan.ordered or plan.nested or plan.layers < 2 or not 3 <= plan.folds <= _MOST_FOLDS:
            return None
        return [
            joined([predicted_by(docket, self._picks[0, h.fold], (0, h.fold), h) for h in plan.inner(0, j)])
            for j in range(plan.folds)
        ]


def joined(said: list[Predictions]) -> Predictions:
    """The predictions of several folds, one below the other; of different kinds only the decision is common."""
    kinds = {one.output for one in said}
    decided = [one.labels for one in said if one.labels is not None]
    given = [one.outputs for one in said if one.outputs is not None]
    labels = np.concatenate(decided) if len(decided) == len(said) else None
    if len(kinds) > 1:
        return Predictions(labels, None, Output.LABELS)
    return Predictions(labels, np.concatenate(given) if len(given) == len(said) else None, kinds.pop())


def _groups(
    docket: Docket, metric: Metric, rows: Codes, fold_of: Codes, influence: NDArray[np.float64]
) -> Codes | None:
    """What rows hang together by: groups, stretches of time, copies; folds, where these differ beyond chance."""
    table, plan = docket.table, docket.plan
    if table.groups is not None:
        return np.asarray(np.unique(np.asarray(table.groups)[rows], return_inverse=True)[1], dtype=np.intp)
    if table.time is not None:
        place = np.empty(len(rows), dtype=np.intp)
        place[np.argsort(np.asarray(table.time)[rows], kind="stable")] = np.arange(len(rows))
        return place // stretch(len(rows))
    # A pair counts for both of its rows, so the sums of folds of an AUC always differ by more.
    if metric.name != "auc" and plan.repeats == 1 and not plan.nested and _differ(fold_of, influence):
        return fold_of
    return None if plan.cases is None or not plan.copied_share else plan.cases[rows].astype(np.intp)


def stretch(rows: int) -> int:
    """How many neighbours in time are taken for one group: half of the square root of all, five at least.

    >>> stretch(50), stretch(10_000)
    (5, 50)
    """
    return max(5, round(sqrt(rows) / 2))


def _differ(fold_of: Codes, influence: NDArray[np.float64]) -> bool:
    """Whether folds differ by more than independent rows would let them in 99 of 100 cases: a chi-square test."""
    sizes, sums = np.bincount(fold_of), np.bincount(fold_of, influence)
    variance = float(np.square(influence).mean())
    if variance == 0 or len(sizes) < 3:
        return False
    return bool((np.square(sums) / np.maximum(sizes, 1)).sum() / variance > special.chdtri(len(sizes) - 1, 0.01))
