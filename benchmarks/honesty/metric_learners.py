"""Cheap learners for many repetitions: naive Bayes, logistic and linear regression, a small tree.

A learner is fitted to many subsets of the same rows at once, given as a mask `[subset, row]`, and then predicts any
rows by all of these models: probabilities `[subset, row, class]`, or numbers `[subset, row, 1]`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

Floats = NDArray[np.float64]
At = slice | list[int]  # which of the models
Predict = Callable[[Floats, At], Floats]
Fit = Callable[[Floats, NDArray[Any], Floats, int], Predict]


def naive_bayes(X: Floats, y: NDArray[Any], used: Floats, classes: int) -> Predict:
    """Gaussian, with the training shares as priors."""
    own = np.eye(classes)[y]
    counts = used @ own + 1e-9  # [subset, class]
    each = own[:, :, None] * np.stack([X, np.square(X)])[:, :, None, :]  # [moment, row, class, column]
    mean, square = (used @ part.reshape(len(X), -1) for part in each)
    shape = (len(used), classes, X.shape[1])
    mean, square = (part.reshape(shape) / counts[:, :, None] for part in (mean, square))
    variance = np.maximum(square - np.square(mean), 0.0) + 1e-3
    constant = np.log(counts / counts.sum(axis=1, keepdims=True)) - 0.5 * np.log(variance).sum(axis=2)

    def predict(rows: Floats, at: At) -> Floats:
        # (x − m)² / v written out, so that all rows meet all models in matrix products
        m, v = mean[at], variance[at]
        linear, quadratic = (part.reshape(-1, X.shape[1]) for part in (m / v, 0.5 / v))
        offset = constant[at] - 0.5 * (np.square(m) / v).sum(axis=2)
        score = (rows @ linear.T - np.square(rows) @ quadratic.T).reshape(len(rows), len(m), classes) + offset
        share = np.exp(score - score.max(axis=2, keepdims=True))
        return np.asarray((share / share.sum(axis=2, keepdims=True)).transpose(1, 0, 2))

    return predict


def logistic(X: Floats, y: NDArray[Any], used: Floats, classes: int) -> Predict:
    """Two classes, a small penalty, Newton's steps."""
    rows = np.column_stack([np.ones(len(X)), X])
    products = (rows[:, :, None] * rows[:, None, :]).reshape(len(X), -1)
    penalty = np.array([1e-6, *[1.0] * X.shape[1]])
    beta = np.zeros((len(used), rows.shape[1]))
    for _ in range(12):
        share = 1 / (1 + np.exp(-np.clip(beta @ rows.T, -30, 30)))
        gradient = (used * (share - y)) @ rows + penalty * beta
        curve = ((used * share * (1 - share)) @ products).reshape(len(used), len(penalty), -1) + np.diag(penalty)
        step = np.linalg.solve(curve, gradient[:, :, None])[:, :, 0]
        beta = beta - step
        if np.abs(step).max() < 1e-6:
            break

    def predict(new: Floats, at: At) -> Floats:
        share = 1 / (1 + np.exp(-np.clip(beta[at, :1] + beta[at, 1:] @ new.T, -30, 30)))
        return np.stack([1 - share, share], axis=2)

    return predict


def linear(X: Floats, y: NDArray[Any], used: Floats, classes: int) -> Predict:
    """Least squares with a small penalty."""
    rows = np.column_stack([np.ones(len(X)), X])
    products = (rows[:, :, None] * rows[:, None, :]).reshape(len(X), -1)
    gram = (used @ products).reshape(len(used), rows.shape[1], -1) + np.diag([0.0, *[0.1] * X.shape[1]])
    beta = np.linalg.solve(gram, (used @ (rows * y[:, None]))[:, :, None])[:, :, 0]
    return lambda new, at: (beta[at, :1] + beta[at, 1:] @ new.T)[:, :, None]


def tree(X: Floats, y: NDArray[Any], used: Floats, classes: int) -> Predict:
    """Up to eight leaves of at least five rows."""
    kind = DecisionTreeClassifier if classes else DecisionTreeRegressor
    # Trees take rows as float32; checking that once and not for every subset is three times as fast.
    rows = np.ascontiguousarray(X, dtype=np.float32)
    grown = [
        kind(max_leaf_nodes=8, min_samples_leaf=5, random_state=0).fit(rows, y, weights, check_input=False)
        for weights in used
    ]

    def predict(new: Floats, at: At) -> Floats:
        some = grown[at] if isinstance(at, slice) else [grown[k] for k in at]
        new = np.ascontiguousarray(new, dtype=np.float32)
        if classes:
            return np.stack([one.predict_proba(new, check_input=False) for one in some])
        return np.stack([one.predict(new, check_input=False)[:, None] for one in some])

    return predict


LEARNERS: dict[str, Fit] = {"naive_bayes": naive_bayes, "logistic": logistic, "linear": linear, "tree": tree}
