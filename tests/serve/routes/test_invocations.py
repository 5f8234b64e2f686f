"""MLflow's bodies are read in all their forms, and answered as its own server answers."""

from __future__ import annotations

import pytest

import venire as vn
from tests.serve.asking import Asked, ask
from tests.serve.test_application import COLUMNS, RECORDS, ROWS

LISTS = ROWS.to_numpy(dtype=object).tolist()
FORMS = [
    {"dataframe_records": RECORDS},
    {"dataframe_split": {"columns": COLUMNS, "data": LISTS}},
    {"dataframe_split": {"index": list(range(70)), "columns": COLUMNS, "data": LISTS}},
    {"instances": RECORDS},
    {"inputs": {name: ROWS[name].tolist() for name in COLUMNS}},
    {"instances": LISTS, "params": {}},
    {"inputs": LISTS, "params": {"predict_method": "predict"}},
]


@pytest.mark.parametrize("target", ["kind", "amount"])
@pytest.mark.parametrize("form", range(len(FORMS)))
def test_every_form_is_read(both, target, form, request):
    expected = vn.load(request.getfixturevalue(target)).predict(ROWS).tolist()
    answer = ask(both, Asked.json(f"/models/{target}/invocations", FORMS[form]))
    assert (answer.status, answer.document) == (200, {"predictions": expected})


def test_probabilities_are_asked_for_by_params(both, kind):
    asked = {"dataframe_records": RECORDS, "params": {"predict_method": "predict_proba"}}
    assert ask(both, Asked.json("/invocations", asked)).document == {
        "predictions": vn.load(kind).predict_proba(ROWS).tolist()
    }


def test_csv_is_read_too(both, kind):
    body = ROWS.to_csv(index=False).encode()
    answer = ask(both, Asked("/invocations", body, headers=(("content-type", "text/csv"),)))
    assert answer.document == {"predictions": vn.load(kind).predict(ROWS).tolist()}


def test_errors_have_mlflows_words(both):
    answer = ask(both, Asked.json("/invocations", {"rows": []}))
    assert (answer.status, answer.document["error_code"]) == (400, "BAD_REQUEST")
    assert "dataframe_split" in answer.document["message"]
