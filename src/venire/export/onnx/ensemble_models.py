"""Models made of others: votes, stacks, bagging, pipelines, and what wraps a single model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from onnx import TensorProto
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler

from venire.ensembles.additive import AdditiveRegressor
from venire.ensembles.bagging.estimators import BaggingClassifier, BaggingRegressor
from venire.ensembles.bucket import BucketOfModels
from venire.ensembles.stacking.estimators import StackingClassifier, StackingRegressor
from venire.ensembles.voting import VotingClassifier, VotingRegressor
from venire.export.onnx.decisions import decided, from_threshold, shares_of_scores
from venire.export.onnx.encoders import unscaled
from venire.export.onnx.graph import Graph, Said
from venire.export.onnx.tree_models import aligned
from venire.reductions.cost_threshold import CostThreshold
from venire.reductions.score_shares import ScoreShares
from venire.selection.estimators import BackwardSelection, ForwardSelection


def member_shares(graph: Graph, member: Any, rows: str, classes: Any, *, crisp: bool = False) -> str:
    """What a member says of each of the classes: probabilities, or a whole vote where it gives none."""
    said = graph.ask(member, rows)
    if said.probabilities and not crisp:
        assert said.outputs is not None
        return aligned(graph, said.outputs, member.classes_, classes)
    assert said.labels is not None  # a member of a classifier
    return aligned(graph, graph.votes(said.labels, len(member.classes_)), member.classes_, classes)


def member_values(graph: Graph, member: Any, rows: str) -> str:
    """The numbers that a member predicts: [row, 1]."""
    said = graph.ask(member, rows)
    assert said.outputs is not None  # a member of a regressor
    return said.outputs


def pipeline(graph: Graph, model: Pipeline, rows: str) -> Said:
    """Encoders, then the model."""
    for _, step in model.steps[:-1]:
        rows = graph.encode(step, rows)
    return graph.ask(model.steps[-1][1], rows)


def scaled_target(graph: Graph, model: TransformedTargetRegressor, rows: str) -> Said:
    """A regressor of the scaled target, brought back to its own units."""
    if not isinstance(model.transformer_, StandardScaler):
        raise graph.refused(model, f"a target transformed by {type(model.transformer_).__name__} is not supported")
    return Said(unscaled(graph, model.transformer_, member_values(graph, model.regressor_, rows)))


def voting_classes(graph: Graph, model: VotingClassifier, rows: str) -> Said:
    """Weighted votes or probabilities."""
    crisp = model._way in ("crisp", "error")
    parts = [member_shares(graph, member, rows, model.classes_, crisp=crisp) for member in model.estimators_]
    if model.voting == "confidence":
        parts = [_confident(graph, part, len(model.classes_)) for part in parts]
    shares = graph.weighted(parts, model.weights_.tolist())
    if model.voting == "confidence":
        shares = graph.op("Div", shares, graph.row_sum(shares))
    return Said(shares, decided(graph, shares, model._costs), probabilities=True)


def voting_numbers(graph: Graph, model: VotingRegressor, rows: str) -> Said:
    """The weighted mean."""
    parts = [member_values(graph, member, rows) for member in model.estimators_]
    return Said(graph.weighted(parts, model.weights_.tolist()))


def bagging(graph: Graph, model: BaggingClassifier | BaggingRegressor, rows: str) -> Said:
    """The plain mean over members, each on its own columns."""
    classes = getattr(model, "classes_", None)
    parts = []
    for member, columns in zip(model.estimators_, model._chosen_columns(), strict=True):
        seen = rows if columns is None else graph.columns(rows, columns)
        if classes is None:
            parts.append(member_values(graph, member, seen))
        else:
            parts.append(member_shares(graph, member, seen, classes, crisp=model.voting == "crisp"))
    mean = graph.op("Div", graph.weighted(parts, [1.0] * len(parts)), graph.constant(float(len(parts))))
    if classes is None:
        return Said(mean)
    if model.threshold is None or len(classes) < 2:
        return Said(mean, decided(graph, mean, model._costs), probabilities=True)
    above = graph.op("Greater", graph.flat(graph.columns(mean, [1])), graph.constant(model.threshold))
    return Said(mean, graph.cast(above, TensorProto.INT64), probabilities=True)


def stacking(graph: Graph, model: StackingClassifier | StackingRegressor, rows: str) -> Said:
    """What the second level makes of the members."""
    classes = getattr(model, "classes_", None)
    if model.rounds_of is not None and len(model.rounds_of):
        raise graph.refused(model, "a stack on the single rounds of a member (rounds_of) is not supported")
    if classes is not None and model._takes_scores:
        raise graph.refused(model, "a stack on the decision scores of members is not supported")
    crisp = classes is not None and model._takes_labels
    parts = [
        member_values(graph, member, rows)
        if classes is None
        else member_shares(graph, member, rows, classes, crisp=crisp)
        for member in model.estimators_
    ]
    if model.weights_ is not None:
        total = graph.weighted(parts, model.weights_.tolist())
        return Said(total) if classes is None else Said(total, decided(graph, total, model._costs), probabilities=True)
    if classes is not None and len(classes) == 2:
        parts = [graph.columns(part, [1]) for part in parts]
    seen = [*parts] if not model.passthrough else [rows, *parts]
    features = graph.op("Concat", *seen, axis=1)
    if classes is None:
        return graph.ask(model.final_estimator_, features)
    shares = member_shares(graph, model.final_estimator_, features, classes)
    return Said(shares, decided(graph, shares, model._costs), probabilities=True)


def additive(graph: Graph, model: AdditiveRegressor, rows: str) -> Said:
    """The mean, and every stage on top."""
    parts = [member_values(graph, member, rows) for member in model.estimators_]
    if not parts:
        return Said(graph.tiled(rows, [model.start_]))
    total = graph.weighted(parts, [float(model.learning_rate)] * len(parts))
    return Said(graph.op("Add", total, graph.constant(model.start_)))


def bucket(graph: Graph, model: BucketOfModels, rows: str) -> Said:
    """The chosen model."""
    return _as_inner(graph, model, model.best_estimator_, rows)


def selection(graph: Graph, model: ForwardSelection | BackwardSelection, rows: str) -> Said:
    """The estimator, on the chosen columns."""
    chosen = np.flatnonzero(model.get_support())
    if not len(chosen):
        raise graph.refused(model, "no column was selected")
    return _as_inner(graph, model, model.estimator_, graph.columns(rows, chosen))


def cost_threshold(graph: Graph, model: CostThreshold, rows: str) -> Said:
    """The second class from a threshold on; of more classes, the cheapest."""
    inner = graph.ask(model.estimator_, rows)
    if inner.outputs is None or len(model.estimator_.classes_) != len(model.classes_):
        raise graph.refused(model, "its model gives labels alone")
    if len(model.classes_) != 2:
        return Said(inner.outputs, decided(graph, inner.outputs, model._costs), inner.probabilities)
    score = graph.columns(inner.outputs, [1]) if inner.probabilities else inner.outputs
    return Said(inner.outputs, from_threshold(graph, score, model.threshold_), inner.probabilities)


def score_shares(graph: Graph, model: ScoreShares, rows: str) -> Said:
    """Scores as shares; the labels stay those of the classifier."""
    inner = graph.ask(model.estimator_, rows)
    if inner.outputs is None or inner.probabilities:
        raise graph.refused(model, "its model gives no scores")
    classes = len(model.classes_)
    scale = 2.0 if classes == 2 else 1.0  # one score stands for two that mirror each other
    return Said(shares_of_scores(graph, inner.outputs, classes, scale), inner.labels, probabilities=True)


def _as_inner(graph: Graph, model: Any, inner: Any, rows: str) -> Said:
    """What a wrapped model says, decided by the wrapper's costs where it has any."""
    said = graph.ask(inner, rows)
    costs = getattr(model, "_costs", None)
    if costs is None or not said.probabilities:
        return said
    assert said.outputs is not None
    shares = aligned(graph, said.outputs, inner.classes_, model.classes_)
    return Said(shares, decided(graph, shares, costs), probabilities=True)


def _confident(graph: Graph, shares: str, classes: int) -> str:
    """A vote that counts as much as the probability of its class."""
    return graph.op("Mul", shares, graph.votes(graph.largest(shares), classes))


ENSEMBLE_MODELS: Final[Mapping[type, Callable[[Graph, Any, str], Said]]] = {
    Pipeline: pipeline,
    TransformedTargetRegressor: scaled_target,
    VotingClassifier: voting_classes,
    VotingRegressor: voting_numbers,
    BaggingClassifier: bagging,
    BaggingRegressor: bagging,
    StackingClassifier: stacking,
    StackingRegressor: stacking,
    AdditiveRegressor: additive,
    BucketOfModels: bucket,
    ForwardSelection: selection,
    BackwardSelection: selection,
    CostThreshold: cost_threshold,
    ScoreShares: score_shares,
}
