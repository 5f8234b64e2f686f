"""Gradient boosting: one fit a trial, every number of rounds of the path read off on the way.

The rows outside the training part go along with weight 0: they shape no tree, but their scores are kept up to date, and
after each number of rounds that the path asks for they are the predictions. Nothing is predicted a second time.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline

from venire._core import Booster
from venire.data.table import Table, Task
from venire.ensembles.gradient.losses import shares_of
from venire.ensembles.gradient.settings import Goal
from venire.families.trees.codes import CodedFamily, CodedTable, Floats, path_predictions
from venire.models.input import Layout
from venire.models.tree.growth import draw_seed
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Outcome, PathPredictions, Setting, never
from venire.validation.trials.generic import Prepared
from venire.validation.trials.reasons import CannotTake, TooFewRows

_ROUNDS_AT_ONCE = 10  # between two questions whether to go on
_MOST_LEFT = 4e8  # bytes of the models that the outer trials leave
_NODE = 48.0  # bytes, with what belongs to it


class BoostingFamily(CodedFamily):
    """The path is the number of rounds T, ascending."""

    asks_often = True  # however long a fit takes

    def prepare(self, table: Table, plan: Plan) -> CodedTable:
        """Rank all values once."""
        prepared = super().prepare(table, plan)
        prepared.pattern.n_features_in_ = table.X.shape[1]
        prepared.pattern._layout = Layout(np.asarray(self._code_columns(table), dtype=bool))
        return prepared

    def run(self, prepared: Prepared, trial: Trial, cancel: Cancel = never) -> Outcome:
        """What every number of rounds predicts; an outer trial leaves its model."""
        outcome = super().run(prepared, trial, cancel)
        left = prepared.left.pop(trial, None) if isinstance(prepared, CodedTable) else None
        return outcome if left is None else replace(outcome, model=left)

    def predict_path(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> list[PathPredictions]:
        """Boost the training part and look at the scores of all rows after each number of rounds."""
        assert isinstance(prepared, CodedTable)
        if prepared.pattern.early_stopping is not None:
            return super().predict_path(prepared, trial, cancel)
        cancel()
        coded = prepared.coded(trial)
        model = self._model(prepared, trial, cancel)
        goal = model._goal(coded.problem)
        booster = model._booster(coded.bins, goal, coded.weights, draw_seed(model.random_state))
        done = 0
        scores: list[list[Floats]] = [[] for _ in coded.parts]
        for setting in prepared.settings:
            wanted = int(setting.params["n_estimators"])
            while done < wanted:
                cancel()
                step = min(_ROUNDS_AT_ONCE, wanted - done)
                model._advance(booster, goal, step, 1)
                done += step
            now = booster.scores()
            for kept, part in zip(scores, coded.parts, strict=True):
                kept.append(now[:, part].T)
        if self._leaves(prepared, trial, goal.outputs * done):
            encoder = self._encoder(prepared.table).fit(prepared.table.X[:1])  # it learns how many columns there are
            prepared.left[trial] = make_pipeline(encoder, _fitted(model, booster, goal, coded.classes, done))
        return [
            path_predictions(_outputs(model, np.array(kept)), coded.classes, prepared.class_count) for kept in scores
        ]

    def _model(self, prepared: CodedTable, trial: Trial, cancel: Cancel) -> Any:
        """The estimator that a trial boosts."""
        return prepared.estimator(trial.seed(prepared.plan.seed, self.name))

    def _leaves(self, prepared: CodedTable, trial: Trial, trees: int) -> bool:
        """Whether a trial's model may be handed over, and so many of them fit into memory."""
        plan, leaves = prepared.plan, prepared.pattern.max_leaf_nodes
        if trial not in {held.trial for held in plan.finals} or leaves is None:
            return False
        return bool(trees * 2 * leaves * _NODE * len(plan.finals) <= _MOST_LEFT)

    def cut_back(self, fitted: Pipeline, setting: Setting) -> Pipeline:
        """The first rounds of what a trial left."""
        return self._with(fitted, fitted.steps[-1][1].first_rounds(_rounds(setting)))

    def in_brief(self, table: Table) -> BoostingFamily:
        """The first rounds alone: those that follow do the same with the rows."""
        settings = self.path(table)
        return self.with_path(settings[: max(1, len(settings) // 4)])

    def refit_all(self, table: Table, settings: Sequence[Setting], seed: int, threads: int = 1) -> list[Any]:
        """One growth for all: the first rounds of the longest are the shorter ones."""
        if self._estimators[_task(table)].early_stopping is not None or not settings:
            return super().refit_all(table, settings, seed, threads)
        longest = max(settings, key=_rounds)
        (fitted,) = super().refit_all(table, [longest], seed, threads)
        booster = fitted.steps[-1][1]
        return [self._with(fitted, booster.first_rounds(_rounds(setting))) for setting in settings]

    @staticmethod
    def _with(fitted: Pipeline, booster: Any) -> Pipeline:
        """The pipeline with another booster behind its encoding."""
        return Pipeline([*fitted.steps[:-1], (fitted.steps[-1][0], booster)])

    def _fits(self, settings: int) -> float:
        return 1.0


class LargeTreesFamily(BoostingFamily):
    """Boosting of large trees, which only many rows can fill."""

    least_rows = 5000

    def unable(self, table: Table) -> CannotTake | None:
        """On few rows it would be what trees of a usual size are."""
        if table.rows < self.least_rows:
            return TooFewRows(table.rows, self.least_rows)
        return super().unable(table)


def _fitted(model: Any, booster: Booster, goal: Goal, classes: NDArray[np.intp], rounds: int) -> Any:
    """The model of a booster that has done so many rounds: what `fit` on its rows would have given."""
    model.n_estimators, model._init = rounds, None
    if len(classes):
        model._speak_of(classes)
    model._keep(booster, goal, 0, None, None)
    return model


def _task(table: Table) -> Task:
    assert table.target is not None
    return table.target.task


def _rounds(setting: Setting) -> int:
    return int(setting.params["n_estimators"])


def _outputs(model: Any, scores: Floats) -> Floats:
    """Scores [setting, row, output] as class shares, or as predicted numbers."""
    return shares_of(scores) if hasattr(model, "predict_proba") else model._means(scores)
