"""Decisions for given costs: a threshold chosen on held-out predictions, around any classifier."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone
from sklearn.utils.metaestimators import available_if

from venire.combine.least_cost import cost_matrix, cost_threshold
from venire.combine.threshold import CostCurve, cost_curve
from venire.ensembles.base import MetaClassifier
from venire.ensembles.held_out import held_out, parts_of
from venire.ensembles.members import aligned, fit_classifier, probabilities
from venire.errors import DataError, UsageError
from venire.metrics.predictions import least_cost
from venire.sklearn_private import StrOptions
from venire.states.checked import CLASSES, FEATURES, Fitted
from venire.states.constraints import array, learner, number, optional, record

__all__ = ["CostCurve", "CostThreshold", "cost_curve", "cost_matrix", "cost_threshold", "least_cost"]

Floats = NDArray[np.float64]


def _gives_probabilities(model: Any) -> bool:
    return hasattr(model.estimator, "predict_proba")


_POINTS = array("f8", "points", finite=False)  # the first threshold says yes to every row, the last to none


class CostThreshold(MetaClassifier):
    """A classifier that decides at the threshold which costs least on held-out predictions.

    With two classes the model is fitted on the parts of `cv`, the rows left out are scored (by probability, or by
    decision value), and the threshold with the least total cost is taken (rows counting by their weights), halfway
    between two scores. Then the model is fitted on all rows. With more classes there is no single threshold: `predict`
    gives the class of least expected cost by the model's probabilities, and nothing is held out.

    Parameters
    ----------
    estimator
        Any classifier.
    costs
        A matrix `[actual][predicted]`, in the order of the sorted classes; without one every error costs one.
    cv
        A number of folds, a share to hold out, or a splitter.
    class_weight
        A dict of weights by class, or `"balanced"`; multiplies the example weights.
    n_jobs
        How many fits run at once; it changes nothing but the time.
    random_state
        A seed or a random generator; None for another result each time.

    Attributes
    ----------
    threshold_
        The score from which on `classes_[1]` is predicted.
    theory_
        The threshold that would be right if the probabilities were.
    curve_
        The cost at all thresholds.
    estimator_
        The model, fitted on all rows.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from venire.data.generators import gaussian_clouds
    >>> X, y = gaussian_clouds(400, np.random.default_rng(0), classes=2, distance=2.0)
    >>> careful = CostThreshold(LogisticRegression(), costs=[[0, 1], [9, 0]]).fit(X, y)
    >>> careful.theory_, bool(careful.threshold_ < 0.3), bool((careful.predict(X) == 1).mean() > 0.6)
    (0.1, True, True)
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        **CLASSES,
        "curve_": optional(record(CostCurve, thresholds=_POINTS, costs=_POINTS)),
        "threshold_": optional(number(finite=False)),
        "theory_": optional(number()),
        "estimator_": learner,
    }
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": "no_validation",
        "costs": ["array-like", None],
        "cv": "no_validation",  # looked at by `parts_of`
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    estimator_: Any
    threshold_: float
    theory_: float
    curve_: CostCurve

    def __init__(
        self,
        estimator: Any,
        costs: ArrayLike | None = None,
        *,
        cv: Any = 5,
        class_weight: Any = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.costs = costs
        self.cv = cv
        self.class_weight = class_weight
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Choose the threshold on held-out rows, then fit the model on all rows."""
        self._check_parameters()
        X, y, weights = self._read(X, y, sample_weight)
        params = self._routed(weights, fit_params)
        equal = 1.0 - np.eye(len(self.classes_))
        self._costs = equal if self.costs is None else cost_matrix(self.costs, self.classes_)
        if len(self.classes_) == 2:
            self._choose(X, y, weights, params)
        elif not _gives_probabilities(self):
            raise UsageError(
                f"{type(self.estimator).__name__} gives no probabilities, and with {len(self.classes_)} classes costs "
                "need them",
                code="no_probabilities",
                hint="choose a learner with predict_proba, or calibrate this one",
            )
        self.estimator_ = fit_classifier("estimator", clone(self.estimator), X, y, params["estimator"])
        return self

    def _choose(self, X: Any, y: NDArray[Any], weights: Floats | None, params: dict[str, dict[str, Any]]) -> None:
        assert self._costs is not None  # set in `fit`
        parts = parts_of(self.cv, X, y, classes=True, random_state=self.random_state)
        predicted, _ = held_out(self._members(), X, y, parts, params, fit_classifier, self._ask, self.n_jobs)
        rows = parts.rows
        of_rows = None if weights is None else weights[rows]
        if of_rows is not None and not of_rows.any():
            raise DataError("all rows held out have weight zero: no cost can be measured on them", code="sample_weight")
        self.curve_ = cost_curve(self._codes(y[rows]), predicted[0][0, :, 0], self._costs, of_rows)
        self.threshold_ = self.curve_.threshold
        self.theory_ = cost_threshold(self._costs)

    def _ask(self, name: str, member: Any, X: Any) -> Floats:
        return self._score(member, X)[None, :, None]

    def _score(self, member: Any, X: Any) -> Floats:
        """What the threshold is applied to: how much speaks for the second class."""
        if len(member.classes_) == 1:  # fitted where one class was left: as sure as can be
            return np.full(X.shape[0], 1.0 if member.classes_[0] == self.classes_[1] else 0.0)
        if _gives_probabilities(self):
            return probabilities(member, X, self.classes_)[:, 1]
        if hasattr(member, "decision_function"):
            return np.asarray(member.decision_function(X), dtype=np.float64).ravel()
        raise UsageError(
            f"{type(self.estimator).__name__} gives labels only, and a threshold needs probabilities or scores",
            code="no_probabilities",
            hint="choose a learner with predict_proba or decision_function",
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """With two classes, the second from the threshold on; with more, the class of least expected cost."""
        X = self._rows(X)
        if len(self.classes_) != 2:
            return self._decide(probabilities(self.estimator_, X, self.classes_))
        return np.asarray(self.classes_[(self._score(self.estimator_, X) >= self.threshold_).astype(np.intp)])

    @available_if(_gives_probabilities)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def predict_proba(self, X: Any) -> Floats:
        """The model's probabilities, which costs do not change."""
        X = self._rows(X)
        return aligned(np.asarray(self.estimator_.predict_proba(X)), self.estimator_.classes_, self.classes_)
