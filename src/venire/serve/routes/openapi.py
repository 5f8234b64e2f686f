"""The OpenAPI document of a server, from the columns of its models: what each route takes, and what it gives."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any

from venire.data.table import Column, Kind, Task, label_text
from venire.serve.bodies.arrow_streams import MEDIA_TYPE as ARROW
from venire.serve.limits import Limits
from venire.serve.served_model import ServedModel
from venire.use.account import ranges_of
from venire.use.predicting import Wish, result_columns

Schema = dict[str, Any]
_ERRORS = {
    "400": "The request cannot be read, or its rows do not fit the model.",
    "401": "The token is not there, or is another.",
    "413": "The body or its rows are too many.",
    "415": "The body is of a type that is not read.",
    "503": "Too many requests are waiting.",
}
_COVERAGE: Schema = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}


def openapi_document(models: Sequence[ServedModel], limits: Limits) -> Schema:
    """The document. Paths without a name are those of the first model."""
    paths: Schema = dict(_about_the_server())
    schemas: Schema = {"Error": _ERROR, "Warning": _WARNING}
    for place, served in enumerate(models):
        schemas.update(_schemas(served, limits))
        for prefix in (f"/models/{served.name}", *([""] if place == 0 else [])):
            paths.update(_paths(served, prefix))
        paths[f"/models/{served.name}"] = {"get": _operation("One model.", f"model_{_word(served.name)}", _ANYTHING)}
    return {
        "openapi": "3.1.0",
        "info": {"title": "venire", "version": version("venire"), "description": "Predictions of model files."},
        "paths": paths,
        "components": {"schemas": schemas, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{}, {"token": []}],
    }


def _about_the_server() -> Iterator[tuple[str, Schema]]:
    for path, said in {
        "/health": "Whether the server is there.",
        "/ping": "Whether the server is there, as MLflow asks.",
        "/version": "Which versions.",
        "/models": "Every model.",
        "/openapi.json": "This document.",
        "/v2": "What the server is, as the Open Inference Protocol asks.",
        "/v2/health/live": "Whether the server is there.",
        "/v2/health/ready": "Whether its models are loaded.",
    }.items():
        yield path, {"get": _operation(said, "get" + path.replace("/", "_").replace(".", "_"), _ANYTHING)}
    figures = {"description": "Figures for Prometheus.", "content": {"text/plain": {"schema": {"type": "string"}}}}
    yield "/metrics", {"get": {"summary": "Figures.", "operationId": "get_metrics", "responses": {"200": figures}}}


def _paths(served: ServedModel, prefix: str) -> Iterator[tuple[str, Schema]]:
    name = _word(served.name)
    end = f"_{name}" if prefix else ""
    rows = {"application/json": {"schema": _ref(f"{name}_Rows")}}
    files = {"text/csv": {"schema": {"type": "string"}}, ARROW: {"schema": {"type": "string", "format": "binary"}}}
    predict = _operation("Predict rows.", f"predict{end}", _ref(f"{name}_Predictions"), rows | files)
    predict["parameters"] = [_parameter(*each) for each in _predict_parameters(served)]
    yield f"{prefix}/predict", {"post": predict}
    explain = _operation(
        "Shapley values of rows, two at least unless the server has a background.",
        f"explain{end}",
        _ref("Explanation_" + name),
        rows | files,
    )
    explain["parameters"] = [_parameter("class", "The class whose probability is explained.", {"type": "string"})]
    yield f"{prefix}/explain", {"post": explain}
    scored = {"application/json": {"schema": _ref(f"{name}_Invocation")}, "text/csv": {"schema": {"type": "string"}}}
    answer = _object({"predictions": {"type": "array"}})
    yield f"{prefix}/invocations", {"post": _operation("MLflow's way.", f"invocations{end}", answer, scored)}
    if prefix:
        place = f"/v2{prefix}"
        tensors = {"application/json": {"schema": _ref(f"{name}_Inference")}}
        yield place, {"get": _operation("The tensors of a model.", f"v2_metadata{end}", _ANYTHING)}
        yield f"{place}/ready", {"get": _operation("Whether it is loaded.", f"v2_ready{end}", _ANYTHING)}
        yield f"{place}/infer", {"post": _operation("Predict tensors.", f"v2_infer{end}", _INFERRED, tensors)}


def _predict_parameters(served: ServedModel) -> Iterator[tuple[str, str, Schema]]:
    if served.model.conformal_ is not None:
        if served.model.task_ is Task.REGRESSION:
            yield "interval", "An interval for every row that holds the truth in this share of rows.", _COVERAGE
        else:
            yield "sets", "A set of classes for every row that has the true one in this share of rows.", _COVERAGE
    yield "fill_missing_columns", "Whether columns that are not there count as missing.", {"type": "boolean"}


def _schemas(served: ServedModel, limits: Limits) -> Schema:
    name, model = _word(served.name), served.model
    ranges = ranges_of(model)
    cells = {column.source: _cell(column, ranges.get(j)) for j, column in enumerate(model.columns_)}
    row = {"type": "object", "properties": cells, "required": list(cells)}
    records = {"type": "array", "items": _ref(f"{name}_Row"), "minItems": 1, "maxItems": limits.rows}
    lists = {each: {"type": "array", "items": cell, "minItems": 1} for each, cell in cells.items()}
    tensor = _object(
        {
            "name": {"enum": list(cells)},
            "shape": {"type": "array", "items": {"type": "integer"}},
            "datatype": {"type": "string"},
            "data": {"type": "array", "minItems": 1},
        }
    )
    return {
        f"{name}_Row": row,
        f"{name}_Rows": {
            "oneOf": [records, {"type": "object", "properties": lists, "required": list(cells)}, _ref(f"{name}_Row")]
        },
        f"{name}_Predictions": _object(
            {
                "model": {"const": served.name},
                "version": {"type": "string"},
                "predictions": {"type": "array", "items": _predicted(served)},
                "warnings": {"type": "array", "items": _ref("Warning")},
            }
        ),
        f"Explanation_{name}": _explanation(served),
        f"{name}_Invocation": {"oneOf": [_object({"dataframe_records": records}), _object({"inputs": _object(lists)})]},
        f"{name}_Inference": _object({"inputs": {"type": "array", "items": tensor, "minItems": len(cells)}}),
    }


def _cell(column: Column, ends: tuple[float, float] | None) -> Schema:
    """A value of one column of the input. Examples are from the training rows, and nothing is a limit."""
    if column.part:
        return {"type": ["string", "null"], "description": "A date."}
    if column.kind is Kind.NUMERIC:
        return {"type": ["number", "null"], **({} if ends is None else {"examples": list(ends)})}
    kinds = ["string", "number", "boolean", "null"]
    return {"type": kinds, "examples": list(column.categories[:20])}


def _predicted(served: ServedModel) -> Schema:
    model = served.model
    columns = result_columns(model, served.example, Wish(), None)
    fields: Schema = {name: {"type": ["number", "null"]} for name in columns}
    if model.task_ is Task.CLASSIFICATION:
        fields["predicted"] = {"enum": model.classes_.tolist(), "description": label_list(served)}
    return _object(fields) | {"additionalProperties": True}


def label_list(served: ServedModel) -> str:
    """The classes, in words."""
    return "One of " + ", ".join(label_text(label) for label in served.model.classes_) + "."


def _explanation(served: ServedModel) -> Schema:
    number, names = {"type": "number"}, {"type": "array", "items": {"type": "string"}}
    return _object(
        {
            "model": {"const": served.name},
            "version": {"type": "string"},
            "explained_class": {"type": ["string", "null"]},
            "unit": {"type": "string"},
            "exact": {"type": "boolean"},
            "background_rows": {"type": "integer"},
            "base": number,
            "columns": names,
            "predicted": {"type": "array"},
            "values": {"type": "array", "items": {"type": "array", "items": number}},
        }
    )


def _operation(said: str, name: str, answer: Schema, body: Schema | None = None) -> Schema:
    error = {"application/json": {"schema": _ref("Error")}}
    responses: Schema = {"200": {"description": said, "content": {"application/json": {"schema": answer}}}}
    responses |= {
        status: {"description": why, "content": error}
        for status, why in _ERRORS.items()
        if body is not None or status == "401"
    }
    operation: Schema = {"summary": said, "operationId": name, "responses": responses}
    return operation if body is None else operation | {"requestBody": {"required": True, "content": body}}


def _parameter(name: str, said: str, schema: Schema) -> Schema:
    return {"name": name, "in": "query", "required": False, "description": said, "schema": schema}


def _object(fields: Schema) -> Schema:
    return {"type": "object", "properties": fields, "required": list(fields)}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _word(name: str) -> str:
    return name.replace(".", "_").replace("-", "_")


_ANYTHING: Schema = {"type": "object"}
_INFERRED = _object(
    {"model_name": {"type": "string"}, "model_version": {"type": "string"}, "outputs": {"type": "array"}}
)
_WARNING = _object(
    {
        "code": {"type": "string"},
        "column": {"type": "string"},
        "rows": {"type": "integer"},
        "message": {"type": "string"},
    }
)
_ERROR: Schema = {"type": "object", "properties": {"error": {"type": ["object", "string"]}}, "required": ["error"]}
