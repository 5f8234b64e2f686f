"""What a benchmark found, as JSON in the repository: `benchmarks/results/<name>/<date>-<version>.json`.

A result is a list of figures, each with the job it was measured on and the subject it belongs to, and the facts one
needs to judge it by: date, version, commit, options and machine. No name of a host or a user is kept.

A run with options of its own (small tables, one family) is no part of the history: it is written only where `--json`
says so. `scripts/benchmark_history.py` shows how figures went from one result to the next.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import subprocess
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from venire import __version__

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "benchmarks/results"


@dataclass(frozen=True, slots=True)
class Figure:
    """One number: of which job, of whom (an engine, a family, a tool), what it is."""

    job: str
    subject: str
    name: str
    value: float


@dataclass(slots=True)
class Results:
    """The figures of one run of a benchmark."""

    benchmark: str
    date: str
    version: str
    commit: str | None
    machine: dict[str, str | int | float]
    source: str = "measured"
    options: dict[str, Any] = field(default_factory=dict)
    figures: list[Figure] = field(default_factory=list)

    @classmethod
    def begin(cls, benchmark: str, options: dict[str, Any] | None = None) -> Self:
        """No figures yet, on this machine, today."""
        return cls(benchmark, f"{datetime.now(UTC):%Y-%m-%d}", __version__, commit(), machine(), options=options or {})

    @classmethod
    def read(cls, path: Path) -> Self:
        """What was written."""
        kept = json.loads(path.read_text(encoding="utf-8"))
        return cls(**{**kept, "figures": [Figure(**figure) for figure in kept["figures"]]})

    def add(self, job: str, subject: str = "venire", **figures: float | None) -> None:
        """Note figures by their names; underscores in a name are blanks, and None is left out."""
        there = {(figure.job, figure.subject, figure.name) for figure in self.figures}
        for name, value in figures.items():
            words = name.replace("_", " ")
            if (job, subject, words) in there:
                raise ValueError(f"{self.benchmark}: {words} of {subject} on {job!r} was noted before")
            if value is not None:
                self.figures.append(Figure(job, subject, words, float(value)))

    def write(self, path: Path | None = None) -> Path:
        """Write to a file, by default to its place in the history."""
        path = path or FOLDER / self.benchmark / f"{self.date}-{self.version}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(asdict(self), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
        return path


@dataclass(frozen=True)
class Run:
    """A benchmark from its command line to its file."""

    asked: argparse.Namespace
    results: Results
    narrowed: bool  # by options that are not the defaults

    @classmethod
    def of(cls, benchmark: str, parser: argparse.ArgumentParser, free: Sequence[str] = ()) -> Run:
        """Parse the options of a benchmark, and `--json` with them; those in `free` change no figure."""
        parser.add_argument("--json", type=Path, metavar="PATH", help="write the figures to this file")
        asked = parser.parse_args()
        given = {name: value for name, value in vars(asked).items() if name not in {"json", *free}}
        changed = {name: value for name, value in given.items() if value != parser.get_default(name)}
        return cls(asked, Results.begin(benchmark, changed), bool(changed))

    def finish(self) -> None:
        """Write what was found, unless it was a run for looking only."""
        if self.results.figures and (self.asked.json or not self.narrowed):
            path = self.results.write(self.asked.json)
            print(f"\nfigures: {path.relative_to(ROOT) if path.is_relative_to(ROOT) else path}")


def commit() -> str | None:
    """The commit that is checked out, with a plus behind it if files were changed since; None outside of git."""
    try:
        found = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--exclude=*"], cwd=ROOT, capture_output=True, text=True
        )
    except FileNotFoundError:
        return None
    return found.stdout.strip() or None


def machine() -> dict[str, str | int | float]:
    """What a figure depends on: processor, cores and memory, system and Python."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 0,
        "memory GB": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def _processor() -> str:
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        found = re.search(r"^model name\s*: (.+)$", cpuinfo.read_text(), re.MULTILINE)
        if found:
            return found[1].strip()
    return platform.processor() or platform.machine()
