"""What tools report after choosing, and what fresh rows say: scikit-learn, FLAML, AutoGluon and venire side by side.

    python -m benchmarks.honesty.peers [--repetitions 10] [--rows 100] [--results FILE] [--environments FOLDER]

Every tool gets the same table, chooses a model, and reports an error; the model it hands over is then tried on 4,000
fresh rows. Optimism is the error on fresh rows minus the error reported: above zero the tool promised too much. Each
tool runs in a process and an environment of its own (`FOLDER/flaml`, `FOLDER/autogluon`, made by pip when missing);
a tool that cannot be installed is left out and said so. Seconds are processor time.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.honesty.problems import PROBLEMS, draw
from benchmarks.honesty.records import complete, read
from benchmarks.results import Run

ROOT = Path(__file__).parents[2]
CHILD = "benchmarks.honesty.peer_child"
FIELDS = ("tool", "problem", "n", "seed")
PACKAGES = {"flaml": "flaml[automl]", "autogluon": "autogluon.tabular"}
TOOLS = ("GridSearchCV", "flaml", "autogluon", "venire")
FRESH = 4000


def interpreter(tool: str, environments: Path) -> Path | None:
    """The Python that has the tool; None when it cannot be installed."""
    if tool not in PACKAGES:
        return Path(sys.executable)
    home = environments / tool
    python = home / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", PACKAGES[tool]], check=False)
    there = subprocess.run([python, "-c", f"import {tool}"], capture_output=True)
    return python if there.returncode == 0 else None


def repetition(key: tuple[Any, ...], pythons: dict[str, Path]) -> dict[str, Any]:
    """One tool on one table."""
    tool, problem, n, seed = key
    rng = np.random.default_rng([3000 + list(PROBLEMS).index(problem), n, seed])
    X, y = draw(problem, n, rng)
    fresh_X, fresh_y = draw(problem, FRESH, rng)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "rows.npz"
        np.savez(data, X=X, y=y, fresh_X=fresh_X, fresh_y=fresh_y)
        ran = subprocess.run(
            [pythons[tool], "-m", CHILD, tool, str(data), str(seed)],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
        )
    if ran.returncode != 0:
        raise RuntimeError(f"{tool} failed on {problem}: {ran.stderr[-2000:]}")
    found = json.loads(ran.stdout.splitlines()[-1])
    return {"tool": tool, "problem": problem, "n": n, "seed": seed, **found}


def print_tools(records: Sequence[dict[str, Any]]) -> dict[tuple[str, str], dict[str, float | None]]:
    """One line a tool and problem; the figures of each."""
    found: dict[tuple[str, str], dict[str, float | None]] = {}
    print("| problem | tool | tables | reported | on fresh rows | optimism | interval holds | seconds |")
    print("|---|---|---|---|---|---|---|---|")
    for problem in PROBLEMS:
        for tool in TOOLS:
            part = [r for r in records if r["tool"] == tool and r["problem"] == problem]
            if not part:
                continue
            reported, fresh = (np.array([r[name] for r in part]) for name in ("reported", "fresh"))
            gap = fresh - reported
            error = gap.std(ddof=1) / np.sqrt(len(gap)) if len(gap) > 1 else np.nan
            held = [r["low"] <= r["fresh"] <= r["high"] for r in part if r["low"] is not None]
            shown = f"{100 * np.mean(held):.0f} %" if held else "none given"
            seconds = np.mean([r["seconds"] for r in part])
            found[problem, tool] = {
                "reported": reported.mean(),
                "on_fresh_rows": fresh.mean(),
                "coverage": float(np.mean(held)) if held else None,
                "seconds": float(seconds),
            }
            print(
                f"| {problem} | {tool} | {len(part)} | {reported.mean():.3f} | {fresh.mean():.3f} "
                f"| {gap.mean():+.3f} ± {error:.3f} | {shown} | {seconds:.1f} |"
            )
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--rows", type=int, default=100)
    parser.add_argument("--tools", nargs="+", default=list(TOOLS), choices=TOOLS)
    parser.add_argument("--problems", nargs="+", default=list(PROBLEMS), choices=list(PROBLEMS))
    parser.add_argument("--results", type=Path, default=Path("build/honesty/peers.jsonl"))
    parser.add_argument("--environments", type=Path, default=Path("build/honesty/environments"))
    run = Run.of("honesty-peers", parser, free=["results", "environments"])
    asked = run.asked
    pythons = {tool: interpreter(tool, asked.environments.absolute()) for tool in asked.tools}
    for tool in [tool for tool, python in pythons.items() if python is None]:
        print(f"{tool} could not be installed here and is left out.")
    able = {tool: python for tool, python in pythons.items() if python is not None}
    keys = [(t, p, asked.rows, seed) for seed in range(asked.repetitions) for p in asked.problems for t in able]
    complete(asked.results, keys, FIELDS, lambda key: repetition(key, able), jobs=1)
    wanted = set(keys)
    found = print_tools([r for r in read(asked.results) if tuple(r[f] for f in FIELDS) in wanted])
    for (problem, tool), figures in found.items():
        run.results.add(problem, tool, **figures)
    run.finish()


if __name__ == "__main__":
    main()
