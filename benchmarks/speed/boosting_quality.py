"""Is the log loss no worse than a peer's? Paired differences over many partings or draws, with their standard errors.

    python benchmarks/speed/boosting_quality.py [--quick] [--engines LightGBM …]

One fit does not say which of two boostings is better: a near tie that falls the other way changes all that follows, and
small tables have a few dozen rows to test. So every engine fits the same parts and differences are taken part by part:
stratified partings of the small tables, and of D1 to D3 draws of rows, stretches of one long table whose rows come in
random order. Partings share rows, so their standard errors are on the small side.

Everything is as in the speed benchmark: 100 rounds of 31 leaves, 255 bins, rate 0.1, no rows left out. Two peers differ
in what that means, and are compared a second time on equal terms (decision 18). With K > 2 classes scikit-learn's steps
are K / (K − 1) times as long as those of venire and LightGBM at the same rate; "equal steps" shortens its rate by that.
LightGBM's quantised mode rounds gradients at random, which serves it as drawing rows would; "half the rows" is venire
with chance of its own. XGBoost has penalties of its own by default (λ = 1, a least hessian of 1 in a leaf).
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from boosting_child import loss_of, parted
from boosting_engines import ENGINES, OURS
from boosting_jobs import Job, Table, jobs
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split
from turns import Figures, run_child

ALLOWED = 0.002
PARTINGS = {"cancer": 40, "wine": 150, "digits": 12}
DRAWS = {"d1": (4, 125_000), "d2": (4, 50_000), "d3": (5, 80_000)}  # how many, of how many rows
Settings = Callable[[int], dict[str, Any] | None]  # by the number of classes; None: does not take part


@dataclass(frozen=True)
class Contestant:
    engine: str
    settings: Settings = lambda classes: {}


def _equal_steps(classes: int) -> dict[str, Any] | None:
    return {"learning_rate": 0.1 * (classes - 1) / classes} if classes > 2 else None


HALF, EQUAL, QUANTISED = "venire, half the rows", "scikit-learn, equal steps", "LightGBM, quantised"
CONTESTANTS = {
    **{name: Contestant(name) for name in (OURS, "LightGBM", QUANTISED, "XGBoost", "scikit-learn", "CatBoost")},
    HALF: Contestant(OURS, lambda classes: {"subsample": 0.5}),
    EQUAL: Contestant("scikit-learn", _equal_steps),
}
PAIRS = [
    *((OURS, peer) for peer in ("LightGBM", QUANTISED)),
    (HALF, QUANTISED),
    *((OURS, peer) for peer in ("XGBoost", "scikit-learn", EQUAL, "CatBoost")),
]
OTHER_MODEL = {"CatBoost"}  # symmetric trees, for information


def draws_of(job: Job, *, quick: bool) -> tuple[int, int]:
    draws, rows = DRAWS[job.name]
    return draws, rows // 10 if quick else rows


def parts_of(job: Job, *, quick: bool) -> Iterator[tuple[Table, Table]]:
    """What to fit and what to test, the same for every engine."""
    if job.kind == "small":
        table = job.table()
        for seed in range(10 if quick else PARTINGS[job.name]):
            sides = train_test_split(np.arange(len(table.y)), test_size=0.2, stratify=table.y, random_state=seed)
            fit, test = (Table(table.x[side], table.y[side], table.categorical) for side in sides)
            yield fit, test
        return
    draws, rows = draws_of(job, quick=quick)
    table = job.make(draws * rows)
    for first in range(0, draws * rows, rows):
        here = slice(first, first + rows)
        yield parted(Table(table.x[here], table.y[here], table.categorical))


def losses(name: str, *, quick: bool, threads: int) -> Figures:
    """The loss of one contestant on every part of every table."""
    contestant, found = CONTESTANTS[name], {}
    for job in jobs(quick=quick):
        if job.kind not in ("fit", "small"):
            continue
        for part, (fit, test) in enumerate(parts_of(job, quick=quick)):
            settings = contestant.settings(len(np.unique(fit.y)))
            if settings is None:
                break
            model = ENGINES[contestant.engine](job, fit, threads, **settings)
            found[f"{job.name}/{part}"] = loss_of(model, test)
    return found


def _title(job: Job, *, quick: bool) -> str:
    return job.title if job.kind == "small" else f"{job.name.upper()}, {draws_of(job, quick=quick)[1]:,} rows"


def _line(figures: Figures, job: str) -> NDArray[np.float64]:
    return np.array([loss for key, loss in figures.items() if key.split("/")[0] == job])


def verdict(difference: float, error: float) -> str:
    """Is ours no worse, as far as the parts can tell?

    >>> verdict(0.001, 0.003), verdict(0.005, 0.003), verdict(0.005, 0.001)
    ('no worse', 'open', 'worse')
    """
    if difference <= ALLOWED:
        return "no worse"
    return "open" if difference - 2 * error <= ALLOWED else "worse"


def show_quality(found: dict[str, Figures], *, quick: bool) -> None:
    print(f"\n### Log loss beside each peer: no worse by more than {ALLOWED}?\n")
    print("| job | parts | ours | peer | loss | peer's | ours − peer's | ± | |\n|---|--:|---|---|--:|--:|--:|--:|---|")
    for job in jobs(quick=quick):
        for ours, peer in PAIRS:
            one, other = (_line(found.get(name, {}), job.name) for name in (ours, peer))
            if len(one) == 0 or len(other) == 0:
                continue
            gap = one - other
            error = gap.std(ddof=1) / math.sqrt(len(gap))
            word = "(another model)" if peer in OTHER_MODEL else verdict(gap.mean(), error)
            numbers = f"{one.mean():.4f} | {other.mean():.4f} | {gap.mean():+.4f} | {error:.4f}"
            print(f"| {_title(job, quick=quick)} | {len(gap)} | {ours} | {peer} | {numbers} | {word} |", flush=True)


def measure_quality(engines: list[str], *, quick: bool, threads: int = 2) -> None:
    """Every contestant of these engines in a process of its own, then the page."""
    # Nothing is timed here, so threads may as well sleep while they wait: on a busy machine that is much faster.
    environment = {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    options = ["--threads", str(threads), *["--quick"] * quick]
    found = {}
    for name, contestant in CONTESTANTS.items():
        if contestant.engine not in engines:
            continue
        figures = run_child(Path(__file__), name, "all", *options, environment=environment)
        if figures is not None:
            found[name] = figures
    show_quality(found, quick=quick)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="small draws, ten partings")
    parser.add_argument("--engines", nargs="*", default=list(ENGINES), help="only these engines (and venire)")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--engine", choices=CONTESTANTS, help="only this contestant, its losses as JSON")
    parser.add_argument("--job", help="of every job, whatever is said here: the benchmarks' children take one")
    asked = parser.parse_args()
    if asked.engine:
        print(json.dumps(losses(asked.engine, quick=asked.quick, threads=asked.threads)))
    else:
        measure_quality([OURS, *asked.engines], quick=asked.quick, threads=asked.threads)


if __name__ == "__main__":
    main()
