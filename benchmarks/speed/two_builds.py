"""Dense jobs by this build and by another one, of an earlier commit: does what was added cost those who do not use it?

    python -m benchmarks.speed.two_builds OTHER/.venv/bin/python [--turns 3] [--quick] [--jobs forest:d1 …]

The jobs are those of the benchmarks of forests and boosting, measured by their children in processes of their own,
which take turns; the best of the turns counts, by wall and by processor time. Both builds run this checkout's
measuring code. A ratio above 1 says that this build is slower. With `--peers`, LightGBM and scikit-learn take part
where they can.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

from benchmarks.results import Run
from benchmarks.speed.turns import Figures, run_child, take_turns

CHILDREN = {"forest": "benchmarks.speed.forest_child", "boosting": "benchmarks.speed.boosting_child"}
JOBS = (
    *("forest:d1", "forest:d3", "forest:cancer", "forest:digits"),
    *("boosting:d2", "boosting:d3", "boosting:cancer", "boosting:digits", "boosting:adaboost", "boosting:predict"),
)
THIS, OTHER = "this build", "the other"
PEERS = {"forest": ("scikit-learn",), "boosting": ("LightGBM", "scikit-learn")}


def measured(subject: str, *, job: str, other: str, options: list[str]) -> Figures | None:
    """One child: our engine under one of two interpreters, or a peer under this one."""
    kind, name = job.split(":")
    engine = "venire" if subject in (THIS, OTHER) else subject
    python = other if subject == OTHER else sys.executable
    return run_child(CHILDREN[kind], engine, name, *options, environment={"OMP_NUM_THREADS": "2"}, python=python)


def row(job: str, found: dict[str, Figures], figure: str) -> str:
    """One line of the table: seconds of both, their ratio, and peers."""
    ours, before = found[THIS][figure], found[OTHER][figure]
    peers = ", ".join(f"{name} {of[figure]:.3g}" for name, of in found.items() if name not in (THIS, OTHER))
    return f"| {job}, {figure.replace('_', ' ')} | {before:.4g} | {ours:.4g} | {ours / before:.3f} | {peers} |"


def main() -> None:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", help="the Python in whose environment the other build is")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--quick", action="store_true", help="tables of a tenth or less")
    parser.add_argument("--jobs", nargs="*", default=list(JOBS), choices=JOBS)
    parser.add_argument("--peers", action="store_true", help="LightGBM and scikit-learn as well")
    run = Run.of("speed-two-builds", parser, free=("other",))
    asked = run.asked
    print("| job | the other | this build | ratio | peers |\n|---|--:|--:|--:|---|")
    for job in asked.jobs:
        options = ["--quick"] * asked.quick
        subjects = [OTHER, THIS, *(PEERS[job.split(":")[0]] if asked.peers else ())]
        found = take_turns(partial(measured, job=job, other=asked.other, options=options), subjects, asked.turns)
        for figure in ("wall", "cpu", "predict_wall", "peak", "one_row"):
            if figure in found[THIS]:
                print(row(job, found, figure), flush=True)
        for subject, figures in found.items():
            run.results.add(job, subject, **figures)
    run.finish()


if __name__ == "__main__":
    main()
