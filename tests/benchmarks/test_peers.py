"""The comparison with other systems: ranks and regrets, tables held back, rows measured again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.accuracy.peers import FIELDS, print_table, summary, undisturbed
from benchmarks.honesty.records import complete, read


def record(system: str, table: str, loss: float | None, load: float = 0.1, **more: Any) -> dict[str, Any]:
    facts = {"system": system, "table": table, "split": 0, "budget": 30.0, "loss": loss, "baseline": 1.0}
    return {**facts, "seconds": 29.0, "load": load, **more}


RECORDS = [
    record("venire", "a.csv", 0.2, low=0.1, high=0.3),
    record("flaml", "a.csv", 0.6),
    record("venire", "b.csv", 0.5, low=0.1, high=0.3),
    record("flaml", "b.csv", None, failed="no model after 90 s"),
]


def test_ranks_and_regrets_of_all_tables_and_of_those_held_back() -> None:
    lines = {(line["tables"], line["system"]): line for line in summary(RECORDS, ["b.csv"])}
    everything = lines["all", "venire"]
    assert (everything["rank"], everything["regret"], everything["contests"]) == (1.0, 0.0, 2)
    assert everything["held"] == 0.5
    assert lines["chosen on", "flaml"]["regret"] == pytest.approx(0.5)
    failed = lines["held back", "flaml"]
    assert (failed["rank"], failed["regret"], failed["failed"], failed["beaten_by_venire"]) == (2.0, 1.0, 1, 1.0)


def test_a_table_that_not_all_systems_have_been_on_does_not_count() -> None:
    lines = summary([*RECORDS, record("venire", "c.csv", 0.1)], [])
    assert {line["contests"] for line in lines if line["tables"] == "all"} == {2}


def test_the_summary_fits_into_80_columns(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(summary(RECORDS, ["b.csv"]))
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


def test_what_is_there_is_not_run_again_unless_it_was_disturbed(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    disturbed = record("flaml", "a.csv", 0.6, load=17.0)
    path.write_text("".join(json.dumps(one) + "\n" for one in (RECORDS[0], disturbed)))
    keys = [tuple(one[field] for field in FIELDS) for one in (RECORDS[0], disturbed)]
    ran: list[Any] = []

    def work(key: Any) -> dict[str, Any]:
        ran.append(key)
        return record(key[0], key[1], 0.4)

    complete(path, keys, FIELDS, work, 1)
    assert ran == []
    undisturbed(path, None)
    assert len(read(path)) == 2
    undisturbed(path, 2.0)
    complete(path, keys, FIELDS, work, 1)
    assert ran == [keys[1]]
    assert {one["load"] for one in read(path)} == {0.1}
