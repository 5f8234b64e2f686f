"""Damaged files by the ten thousand: in workers that may crash or hang, to be gone on with after any stop.

A target names its seeds, how one is changed, and what happens when a changed one is read. A changed file that reaches
code that none before it reached (`reached`), or is refused for a reason not seen before, becomes a seed itself, so that
later changes start from where that one came to. Each file is written down before it is tried, and a line behind it; a
worker that dies leaves both, and the next one goes on behind it.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import os
import re
import resource
import subprocess
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from benchmarks.reliability.reached import Reached
from benchmarks.results import ROOT, Run

SLOW = 1.0  # seconds of computing, one file
HANGS = 60.0  # seconds on the clock: a machine that does much else is no fault
MOST_GROWTH = 512  # MB, one file
_MOST_MEMORY = 8 << 30  # of addresses, all of a worker: what goes beyond fails instead of troubling others
_MOST_SEED = 200_000  # bytes: seeds that grow and grow only take time
_A_WORKER = 4000  # files; then a new one starts from a clean memory

Random = np.random.Generator


@dataclass(frozen=True, slots=True)
class Tried:
    """What became of one file: how it ended, a word for where, and what is wrong with that (empty if nothing is)."""

    outcome: str
    sign: str
    wrong: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One file of a run as it is kept."""

    number: int
    seed: str
    mutation: str
    outcome: str
    wrong: str = ""


class Target(Protocol):
    """What is fuzzed."""

    name: str

    def seeds(self) -> list[tuple[str, bytes]]:
        """Sound files, with their names."""

    def mutated(self, name: str, data: bytes, rng: Random) -> tuple[str, bytes]:
        """What was done, and the result."""

    def tried(self, name: str, data: bytes) -> Tried:
        """Read it, and use what was read."""


def sign_of(words: str) -> str:
    """A message without what differs from file to file.

    >>> sign_of("array 7 of shape 3 × 4 is no 'x'")
    "array # of shape # × # is no '#'"
    """
    return re.sub(r"\d+", "#", re.sub(r"'[^']*'", "'#'", words))[:120]


def fuzz(
    target: Target,
    numbers: range,
    seed: int,
    folder: Path | None = None,
    tell: Callable[[Line], None] = lambda line: None,
) -> list[Line]:
    """Try files of these numbers in this process; with a folder, what is found there goes on and is kept."""
    seeds = target.seeds()
    kept = Kept(folder)
    found = []
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number in numbers:
            rng = np.random.default_rng([seed, number])
            name, data = seeds[number % len(seeds)]
            if kept.seeds and rng.random() < 0.5:
                name, data = kept.seeds[int(rng.integers(len(kept.seeds)))]
            mutation, changed = target.mutated(name, data, rng)
            kept.before(changed)
            with kept.reached.watched() as fresh:
                line, sign = _watched(target, Line(number, name, mutation, ""), changed)
            kept.after(line, sign, fresh, changed)
            tell(line)
            found.append(line)
    return found


class Kept:
    """What a run knows, in memory and, where it has a folder, in files that the next worker goes on from."""

    def __init__(self, folder: Path | None) -> None:
        self._folder = folder
        paths = [] if folder is None else sorted(folder.glob("seeds/*"))
        self.seeds = [(path.name.partition("~")[2], path.read_bytes()) for path in paths]
        self.signs = set(self._noted("signs"))
        self.reached = Reached(self._noted("reached"))

    def before(self, changed: bytes) -> None:
        """The file that is tried next, in case it is the last."""
        if self._folder is not None:
            (self._folder / "current").write_bytes(changed)
            faulthandler.dump_traceback_later(HANGS, exit=True)

    def after(self, line: Line, sign: str, fresh: set[str], changed: bytes) -> None:
        """What it came to; a seed if it came further than all before."""
        faulthandler.cancel_dump_traceback_later()
        label = f"{line.number:07}~{line.seed}"
        if line.wrong and self._folder is not None:
            (self._folder / "faults" / label).write_bytes(changed)
        new = {f"{sign_of(sign)} {line.seed}"} - self.signs
        if line.wrong or not (fresh or new):
            return
        self.signs |= new
        self._note("signs", new)
        self._note("reached", fresh)
        if len(changed) <= _MOST_SEED:
            self.seeds.append((line.seed, changed))
            if self._folder is not None:
                (self._folder / "seeds" / label).write_bytes(changed)

    def _noted(self, what: str) -> list[str]:
        path = None if self._folder is None else self._folder / what
        return path.read_text(encoding="utf-8").splitlines() if path is not None and path.exists() else []

    def _note(self, what: str, new: set[str]) -> None:
        if self._folder is not None and new:
            with open(self._folder / what, "a", encoding="utf-8") as notes:
                notes.writelines(f"{each!r}\n" if "\n" in each else f"{each}\n" for each in sorted(new))


def _watched(target: Target, line: Line, changed: bytes) -> tuple[Line, str]:
    before, peak = time.process_time(), _peak()
    tried = target.tried(line.seed, changed)
    seconds, grown = time.process_time() - before, _peak() - peak
    wrong = tried.wrong
    if not wrong and seconds > SLOW:
        wrong = f"took {seconds:.1f} s"
    if not wrong and grown > MOST_GROWTH:
        wrong = f"took {grown} MB"
    return Line(line.number, line.seed, line.mutation, "fault" if wrong else tried.outcome, wrong), tried.sign


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def work(target: Target, numbers: range, seed: int, folder: Path) -> None:
    """The part of a worker: a line after each file."""
    if "asan" not in os.environ.get("LD_PRELOAD", ""):  # which keeps terabytes of addresses for itself
        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    faulthandler.enable()
    with open(folder / "log.jsonl", "a", encoding="utf-8") as log:

        def tell(line: Line) -> None:
            log.write(json.dumps(asdict(line)) + "\n")
            log.flush()

        fuzz(target, numbers, seed, folder, tell)


def at_length(target: Target, module: str, mutations: int, seed: int, folder: Path) -> list[Line]:
    """Workers one after the other until so many files were tried, from where the last run stopped."""
    for inner in ("seeds", "faults"):
        (folder / inner).mkdir(parents=True, exist_ok=True)
    while (done := len(lines := list(_log(folder)))) < mutations:
        first = lines[-1].number + 1 if lines else 0
        numbers = f"{first}:{first + min(_A_WORKER, mutations - done)}"
        words = [sys.executable, "-m", module, "--worker", numbers, "--seed", str(seed), "--folder", str(folder)]
        ended = subprocess.run(words, stderr=subprocess.PIPE, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
        if ended.returncode:
            _note_crash(target, folder, first, ended)
        print(f"{len(list(_log(folder))):,} files", flush=True)
    return lines


def _note_crash(target: Target, folder: Path, first: int, ended: subprocess.CompletedProcess[str]) -> None:
    """The file at which a worker died is a fault, and the next worker starts behind it."""
    lines = list(_log(folder))
    number = max(first, lines[-1].number + 1 if lines else 0)
    current = folder / "current"
    if not current.exists():
        raise SystemExit(f"the worker did not start:\n{ended.stderr}")
    current.rename(folder / "faults" / f"{number:07}~{target.name}")
    how = "hung" if "Timeout" in ended.stderr else f"ended the process with {ended.returncode}"
    with open(folder / "log.jsonl", "a", encoding="utf-8") as log:
        log.write(json.dumps(asdict(Line(number, target.name, "", "fault", f"{how}: {ended.stderr[-300:]}"))) + "\n")


def _log(folder: Path) -> Iterator[Line]:
    path = folder / "log.jsonl"
    for text in path.read_text(encoding="utf-8").splitlines() if path.exists() else ():
        try:
            yield Line(**json.loads(text))
        except ValueError:  # the line at which a run was killed
            continue


def counted(lines: Sequence[Line]) -> tuple[Counter[str], list[Line]]:
    """How many ended how, and those that did harm."""
    return Counter(line.outcome for line in lines), [line for line in lines if line.wrong]


def finish(benchmark: str, parser: argparse.ArgumentParser, target: Target, module: str) -> int:
    """A fuzzer from its command line to its figures; the exit code."""
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, help="where it keeps what it did, to go on with after a stop")
    parser.add_argument("--worker", metavar="FIRST:LAST", help=argparse.SUPPRESS)
    run = Run.of(benchmark, parser, free=["folder", "worker"])
    asked = run.asked
    folder = asked.folder or ROOT / "build" / "fuzz" / target.name
    if asked.worker is not None:
        work(target, range(*map(int, asked.worker.split(":"))), asked.seed, folder)
        return 0
    lines = at_length(target, module, asked.mutations, asked.seed, folder)
    outcomes, faults = counted(lines)
    for fault in faults[:50]:
        print(f"{fault.number} {fault.seed} {fault.mutation}: {fault.wrong}")
    print(f"{len(lines):,} files: " + ", ".join(f"{count:,} {what}" for what, count in sorted(outcomes.items())))
    run.results.add("mutated files", "venire", **{what: float(outcomes[what]) for what in sorted(outcomes)})
    kept = Kept(folder)
    lines_reached, edges = kept.reached.lines, kept.reached.edges
    print(f"reached: {lines_reached:,} lines of Python, {edges:,} edges of the core")
    found = {"faults": len(faults), "ways_to_end": len(kept.signs), "python_lines": lines_reached, "core_edges": edges}
    run.results.add("all", "venire", tried=len(lines), **{name: float(count) for name, count in found.items()})
    run.finish()
    return 1 if faults else 0
