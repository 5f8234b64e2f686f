"""What the side-by-side benchmarks share: a process for every measurement, engines that take turns, lines of ratios."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

Figures = dict[str, float]


def run_child(
    module: str,
    engine: str,
    job: str,
    *options: str,
    environment: dict[str, str] | None = None,
    python: str = sys.executable,
) -> Figures | None:
    """The figures that a module prints as its last line; None, with a word, if it failed.

    How OpenMP's threads wait is left as it is installed. On a busy machine set OMP_WAIT_POLICY=passive, lest the peers'
    threads spin; on a quiet one that costs them on small tables.
    """
    command = [python, "-m", module, "--engine", engine, "--job", job, *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | (environment or {}))
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["no message"])[-1]
        print(f"  {engine} on {job}: failed: {reason}", flush=True)
        return None
    figures: Figures = json.loads(done.stdout.strip().splitlines()[-1])
    return figures


def take_turns(run: Callable[[str], Figures | None], engines: Sequence[str], turns: int) -> dict[str, Figures]:
    """Every engine in every turn; the smallest of each figure counts, and quality is the same in every turn."""
    seen: dict[str, list[Figures]] = {engine: [] for engine in engines}
    for _ in range(turns):
        for engine in list(seen):
            figures = run(engine)
            if figures is None:
                del seen[engine]
            else:
                seen[engine].append(figures)
    return {engine: {name: min(turn[name] for turn in found) for name in found[0]} for engine, found in seen.items()}


@dataclass(frozen=True)
class Line:
    """One comparison: ours against the fastest peer."""

    title: str
    peer: str
    ratio: float
    cpu_ratio: float
    at_least: float
    aim: float

    @property
    def mark(self) -> str:
        return "missed" if self.ratio < self.at_least else ("aim" if self.ratio >= self.aim else "met")


def show_lines(lines: list[Line]) -> None:
    print("\n### Fastest peer ÷ venire\n")
    print("| job | fastest peer | ratio | by cpu | at least | aim | |\n|---|---|--:|--:|--:|--:|---|")
    for line in lines:
        numbers = f"{line.ratio:.2f} | {line.cpu_ratio:.2f} | {line.at_least:g} | {line.aim:g}"
        print(f"| {line.title} | {line.peer} | {numbers} | {line.mark} |")
