"""How a benchmark's figures went: the newest result beside earlier ones, and the ratio to the one before.

    python -m scripts.benchmark_history                      # which benchmarks there are
    python -m scripts.benchmark_history NAME [--last 4] [--only venire] [--figure seconds]

Seconds of different machines say little beside each other, so the lines above the table name them.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from benchmarks.results import FOLDER, Figure, Results
from venire.wording import count

Key = tuple[str, str, str]


def history(folder: Path) -> list[Results]:
    """The results of one benchmark, the newest first."""
    found = [Results.read(path) for path in sorted(folder.glob("*.json"))]
    return sorted(found, key=lambda results: results.date, reverse=True)


def overview(folder: Path) -> Iterable[str]:
    """One line a benchmark."""
    for each in sorted(path for path in folder.iterdir() if path.is_dir()):
        runs = history(each)
        if runs:
            yield f"{each.name}: {count(len(runs), 'result')}, the newest of {runs[0].date} (version {runs[0].version})"


def table(runs: Sequence[Results], *, only: str | None = None, figure: str | None = None) -> Iterable[str]:
    """Markdown: a line a figure, the newest result first, and the newest divided by the one before it."""
    for number, run in enumerate(runs, start=1):
        facts = ", ".join(f"{name} {value}" for name, value in run.machine.items())
        yield f"{number}. {run.date}, version {run.version}, commit {run.commit or 'unknown'}, {run.source}: {facts}"
    yield ""
    yield (
        "| job | subject | figure | " + " | ".join(f"{n}: {run.date}" for n, run in enumerate(runs, start=1)) + " | ÷ |"
    )
    yield "|---|---|---|" + "--:|" * (len(runs) + 1)
    values = [{_key(each): each.value for each in run.figures} for run in runs]
    keys = list(dict.fromkeys(_key(each) for run in runs for each in run.figures))
    for key in keys:
        if (only and only not in key[1]) or (figure and figure not in key[2]):
            continue
        cells = [f"{found[key]:.4g}" if key in found else "" for found in values]
        yield f"| {' | '.join(key)} | {' | '.join(cells)} | {_ratio(key, values)} |"


def _key(figure: Figure) -> Key:
    return figure.job, figure.subject, figure.name


def _ratio(key: Key, values: Sequence[dict[Key, float]]) -> str:
    before = next((found[key] for found in values[1:] if key in found), 0.0)
    return f"{values[0][key] / before:.2f}" if key in values[0] and before else ""


def main(arguments: Sequence[str] | None = None, folder: Path = FOLDER) -> int:
    """Print the overview, or the history of one benchmark."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", help="a folder of benchmarks/results")
    parser.add_argument("--last", type=int, default=4, help="how many results at most")
    parser.add_argument("--only", help="lines whose subject contains this")
    parser.add_argument("--figure", help="lines whose figure contains this")
    asked = parser.parse_args(arguments)
    if asked.name is None:
        lines = list(overview(folder))
    else:
        runs = history(folder / asked.name)[: asked.last]
        if not runs:
            known = ", ".join(sorted(path.name for path in folder.iterdir() if path.is_dir()))
            sys.stderr.write(f"there are no results of {asked.name!r}; there are: {known}\n")
            return 2
        lines = list(table(runs, only=asked.only, figure=asked.figure))
    sys.stdout.write("\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
