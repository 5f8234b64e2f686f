"""The fuzzer survives what it looks for, and goes on where it stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from benchmarks.reliability.fuzzing import MOST_GROWTH, Line, Random, Tried, counted, fuzz, sign_of
from benchmarks.reliability.table_files import MUTATIONS, seeds

ROOT = Path(__file__).parents[2]


def test_a_crash_is_a_fault_and_the_rest_is_tried(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.benchmarks.crashing", "--folder", str(tmp_path)]
    words += ["--json", str(tmp_path / "j")]
    done = subprocess.run([*words, "--mutations", "4"], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert "4 files" in done.stdout
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1
    lines = [Line(**json.loads(text)) for text in (tmp_path / "log.jsonl").read_text().splitlines()]
    assert [line.number for line in lines] == list(range(8))
    outcomes, faults = counted(lines)
    assert outcomes == {"read": 6, "fault": 2}
    assert {line.number for line in faults} == {3, 5}
    assert "ended the process with -6" in faults[0].wrong
    kept = {int(path.name.partition("~")[0]): path.read_bytes()[0] for path in (tmp_path / "faults").iterdir()}
    assert kept == {3: 3, 5: 5}
    figures = {each["name"]: each["value"] for each in json.loads((tmp_path / "j").read_text())["figures"]}
    assert (figures["tried"], figures["faults"]) == (8, 2)


class Greedy:
    """Takes more memory than it may."""

    name = "greedy"

    def seeds(self) -> list[tuple[str, bytes]]:
        return [("one", b"1")]

    def mutated(self, name: str, data: bytes, rng: Random) -> tuple[str, bytes]:
        return "grown", data + b"1"

    def tried(self, name: str, data: bytes) -> Tried:
        return Tried("read", "read")


def test_memory_is_watched(monkeypatch) -> None:
    peaks = iter((100, 100 + MOST_GROWTH + 1))
    monkeypatch.setattr("benchmarks.reliability.fuzzing._peak", lambda: next(peaks))
    (line,) = fuzz(Greedy(), range(1), 0)
    assert line.wrong == f"took {MOST_GROWTH + 1} MB"


def test_a_reason_not_seen_before_makes_a_seed() -> None:
    class Growing(Greedy):
        def tried(self, name: str, data: bytes) -> Tried:
            lengths.append(len(data))
            return Tried("refused", sign_of("length " + "i" * len(data)))

    lengths: list[int] = []
    fuzz(Growing(), range(60), 0)
    assert max(lengths) > 5  # of one that only ever starts from the seed, all would be two


def test_every_format_has_seeds_and_ways_to_change_them() -> None:
    assert {name for name, _ in seeds()} == set(MUTATIONS)
