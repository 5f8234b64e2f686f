"""The proof runs, goes on where it stopped, and counts what it says it counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from benchmarks.honesty import cells
from venire.inference import corrected_t, discounted_beta

Run = Callable[..., str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a script in this process, and gives what it prints."""

    def call(script: str, *options: str) -> str:
        monkeypatch.setattr("sys.argv", [script, *options])
        capsys.readouterr()
        import_module(f"benchmarks.honesty.{script}").main()
        return capsys.readouterr().out

    return call


def test_coverage_goes_on_where_it_stopped(run: Run, tmp_path: Path) -> None:
    kept = tmp_path / "coverage.jsonl"
    options = ["--results", str(kept), "--problems", "noise", "--rows", "50"]
    run("coverage", "--repetitions", "2", *options)
    first = kept.read_text()
    table = run("coverage", "--repetitions", "3", *options)
    assert kept.read_text().startswith(first)
    assert len(kept.read_text().splitlines()) == 3
    assert "| noise | 50 | 3 |" in table
    record = json.loads(first.splitlines()[0])
    assert len(record["losses"]) == len(record["sizes"]) == 10
    assert set(record["members"]) == {"baseline", "naive_bayes", "knn", "linear", "vote", "stack"}


def test_false_winners_are_counted(run: Run, tmp_path: Path) -> None:
    table = run("winners", "--repetitions", "2", "--results", str(tmp_path / "winners.jsonl"))
    assert table.count("| mirror |") == table.count("| rare noise |") == 3


def record(losses: list[float], truth: float) -> dict[str, object]:
    return {"problem": "p", "n": 100, "sizes": [20] * 5, "losses": losses, "truth": truth, "one_layer": truth - 0.1}


def test_a_cell_counts_the_intervals_that_hold_the_mean_truth() -> None:
    records = [record([0.2, 0.25, 0.2, 0.15, 0.2], 0.25), record([0.6, 0.7, 0.65, 0.6, 0.7], 0.15)]
    found = cells.cell(records)
    assert found.truth == pytest.approx(0.2)
    assert found.coverage["default"] == 0.5
    assert found.bias * found.spread == pytest.approx(np.mean([0.2 - 0.25, 0.65 - 0.15]))
    assert found.one_layer_bias == pytest.approx(-0.1)
    assert not found.holds


def test_the_methods_are_the_inference_s_own() -> None:
    one = record([0.2, 0.25, 0.2, 0.15, 0.2], 0.2)
    assert cells.default(one) == discounted_beta(0.2, 100, folds=5, test_over_train=1 / 4)
    assert cells.corrected(one) == corrected_t(one["losses"], 1 / 4)
