"""k nearest neighbours: one search with the largest k serves every k of the path, and in tables of numbers every trial.

Every training part has its own scale, so distances differ from trial to trial; but not by much. A row's neighbours in
any of them are among those that are near on the common scale, and `neighbors_lists` keeps these once for all trials.
They are put in order by the trial's own distances. Ties go to the earlier row, as in `venire.KNeighborsClassifier`.

Of a training part with more rows than the estimator's `max_rows` so many are searched, drawn with the trial's seed as
the estimator draws them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import nearest, neighbour_votes
from venire.data.table import Table, Task
from venire.families import fit_seconds as costs
from venire.families.neighbors_lists import NearLists, list_length, pays
from venire.models.drawn_rows import drawn_rows
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Cost, PathPredictions, Setting
from venire.validation.trials.generic import GenericFamily, Prepared
from venire.validation.trials.lesson import Lesson

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
_AT_ONCE = 500  # rows looked up between two looks at the clock


@dataclass(frozen=True, eq=False)
class Near(Prepared):
    """Who is near whom on the common scale; None in tables with gaps or categories."""

    lists: NearLists | None


class NeighborsFamily(GenericFamily):
    """The path is k; the votes of the k nearest are running sums over one sorted list of neighbours."""

    def prepare(self, table: Table, plan: Plan) -> Near:
        """The lists themselves are made when a trial first asks for a row."""
        settings = self.path(table)
        most = self._most(settings)
        lists = NearLists(table, plan, most) if self._listed(table, plan, most) else None
        return Near(table, plan, settings, lists)

    def predict_path(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> list[PathPredictions]:
        """Find the nearest for the largest k of the path, then read off every k."""
        assert isinstance(prepared, Near)
        if prepared.lists is None:
            return _searched(self.lesson(prepared, trial, cancel), self._limit(prepared.table))
        table, plan = prepared.table, prepared.plan
        train = plan.among(trial.repeat, trial.train)
        wanted = plan.predicted_rows(trial)
        counted = train if table.weights is None else train & (table.weights > 0)
        ks = _counts(prepared.settings, int(counted.sum()))
        near = prepared.lists.nearest(train, counted, np.concatenate(wanted), max(ks), cancel)
        found = np.split(near, [len(wanted[0])])[: len(wanted)]
        return [_path_predictions(table, table.y, table.weights, rows, ks) for rows in found]

    def refit(self, table: Table, setting: Setting, seed: int) -> Any:
        """The estimator; of fewer rows than k, all are asked."""
        asked = int(setting.params["n_neighbors"])
        counted = table.rows if table.weights is None else int((table.weights > 0).sum())
        fitting = replace(setting, params={**setting.params, "n_neighbors": min(asked, counted)})
        return super().refit(table, fitting, seed)

    def cost(self, table: Table, plan: Plan) -> Cost:
        """With lists, one search of the table and a sort a trial."""
        plain = super().cost(table, plan)
        most = self._most(self.path(table))
        if not self._listed(table, plan, most):
            return self._searched_cost(table, plan, plain)
        rows, columns = table.rows, self._encoded_columns(table)
        seconds = costs.knn_lists(rows, columns) + len(plan.trials) * costs.knn_ordered(rows, columns)
        listed = 8.0 * rows * list_length(most, plan.folds)
        return Cost(seconds, plain.bytes + listed)

    def _searched_cost(self, table: Table, plan: Plan, plain: Cost) -> Cost:
        """Every row that a trial tells of is compared with all rows it searches: with few folds that is most pairs."""
        if self._seconds is not costs.knn:
            return plain
        fold, limit, pairs = table.rows / plan.folds, self._limit(table), 0.0
        for trial in plan.trials:
            predicted = len(trial.test) + (len(plan.seen_folds(trial)) if plan.is_outer(trial) else 0)
            searched = len(trial.train) * fold
            pairs += predicted * fold * (searched if limit is None else min(limit, searched))
        columns = self._encoded_columns(table)
        return replace(plain, seconds=costs.knn_searched(pairs, len(plan.trials), columns))

    def in_threads(self, table: Table) -> bool:
        """The search is the core's."""
        return True

    def _listed(self, table: Table, plan: Plan, most: int) -> bool:
        """Whether trials read off lists of near rows: not where a training part may be too large to be searched."""
        limit = self._limit(table)
        return (limit is None or table.rows <= limit) and pays(table, plan, most)

    def _limit(self, table: Table) -> int | None:
        """The most rows that are searched; None for no limit."""
        assert table.target is not None
        limit = getattr(self._estimators[table.target.task], "max_rows", None)
        return None if limit is None else int(limit)

    def _most(self, settings: tuple[Setting, ...]) -> int:
        return max(int(setting.params["n_neighbors"]) for setting in settings)

    def _fits(self, settings: int) -> float:
        return 1.0


def _counts(settings: tuple[Setting, ...], rows: int) -> list[int]:
    return [min(int(setting.params["n_neighbors"]), rows) for setting in settings]


def _search(points: Floats, queries: Floats, k: int, cancel: Cancel) -> Rows:
    """The k nearest points of every query by looking at all of them."""
    numbers = np.zeros(points.shape[1], dtype=bool)
    found = np.empty((len(queries), k), dtype=np.int64)
    for first in range(0, len(queries), _AT_ONCE):
        cancel()
        part = np.ascontiguousarray(queries[first : first + _AT_ONCE])
        found[first : first + _AT_ONCE], _ = nearest(points, part, numbers, k=k, skip_self=False, threads=1)
    return found


def _searched(lesson: Lesson, limit: int | None) -> list[PathPredictions]:
    """By a search of the training rows, or of as many as may be searched."""
    counted = np.arange(len(lesson.X)) if lesson.weights is None else np.flatnonzero(lesson.weights > 0)
    counted = counted[drawn_rows(len(counted), limit, lesson.seed)]
    ks = _counts(lesson.settings, len(counted))
    points = np.ascontiguousarray(lesson.X[counted])
    found = [counted[_search(points, part, max(ks), lesson.cancel)] for part in lesson.parts]
    return [_path_predictions(lesson.table, lesson.y, lesson.weights, rows, ks) for rows in found]


def _path_predictions(
    table: Table, y: NDArray[Any], weights: Floats | None, found: Rows, ks: list[int]
) -> PathPredictions:
    """For each k, the weighted votes (or means) of the first k neighbours of every row; `y` and `weights` are these."""
    assert table.target is not None
    weights = np.ones(len(y)) if weights is None else weights
    if table.target.task is Task.REGRESSION:
        return PathPredictions(_means(weights, y, found, ks), np.zeros((len(ks), len(found)), np.int16))
    # A class that the training part lacks is nobody's neighbour's, and gets no vote.
    labels = y.astype(np.int32, copy=False)
    return PathPredictions(
        *neighbour_votes(found, weights=weights, labels=labels, classes=len(table.target.classes), counts=ks)
    )


def _means(weights: Floats, y: Floats, rows: Rows, ks: list[int]) -> Floats:
    """[k, row, 1]: running sums over the neighbours, nearest first."""
    ends = [k - 1 for k in ks]
    of_rows = weights[rows]
    sums = np.cumsum(of_rows * y[rows], axis=1)[:, ends]
    return np.asarray((sums / np.cumsum(of_rows, axis=1)[:, ends]).T[:, :, None])
