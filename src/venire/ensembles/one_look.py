"""Probabilities or scores, and labels, of the same rows from one look at them, where the labels follow from these."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline


def shares_and_labels(model: Any, X: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """What `predict_proba` and `predict` of a fitted classifier say; rows are encoded once, and seen once if that does.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> model = GaussianNB().fit([[0.0], [1.0]], ["a", "b"])
    >>> shares_and_labels(model, [[0.0]])[1]
    array(['a'], dtype='<U1')
    """
    model, X = _last(model, X)
    if _of_one_look(model, "shares_and_labels"):
        shares, labels = model.shares_and_labels(X)
    else:
        shares, labels = model.predict_proba(X), model.predict(X)
    return np.asarray(shares, dtype=np.float64), labels


def scores_and_labels(model: Any, X: Any) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """What `decision_function` and `predict` of a fitted classifier say, [row, score], in the same way.

    >>> from sklearn.svm import LinearSVC
    >>> model = LinearSVC().fit([[0.0], [1.0]], ["a", "b"])
    >>> scores_and_labels(model, [[0.0]])[0].shape
    (1, 1)
    """
    model, X = _last(model, X)
    if _of_one_look(model, "scores_and_labels"):
        scores, labels = model.scores_and_labels(X)
    else:
        scores, labels = model.decision_function(X), model.predict(X)
    return np.asarray(scores, dtype=np.float64).reshape(len(labels), -1), labels


def _last(model: Any, X: Any) -> tuple[Any, Any]:
    """The last step of a pipeline, and the rows as it takes them."""
    if type(model) is Pipeline and len(model) > 1:
        return model[-1], model[:-1].transform(X)
    return model, X


def _of_one_look(model: Any, name: str) -> bool:
    """Whether the class that says how it predicts says both at once: one below it may decide otherwise."""
    says = next(kind for kind in type(model).__mro__ if "predict" in vars(kind))
    return name in vars(says)
