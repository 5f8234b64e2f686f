"""Probabilities and labels of the same rows from one look at them, where the labels follow from the probabilities."""

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
    if type(model) is Pipeline and len(model) > 1:
        model, X = model[-1], model[:-1].transform(X)
    if _of_one_look(model):
        shares, labels = model.shares_and_labels(X)
    else:
        shares, labels = model.predict_proba(X), model.predict(X)
    return np.asarray(shares, dtype=np.float64), labels


def _of_one_look(model: Any) -> bool:
    """Whether the class that says how it predicts says both at once: one below it may decide otherwise."""
    says = next(kind for kind in type(model).__mro__ if "predict" in vars(kind))
    return "shares_and_labels" in vars(says)
