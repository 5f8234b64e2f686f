"""The whole graph of a model: its inputs, what it says, and the outputs a caller reads."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto, checker, helper

from venire.data.table import Task
from venire.ensembles.table_model import TableModel
from venire.errors import UsageError
from venire.export.onnx.bayes_model import naive_bayes
from venire.export.onnx.decisions import finished
from venire.export.onnx.encoders import ENCODERS
from venire.export.onnx.ensemble_models import ENSEMBLE_MODELS, member_shares, member_values
from venire.export.onnx.graph import ML, Graph, Said, Writer
from venire.export.onnx.inputs import FLOATS, frame_columns, plain_matrix, table_columns, taken_names
from venire.export.onnx.net_models import NET_MODELS
from venire.export.onnx.plane_models import PLANE_MODELS
from venire.export.onnx.tree_models import TREE_MODELS, aligned
from venire.metrics.predictions import Output
from venire.models.bayes.classifier import NaiveBayesClassifier
from venire.models.input import column_names
from venire.persist.training_data import parts_of

# The first versions with all that is used: opset 18 and, of trees in double precision, ai.onnx.ml 5.
_OPSETS = (("", 18), (ML, 5))
_IR_VERSION = 10
# Every model that has a form in ONNX; a new one gets a writer and a line here.
WRITERS: Mapping[type, Writer] = {
    **TREE_MODELS,
    **PLANE_MODELS,
    **NET_MODELS,
    **ENSEMBLE_MODELS,
    NaiveBayesClassifier: naive_bayes,
}


def drawn(model: Any, numbers: str) -> ModelProto:
    """The model as ONNX; an error that says what has no form there."""
    graph = Graph(WRITERS, ENCODERS)
    said = _table_model(graph, model, numbers) if isinstance(model, TableModel) else _estimator(graph, model, numbers)
    outputs = _outputs(graph, model, said, FLOATS[numbers])
    whole = helper.make_graph(graph.nodes, type(model).__name__, graph.inputs, outputs, graph.constants)
    written = helper.make_model(
        whole,
        opset_imports=[helper.make_opsetid(*each) for each in _OPSETS],
        ir_version=_IR_VERSION,
        producer_name="venire",
        producer_version=version("venire"),
    )
    helper.set_model_props(written, _properties(model))
    checker.check_model(written)
    return written


def _table_model(graph: Graph, model: TableModel, numbers: str) -> Said:
    rows = table_columns(graph, model, numbers)
    weights = [float(weight) for weight in model.weights]
    members = [member for _, member in model.members]
    if model.task_ is Task.REGRESSION:
        return Said(graph.weighted([member_values(graph, member, rows) for member in members], weights))
    classes = np.arange(len(model.classes_))
    if len(members) > 1:
        shares = graph.weighted([member_shares(graph, member, rows, classes) for member in members], weights)
        return finished(graph, Said(shares, graph.largest(shares), probabilities=True), model.finish)
    (member,) = members
    said = graph.ask(member, rows)
    assert said.labels is not None  # a member of a classifier
    labels = graph.op("Gather", graph.constant(member.classes_, np.int64), said.labels)
    if model.gives is not Output.PROBABILITIES:
        return finished(graph, Said(said.outputs, labels), model.finish)
    assert said.outputs is not None
    shares = graph.weighted([aligned(graph, said.outputs, member.classes_, classes)], weights)
    return finished(graph, Said(shares, labels, probabilities=True), model.finish)


def _estimator(graph: Graph, model: Any, numbers: str) -> Said:
    """An estimator as it was fitted by hand: on an array, or on a frame whose categories it knows itself."""
    layout = getattr(model, "_layout", None)
    categories = {} if layout is None else layout.categories
    if categories:
        return graph.ask(model, frame_columns(graph, column_names(model), categories, numbers))
    if not hasattr(model, "n_features_in_"):
        raise UsageError(
            f"{type(model).__name__} is no fitted model", code="cannot_export", hint="export what verdict.fit() gives"
        )
    _refuse_inner_categories(graph, model)
    return graph.ask(model, plain_matrix(graph, model.n_features_in_, numbers))


def _refuse_inner_categories(graph: Graph, model: Any) -> None:
    """Members of an ensemble that was fitted on words may know different categories each."""
    for part in parts_of(model):
        layout = getattr(part, "_layout", None)
        if layout is not None and layout.categories:
            raise graph.refused(model, f"{type(model).__name__} was fitted on a frame with words")


def _outputs(graph: Graph, model: Any, said: Said, kind: int) -> list[Any]:
    """What a caller reads: `label` and `probabilities` or `scores`, or `value`."""
    taken = taken_names(graph)
    found = []
    if said.labels is None:
        assert said.outputs is not None  # a regressor says numbers
        name = graph.op("Cast", said.outputs, name=_free("value", taken), to=kind)
        return [helper.make_tensor_value_info(name, kind, ["rows", 1])]
    classes, label_kind = _labels(graph, np.asarray(model.classes_))
    name = graph.op("Gather", classes, said.labels, name=_free("label", taken))
    found.append(helper.make_tensor_value_info(name, label_kind, ["rows"]))
    if said.outputs is not None:
        wanted = _free("probabilities" if said.probabilities else "scores", taken)
        name = graph.op("Cast", said.outputs, name=wanted, to=kind)
        found.append(helper.make_tensor_value_info(name, kind, ["rows", None]))
    return found


def _labels(graph: Graph, classes: NDArray[Any]) -> tuple[str, int]:
    """The classes in the type they had in the table."""
    if classes.dtype.kind == "b":
        return graph.constant(classes, np.bool_), TensorProto.BOOL
    if classes.dtype.kind in "iu":
        return graph.constant(classes, np.int64), TensorProto.INT64
    if classes.dtype.kind == "f":
        return graph.constant(classes), TensorProto.DOUBLE
    return graph.texts([str(each) for each in classes.tolist()]), TensorProto.STRING


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _properties(model: Any) -> dict[str, str]:
    """What a reader of the file wants to know besides: plain strings, as ONNX keeps them."""
    about = getattr(model, "about_", None) or {}
    wanted = {
        name: about[name] for name in ("family", "setting", "metric", "error", "seed") if about.get(name) is not None
    }
    if hasattr(model, "target_name_"):
        wanted["target"] = model.target_name_
    if hasattr(model, "classes_"):
        wanted["classes"] = ", ".join(str(each) for each in np.asarray(model.classes_).tolist())
    return {name: str(value) for name, value in wanted.items()}
