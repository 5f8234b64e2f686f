"""Naive Bayes: logarithms of priors, bell curves, tables and rates, added up."""

from __future__ import annotations

import numpy as np

from venire.export.onnx.decisions import decided
from venire.export.onnx.graph import Graph, Said
from venire.models.bayes.classifier import NaiveBayesClassifier
from venire.models.bayes.model import logs

_LEAST = float(np.finfo(np.float64).min)


def naive_bayes(graph: Graph, model: NaiveBayesClassifier, rows: str) -> Said:
    """What is missing, or was never seen, says nothing."""
    joint = _joint(graph, model, rows)
    if len(model.classes_) == 2:
        odds = graph.op("Sub", graph.columns(joint, [1]), graph.columns(joint, [0]))
        both = graph.op("Concat", graph.op("Neg", odds), odds, axis=1)
        shares = graph.op("Sigmoid", both)
    else:
        shares = graph.op("Softmax", joint, axis=1)
    labels = graph.largest(joint) if model._costs is None else decided(graph, shares, model._costs)
    return Said(shares, labels, probabilities=True)


def _joint(graph: Graph, model: NaiveBayesClassifier, rows: str) -> str:
    """log P(class) + log P(row | class): [row, class]."""
    learned = model._model
    columns = learned.sums.columns
    total = graph.tiled(rows, logs(learned.prior))
    for position, j in enumerate(columns.numeric.tolist()):
        value = graph.columns(rows, [j])
        off = graph.op("Sub", value, graph.constant([learned.origin[position] + learned.mean[:, position]]))
        variance = learned.variance[:, position]
        fall = graph.op("Mul", graph.op("Mul", off, off), graph.constant([0.5 / variance]))
        added = graph.op("Sub", graph.constant([-0.5 * np.log(2 * np.pi * variance)]), fall)
        total = _add_known(graph, total, value, added)
    for position, j in enumerate(columns.counted.tolist()):
        value = graph.columns(rows, [j])
        added = graph.op("Mul", value, graph.constant([logs(learned.rates[:, position])]))
        total = _add_known(graph, total, value, added)
    total = graph.op("Max", total, graph.constant(_LEAST))
    for position, j in enumerate(columns.categorical.tolist()):
        table = logs(learned.shares[position])
        if len(table):
            codes = graph.constant(np.arange(len(table), dtype=np.float64)[None])
            known = graph.cast(graph.op("Equal", graph.columns(rows, [j]), codes))
            total = graph.op("Add", total, graph.op("MatMul", known, graph.constant(table)))
    return total


def _add_known(graph: Graph, total: str, value: str, added: str) -> str:
    missing = graph.op("IsNaN", value)
    return graph.op("Add", total, graph.op("Where", missing, graph.constant(0.0), added))
