"""The parts of `benchmarks.speed.scale`: what is run, and what of it is held against which bar."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measured import Measured, measured
from benchmarks.results import ROOT

MILLION = 1_000_000
_CHILD = [sys.executable, "-m", "benchmarks.speed.scale_child"]
_VENIRE = [sys.executable, "-m", "venire"]


@dataclass(frozen=True)
class Places:
    """Where tables are found, and where large ones are made."""

    data: Path
    scratch: Path
    peers: str | None  # a Python with LightGBM and XGBoost

    def store(self, rows: int) -> Path:
        """The folder of a column store of so many rows."""
        return self.scratch / f"store-{rows}"

    def parquet(self, rows: int) -> Path:
        """The folder of Parquet files of so many rows."""
        return self.scratch / f"parquet-{rows}"


Figures = dict[str, Any]
Work = Callable[[Places], Figures]


@dataclass(frozen=True)
class Step:
    """One thing that is measured; `bar` is what `figure` may be at most (or, with `at_least`, must be)."""

    part: str
    case: str
    work: Work
    figure: str
    bar: float | None = None
    at_least: bool = False

    @property
    def key(self) -> tuple[str, str]:
        """Its place in the results."""
        return self.part, self.case


def command(words: Sequence[str], home: Path, *, limit: float = 7200) -> tuple[Measured, Figures]:
    """A command that prints JSON on its last line, or as all that it prints."""
    ended = measured(words, {"VENIRE_HOME": str(home)}, folder=ROOT, limit=limit)
    if ended.code != 0:
        said = (ended.error.strip().splitlines() or ["no word"])[-1]
        raise RuntimeError(f"{shlex.join(words[1:])} ended with {ended.code}: {said[:300]}")
    return ended, json.loads(ended.out if ended.out.startswith("{\n") else ended.out.strip().splitlines()[-1])


def child(job: str, *given: str, python: str = sys.executable) -> Work:
    """A job of `scale_child`."""

    def work(places: Places) -> Figures:
        ended, found = command([python, *_CHILD[1:], job, *given], places.scratch / "home")
        return {**found, **ended.figures}

    return work


def stored(job: str, rows: int) -> Work:
    """A job of `scale_child` on a store, which is made before."""

    def work(places: Places) -> Figures:
        made(places, "write-store", rows, places.store(rows))
        return child(job, str(rows), str(places.store(rows)))(places)

    return work


def compared(name: str, target: str, *options: str, large: int = 0) -> Work:
    """`venire compare` from nothing; with `large`, on a folder of Parquet files of so many rows."""

    def work(places: Places) -> Figures:
        home = places.scratch / f"home-{name.split('.')[0]}-{abs(hash(options)) % 10_000}"
        table = places.data / name
        if large:
            table = places.parquet(large)
            made(places, "write-parquet", large, table)
        words = [*_VENIRE, "compare", str(table), "--target", target, "--json", "--quiet", *options]
        ended, document = command(words, home)
        _forget(home)
        members = {row["family"]: row for row in document["leaderboard"]}
        return {
            **ended.figures,
            "trials": document["timing"]["stages"].get("trials", 0.0),
            "families": len([row for row in members.values() if row["kind"] == "member"]),
            "left_out": {one["family"]: one["kind"] for one in document["not_tried"]},
            "error": members["procedure"]["error"],
            "interval": members["procedure"]["interval"],
            "seconds_of": document["timing"]["families"],
        }

    return work


def made(places: Places, job: str, rows: int, folder: Path) -> None:
    """The table of a job, made once."""
    done = folder.with_name(f"{folder.name}.made")  # beside it: a folder of tables holds nothing else
    if not done.exists():
        command([*_CHILD, job, str(rows), str(folder)], places.scratch / "home")
        done.touch()


def _forget(home: Path) -> None:
    """Evidence of a run that was measured: the next is to begin from nothing."""
    import shutil

    shutil.rmtree(home, ignore_errors=True)
