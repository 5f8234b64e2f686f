"""The command line as a person meets it: what went in, what came out on each stream, and the exit code."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from venire.cli.main import run


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """The one document on stdout; anything else there is an error."""
        document: dict[str, Any] = json.loads(self.out)
        return document

    @property
    def error(self) -> dict[str, Any]:
        error: dict[str, Any] = self.document["error"]
        return error


Venire = Callable[..., Outcome]


@pytest.fixture
def venire(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Venire:
    """Runs a command in this process, in a folder of its own, on 80 columns."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")

    def call(*words: object) -> Outcome:
        monkeypatch.setattr("sys.argv", ["venire", *map(str, words)])
        capsys.readouterr()
        try:
            run()
        except SystemExit as left:
            said = capsys.readouterr()
            return Outcome(int(left.code or 0), said.out, said.err)
        raise AssertionError("a command always ends with an exit code")

    return call


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Sixty rows of two classes that one column nearly tells apart."""
    return write_table(tmp_path / "table.csv", rows=60)


def write_table(path: Path, rows: int) -> Path:
    chance = random.Random(0)
    lines = ["near,noise,y"]
    for row in range(rows):
        label = "ab"[row % 2]
        near = chance.gauss(2.0 if label == "b" else 0.0, 1.0)
        lines.append(f"{near:.3f},{chance.gauss(0.0, 1.0):.3f},{label}")
    path.write_text("\n".join(lines) + "\n")
    return path
