"""The table of coverage adds up files to packages, and finds its place on the page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from scripts import coverage_table


def summary(statements: int, branches: int, lines: int, arcs: int) -> dict[str, dict[str, int]]:
    counts = {"num_statements": statements, "num_branches": branches, "covered_lines": lines, "covered_branches": arcs}
    return {"summary": counts}


REPORT = {
    "files": {
        "src/venire/data/read.py": summary(80, 20, 80, 10),
        "src/venire/data/columns/text.py": summary(100, 0, 90, 0),
        "src/venire/flow.py": summary(10, 0, 10, 0),
    }
}


def test_files_are_added_up_to_packages() -> None:
    assert coverage_table.table(REPORT).splitlines()[2:] == [
        "| `data` | 180 | 20 | 90.0% |",
        "| `flow` | 10 | 0 | 100.0% |",
        "| **all** | 190 | 20 | 90.5% |",
    ]


def test_the_table_is_printed_and_written_between_its_marks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    report, page = tmp_path / "coverage.json", tmp_path / "coverage.md"
    report.write_text(json.dumps(REPORT))
    page.write_text("# Coverage\n\n<!-- coverage -->\nold\n<!-- end of coverage -->\nThe rest.\n")
    monkeypatch.setattr(coverage_table, "REPORT", report)
    monkeypatch.setattr(coverage_table, "PAGE", page)
    coverage_table.main(["--page"])
    printed = capsys.readouterr().out
    assert "| **all** | 190 | 20 | 90.5% |" in printed
    assert page.read_text() == f"# Coverage\n\n<!-- coverage -->\n{printed}<!-- end of coverage -->\nThe rest.\n"


def test_the_page_has_its_marks() -> None:
    text = coverage_table.PAGE.read_text()
    assert coverage_table.written(text, "x").count("\nx\n") == 1
