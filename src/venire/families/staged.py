"""Ensembles grown round by round: one fit with the most rounds serves every smaller number."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.validation.generic import Fit, GenericFamily, Lesson, Predicted


class StagedFamily(GenericFamily):
    """Boosting: the path is the number of rounds, read off scikit-learn's `staged_predict…`."""

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """Fit the longest run once and yield the stages the path asks for."""
        lesson.cancel()
        fitted = self._estimator(lesson.table, lesson.settings[-1], lesson.seed).fit(
            lesson.X, lesson.y, sample_weight=lesson.weights
        )
        wanted = [_rounds(setting.params) for setting in lesson.settings]
        classes = np.asarray(getattr(fitted, "classes_", []))
        stages = [_at(wanted, _stages(fitted, part)) for part in lesson.parts]
        for fit in zip(*stages, strict=True):
            lesson.cancel()
            yield [(classes, predicted) for predicted in fit]

    def _fits(self, settings: int) -> float:
        return 1.0


def _rounds(params: Any) -> int:
    return int(params.get("n_estimators", params.get("max_iter", 0)))


def _stages(fitted: Any, X: NDArray[np.float64]) -> Iterator[Predicted]:
    """The predictions after each round."""
    if not hasattr(fitted, "classes_"):
        for values in fitted.staged_predict(X):
            yield Predicted(np.asarray(values, dtype=np.float64)[:, None], None)
        return
    for probabilities, labels in zip_longest(fitted.staged_predict_proba(X), fitted.staged_predict(X)):
        yield Predicted(probabilities, np.asarray(labels))


def _at(wanted: list[int], stages: Iterator[Predicted]) -> Iterator[Predicted]:
    """The stages after the wanted numbers of rounds; a run that ended early stays as it was."""
    rounds = 0
    last: Predicted | None = None
    for want in wanted:
        while rounds < want:
            following = next(stages, None)
            if following is None:
                break
            last, rounds = following, rounds + 1
        assert last is not None
        yield last
