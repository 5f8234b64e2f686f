"""Models on the tree core: trees, forests, gradient boosting, AdaBoost."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import numpy as np

from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.forest.estimators import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.ensembles.gradient.losses import LOG_MEANS
from venire.errors import UsageError
from venire.export.onnx.decisions import decided, shares_of_scores
from venire.export.onnx.graph import Graph, Said
from venire.export.onnx.tree_ensemble import Worth, boosted_sums, tree_sums
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor


def trees_of_classes(graph: Graph, model: Any, rows: str) -> Said:
    """One tree or a forest: the mean of the leaves' shares, or of their votes."""
    model._refuse_several("ONNX")
    hard = getattr(model, "voting", "soft") == "hard"
    shares = _shares(graph, rows, model, lambda t, values: _vote(values) if hard else values)
    return Said(shares, decided(graph, shares, model._costs), probabilities=True)


def trees_of_numbers(graph: Graph, model: Any, rows: str) -> Said:
    """The mean of the leaves' numbers."""
    model._refuse_several("ONNX")
    total = tree_sums(graph, rows, model._forest, lambda t, values: values, 1)
    return Said(graph.op("Div", total, graph.constant(float(model._forest.trees))))


def boosted_classes(graph: Graph, model: GradientBoostingClassifier, rows: str) -> Said:
    """Scores, and the probabilities behind them."""
    steepness = 2.0 if model.loss == "exponential" else 1.0
    shares = shares_of_scores(graph, _scores(graph, model, rows), len(model.classes_), steepness)
    return Said(shares, decided(graph, shares, model._costs), probabilities=True)


def boosted_numbers(graph: Graph, model: GradientBoostingRegressor, rows: str) -> Said:
    """Scores; of a loss on counts or amounts, they are logarithms."""
    scores = _scores(graph, model, rows)
    return Said(graph.op("Exp", scores) if model._loss_name() in LOG_MEANS else scores)


def adaboost(graph: Graph, model: AdaBoostClassifier, rows: str) -> Said:
    """Weighted votes, and the probabilities behind them."""
    if len(model.classes_) == 1:
        votes = graph.tiled(rows, [1.0])
        return Said(votes, graph.largest(votes), probabilities=True)
    two = len(model.classes_) == 2
    total = _by_trees(graph, model, rows, two) if model._native else _by_members(graph, model, rows, two)
    shares = shares_of_scores(graph, total, len(model.classes_), 2.0)
    return Said(shares, decided(graph, shares, model._costs), probabilities=True)


def _by_trees(graph: Graph, model: AdaBoostClassifier, rows: str, two: bool) -> str:
    """All members in one walk; of two classes, what speaks for the second less what speaks for the first."""
    alphas = model.estimator_weights_.tolist()

    def worth(t: int, values: Sequence[float]) -> Sequence[float]:
        cast = alphas[t] * np.asarray(_vote(values))
        return [cast[1] - cast[0]] if two else cast.tolist()

    trees = type(model.estimators_[0]._forest).joined([member._forest for member in model.estimators_])
    return tree_sums(graph, rows, trees, worth, 1 if two else len(model.classes_))


def _by_members(graph: Graph, model: AdaBoostClassifier, rows: str, two: bool) -> str:
    votes = []
    for member in model.estimators_:
        said = graph.ask(member, rows)
        assert said.labels is not None  # a member of a classifier
        cast = graph.votes(said.labels, len(member.classes_))
        votes.append(aligned(graph, cast, member.classes_, model.classes_))
    total = graph.weighted(votes, model.estimator_weights_.tolist())
    return graph.op("Sub", graph.columns(total, [1]), graph.columns(total, [0])) if two else total


def aligned(graph: Graph, tensor: str, known: Any, classes: Any) -> str:
    """Columns of the classes a member knows, spread over all classes."""
    if len(known) == len(classes):
        return tensor
    spread = np.zeros((len(known), len(classes)))
    spread[np.arange(len(known)), np.searchsorted(classes, known)] = 1.0
    return graph.op("MatMul", tensor, graph.constant(spread))


def _shares(graph: Graph, rows: str, model: Any, worth: Worth) -> str:
    """The mean over trees; of two classes the share of the first is what the second leaves."""
    classes, trees = len(model.classes_), graph.constant(float(model._forest.trees))
    if classes != 2:
        total = tree_sums(graph, rows, model._forest, worth, classes)
        return graph.op("Div", total, trees)
    total = tree_sums(graph, rows, model._forest, lambda t, values: worth(t, values)[1:], 1)
    return graph.second_share(graph.op("Div", total, trees))


def _scores(graph: Graph, model: Any, rows: str) -> str:
    if model._init is not None:
        raise UsageError(
            "a boosting that starts from another model (init) has no graph", hint="leave init out, and fit again"
        )
    return boosted_sums(graph, rows, model._forest, model._start, model.n_rounds_ * len(model._start))


def _vote(values: Sequence[float]) -> list[float]:
    cast = np.zeros(len(values))
    cast[int(np.argmax(values))] = 1.0
    return cast.tolist()


TREE_MODELS: Final[Mapping[type, Callable[[Graph, Any, str], Said]]] = {
    DecisionTreeClassifier: trees_of_classes,
    DecisionTreeRegressor: trees_of_numbers,
    RandomForestClassifier: trees_of_classes,
    RandomForestRegressor: trees_of_numbers,
    ExtraTreesClassifier: trees_of_classes,
    ExtraTreesRegressor: trees_of_numbers,
    GradientBoostingClassifier: boosted_classes,
    GradientBoostingRegressor: boosted_numbers,
    AdaBoostClassifier: adaboost,
}
