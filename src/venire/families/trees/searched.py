"""Boosting whose other settings are searched for inside each training part, by successive halving.

A search that looks at rows that judge flatters what it finds, the more the longer it goes on. Here every trial searches
anew, among its own training rows alone: some of them learn, the others compare. Nothing that a trial leaves out has a
say in what it tries next, so the two-layer error is that of search and fit together, and the fit on all rows is
preceded by the same search.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from venire._core import Booster, Ranks
from venire.data.table import Table
from venire.ensembles.gradient.losses import Measure
from venire.ensembles.gradient.settings import Goal
from venire.families.trees.boosting import BoostingFamily
from venire.families.trees.codes import CodedTable, Floats, max_bins, problem_of
from venire.models.input import Layout
from venire.models.tree.growth import draw_seed
from venire.validation.plans.plan import Trial
from venire.validation.trials.family import Cancel, Setting, never
from venire.validation.trials.reasons import CannotTake, TooFewRows

ROWS = 9_000  # that are searched among, drawn at random where there are more
_LEARNING = 2 / 3  # of them; the others compare
_RATE = 0.1  # of the search, which has to be quick; what is found is fitted in smaller steps
_STAGES = ((12, 50), (6, 50), (3, 100))  # so many that are still tried, and how many rounds more each has
_ROUNDS_AT_ONCE = 10

# The recipes of the bucket first, which win a tie; then other sizes of trees and other penalties.
CANDIDATES: tuple[dict[str, Any], ...] = tuple(
    {
        "max_leaf_nodes": leaves,
        "min_samples_leaf": rows,
        "colsample": columns,
        "l2_regularization": penalty,
        "subsample": sample,
    }
    for leaves, rows, columns, penalty, sample in (
        (31, 8, 0.5, 5.0, 1.0),
        (10, 5, 0.4, 1.0, 1.0),
        (64, 8, 0.5, 5.0, 1.0),
        (31, 8, 1.0, 1.0, 1.0),
        (16, 20, 0.3, 10.0, 0.8),
        (64, 3, 0.8, 1.0, 0.8),
        (128, 10, 0.6, 20.0, 0.8),
        (8, 30, 0.8, 0.1, 0.8),
        (16, 3, 0.7, 0.1, 1.0),
        (31, 40, 0.5, 1.0, 0.7),
        (64, 20, 1.0, 10.0, 0.7),
        (4, 10, 0.5, 1.0, 1.0),
    )
)


class SearchedBoostingFamily(BoostingFamily):
    """The path is the number of rounds; how large the trees are, and what holds them back, each fit finds itself."""

    least_rows = 5000

    def unable(self, table: Table) -> CannotTake | None:
        """Of few rows none can be spared for a search: there the fixed recipes are tried."""
        if table.rows < self.least_rows:
            return TooFewRows(table.rows, self.least_rows)
        return super().unable(table)

    def definition(self) -> str:
        """With what is tried, on how many rows and for how long."""
        return f"{super().definition()}\n{(CANDIDATES, ROWS, _LEARNING, _RATE, _STAGES)!r}"

    def pipeline(self, table: Table, setting: Setting, seed: int) -> Pipeline:
        """What a search among the rows of a table found, to be fitted on them."""
        found = self._found(table, self._estimator(table, setting, seed))
        return super().pipeline(table, replace(setting, params={**setting.params, **found}), seed)

    def _model(self, prepared: CodedTable, trial: Trial, cancel: Cancel) -> Any:
        """The estimator of a trial with what a search among its training rows found."""
        model = super()._model(prepared, trial, cancel)
        found = self._found(prepared.table.take(prepared.plan.train_rows(trial)), model, cancel)
        for name, value in found.items():
            setattr(model, name, value)
        return model

    def _found(self, table: Table, model: Any, cancel: Cancel = never) -> dict[str, Any]:
        return searched(model, table, self._code_columns(table), cancel)


def searched(model: Any, table: Table, categorical: NDArray[np.bool_], cancel: Cancel) -> dict[str, Any]:
    """The parameters of boosting that do best on some rows of a table, learned from others. The seed is the model's."""
    seed = draw_seed(model.random_state)
    order = np.random.default_rng([seed, 0x5EA]).permutation(table.rows)[:ROWS]
    part = table.take(order)
    inside = np.arange(round(_LEARNING * len(order)))
    problem, classes = problem_of(part, inside, getattr(model, "class_weight", None))
    categorical = np.ascontiguousarray(categorical, dtype=bool)
    ranks = Ranks.of(part.X, categorical, threads=1)
    bins = ranks.bins(problem.weights, max_bins=max_bins(model), threads=1)
    outside, truth = _compared(part, len(inside), classes)
    goal = model._goal(problem)
    rivals: list[_Rival] = []
    for params in CANDIDATES:
        tried = model.__class__(**{**model.get_params(deep=False), **params, "learning_rate": _RATE})
        tried.n_features_in_, tried._layout = part.X.shape[1], Layout(categorical)
        rivals.append(_Rival(params, tried, tried._booster(bins, goal, problem.weights, seed)))
    for most, rounds in _STAGES:
        rivals = sorted(rivals, key=lambda rival: rival.best)[:most]  # in their order where they are equal
        for rival in rivals:
            rival.go_on(rounds, goal, outside, truth, cancel)
    return min(rivals, key=lambda rival: rival.best).params


def _compared(part: Table, learning: int, classes: NDArray[np.intp]) -> tuple[NDArray[np.intp], Floats]:
    """The rows that compare, and their targets as the loss takes them; of classes that were learned."""
    outside = np.arange(learning, part.rows)
    if not len(classes):
        return outside, np.asarray(part.y[outside], dtype=np.float64)
    outside = outside[np.isin(part.y[outside], classes)]
    return outside, np.searchsorted(classes, part.y[outside]).astype(np.float64)


class _Rival:
    """One setting that is tried, and how well it did at best so far."""

    def __init__(self, params: dict[str, Any], model: Any, booster: Booster) -> None:
        self.params, self.model, self.booster = params, model, booster
        self.best = np.inf

    def go_on(self, rounds: int, goal: Goal, outside: NDArray[np.intp], truth: Floats, cancel: Cancel) -> None:
        measure = Measure(goal.loss, goal.alpha)
        for _ in range(0, rounds, _ROUNDS_AT_ONCE):
            cancel()
            self.model._advance(self.booster, goal, _ROUNDS_AT_ONCE, 1)
            self.best = min(self.best, measure(truth, self.booster.scores()[:, outside].T, None))
