"""Requests to the routes of a run that is there: no path in a body is opened, and values are values or refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.serve.asking import Asked
from tests.studio.conftest import OWN, housed
from tests.studio.walking import compared

QUESTIONS: list[Any] = [
    None, [], {}, "form", {"what": "form"}, {"what": "form", "with": None}, {"what": ["form"], "with": {}},
    {"what": "form", "with": {}, "x": 1},
    {"what": "predict_file", "with": {"source": "/etc/passwd", "output": "/tmp/x"}},
    {"what": "__class__", "with": {}}, {"what": "_form", "with": {}}, {"what": "answer", "with": {}},
]  # fmt: skip
WRONG: list[tuple[str, dict[str, Any]]] = [
    ("row", {}), ("row", {"row": -1}), ("row", {"row": 10**12}), ("row", {"row": "0"}), ("row", {"row": 0.5}),
    ("row", {"row": [0]}), ("row", {"row": "/etc/passwd"}), ("what_if", {}), ("what_if", {"values": "x"}),
    ("what_if", {"values": []}), ("what_if", {"values": [1]}), ("what_if", {"values": [1, 2, "red"]}),
    ("what_if", {"values": [1, 2, 99]}), ("what_if", {"values": [1, 2, 0.5]}), ("what_if", {"values": [True, 2, 0]}),
    ("what_if", {"values": [{}, [], 0]}), ("what_if", {"values": [10**400, 1, 0]}), ("boundary", {}),
    ("boundary", {"across": "colour", "up": "width"}), ("boundary", {"across": "/etc/passwd", "up": "width"}),
    ("boundary", {"across": ["length"], "up": "width"}), ("step", {}), ("step", {"step": 1}),
    ("step", {"step": 10**9, "kind": "boost", "across": "length", "up": "width"}),
    ("step", {"step": 0, "kind": "boost", "across": "length", "up": "width"}),
    ("step", {"step": 1, "kind": "rm -rf", "across": "length", "up": "width"}),
    ("step", {"step": 1, "kind": "boost", "across": "colour", "up": "kind"}),
    ("step", {"step": True, "kind": "boost", "across": "length", "up": "width"}),
]  # fmt: skip
PIECES = [b"", b"\0", b"PAR1", b"ARROW1\0\0", b"PK\x03\x04", b"\x1f\x8b\x08\0", b"{", b"[[[", b'"', b"a,a\n1,2\n",
          b"\x80\x04\x95\x0b\0\0\0\0\0\0\0\x8c\x02os\x94", b"%PDF-1.7", b"length\n" + b"\xff" * 50]  # fmt: skip


@pytest.fixture(scope="module")
def held(tmp_path_factory):
    """A house with a run."""
    house = housed(tmp_path_factory.mktemp("held"))
    return house, compared(house.folder, "flowers.csv", "kind", "flowers")


def refused(answer) -> None:
    assert 400 <= answer.status < 500, (answer.status, answer.body[:200])
    assert b"passwd" not in answer.body
    assert b"root:" not in answer.body


def test_questions_that_there_are_not(held):
    house, run = held
    for question in QUESTIONS:
        refused(house.own(Asked.json(f"/api/runs/{run}/ask", question)))


def test_values_that_are_none(held):
    """One process hears them all, and answers afterwards."""
    house, run = held
    right = {"what": "row", "with": {"row": 0}}
    answers = house.series([Asked.json(f"/api/runs/{run}/ask", {"what": what, "with": given}) for what, given in WRONG]
                           + [Asked.json(f"/api/runs/{run}/ask", right)])  # fmt: skip
    for (what, given), answer in zip(WRONG, answers, strict=False):
        assert answer.status == 400, (what, given, answer.body)
        refused(answer)
    assert answers[-1].document["row"] == 0


@pytest.mark.parametrize(
    "kind", ["csv", "parquet", "arrow", "xlsx", "json", "jsonl", "csv.gz", "csv.zst", "zip", "feather"]
)
def test_files_that_are_no_tables_are_refused(held, kind):
    house, _ = held
    for piece in PIECES:
        sent = house.own(Asked("/api/uploads", piece, "POST", (), f"name=x.{kind}"))
        if piece and kind in ("arrow", "zip", "feather"):
            assert sent.status == 415  # nothing that the studio reads
        elif piece:
            looked = house.own(Asked.json("/api/look", {"file": sent.document["file"], "target": "kind"}))
            refused(looked)
        else:
            refused(sent)


def test_a_file_that_a_run_does_not_keep(held):
    house, run = held
    for name in ("worst.json", "of.json", "verdict.json", "asked.json", "run.json", "model.pkl", "a.venire"):
        refused(house.ask(Asked.get(f"/runs/{run}/{name}"), house.cookie))


def test_another_page_does_not_delete(held):
    house, run = held
    evil = ("origin", "http://evil.example")
    assert house.ask(Asked(f"/api/runs/{run}", b"", "DELETE", ()), house.cookie, evil).status == 403
    assert house.ask(Asked(f"/api/runs/{run}", b"", "DELETE", ()), OWN).status == 401
    assert house.ask(Asked.get(f"/runs/{run}"), house.cookie).status == 200
