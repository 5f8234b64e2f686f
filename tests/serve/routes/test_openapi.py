"""The document is OpenAPI, and a client that knows nothing else can use the server."""

from __future__ import annotations

import itertools
import json

import pytest
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from tests.serve.asking import Asked, ask


@pytest.fixture(scope="module")
def document(both):
    return ask(both, Asked.get("/openapi.json")).document


def resolved(document, schema):
    """The schema with the document's components beside it."""
    return {**schema, "components": document["components"]}


def generated(document, schema):
    """A value that fits a schema: the first of its choices, with examples where it has some."""
    if "$ref" in schema:
        return generated(document, document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    if "oneOf" in schema:
        return generated(document, schema["oneOf"][0])
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    if "examples" in schema:
        return schema["examples"][0]
    kind = schema["type"][0] if isinstance(schema["type"], list) else schema["type"]
    if kind == "object":
        return {name: generated(document, part) for name, part in schema.get("properties", {}).items()}
    if kind == "array":
        return [generated(document, schema.get("items", {"type": "number"}))] * max(2, schema.get("minItems", 0))
    return {"string": "text", "number": 0.5, "integer": 1, "boolean": True, "null": None}[kind]


def test_it_is_openapi(document):
    validate(document)
    names = [each["operationId"] for path in document["paths"].values() for each in path.values()]
    assert len(names) == len(set(names))


def test_a_client_made_from_it_can_use_every_path(both, document):
    used = 0
    for path, operations in document["paths"].items():
        for method, operation in operations.items():
            body = operation.get("requestBody", {}).get("content", {}).get("application/json")
            asked = Asked.get(path) if body is None else Asked.json(path, value_for(document, path, body["schema"]))
            assert asked.method == method.upper()
            answer = ask(both, asked)
            assert answer.status == 200, (path, answer.body)
            content = operation["responses"]["200"]["content"]
            if "application/json" in content:
                schema = resolved(document, content["application/json"]["schema"])
                Draft202012Validator(schema).validate(answer.document)
            used += 1
    assert used >= 25


def value_for(document, path, schema):
    """A body; tensors are a list of different ones, which a schema of one tensor does not say."""
    if not path.endswith("/infer"):
        return generated(document, schema)
    metadata = path.removesuffix("/infer").removeprefix("/v2/models/")
    row = generated(document, document["components"]["schemas"][f"{metadata}_Row"])
    return {
        "inputs": [
            {"name": name, "shape": [1], "datatype": "BYTES" if isinstance(value, str) else "FP64", "data": [value]}
            for name, value in row.items()
        ]
    }


def test_errors_are_as_it_says(both, document):
    operation = document["paths"]["/predict"]["post"]
    for body, status in itertools.product([b"{", b"[]", b'[{"size": []}]'], ["400"]):
        answer = ask(both, Asked("/predict", body))
        assert str(answer.status) == status
        schema = resolved(document, operation["responses"][status]["content"]["application/json"]["schema"])
        Draft202012Validator(schema).validate(answer.document)


def test_every_parameter_is_known(both, document):
    for path in ("/models/kind/predict", "/models/amount/predict"):
        operation = document["paths"][path]["post"]
        rows = generated(document, operation["requestBody"]["content"]["application/json"]["schema"])
        for parameter in operation["parameters"]:
            value = {"boolean": "true", "number": "0.9"}[parameter["schema"]["type"]]
            assert ask(both, Asked.json(path, rows, query=f"{parameter['name']}={value}")).status == 200
    assert "interval" in json.dumps(document["paths"]["/models/amount/predict"])
