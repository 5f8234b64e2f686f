"""Results of benchmarks are read as they were written, and say nothing about who ran them."""

from __future__ import annotations

import argparse
import getpass
import json
import socket
import sys
from pathlib import Path

import pytest

from benchmarks import results
from benchmarks.results import FOLDER, Figure, Results, Run
from venire import __version__

KEPT = sorted(FOLDER.glob("*/*.json"))


def test_figures_are_noted_by_their_names() -> None:
    found = Results.begin("speed-demo", {"rows": 5})
    found.add("a table", "venire", wall_seconds=1.5, missing=None)
    found.add("a table", "peer", wall_seconds=3)
    assert found.figures == [
        Figure("a table", "venire", "wall seconds", 1.5),
        Figure("a table", "peer", "wall seconds", 3.0),
    ]


def test_a_result_goes_to_its_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    found = Results.begin("speed-demo")
    found.add("a table", seconds=2)
    path = found.write()
    assert path == tmp_path / "speed-demo" / f"{found.date}-{__version__}.json"
    assert Results.read(path) == found


def test_a_figure_is_noted_once() -> None:
    found = Results.begin("speed-demo")
    found.add("a table", seconds=2)
    with pytest.raises(ValueError, match="seconds of venire on 'a table' was noted before"):
        found.add("a table", seconds=3)


def test_the_machine_is_described_without_names() -> None:
    facts = results.machine()
    assert facts["cores"] >= 1  # type: ignore[operator]  # values are texts or numbers
    assert facts["memory GB"] > 0.1  # type: ignore[operator]  # the same
    said = json.dumps(facts)
    assert socket.gethostname() not in said
    assert str(Path.home()) not in said
    assert getpass.getuser() not in {str(value) for value in facts.values()}


def run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Run:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    monkeypatch.setattr(sys, "argv", ["demo", *arguments])
    begun = Run.of("speed-demo", parser, free=["jobs"])
    begun.results.add("a table", seconds=2)
    return begun


@pytest.mark.parametrize(("arguments", "kept"), [((), True), (("--jobs", "2"), True), (("--rows", "5"), False)])
def test_only_a_whole_run_enters_the_history(
    arguments: tuple[str, ...], kept: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    run(monkeypatch, *arguments).finish()
    assert bool(list(tmp_path.rglob("*.json"))) == kept


def test_a_narrowed_run_is_written_where_it_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "small.json"
    run(monkeypatch, "--rows", "5", "--json", str(path)).finish()
    assert Results.read(path).options == {"rows": 5}


@pytest.mark.parametrize("path", KEPT, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_results_in_the_repository_can_be_read(path: Path) -> None:
    found = Results.read(path)
    assert path == FOLDER / found.benchmark / f"{found.date}-{found.version}.json"
    assert found.figures
    keys = [(figure.job, figure.subject, figure.name) for figure in found.figures]
    assert len(set(keys)) == len(keys)
