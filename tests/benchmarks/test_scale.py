"""What `benchmarks.speed.scale` makes of figures, without measuring any of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.speed import large_rows, scale
from benchmarks.speed.scale import ratios, show, steps


def test_every_ratio_is_of_figures_that_are_measured() -> None:
    keys = {step.key for step in steps(1_000_000)}
    assert len(keys) == len(steps(1_000_000))
    for ratio in ratios():
        assert ratio.over[:2] in keys
        assert ratio.under[:2] in keys


def test_the_table_says_what_holds(capsys: pytest.CaptureFixture[str]) -> None:
    memory = {"fit": 10.0, "digest": "a", "wall": 12.0, "processor": 20.0, "waited": 0.0, "peak_gb": 3.0, "load": 1.0}
    records = {
        ("large", "10 M × 28 in memory"): memory,
        ("large", "10 M × 28 from the store"): {**memory, "fit": 14.0},
        ("bucket", "credit_g"): {**memory, "wall": 9.0},
        ("bucket", "adult"): {"failed": "there was no table"},
    }
    show(records, 100_000_000)
    lines = capsys.readouterr().out
    assert "| large | 10 M, store ÷ memory | 1.4 | ≤ 1.3 | **no** |" in lines
    assert "| bucket | credit_g: wall | 9 | ≤ 10 | yes |" in lines
    assert "there was no table" in lines
    assert "same predictions | | | yes" in lines


def test_stored_rows_are_those_in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large_rows, "AT_ONCE", large_rows.STRETCH)
    rows = large_rows.STRETCH + 1000
    large_rows.write_store(rows, tmp_path)
    stored, classes = large_rows.read_store(rows, tmp_path)
    X, y = large_rows.in_memory(rows)
    assert np.array_equal(np.asarray(stored), X)
    assert np.array_equal(classes, y)
    assert 0.4 < y.mean() < 0.6
    fewer, _ = large_rows.in_memory(1000)
    assert np.array_equal(fewer, X[:1000])


def test_one_part_is_measured_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["scale", "--parts", "start", "--cases", "version", "--scratch", str(tmp_path / "s")]
    words += ["--results", str(tmp_path / "lines.jsonl"), "--json", str(tmp_path / "out.json")]
    monkeypatch.setattr("sys.argv", words)
    scale.main()
    kept = (tmp_path / "lines.jsonl").read_text()
    assert '"case": "venire --version"' in kept
    scale.main()
    assert (tmp_path / "lines.jsonl").read_text() == kept, "it is not measured again"
