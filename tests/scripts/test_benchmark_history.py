"""The history of a benchmark: newest first, and its ratio to the result before."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.results import Results
from scripts.benchmark_history import main


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for date, seconds in (("2026-01-02", 8.0), ("2026-02-03", 4.0), ("2025-12-24", 9.0)):
        found = Results("speed-demo", date, "0.1.0", "abc1234", {"processor": "a fast one", "cores": 2})
        found.add("a table", "venire", seconds=seconds)
        if date != "2026-01-02":
            found.add("a table", "peer", seconds=10 * seconds)
        found.write(tmp_path / "speed-demo" / f"{date}-0.1.0.json")
    return tmp_path


def test_the_overview_names_every_benchmark(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([], folder) == 0
    assert capsys.readouterr().out == "speed-demo: 3 results, the newest of 2026-02-03 (version 0.1.0)\n"


def test_the_newest_stands_beside_the_earlier_ones(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speed-demo"], folder) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "1. 2026-02-03, version 0.1.0, commit abc1234, measured: processor a fast one, cores 2"
    assert "| job | subject | figure | 1: 2026-02-03 | 2: 2026-01-02 | 3: 2025-12-24 | ÷ |" in lines
    assert "| a table | venire | seconds | 4 | 8 | 9 | 0.50 |" in lines
    # Where the result before lacks a figure, the last one that has it counts.
    assert "| a table | peer | seconds | 40 |  | 90 | 0.44 |" in lines


def test_lines_and_results_can_be_fewer(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speed-demo", "--last", "1", "--only", "venire", "--figure", "seconds"], folder) == 0
    out = capsys.readouterr().out
    assert "| a table | venire | seconds | 4 |  |" in out
    assert "peer" not in out


def test_an_unknown_benchmark_is_answered_with_those_there_are(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["speed-dmo"], folder) == 2
    assert "no results of 'speed-dmo'; there are: speed-demo" in capsys.readouterr().err
