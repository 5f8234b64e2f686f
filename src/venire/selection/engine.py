"""Which way a search is carried out: fast where the estimator is least squares, in plain loops otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError
from venire.metrics.predictions import Predictions
from venire.metrics.scores import Metric
from venire.selection.least_squares import LinearEngine, as_least_squares
from venire.selection.parts import Part
from venire.selection.plain import PlainEngine, output_of
from venire.selection.search import Engine, Walk, walk
from venire.validation.trials.family import Cancel, never

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Search:
    """An estimator, what it is judged by, and the classes it may meet."""

    estimator: Any
    judge: Metric
    classes: NDArray[Any] | None = None  # None: numbers are predicted
    costs: Floats | None = None  # for decisions by probabilities; a learner without them decides for itself
    n_jobs: int | None = None
    naive: bool = False  # plain loops in any case

    def walk(
        self,
        parts: list[Part],
        whole: Part,
        *,
        forward: bool,
        whole_path: bool = False,
        wanted: int | None = None,
        cancel: Cancel = never,
    ) -> Walk:
        """The way through the subsets, judged on the parts."""
        count = len(whole.columns)
        self.check(count, wanted)
        engine = _Stoppable(self._engine(parts, whole), cancel)
        return walk(engine, count, forward=forward, whole=whole_path, wanted=wanted)

    def check(self, count: int, wanted: int | None) -> None:
        """Refuse what cannot be searched for among so many attributes."""
        if wanted is not None and wanted > count:
            raise UsageError(
                f"{wanted} columns cannot be chosen of {count}",
                code="parameter",
                hint=f"ask for {count} or fewer",
            )
        given = output_of(self.estimator, self.judge.task)
        if not self.judge.accepts(given):
            raise UsageError(
                f"{type(self.estimator).__name__} gives {given.value}, and {self.judge.name} needs "
                f"{self.judge.needs.value}",
                code="no_probabilities",
                hint="choose another metric, or another estimator",
            )

    def predicted(self, part: Part, attributes: tuple[int, ...]) -> Predictions:
        """What one subset, fitted on a part's training rows, says of the others."""
        return self._plain([], part).predicted(part, attributes)

    def _engine(self, parts: list[Part], whole: Part) -> Engine:
        problem = as_least_squares(self.estimator)
        if problem is None or self.naive or not _numbers(whole.X):
            return self._plain(parts, whole)
        return LinearEngine(problem, parts, whole, self.judge, self.classes)

    def _plain(self, parts: list[Part], whole: Part) -> PlainEngine:
        costs = self.costs if hasattr(self.estimator, "predict_proba") else None
        return PlainEngine(self.estimator, parts, whole, self.judge, self.classes, costs, self.n_jobs)


class _Stoppable:
    """An engine that asks before every step whether to go on."""

    def __init__(self, engine: Engine, cancel: Cancel) -> None:
        self._engine, self._cancel = engine, cancel
        self.begin, self.move, self.training = engine.begin, engine.move, engine.training

    def tried(self, candidates: list[int]) -> Floats:
        self._cancel()
        return self._engine.tried(candidates)


def _numbers(X: Any) -> bool:
    """Whether rows, a frame's too, can be calculated with as they are; of others the estimator says what is wrong."""
    values = np.asarray(X)
    return values.ndim == 2 and values.dtype.kind in "fiub" and values.size > 0 and bool(np.isfinite(values).all())
