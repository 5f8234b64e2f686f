"""The comparison with other systems: ranks and regrets, tables held back, rows measured again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from benchmarks.accuracy.peers import FIELDS, _loss, print_table, summary, undisturbed
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


def test_a_miss_that_the_noise_of_the_other_rows_explains_is_told_from_one_that_it_does_not() -> None:
    """0.50 is above the interval of 0.2, by 0.3: half of the interval is 0.1, so noise of 0.16 explains it."""
    facts = {"low": 0.1, "high": 0.3, "reported": 0.2}
    explained, not_so = (record("venire", "b.csv", 0.5, noise=noise, **facts) for noise in (0.16, 0.14))
    shares = [
        {line["tables"]: (line["held"], line["agreed"], line["better"]) for line in summary([one], [])}
        for one in (explained, not_so)
    ]
    assert shares[0]["all"] == (0.0, 1.0, 0.0)
    assert shares[1]["all"] == (0.0, 0.0, 0.0)


def test_the_noise_of_fresh_rows_is_the_standard_error_of_what_is_lost_on_them() -> None:
    """Of an RMSE by the delta method: the spread that samples of the same rows show."""
    rng = np.random.default_rng(0)
    truth, shares = rng.normal(size=400), rng.dirichlet([1.0, 2.0], 400)
    labels = pd.Series(rng.choice(["a", "b"], 400))
    for predicted, of_rows, names in ((np.zeros(400), pd.Series(truth), None), (shares, labels, ["a", "b"])):
        loss, noise = _loss(predicted, of_rows, names)
        draws = [rng.integers(0, 400, 400) for _ in range(400)]
        again = [_loss(predicted[d], of_rows.iloc[d], names)[0] for d in draws]
        assert np.mean(again) == pytest.approx(loss, rel=0.01)
        assert noise == pytest.approx(np.std(again), rel=0.15)


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
