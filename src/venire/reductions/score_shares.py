"""Probabilities from scores, around a classifier that has none of its own."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax
from sklearn.base import clone

from venire.ensembles.base import MetaClassifier
from venire.ensembles.members import fit_classifier
from venire.errors import UsageError
from venire.states.checked import CLASSES, FEATURES, Fitted
from venire.states.constraints import learner

Floats = NDArray[np.float64]


def shares_of(scores: NDArray[Any]) -> Floats:
    """Scores [..., class] as shares that sum to one: e^score, scaled.

    Two classes have scores −s and s, so that the share of the second is 1 / (1 + e^(−2s)): its log odds are a straight
    line of the score, and calibrating them by a sigmoid is Platt's scaling.

    >>> shares_of(np.array([[-1.0, 1.0], [0.0, 0.0]])).round(3).tolist()
    [[0.119, 0.881], [0.5, 0.5]]
    """
    return np.asarray(softmax(np.asarray(scores, dtype=np.float64), axis=-1))


class ScoreShares(MetaClassifier):
    """A classifier whose scores are given out as probabilities.

    The labels stay those of the classifier. The probabilities rank rows as its scores do; whether they mean what they
    say is another matter: `compare` calibrates them on held-out rows where that lowers the log loss.

    Parameters
    ----------
    estimator
        A classifier with `decision_function`.

    Attributes
    ----------
    estimator_
        The classifier, fitted.

    Examples
    --------
    >>> from sklearn.linear_model import RidgeClassifier
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> ScoreShares(RidgeClassifier()).fit(X, [0, 0, 1, 1]).predict_proba(X).round(2)[:, 1].tolist()
    [0.12, 0.34, 0.66, 0.88]
    """

    _fitted_constraints: ClassVar[Fitted] = {**FEATURES, **CLASSES, "estimator_": learner}
    _parameter_constraints: ClassVar[dict[str, Any]] = {"estimator": "no_validation"}

    costs = class_weight = None  # decisions and weights are the classifier's own
    estimator_: Any

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    @classmethod
    def around(cls, fitted: Any) -> Self:
        """Around a classifier that is fitted already."""
        model = cls(clone(fitted))
        model.estimator_ = fitted
        model.classes_ = fitted.classes_
        model._costs = None
        model.n_features_in_ = fitted.n_features_in_
        return model

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the classifier."""
        self._check_parameters()
        X, y, weights = self._read(X, y, sample_weight)
        params = self._routed(weights, fit_params)
        self.estimator_ = fit_classifier("estimator", clone(self.estimator), X, y, params["estimator"])
        if not hasattr(self.estimator, "decision_function"):
            raise UsageError(
                f"{type(self.estimator).__name__} gives no scores to make probabilities of",
                code="no_scores",
                hint="choose a classifier with decision_function",
            )
        return self

    def decision_function(self, X: Any) -> Floats:
        """The scores of the classifier."""
        X = self._rows(X)
        if len(self.classes_) == 1:  # nothing was learned, and there is nothing to choose from
            return np.zeros((X.shape[0], 1))
        return np.asarray(self.estimator_.decision_function(X), dtype=np.float64)

    def predict(self, X: Any) -> NDArray[Any]:
        """The labels of the classifier."""
        X = self._rows(X)
        return np.asarray(self.estimator_.predict(X))

    def predict_proba(self, X: Any) -> Floats:
        """The scores as shares of the classes: [row, class]."""
        scores = self.decision_function(X)
        return shares_of(scores if scores.ndim == 2 else np.stack([-scores, scores], axis=1))
