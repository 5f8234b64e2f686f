"""The tensors a caller gives, one a column of the table, as the one matrix that models read.

Numbers come as float32 or float64, missing ones as NaN; categories come as strings. A string that is no category of
the training table is missing, as it is to the model; so is a number that the table's reading took for a marker.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from onnx import TensorProto

from venire.data.columns.missing import Missing
from venire.data.columns.numbers import LARGEST
from venire.data.conform import same_markers
from venire.data.table import Column, Kind
from venire.ensembles.table_model import TableModel
from venire.export.onnx.graph import INSIDE, ML, Graph

FLOATS: Mapping[str, int] = {"float32": TensorProto.FLOAT, "float64": TensorProto.DOUBLE}


def table_columns(graph: Graph, model: TableModel, numbers: str) -> str:
    """The matrix of a table model's columns: [row, column]."""
    missing = same_markers(model.reading_)
    parts = [_column(graph, column, missing, numbers) for column in model.columns_]
    return graph.op("Concat", *parts, axis=1)


def frame_columns(graph: Graph, names: Sequence[str], categories: Mapping[int, Sequence[Any]], numbers: str) -> str:
    """The matrix of an estimator that was fitted on a frame with categories."""
    parts = []
    for j, name in enumerate(names):
        if j in categories:
            parts.append(_codes(graph, name, [str(each) for each in categories[j]]))
        else:
            parts.append(graph.cast(graph.input(name, FLOATS[numbers], 1)))
    return graph.op("Concat", *parts, axis=1)


def plain_matrix(graph: Graph, columns: int, numbers: str) -> str:
    """The matrix of an estimator that was fitted on an array: one tensor `X`."""
    return graph.cast(graph.input("X", FLOATS[numbers], columns))


def _column(graph: Graph, column: Column, missing: Missing, numbers: str) -> str:
    if column.kind is not Kind.NUMERIC:
        return _codes(graph, column.name, column.categories)
    values = graph.cast(graph.input(column.name, FLOATS[numbers], 1))
    beyond = graph.op("Greater", graph.op("Abs", values), graph.constant(LARGEST))
    values = graph.op("Where", beyond, graph.constant(np.nan), values)
    for marker in () if column.part else missing.added_numbers(column.source):
        marked = graph.op("Equal", values, graph.constant(marker))
        values = graph.op("Where", marked, graph.constant(np.nan), values)
    return values


def _codes(graph: Graph, name: str, categories: Sequence[str]) -> str:
    texts = graph.input(name, TensorProto.STRING, 1)
    codes = graph.op(
        "LabelEncoder",
        texts,
        domain=ML,
        keys_strings=list(categories),
        values_int64s=list(range(len(categories))),
        default_int64=-1,
    )
    known = graph.cast(codes)
    return graph.op("Where", graph.op("Less", known, graph.constant(0.0)), graph.constant(np.nan), known)


def taken_names(graph: Graph) -> set[str]:
    """The names that an output may not have."""
    return {each.name for each in graph.inputs} | {INSIDE}
