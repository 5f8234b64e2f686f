"""Boosting beside its peers, in one run, two threads each, one at a time.

    python -m benchmarks.speed.boosting [--quick] [--turns 2] [--jobs d1 …] [--engines LightGBM …] [--plot FILE.svg]

Each measurement happens in a process of its own; engines take turns, and the best of the turns counts. All fit 100
rounds of 31 leaves (CatBoost: depth 5) on 255 bins at rate 0.1, without sampling rows. A peer to which that means
something else is compared with a venire that means the same, its twin (`boosting_engines.py`), and the plain venire
stands beside it. The page gives *peer ÷ twin* by wall time and by processor time, which holds on a busy machine, with
the log loss of the timed fit beside it, and of all peers the one that comes closest; then the log loss by paired means
over many parts (`boosting_quality.py`, ten to fifteen minutes), which decides whether it is no worse than a peer's; and
the frontier of time against loss with all tricks allowed on every side (`boosting_frontier.py`).
"""

from __future__ import annotations

import argparse
import json
import os
from functools import partial
from pathlib import Path

from benchmarks.results import Run
from benchmarks.speed.boosting_engines import ENGINES, INFORMATION, OURS, PEERS, competes, twin_of
from benchmarks.speed.boosting_frontier import show_frontier
from benchmarks.speed.boosting_jobs import Job, jobs
from benchmarks.speed.boosting_quality import measure_quality
from benchmarks.speed.forest_jobs import shared_module
from benchmarks.speed.turns import Figures, Line, run_child, show_lines, take_turns

CHILD = "benchmarks.speed.boosting_child"


def measured(engine: str, job: str, *, quick: bool, settings: dict[str, float] | None = None) -> Figures | None:
    options = ["--settings", json.dumps(settings or {}), *["--quick"] * quick]
    # scikit-learn's boosting knows its number of threads from OpenMP alone.
    return run_child(CHILD, engine, job, *options, environment={"OMP_NUM_THREADS": "2"})


def compare(job: Job, found: dict[str, Figures]) -> list[Line]:
    """The peer that comes closest to its twin, and plain LightGBM by itself."""
    peers = [peer for peer in PEERS if peer in found and twin_of(peer, job) in found]
    peers = [peer for peer in peers if (job.kind, peer) not in INFORMATION]
    if not peers:
        return []

    def ratio(peer: str, figure: str) -> float:
        return found[peer][figure] / found[twin_of(peer, job)][figure]

    def line(title: str, against: list[str], at_least: float, aim: float) -> Line:
        closest = min(against, key=lambda peer: ratio(peer, "wall"))
        by_cpu = min(ratio(peer, "cpu") for peer in against)
        return Line(title, closest, ratio(closest, "wall"), by_cpu, at_least, aim)

    lines = [line(job.title, peers, job.at_least, job.aim)]
    if job.against_lightgbm and "LightGBM" in peers:
        lines.append(line(f"{job.title}, plain LightGBM", ["LightGBM"], *job.against_lightgbm))
    return lines


def show_job(job: Job, found: dict[str, Figures]) -> None:
    print(f"\n### {job.title}\n\n| engine | wall s | cpu s | log loss | one row µs |\n|---|--:|--:|--:|--:|")
    for engine, f in found.items():
        one = f"{f['one_row']:.0f}" if "one_row" in f else ""
        print(f"| {engine} | {f['wall']:.4g} | {f['cpu']:.4g} | {f['loss']:.4f} | {one} |", flush=True)
    if OURS not in found:
        return
    print("\n| peer | its twin | peer ÷ twin | by cpu | peer ÷ plain venire | by cpu |\n|---|---|--:|--:|--:|--:|")
    for peer in PEERS:
        twin = twin_of(peer, job)
        if peer in found and twin in found:
            ratios = [found[peer][f] / found[ours][f] for ours in (twin, OURS) for f in ("wall", "cpu")]
            print(f"| {peer} | {twin} | " + " | ".join(f"{ratio:.2f}" for ratio in ratios) + " |", flush=True)


def engines_of(job: Job, peers: list[str]) -> list[str]:
    """Plain venire, the peers that take part in a job, and their twins."""
    taking_part = [peer for peer in peers if competes(peer, job)]
    twins = {OURS, *(twin_of(peer, job) for peer in taking_part)}
    return [engine for engine in ENGINES if engine in twins or engine in taking_part]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="small tables, one turn")
    parser.add_argument("--turns", type=int, default=2)
    parser.add_argument("--jobs", nargs="*", help="only these jobs (quality and frontier are two of them)")
    parser.add_argument("--engines", nargs="*", default=PEERS, help="only these peers")
    parser.add_argument("--plot", type=Path, help="draw the frontier into this file (.svg or .png)")
    run = Run.of("speed-boosting", parser, free=["plot"])
    asked = run.asked
    turns = 1 if asked.quick else asked.turns
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; 2 threads an engine, best of {turns} turns.")
    if shared_module() is None:
        print("bench_data.py is not there: generated tables of the same shapes stand in for D1 to D3.")
    lines: list[Line] = []
    for job in jobs(quick=asked.quick):
        if asked.jobs and job.name not in asked.jobs:
            continue
        once = 1 if job.kind == "adaboost" else turns
        engines = engines_of(job, asked.engines)
        found = take_turns(partial(measured, job=job.name, quick=asked.quick), engines, once)
        show_job(job, found)
        for engine, figures in found.items():
            run.results.add(job.title, engine, **figures)
        lines += compare(job, found)
    if lines:
        show_lines(lines)
    if not asked.jobs or "quality" in asked.jobs:
        measure_quality(asked.engines, run.results, quick=asked.quick)
    if not asked.jobs or "frontier" in asked.jobs:
        on_d1 = partial(measured, job="d1", quick=asked.quick)
        show_frontier(lambda engine, settings: on_d1(engine, settings=settings), asked.plot, run.results)
    run.finish()


if __name__ == "__main__":
    main()
