"""Exact Shapley values of our own trees and what is made of them, by the compiled core."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier

from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.forest.base import ForestBase, ForestClassifierBase
from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.ensembles.rows import row_count
from venire.errors import DataError, UsageError
from venire.models.sparse import is_sparse
from venire.models.tree.base import TreeEnsembleBase
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from venire.models.tree.growth import thread_count

Floats = NDArray[np.float64]

_TREES = (DecisionTreeClassifier, DecisionTreeRegressor, ForestBase)
_BOOSTED = (GradientBoostingClassifier, GradientBoostingRegressor)
_EXPLAINED = (*_TREES, *_BOOSTED, AdaBoostClassifier)


def tree_values(model: Any, X: Any, background: Any) -> Floats:
    """What each column adds to each row: [row, column], or [row, column, class]."""
    if isinstance(model, AdaBoostClassifier):
        return _adaboost(model, X, background)
    return _trees(model, X, background)


def of_our_trees(model: Any) -> bool:
    """Whether the core has exact values: not of splits on sums of columns, nor of AdaBoost over other learners."""
    if isinstance(model, AdaBoostClassifier):
        members = getattr(model, "estimators_", ())
        return all(isinstance(each, DummyClassifier) or of_our_trees(each) for each in members)
    return isinstance(model, _EXPLAINED) and getattr(model, "combinations", None) is None


def explained(model: Any, X: Any) -> Floats:
    """What the values add up to: [row] or [row, class]."""
    if isinstance(model, _BOOSTED):
        scores = model._last_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores
    if isinstance(model, AdaBoostClassifier):
        return model.decision_function(X)
    return np.asarray(model.predict_proba(X) if hasattr(model, "classes_") else model.predict(X))


def unit_of(model: Any) -> str:
    """What these numbers are."""
    if isinstance(model, AdaBoostClassifier):
        return "score"
    if isinstance(model, GradientBoostingClassifier):
        return "log-odds" if model.n_classes_ == 2 else "score"
    if isinstance(model, GradientBoostingRegressor):
        return "log mean" if model.loss in ("poisson", "gamma") else "value"
    return "share" if hasattr(model, "classes_") else "value"


def _trees(model: Any, X: Any, background: Any) -> Floats:
    boosted = isinstance(model, _BOOSTED)
    if boosted and model._init is not None:
        raise UsageError(
            "Shapley values of trees leave out the model that this boosting starts from (init)",
            hint="leave init out, and fit again",
        )
    outputs = len(model._start) if boosted else (model.n_classes_ if hasattr(model, "classes_") else 1)
    trees = model.n_rounds_ * outputs if boosted else model._forest.trees
    votes = isinstance(model, ForestClassifierBase) and model.voting == "hard"
    values = _of_core(model, X, background, trees, outputs, votes=votes, scale=1.0 if boosted else 1.0 / trees)
    one = outputs == 1 and not (hasattr(model, "classes_") and not boosted)
    return values[:, :, 0] if one else values


def _of_core(
    model: TreeEnsembleBase, X: Any, background: Any, trees: int, outputs: int, *, votes: bool, scale: float
) -> Floats:
    model._refuse_several("shap_values")
    given: tuple[Any, Any] = model._read(X), model._read(background)
    matrices = [rows.toarray() if is_sparse(rows) else rows for rows in given]
    try:
        return model._forest.shap(
            *matrices, trees=trees, outputs=outputs, votes=votes, scale=scale, threads=thread_count(model.n_jobs)
        )
    except ValueError as error:
        raise DataError(
            f"shap_values: {error}", code="deep_tree", hint="limit max_depth to 64, or use method='sampling'"
        ) from None


def _adaboost(model: AdaBoostClassifier, X: Any, background: Any) -> Floats:
    """The sum of the members' votes, each times its α; of more than two classes in the scale of the scores."""
    X, background = model._rows(X), model._rows(background)
    classes = len(model.classes_)
    total = np.zeros((row_count(X), model.n_features_in_, classes))
    for member, alpha in zip(model.estimators_, model.estimator_weights_.tolist(), strict=True):
        if isinstance(member, DummyClassifier):
            continue  # it says the same of every row
        place = np.searchsorted(model.classes_, member.classes_)
        total[:, :, place] += _of_core(member, X, background, 1, member.n_classes_, votes=True, scale=alpha)
    if classes == 2:
        return np.asarray(total[:, :, 1] - total[:, :, 0])
    scale = abs(float(model.estimator_weights_.sum())) or 1.0
    return np.asarray(total * (classes / ((classes - 1) * scale)))
