"""What stands before a learner: encoders and scalers, as tensors [row, column] in and out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from sklearn.preprocessing import StandardScaler

from venire.data.encode import AsTheyAre, FrequencyCodes, OneHotScaled
from venire.export.onnx.graph import Graph


def one_hot_scaled(graph: Graph, encoder: OneHotScaled, rows: str) -> str:
    """Filled, scaled numbers, which of them were filled, and one column a category."""
    parts = []
    if len(encoder.numeric_):
        numbers = graph.columns(rows, encoder.numeric_)
        missing = graph.op("IsNaN", numbers)
        moved = graph.op("Sub", numbers, graph.constant(encoder.origin_))
        centred = graph.op("Sub", moved, graph.constant(encoder.offset_))
        scaled = graph.op("Div", centred, graph.constant(encoder.spread_))
        parts.append(graph.op("Where", missing, graph.constant(0.0), scaled))
        if len(encoder.gaps_):
            parts.append(graph.columns(graph.cast(missing), encoder.gaps_))
    for j, kept, shared in encoder.levels_:
        own = graph.cast(graph.op("Equal", _codes(graph, rows, j), graph.constant(kept[None])))
        parts.append(own)
        if shared:
            parts.append(graph.op("Sub", graph.constant(1.0), graph.row_sum(own)))
    return graph.op("Concat", *parts, axis=1)


def frequency_codes(graph: Graph, encoder: FrequencyCodes, rows: str) -> str:
    """Categories as ranks; numbers and gaps stay."""
    ranked = dict(encoder.order_)
    if not ranked:
        return rows
    parts = []
    for j in range(encoder.n_features_in_):
        if j not in ranked:
            parts.append(graph.columns(rows, [j]))
            continue
        order = ranked[j]
        codes = _codes(graph, rows, j)
        known = graph.cast(graph.op("Equal", codes, graph.constant(order[None])))
        # A known category takes its rank, any other the rank after the last.
        below = np.arange(len(order), dtype=np.float64) - len(order)
        rank = graph.plane(known, below[:, None], float(len(order)))
        missing = graph.op("Equal", codes, graph.constant(0.0))
        parts.append(graph.op("Where", missing, graph.constant(np.nan), rank))
    return graph.op("Concat", *parts, axis=1)


def standard_scaler(graph: Graph, scaler: StandardScaler, rows: str) -> str:
    """Less the mean, over the deviation, where it was fitted with these."""
    if scaler.mean_ is not None and scaler.with_mean:
        rows = graph.op("Sub", rows, graph.constant(scaler.mean_))
    if scaler.scale_ is not None and scaler.with_std:
        rows = graph.op("Div", rows, graph.constant(scaler.scale_))
    return rows


def unscaled(graph: Graph, scaler: StandardScaler, values: str) -> str:
    """The other way round, for a target."""
    if scaler.scale_ is not None and scaler.with_std:
        values = graph.op("Mul", values, graph.constant(scaler.scale_))
    if scaler.mean_ is not None and scaler.with_mean:
        values = graph.op("Add", values, graph.constant(scaler.mean_))
    return values


def _codes(graph: Graph, rows: str, j: int) -> str:
    """A column of codes shifted by one, so that a missing value is 0: [row, 1]."""
    column = graph.columns(rows, [j])
    filled = graph.op("Where", graph.op("IsNaN", column), graph.constant(-1.0), column)
    return graph.op("Add", filled, graph.constant(1.0))


ENCODERS: Final[Mapping[type, Callable[..., Any]]] = {
    OneHotScaled: one_hot_scaled,
    FrequencyCodes: frequency_codes,
    AsTheyAre: lambda graph, encoder, rows: rows,
    StandardScaler: standard_scaler,
}
