"""From outputs to labels: the likeliest class, the cheapest one, a threshold, and calibration before them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from venire.combine.calibrate import EDGE, Calibration, Sigmoid, Steps
from venire.combine.finish import Finish
from venire.export.onnx.graph import Graph, Said


def decided(graph: Graph, shares: str, costs: NDArray[Any] | None) -> str:
    """The likeliest class of each row, or the one of least expected cost."""
    if costs is None:
        return graph.largest(shares)
    # A sum in fixed order, as the model takes it: rows that tie there tie here.
    expected = ""
    for actual, line in enumerate(np.asarray(costs, dtype=np.float64)):
        part = graph.op("Mul", graph.columns(shares, [actual]), graph.constant(line[None]))
        expected = part if actual == 0 else graph.op("Add", expected, part)
    least = graph.op("ReduceMin", expected, graph.constant([1], np.int64), keepdims=1)
    tied = graph.op("LessOrEqual", expected, least)
    return graph.largest(graph.op("Where", tied, shares, graph.constant(-1.0)))


def above_zero(graph: Graph, scores: str, classes: int) -> str:
    """The label that scores speak for: of one column, the second class above 0."""
    if classes > 2:
        return graph.largest(scores)
    return graph.cast(graph.flat(graph.op("Greater", scores, graph.constant(0.0))), TensorProto.INT64)


def from_threshold(graph: Graph, score: str, threshold: float) -> str:
    """The second of two classes from the threshold on; `score` is [row, 1]."""
    said = graph.op("GreaterOrEqual", graph.flat(score), graph.constant(threshold))
    return graph.cast(said, TensorProto.INT64)


def shares_of_scores(graph: Graph, scores: str, classes: int, scale: float = 1.0) -> str:
    """Probabilities behind scores: a sigmoid of the one column of two classes, else softmax."""
    if scale != 1.0:
        scores = graph.op("Mul", scores, graph.constant(scale))
    if classes > 2:
        return graph.op("Softmax", scores, axis=1)
    return graph.second_share(graph.op("Sigmoid", scores))


def finished(graph: Graph, said: Said, finish: Finish | None) -> Said:
    """Calibrated and decided as the verdict learned it on held-out predictions."""
    outputs, labels = said.outputs, said.labels
    if finish is None or outputs is None:
        return said
    if finish.calibration is not None:
        outputs = calibrated(graph, outputs, finish.calibration)
        labels = graph.largest(outputs)
    if finish.threshold is not None:
        score = graph.columns(outputs, [1]) if said.probabilities else outputs
        labels = from_threshold(graph, score, finish.threshold)
    elif finish.costs is not None and said.probabilities:
        labels = decided(graph, outputs, np.asarray(finish.costs))
    return Said(outputs, labels, said.probabilities)


def calibrated(graph: Graph, shares: str, calibration: Calibration) -> str:
    """Probabilities that mean what they say."""
    if len(calibration.maps) == 1:
        return graph.second_share(_mapped(graph, graph.columns(shares, [1]), calibration.maps[0]))
    mapped = [_mapped(graph, graph.columns(shares, [code]), each) for code, each in enumerate(calibration.maps)]
    together = graph.op("Concat", *mapped, axis=1)
    total = graph.row_sum(together)
    there = graph.op("Greater", total, graph.constant(0.0))
    safe = graph.op("Where", there, total, graph.constant(1.0))
    equal = graph.constant(1.0 / len(mapped))
    return graph.op("Where", there, graph.op("Div", together, safe), equal)


def _mapped(graph: Graph, share: str, each: Sigmoid | Steps) -> str:
    """[row, 1] → [row, 1]."""
    if isinstance(each, Sigmoid):
        inside = graph.op("Clip", share, graph.constant(EDGE), graph.constant(1.0 - EDGE))
        odds = graph.op("Log", graph.op("Div", inside, graph.op("Sub", graph.constant(1.0), inside)))
        bent = graph.op("Add", graph.op("Mul", odds, graph.constant(each.slope)), graph.constant(each.shift))
        return graph.op("Sigmoid", bent)
    at, values = np.array(each.at), np.array(each.values)
    if len(at) == 1:
        return graph.op("Add", graph.op("Mul", share, graph.constant(0.0)), graph.constant(values))
    inside = graph.op("Clip", share, graph.constant(at[0]), graph.constant(at[-1]))
    passed = graph.row_sum(graph.cast(graph.op("GreaterOrEqual", inside, graph.constant(at[None, 1:-1]))))
    piece = graph.cast(passed, TensorProto.INT64)
    slope = graph.op("Gather", graph.constant(np.diff(values) / np.diff(at)), piece)
    start, height = (graph.op("Gather", graph.constant(line[:-1]), piece) for line in (at, values))
    return graph.op("Add", graph.op("Mul", slope, graph.op("Sub", inside, start)), height)
