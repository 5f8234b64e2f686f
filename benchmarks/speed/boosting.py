"""Boosting beside its peers, in one run, two threads each, one at a time.

    python benchmarks/speed/boosting.py [--quick] [--turns 2] [--jobs d1 …] [--engines LightGBM …] [--plot FILE.svg]

Each measurement happens in a process of its own; engines take turns, and the best of the turns counts. All fit 100
rounds of 31 leaves (CatBoost: depth 5) on 255 bins at rate 0.1, without sampling rows. The page gives *fastest peer ÷
venire* by wall time and by processor time, which holds on a busy machine, with the log loss of the timed fit beside it;
then the log loss by paired means over many parts (`boosting_quality.py`, about six minutes), which decides whether it
is no worse than a peer's; and the frontier of time against loss with all tricks allowed on every side
(`boosting_frontier.py`).
"""

from __future__ import annotations

import argparse
import json
import os
from functools import partial
from pathlib import Path

from boosting_engines import ENGINES, INFORMATION, OURS, competes
from boosting_frontier import show_frontier
from boosting_jobs import Job, jobs
from boosting_quality import measure_quality
from forest_jobs import shared_module
from turns import Figures, Line, run_child, show_lines, take_turns

CHILD = Path(__file__).with_name("boosting_child.py")


def measured(engine: str, job: str, *, quick: bool, settings: dict[str, float] | None = None) -> Figures | None:
    options = ["--settings", json.dumps(settings or {}), *["--quick"] * quick]
    # scikit-learn's boosting knows its number of threads from OpenMP alone.
    return run_child(CHILD, engine, job, *options, environment={"OMP_NUM_THREADS": "2"})


def compare(job: Job, found: dict[str, Figures]) -> list[Line]:
    ours = found.get(OURS)
    peers = {e: f for e, f in found.items() if e != OURS and (job.kind, e) not in INFORMATION}
    if ours is None or not peers:
        return []

    def line(title: str, against: dict[str, Figures], at_least: float, aim: float) -> Line:
        fastest = min(against, key=lambda engine: against[engine]["wall"])
        leanest = min(figures["cpu"] for figures in against.values())
        return Line(title, fastest, against[fastest]["wall"] / ours["wall"], leanest / ours["cpu"], at_least, aim)

    lines = [line(job.title, peers, job.at_least, job.aim)]
    if job.against_lightgbm and "LightGBM" in peers:
        plain = {"LightGBM": peers["LightGBM"]}
        lines.append(line(f"{job.title}, plain LightGBM", plain, *job.against_lightgbm))
    return lines


def show_job(job: Job, found: dict[str, Figures]) -> None:
    print(f"\n### {job.title}\n\n| engine | wall s | cpu s | log loss | one row µs |\n|---|--:|--:|--:|--:|")
    for engine, f in found.items():
        one = f"{f['one_row']:.0f}" if "one_row" in f else ""
        print(f"| {engine} | {f['wall']:.4g} | {f['cpu']:.4g} | {f['loss']:.4f} | {one} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="small tables, one turn")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--jobs", nargs="*", help="only these jobs (quality and frontier are two of them)")
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), help="only these engines (and venire)")
    parser.add_argument("--plot", type=Path, help="draw the frontier into this file (.svg or .png)")
    asked = parser.parse_args()
    engines = [engine for engine in ENGINES if engine == OURS or engine in asked.engines]
    turns = 1 if asked.quick else asked.turns
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; 2 threads an engine, best of {turns} turns.")
    if shared_module() is None:
        print("bench_data.py is not there: generated tables of the same shapes stand in for D1 to D3.")
    lines: list[Line] = []
    for job in jobs(quick=asked.quick):
        if asked.jobs and job.name not in asked.jobs:
            continue
        in_it = [engine for engine in engines if competes(engine, job)]
        once = 1 if job.kind == "adaboost" else turns
        found = take_turns(partial(measured, job=job.name, quick=asked.quick), in_it, once)
        show_job(job, found)
        lines += compare(job, found)
    if lines:
        show_lines(lines)
    if not asked.jobs or "quality" in asked.jobs:
        measure_quality(engines, quick=asked.quick)
    if not asked.jobs or "frontier" in asked.jobs:
        show_frontier(lambda engine, settings: measured(engine, "d1", quick=asked.quick, settings=settings), asked.plot)


if __name__ == "__main__":
    main()
