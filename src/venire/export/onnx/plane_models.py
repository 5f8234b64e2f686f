"""Linear models, nets of scikit-learn, and constant guesses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, Ridge, RidgeClassifier, RidgeCV
from sklearn.neural_network import MLPClassifier, MLPRegressor

from venire.export.onnx.decisions import above_zero, decided, shares_of_scores
from venire.export.onnx.graph import Graph, Said
from venire.models.baseline import BaselineClassifier, BaselineRegressor
from venire.models.svm.machines import SupportVectorClassifier, SupportVectorRegressor

_ACTIVATIONS = {"relu": "Relu", "tanh": "Tanh", "logistic": "Sigmoid"}


def line(graph: Graph, model: Any, rows: str) -> Said:
    """A weighted sum of the columns."""
    weights = np.asarray(model.coef_, dtype=np.float64).reshape(1, -1).T
    return Said(graph.plane(rows, weights, np.reshape(model.intercept_, (1, 1))))


def planes(graph: Graph, model: Any, rows: str) -> Said:
    """Scores of the classes, without probabilities."""
    classes = len(model.classes_)
    scores = _scores(graph, model, rows)
    return Said(scores, above_zero(graph, scores, classes))


def logistic(graph: Graph, model: LogisticRegression, rows: str) -> Said:
    """Scores, and the probabilities behind them."""
    classes = len(model.classes_)
    if classes > 2 and (model.solver == "liblinear" or getattr(model, "multi_class", None) == "ovr"):
        raise graph.refused(model, "LogisticRegression with one model a class (liblinear) is not supported")
    shares = shares_of_scores(graph, _scores(graph, model, rows), classes)
    return Said(shares, graph.largest(shares), probabilities=True)


def support_vectors(graph: Graph, model: Any, rows: str) -> Said:
    """The widest margin between two classes, or a flat line; of the linear kernel alone."""
    if model.kernel != "linear":
        raise graph.refused(model, f"a support vector machine with the kernel {model.kernel!r} keeps training rows")
    heights = graph.plane(rows, model.coef_.T, model.intercept_)
    if not hasattr(model, "classes_"):
        return Said(heights)
    if len(model.classes_) > 2:
        raise graph.refused(model, "a support vector machine of more than two classes votes by pairs")
    return Said(heights, above_zero(graph, heights, 2))


def net(graph: Graph, model: MLPClassifier | MLPRegressor, rows: str) -> Said:
    """Layer after layer."""
    last = len(model.coefs_) - 1
    for place, (weights, shifts) in enumerate(zip(model.coefs_, model.intercepts_, strict=True)):
        rows = graph.plane(rows, weights, shifts)
        if place < last and model.activation != "identity":
            rows = graph.op(_ACTIVATIONS[model.activation], rows)
    if not hasattr(model, "classes_"):
        return Said(rows)
    shares = shares_of_scores(graph, rows, len(model.classes_))
    return Said(shares, graph.largest(shares), probabilities=True)


def guess(graph: Graph, model: Any, rows: str) -> Said:
    """The same for every row."""
    if not hasattr(model, "classes_"):
        return Said(graph.tiled(rows, model.mean_ if hasattr(model, "mean_") else np.ravel(model.constant_)))
    if model.strategy not in ("prior", "most_frequent", "majority"):
        raise graph.refused(model, "guesses at random have no form in ONNX")
    shares = model.class_prior_
    if model.strategy == "most_frequent":
        shares = np.eye(len(model.classes_))[int(np.argmax(shares))]
    repeated = graph.tiled(rows, shares)
    return Said(repeated, decided(graph, repeated, getattr(model, "_costs", None)), probabilities=True)


def _scores(graph: Graph, model: Any, rows: str) -> str:
    """One column of two classes, else one a class."""
    weights = np.asarray(model.coef_, dtype=np.float64)
    return graph.plane(rows, np.atleast_2d(weights).T, np.atleast_1d(model.intercept_))


PLANE_MODELS: Final[Mapping[type, Callable[[Graph, Any, str], Said]]] = {
    LinearRegression: line,
    Ridge: line,
    RidgeCV: line,
    RidgeClassifier: planes,
    Perceptron: planes,
    LogisticRegression: logistic,
    SupportVectorClassifier: support_vectors,
    SupportVectorRegressor: support_vectors,
    MLPClassifier: net,
    MLPRegressor: net,
    DummyClassifier: guess,
    DummyRegressor: guess,
    BaselineClassifier: guess,
    BaselineRegressor: guess,
}
