"""Every route answers, and what it answers is what `venire predict` says, to the bit."""

from __future__ import annotations

import asyncio
import csv
import gc
import io
import json
import sys

import numpy as np
import pyarrow as pa
import pyarrow.ipc
import pyarrow.parquet
import pytest

import venire as vn
from tests.serve.asking import Asked, ask, asked_async, with_token
from tests.serve.conftest import SECRET, made, rows_of
from venire.serve.application import SAFE_HEADERS, routes
from venire.use.predicting import Wish, predict_file

COLUMNS = ["size", "weight", "colour", "sold"]
ARROW = "application/vnd.apache.arrow.stream"
ROWS = rows_of(70, 3)[COLUMNS]
ROWS[["size", "weight"]] = ROWS[["size", "weight"]].clip(-2, 2)  # within the range of training
RECORDS = json.loads(ROWS.to_json(orient="records"))
# What does not fit: an unknown colour, a word among numbers, numbers far away, gaps, a code of another type.
ODD = [
    {"size": 0.5, "weight": 99.5, "colour": "red", "sold": "yes"},
    {"size": "1.5", "weight": None, "colour": "mauve", "sold": "no"},
    {"size": "word", "weight": 1, "colour": None, "sold": True},
    {"size": -3, "weight": 2.5, "colour": " red ", "sold": "true"},
]


def predicted_by_file(model, rows, tmp_path, **wish):
    """What `venire predict` writes for these rows, as lists of exact numbers."""
    source, goal = tmp_path / "rows.json", tmp_path / "out.parquet"
    source.write_text(json.dumps(rows))
    predict_file(vn.load(model), source, goal, wish=Wish(**wish))
    return pa.parquet.read_table(goal).to_pylist()


@pytest.mark.parametrize("target", ["kind", "amount"])
def test_predictions_are_those_of_the_command_line(both, target, tmp_path, request):
    file = request.getfixturevalue(target)
    expected = predicted_by_file(file, RECORDS, tmp_path)
    found = ask(both, Asked.json(f"/models/{target}/predict", RECORDS))
    assert (found.status, found.document["warnings"]) == (200, [])
    assert found.document["predictions"] == expected


@pytest.mark.parametrize("target", ["kind", "amount"])
def test_one_row_is_predicted_as_a_file_of_one_row(both, target, tmp_path, request):
    file = request.getfixturevalue(target)
    for row in [*RECORDS[:5], *ODD]:
        (expected,) = predicted_by_file(file, [row], tmp_path)
        assert ask(both, Asked.json(f"/models/{target}/predict", row)).document["predictions"] == [expected]


@pytest.mark.parametrize("target", ["kind", "amount"])
def test_requests_side_by_side_get_the_bits_of_their_own(both, target):
    path = f"/models/{target}/predict"
    alone = [ask(both, Asked.json(path, row)).body for row in RECORDS]

    async def together():
        return await asyncio.gather(*(asked_async(both.application, Asked.json(path, row)) for row in RECORDS))

    assert [answer.body for answer in asyncio.run(together())] == alone
    assert both.desk.shelf["kind"].served.divisible


def test_rows_of_several_requests_are_predicted_together(kind):
    held = made([kind])

    async def together():
        return await asyncio.gather(*(asked_async(held.application, Asked.json("/predict", row)) for row in RECORDS))

    assert {answer.status for answer in asyncio.run(together())} == {200}
    last = [
        line for line in "\n".join(held.desk.counters.batches.lines("n")).splitlines() if line.startswith("n_count")
    ]
    assert int(last[0].split()[1]) <= 3


def test_every_form_of_the_body_gives_the_same(both):
    text, into = io.StringIO(), pa.BufferOutputStream()
    ROWS.to_csv(text, index=False)
    table = pa.Table.from_pandas(ROWS, preserve_index=False)
    with pa.ipc.new_stream(into, table.schema) as stream:
        stream.write_table(table)
    expected = ask(both, Asked.json("/predict", RECORDS)).body
    for asked in (
        Asked.json("/predict", {name: ROWS[name].tolist() for name in COLUMNS}),
        Asked("/predict", text.getvalue().encode(), headers=(("content-type", "text/csv; charset=UTF-8"),)),
        Asked("/predict", into.getvalue().to_pybytes(), headers=(("content-type", ARROW),)),
        Asked("/predict", json.dumps(RECORDS).encode(), parts=7),
        Asked("/predict", json.dumps(RECORDS).encode(), headers=()),
    ):
        answer = ask(both, asked)
        assert (answer.status, answer.body) == (200, expected)


def test_answers_come_as_csv_or_arrow_too(both):
    expected = ask(both, Asked.json("/predict", RECORDS)).document["predictions"]
    as_json = ("content-type", "application/json")
    text = ask(both, Asked.json("/predict", RECORDS, headers=(as_json, ("accept", "text/csv"))))
    rows = list(csv.DictReader(io.StringIO(text.body.decode())))
    assert text.headers["content-type"].startswith("text/csv")
    assert [float(row["probability_high"]) for row in rows] == [row["probability_high"] for row in expected]
    assert {row["predicted"] for row in rows} == {"'=low", "middle", "high"}
    arrow = ask(both, Asked.json("/predict", RECORDS, headers=(as_json, ("accept", ARROW))))
    assert pa.ipc.open_stream(arrow.body).read_all().to_pylist() == expected


def test_what_does_not_fit_is_counted_as_on_the_command_line(both, kind, tmp_path):
    answer = ask(both, Asked.json("/predict", ODD)).document
    source = tmp_path / "rows.json"
    source.write_text(json.dumps(ODD))
    facts = predict_file(vn.load(kind), source, tmp_path / "out.csv")
    expected = [(lost["code"], lost["column"], lost["rows"]) for lost in facts["lost"]]
    expected += [("out_of_range", each["column"], each["rows"]) for each in facts["out_of_range"]]
    assert [(each["code"], each["column"], each["rows"]) for each in answer["warnings"]] == expected
    assert {code for code, _, _ in expected} == {"unknown_category", "words_among_numbers", "out_of_range"}


def test_columns_that_are_not_there(both):
    rows = [{"size": 1.0, "colour": "red"}]
    refused = ask(both, Asked.json("/predict", rows))
    assert (refused.status, refused.document["error"]["code"]) == (400, "missing_column")
    filled = ask(both, Asked.json("/predict", rows, query="fill_missing_columns=true")).document
    assert [each["column"] for each in filled["warnings"]] == ["weight", "sold"]


def test_sets_and_intervals(both, kind, amount, tmp_path):
    sets = ask(both, Asked.json("/models/kind/predict", RECORDS, query="sets=0.9")).document["predictions"]
    assert sets == predicted_by_file(kind, RECORDS, tmp_path, sets=0.9)
    ends = ask(both, Asked.json("/models/amount/predict", RECORDS, query="interval=0.9")).document["predictions"]
    assert ends == predicted_by_file(amount, RECORDS, tmp_path, interval=0.9)
    wrong = ask(both, Asked.json("/models/kind/predict", RECORDS, query="interval=0.9"))
    assert (wrong.status, wrong.document["error"]["code"]) == (400, "wrong_task")


def test_explanations_add_up(both, kind):
    answer = ask(both, Asked.json("/explain", RECORDS[:20], query="class=high")).document
    assert (answer["explained_class"], answer["background_rows"]) == ("high", 20)
    model = vn.load(kind)
    high = model.predict_proba(ROWS[:20])[:, model.classes_.tolist().index("high")]
    np.testing.assert_allclose(answer["base"] + np.sum(answer["values"], axis=1), high, atol=1e-9)
    alone = ask(both, Asked.json("/explain", RECORDS[:1]))
    assert (alone.status, alone.document["error"]["code"]) == (400, "no_background")


def test_every_route_is_safe_to_look_at(both):
    for path, route in routes(["kind", "amount"]):
        asked = Asked.get(path) if route.method == "GET" else Asked.json(path, RECORDS[:2])
        if path.endswith("/infer") or "invocations" in path:
            continue  # bodies of their own, tested beside their modules
        answer = ask(both, asked)
        assert answer.status == 200, path
        assert {(name.encode(), value.encode()) for name, value in answer.headers.items()} >= set(SAFE_HEADERS)
        assert int(answer.headers["content-length"]) == len(answer.body)


def test_health_is_open_and_the_rest_asks_for_the_token(guarded):
    for path, route in routes(["kind"]):
        asked = Asked.get(path) if route.method == "GET" else Asked.json(path, RECORDS[:2])
        assert ask(guarded, asked).status == (200 if route.open else 401)
        assert ask(guarded, with_token(asked, SECRET)).status != 401
    assert SECRET not in guarded.logged()


def test_a_head_is_a_get_without_its_body(both):
    assert ask(both, Asked.get("/health", method="HEAD")).status == 200


def test_metrics_count_without_data(both):
    ask(both, Asked.json("/predict", ODD))
    text = ask(both, Asked.get("/metrics")).body.decode()
    assert 'venire_requests_total{route="/predict",status="200"}' in text
    assert 'venire_unfit_values_total{model="kind",code="unknown_category"}' in text
    for line in text.splitlines():
        assert line.startswith("#") or float(line.rsplit(" ", 1)[1]) >= 0
    assert "mauve" not in text


def test_logs_have_no_data(both):
    ask(both, Asked.json("/predict", [*ODD, {**ODD[0], "colour": SECRET}], query="sets=0.9"))
    lines = [json.loads(line) for line in both.logged().splitlines()]
    known = {"time", "event", "route", "method", "status", "ms", "rows", "code"}
    assert all(set(line) <= known for line in lines)
    assert not any(word in both.logged() for word in ("mauve", SECRET, "colour", "sets"))


def test_a_defect_is_an_answer_and_a_line(both, monkeypatch):
    def fail(*given):
        raise ZeroDivisionError(SECRET)

    monkeypatch.setattr(both.desk.shelf["kind"].served, "predicted", fail)
    answer = ask(both, Asked.json("/predict", RECORDS[0]))
    assert (answer.status, answer.document["error"]) == (
        500, {"code": "internal", "message": "the server failed", "hint": None},
    )  # fmt: skip
    assert "ZeroDivisionError" in both.logged()
    assert SECRET not in both.logged()


def test_overload_is_said_at_once(kind):
    held = made([kind], waiting=4)

    async def flood():
        return await asyncio.gather(
            *(asked_async(held.application, Asked.json("/predict", RECORDS[0])) for _ in range(40))
        )

    answers = asyncio.run(flood())
    assert sorted({answer.status for answer in answers}) == [200, 503]
    assert sum(answer.status == 200 for answer in answers) == 4
    assert {answer.headers["retry-after"] for answer in answers if answer.status == 503} == {"1"}


def test_thousands_of_requests_leave_nothing_behind(both):
    async def many(count):
        rows = [Asked.json("/predict", row) for row in (RECORDS + ODD)[24:]]
        for _ in range(count // len(rows)):
            await asyncio.gather(*(asked_async(both.application, asked) for asked in rows))

    def blocks():
        both.lines.flush()
        gc.collect()
        return sys.getallocatedblocks()

    asyncio.run(many(200))
    before = blocks()
    asyncio.run(many(5000))
    assert blocks() - before < 1000
