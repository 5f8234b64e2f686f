"""Forests and trees: venire beside its peers, in one run, two threads each, one at a time.

Each measurement happens in a process of its own; engines take turns, and the best of the turns counts. The page gives
the ratio *fastest peer ÷ venire* by wall time and by processor time (the latter holds on a busy machine), the quality
beside it, peak memory above the input, the exponent of cost in rows, and the price of a busy neighbour.

Full single trees differ more from one training set to the next than from one engine to the next. Their time is that of
one set; their quality is the mean over twelve disjoint sets, the same for every engine, with its standard error, and
engines are compared set by set.

    python -m benchmarks.speed.forest [--quick] [--turns 3] [--jobs d1 tree …] [--engines YDF …]
"""

from __future__ import annotations

import argparse
import math
import os
import statistics
import subprocess
import sys
from functools import partial

from benchmarks.results import Run
from benchmarks.speed.forest_engines import ENGINES, OURS, SKIPPING, competes, same_q
from benchmarks.speed.forest_jobs import Job, jobs, shared_module
from benchmarks.speed.turns import Figures, Line, run_child, show_lines, take_turns

CHILD = "benchmarks.speed.forest_child"
ALLOWED_LOSS = 0.002  # of quality, against the peer we are compared with
BUSY = "while True: pass"


def measured(engine: str, job: str, *, quick: bool, threads: int = 2) -> Figures | None:
    return run_child(CHILD, engine, job, "--threads", str(threads), *["--quick"] * quick)


def judge(found: dict[str, Figures], job: Job, *, quick: bool) -> None:
    """Replaces the quality on the timed set by the mean over all sets, with its standard error, and keeps each."""
    for engine, figures in found.items():
        sets = run_child(CHILD, engine, job.name, "--judge", *["--quick"] * quick)
        if sets is not None:
            figures["quality"], figures["quality_error"] = mean_and_error(list(sets.values()))
            figures |= sets


def mean_and_error(values: list[float]) -> tuple[float, float]:
    return statistics.mean(values), statistics.stdev(values) / math.sqrt(len(values))


def paired(ours: Figures, theirs: Figures) -> str:
    """Our quality minus a peer's, set by set; nothing where there is one set."""
    gaps = [ours[name] - theirs[name] for name in ours if name.startswith("set_") and name in theirs]
    if len(gaps) < 2:
        return ""
    mean, error = mean_and_error(gaps)
    return f" (quality {mean:+.4f} ± {error:.4f} over {len(gaps)} sets)"


def compare(title: str, found: dict[str, Figures], prefix: str, at_least: float, aim: float) -> Line | None:
    """A peer counts unless venire's quality is lower than its by more than is allowed: then the line says so."""
    peers = {engine: figures for engine, figures in found.items() if engine not in {OURS, SKIPPING}}
    if not peers:
        return None
    fastest = min(peers, key=lambda engine: peers[engine][prefix + "wall"])
    ours = found.get(same_q(fastest), found.get(OURS))
    if ours is None:
        return None
    if ours["quality"] < peers[fastest]["quality"] - ALLOWED_LOSS:
        title += " (quality below this peer's!)"
    title += paired(ours, peers[fastest])
    leanest_cpu = min(figures[prefix + "cpu"] for figures in peers.values())
    ratio = peers[fastest][prefix + "wall"] / ours[prefix + "wall"]
    return Line(title, fastest, ratio, leanest_cpu / ours[prefix + "cpu"], at_least, aim)


def show_job(job: Job, found: dict[str, Figures]) -> None:
    print(f"\n### {job.title}\n")
    print("| engine | wall s | cpu s | quality | peak MB | predict wall s | predict cpu s |")
    print("|---|--:|--:|--:|--:|--:|--:|")
    for engine, f in found.items():
        predict = [f"{f[name]:.2f}" if name in f else "" for name in ("predict_wall", "predict_cpu")]
        quality = f"{f['quality']:.4f}" + (f" ± {f['quality_error']:.4f}" if "quality_error" in f else "")
        cells = [f"{f['wall']:.4g}", f"{f['cpu']:.4g}", quality, f"{f['peak'] / 1e6:.1f}", *predict]
        print(f"| {engine} | {' | '.join(cells)} |", flush=True)


def show_growth_in_rows(*, quick: bool) -> None:
    sizes = [10_000, 30_000, 100_000] if quick else [100_000, 1_000_000, 10_000_000]
    print("\n### Cost against rows (forest of 4 full trees, D1, 2 threads)\n")
    print("| rows | wall s | cpu s | peak MB |\n|--:|--:|--:|--:|")
    cpu = []
    for rows in sizes:
        figures = measured(OURS, str(rows), quick=quick)
        if figures is None:
            return
        cpu.append(figures["cpu"])
        print(f"| {rows:,} | {figures['wall']:.2f} | {figures['cpu']:.2f} | {figures['peak'] / 1e6:.0f} |", flush=True)
    exponent = math.log(cpu[-1] / cpu[0]) / math.log(sizes[-1] / sizes[0])
    print(f"\nExponent of processor time in rows: {exponent:.2f}. A full tree is log(rows) deep: 1.1 is natural.")


def show_busy_neighbour(*, quick: bool) -> None:
    """One neighbour that keeps a core busy; with two cores, our two threads then share the other."""
    print("\n### Next to a process that keeps one core busy (forest, D1)\n")
    neighbour = subprocess.Popen([sys.executable, "-c", BUSY])
    try:
        turns: dict[int, list[float]] = {1: [], 2: []}
        for _ in range(2):
            for threads, walls in turns.items():
                figures = measured(OURS, "d1", quick=quick, threads=threads)
                walls.append(figures["wall"] if figures else math.nan)
    finally:
        neighbour.kill()
        neighbour.wait()
    one, two = min(turns[1]), min(turns[2])
    print(f"one thread {one:.2f} s, two threads {two:.2f} s: ratio {two / one:.2f} (must stay below 1.3)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="small tables, one turn")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--jobs", nargs="*", help="only these jobs")
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), help="only these engines (and venire)")
    parser.add_argument("--ratios-only", action="store_true", help="leave out the rows and the neighbour")
    run = Run.of("speed-forest", parser)
    asked = run.asked
    turns = 1 if asked.quick else asked.turns
    engines = [engine for engine in ENGINES if engine in {OURS, SKIPPING, *asked.engines}]
    load = os.getloadavg()[0]
    print(f"{os.cpu_count()} processors, load {load:.1f}; 2 threads an engine, best of {turns} turns.")
    if shared_module() is None:
        print("bench_data.py is not there: generated tables of the same shapes stand in for D1 and D3.")
    lines: list[Line | None] = []
    for job in jobs(quick=asked.quick):
        if asked.jobs and job.name not in asked.jobs:
            continue
        in_it = [engine for engine in engines if competes(engine, job)]
        found = take_turns(partial(measured, job=job.name, quick=asked.quick), in_it, turns)
        if job.sets > 1:
            judge(found, job, quick=asked.quick)
        show_job(job, found)
        for engine, figures in found.items():
            run.results.add(job.title, engine, **figures)
        lines.append(compare(job.title, found, "", job.at_least, job.aim))
        if job.predict_rows:
            title = f"predicting {job.predict_rows:,} rows, {job.trees} trees"
            lines.append(compare(title, found, "predict_", job.at_least_predict, job.aim_predict))
    show_lines([line for line in lines if line])
    if not asked.ratios_only:
        show_growth_in_rows(quick=asked.quick)
        show_busy_neighbour(quick=asked.quick)
    run.finish()


if __name__ == "__main__":
    main()
