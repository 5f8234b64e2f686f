"""The plain loop: any estimator, fitted anew for every subset and every part. What the fast ways are compared with."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.utils.parallel import Parallel, delayed

from venire.data.table import Task
from venire.ensembles.members import fit_classifier, fit_member, probabilities, speaking_of
from venire.metrics.predictions import Output, Predictions, least_cost
from venire.metrics.scores import Metric
from venire.selection.parts import Part, columns_taken, narrowed, taken
from venire.validation.trials.outcomes import in_global_order, predict

Floats = NDArray[np.float64]


class PlainEngine:
    """Fits and asks; subsets and parts are shared out among `n_jobs` workers."""

    def __init__(
        self,
        estimator: Any,
        parts: list[Part],
        whole: Part,
        judge: Metric,
        classes: NDArray[Any] | None,
        costs: Floats | None,
        n_jobs: int | None,
    ) -> None:
        self._estimator = estimator
        self._parts = parts
        self._whole = whole
        self._judge = judge
        self._classes = classes
        self._costs = costs
        self._n_jobs = n_jobs
        self._present: set[int] = set()

    def begin(self, chosen: tuple[int, ...]) -> Floats:
        """Take this subset as the present one; its error on each part."""
        self._present = set(chosen)
        return np.asarray(self._errors([chosen])[0])

    def tried(self, candidates: list[int]) -> Floats:
        """The errors of the present subset with one attribute more (or less): [candidate, part]."""
        return self._errors([tuple(sorted(self._present ^ {candidate})) for candidate in candidates])

    def move(self, attribute: int) -> None:
        """Add the attribute to the present subset, or take it away."""
        self._present ^= {attribute}

    def training(self) -> float:
        """The error on all rows of a model fitted on all rows."""
        return self.error(self._whole, tuple(sorted(self._present)))

    def _errors(self, subsets: list[tuple[int, ...]]) -> Floats:
        jobs = (delayed(self.error)(part, subset) for subset in subsets for part in self._parts)
        return np.array(list(Parallel(n_jobs=self._n_jobs)(jobs))).reshape(len(subsets), len(self._parts))

    def error(self, part: Part, subset: tuple[int, ...]) -> float:
        """Fit a subset of the attributes on a part's training rows, and judge it on the others."""
        return self._judge.loss(part.truth, self.predicted(part, subset), part.judged_by)

    def predicted(self, part: Part, subset: tuple[int, ...]) -> Predictions:
        """Fit a subset of the attributes on a part's training rows, and predict the others."""
        columns = taken(part.columns, subset)
        fitted = fit_columns(self._estimator, part, columns, classes=self._classes is not None)
        with speaking_of("estimator", fitted, f"predict {len(part.truth)} held-out rows"):
            return self._predicted(fitted, columns_taken(part.held, columns))

    def _predicted(self, fitted: Any, X: Any) -> Predictions:
        if self._classes is None:
            return Predictions(None, predict(fitted, X, np.empty(0)).outputs, Output.VALUES)
        known = np.searchsorted(self._classes, fitted.classes_)
        kind = output_of(self._estimator, Task.CLASSIFICATION)
        predicted = predict(fitted, X, fitted.classes_)
        outputs = in_global_order(predicted.outputs, known, len(self._classes), kind)
        if self._costs is None:
            labels = np.searchsorted(self._classes, np.asarray(predicted.labels)).astype(np.int32)
        else:
            labels = least_cost(probabilities(fitted, X, self._classes), self._costs).astype(np.int32)
        return Predictions(labels, outputs, kind)


def output_of(estimator: Any, task: Task) -> Output:
    """What an estimator gives for a row."""
    if task is Task.REGRESSION:
        return Output.VALUES
    if hasattr(estimator, "predict_proba"):
        return Output.PROBABILITIES
    return Output.SCORES if hasattr(estimator, "decision_function") else Output.LABELS


def fit_columns(estimator: Any, part: Part, columns: NDArray[np.intp], *, classes: bool) -> Any:
    """The estimator fitted on some columns of a part's training rows; without columns, the mean or the class shares."""
    if not len(columns):
        # No learner takes a table without columns; a guess needs none, and looks at none.
        guess = DummyClassifier(strategy="prior") if classes else DummyRegressor()
        return guess.fit(np.zeros((len(part.y), 1)), part.y, sample_weight=part.weights)
    X = columns_taken(part.X, columns)
    copy = narrowed(estimator, columns, part.X.shape[1])
    return (fit_classifier if classes else fit_member)("estimator", copy, X, part.y, part.params)
