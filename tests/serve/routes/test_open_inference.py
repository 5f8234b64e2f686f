"""The Open Inference Protocol: health, metadata, and one tensor a column."""

from __future__ import annotations

import pytest

from tests.serve.asking import Asked, ask
from tests.serve.test_application import RECORDS, ROWS

TYPES = {"size": "FP64", "weight": "FP64", "colour": "BYTES", "sold": "BYTES"}


def tensors(rows, shape=lambda count: [count]):
    return [
        {"name": name, "shape": shape(len(rows)), "datatype": kind, "data": rows[name].tolist()}
        for name, kind in TYPES.items()
    ]


def test_health_and_metadata(both):
    assert ask(both, Asked.get("/v2/health/live")).document == {"live": True}
    assert ask(both, Asked.get("/v2/health/ready")).document == {"ready": True}
    assert ask(both, Asked.get("/v2")).document["name"] == "venire"
    assert ask(both, Asked.get("/v2/models/amount/ready")).document == {"name": "amount", "ready": True}
    facts = ask(both, Asked.get("/v2/models/kind")).document
    assert {each["name"]: each["datatype"] for each in facts["inputs"]} == TYPES
    assert next((each["name"], each["datatype"]) for each in facts["outputs"]) == ("predicted", "BYTES")


@pytest.mark.parametrize("target", ["kind", "amount"])
@pytest.mark.parametrize("count", [1, 70])
def test_tensors_are_predicted_as_rows_are(both, target, count):
    rows = ask(both, Asked.json(f"/models/{target}/predict", RECORDS[:count])).document
    body = {"id": "7", "inputs": tensors(ROWS[:count]), "parameters": {"content_type": "pd"}}
    answer = ask(both, Asked.json(f"/v2/models/{target}/infer", body)).document
    assert (answer["id"], answer["model_name"], answer["model_version"]) == ("7", target, rows["version"])
    for tensor in answer["outputs"]:
        assert tensor["shape"] == [count]
        assert tensor["data"] == [row[tensor["name"]] for row in rows["predictions"]]


def test_columns_of_two_dimensions_and_chosen_outputs(both):
    wide = [{**each, "data": [[value] for value in each["data"]]} for each in tensors(ROWS, lambda count: [count, 1])]
    answer = ask(both, Asked.json("/v2/models/kind/infer", {"inputs": wide, "outputs": [{"name": "predicted"}]}))
    assert [tensor["name"] for tensor in answer.document["outputs"]] == ["predicted"]


def test_errors_have_the_protocols_shape(both):
    answer = ask(both, Asked.json("/v2/models/kind/infer", {"inputs": []}))
    assert (answer.status, set(answer.document)) == (400, {"error"})
    assert isinstance(answer.document["error"], str)
