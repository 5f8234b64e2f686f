"""Packs of nets: the columns as the nets see them, then all nets of a pack side by side.

The core computes layers in single precision, in an order of its own that no other program repeats bit by bit. Here the
inputs are rounded as there, and the rest is double precision: what differs is what the core rounded off, about 1e-7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from venire.export.onnx.decisions import decided
from venire.export.onnx.graph import Graph, Said
from venire.models.net.columns import FAR, WILD, NetColumns
from venire.models.net.estimators import NetClassifier, NetRegressor


def net_classes(graph: Graph, model: NetClassifier, rows: str) -> Said:
    """The mean of the probabilities."""
    each = graph.op("Softmax", _layers(graph, model, rows), axis=2)
    total = _sum_of_nets(graph, each)
    shares = graph.op("Div", total, graph.row_sum(total))
    return Said(shares, decided(graph, shares, model._costs), probabilities=True)


def net_numbers(graph: Graph, model: NetRegressor, rows: str) -> Said:
    """The mean in the units of the target, never beyond the range it had in training."""
    total = _sum_of_nets(graph, _layers(graph, model, rows))
    mean = graph.op("Div", total, graph.constant(float(len(model._weights))))
    scaled = graph.op("Mul", mean, graph.constant(model._target_spread))
    values = graph.op("Add", scaled, graph.constant(model._target_mean))
    return Said(graph.op("Clip", values, graph.constant(model._target_low), graph.constant(model._target_high)))


def _layers(graph: Graph, model: NetClassifier | NetRegressor, rows: str) -> str:
    """What each net says: [net, row, output]."""
    at = _encoded(graph, model._columns, rows)
    for place, (weights, shifts) in enumerate(_weights_by_layer(model)):
        if place > 0:
            at = graph.op("Relu", at)
        at = graph.op("Add", graph.op("MatMul", at, _single(graph, weights)), _single(graph, shifts))
    return at


def _weights_by_layer(model: NetClassifier | NetRegressor) -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
    """Of each layer the weights [net, value taken, unit] and the shifts [net, 1, unit]."""
    nets, begin = len(model._weights), 0
    for taken, units in pairwise(model._sizes):
        end = begin + (taken + 1) * units
        layer = model._weights[:, begin:end].reshape(nets, taken + 1, units)
        yield layer[:, :-1], layer[:, -1:]
        begin = end


def _single(graph: Graph, values: NDArray[Any]) -> str:
    """Numbers that are kept in single precision in the file, too, which halves it."""
    return graph.cast(graph.constant(values, np.float32))


def _sum_of_nets(graph: Graph, tensor: str) -> str:
    """[net, row, output] → [row, output]."""
    return graph.op("ReduceSum", tensor, graph.constant([0], np.int64), keepdims=0)


def _encoded(graph: Graph, columns: NetColumns, rows: str) -> str:
    """The columns as a net sees them, rounded to single precision: [row, width]."""
    parts = []
    if len(columns.numeric):
        parts.append(_numbers(graph, columns, rows))
    owners = np.repeat(columns.categorical, [len(levels) for levels in columns.levels])
    if len(owners):
        levels = graph.constant(np.concatenate(columns.levels)[None])
        parts.append(graph.cast(graph.op("Equal", graph.columns(rows, owners), levels)))
    if not parts:  # columns that were always missing: a net sees one column of zeros
        parts.append(graph.tiled(rows, [0.0]))
    together = graph.op("Concat", *parts, axis=1)
    return graph.cast(graph.cast(together, TensorProto.FLOAT))


def _numbers(graph: Graph, columns: NetColumns, rows: str) -> str:
    """Scaled numbers, their pieces, and which of them are missing; column after column, as nets know them."""
    numbers = graph.columns(rows, columns.numeric)
    missing, zero = graph.op("IsNaN", numbers), graph.constant(0.0)
    numbers = _within(graph, numbers, WILD)
    places = np.arange(len(columns.numeric))
    split = np.repeat(places, [max(0, len(edges) - 1) for edges in columns.edges])
    parts = [graph.op("Where", missing, zero, _drawn_in(graph, columns, numbers))]
    if len(split):
        come = _come_through(graph, columns, graph.columns(numbers, split))
        parts.append(graph.op("Where", graph.columns(missing, split), zero, come))
    if columns.gaps.any():
        parts.append(graph.cast(graph.columns(missing, places[columns.gaps])))
    owners = np.concatenate([places, split, places[columns.gaps]])
    return graph.columns(graph.op("Concat", *parts, axis=1), np.argsort(owners, kind="stable"))


def _drawn_in(graph: Graph, columns: NetColumns, numbers: str) -> str:
    """Relative to median and spread, and no further out than `FAR` of them."""
    off = graph.op("Sub", numbers, graph.constant(columns.centre))
    scaled = _within(graph, graph.op("Div", off, graph.constant(columns.spread)), WILD)
    far = graph.op("Div", scaled, graph.constant(FAR))
    bent = graph.op("Sqrt", graph.op("Add", graph.op("Mul", far, far), graph.constant(1.0)))
    return graph.op("Div", scaled, bent)


def _come_through(graph: Graph, columns: NetColumns, numbers: str) -> str:
    """How far a number has come through each piece, from 0 to 1."""
    low = np.concatenate([edges[:-1] for edges in columns.edges])
    width = np.concatenate([np.diff(edges) for edges in columns.edges])
    through = graph.op("Div", graph.op("Sub", numbers, graph.constant(low)), graph.constant(width))
    return graph.op("Clip", through, graph.constant(0.0), graph.constant(1.0))


def _within(graph: Graph, values: str, bound: float) -> str:
    return graph.op("Clip", values, graph.constant(-bound), graph.constant(bound))


NET_MODELS: Final[Mapping[type, Callable[[Graph, Any, str], Said]]] = {
    NetClassifier: net_classes,
    NetRegressor: net_numbers,
}
