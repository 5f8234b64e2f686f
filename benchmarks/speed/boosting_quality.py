"""Is the log loss no worse than a peer's? Paired differences over many parts, with their standard errors.

    python -m benchmarks.speed.boosting_quality [--quick] [--patience 5] [--engines LightGBM …] [--jobs d3 …]

One fit does not say which of two boostings is better: a near tie that falls the other way changes all that follows, and
small tables have a few dozen rows to test. So engines fit the same parts and differences are taken part by part. A part
of D1 to D3 is a draw of rows, a stretch of one long table whose rows come in random order; a part of a small table is
one repeat of stratified five-fold cross-validation. Parts are added until the standard error of the difference is at
most 0.001: the error alone decides, never the difference. Where it is not reached within the most parts, the page says
so; `--patience` allows so many times as many repeats of the small tables. The draws are independent tables, but repeats
share all rows: their error says how well the mean over all partings of this one table is known, not what another table
of its kind would give, for which it is too small.

Everything is as in the speed benchmark: 100 rounds of 31 leaves, 255 bins, rate 0.1, no rows left out. A peer to which
that means something else is compared with its twin, a venire that means the same (`boosting_engines.py`), and with the
plain one for information. LightGBM is met twice on small tables: with bins as small as ours, and as it comes, for
information, because its bins there are others.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import StratifiedKFold

from benchmarks.results import Results, Run
from benchmarks.speed.boosting_child import loss_of, parted
from benchmarks.speed.boosting_engines import ENGINES, OURS, PEERS, SAME_BINS, competes, twin_of
from benchmarks.speed.boosting_jobs import Job, Table, jobs
from benchmarks.speed.turns import Figures, run_child

ALLOWED = 0.002
WANTED_ERROR = 0.001
FOLDS = 5
FEW_ROWS = 1000  # of a table: below, threads only wait for each other
REPEATS = {"cancer": (10, 100), "wine": (10, 200), "digits": (5, 8)}  # of the folds: the fewest and the most
DRAWS = {"d1": (6, 10), "d2": (6, 12), "d3": (6, 12)}
DRAWN_ROWS = {"d1": 125_000, "d2": 50_000, "d3": 80_000}
OTHER_MODEL = {"CatBoost"}  # symmetric trees, for information
OTHER_BINS = {"LightGBM", "LightGBM, quantised"}  # on small tables
Losses = NDArray[np.float64]
Part = list[tuple[Table, Table]]  # what to fit and what to test; the loss of a part is their mean


def drawn_rows(job: Job, *, quick: bool) -> int:
    return DRAWN_ROWS[job.name] // (10 if quick else 1)


def bounds_of(job: Job, peer: str, *, quick: bool, patience: int) -> tuple[int, int]:
    """The fewest parts and the most."""
    fewest, most = DRAWS[job.name] if job.kind != "small" else REPEATS[job.name]
    if quick or peer in OTHER_MODEL:
        return (2, 2) if quick else (fewest, fewest)
    return fewest, most * (patience if job.kind == "small" else 1)


def parts_of(job: Job, most: int, *, quick: bool) -> Iterator[Part]:
    """The same for every engine."""
    if job.kind == "small":
        table = job.table()
        for seed in range(most):
            folds = StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(table.x, table.y)
            yield [(_rows(table, fit), _rows(table, test)) for fit, test in folds]
        return
    rows = drawn_rows(job, quick=quick)
    table = job.make(DRAWS[job.name][1] * rows)  # however many are asked: a longer table would be another one
    for part in range(most):
        yield [parted(_rows(table, slice(part * rows, (part + 1) * rows)))]


def _rows(table: Table, which: slice | NDArray[np.intp]) -> Table:
    return Table(table.x[which], table.y[which], table.categorical)


def losses(peer: str, job: Job, *, quick: bool, threads: int, patience: int) -> dict[str, list[float]]:
    """Of the peer, its twin and plain venire, part by part, until the difference to the twin is known well enough."""
    fewest, most = bounds_of(job, peer, quick=quick, patience=patience)
    twin = twin_of(peer, job)
    found: dict[str, list[float]] = {engine: [] for engine in (peer, twin, OURS)}
    for number, part in enumerate(parts_of(job, most, quick=quick)):
        for engine, kept in found.items():
            # Seeds change with the parts: chance is then in the error, and no engine has one lucky seed for all.
            models = (ENGINES[engine](job, fit, threads, random_state=number) for fit, _ in part)
            kept.append(float(np.mean([loss_of(model, test) for model, (_, test) in zip(models, part, strict=True)])))
        if len(found[peer]) >= fewest and error_of(np.subtract(found[twin], found[peer])) <= WANTED_ERROR:
            break
    return found


def error_of(gap: Losses) -> float:
    return float(gap.std(ddof=1)) / math.sqrt(len(gap))


def verdict(difference: float, error: float) -> str:
    """Is ours no worse, as far as the parts can tell?

    >>> verdict(0.001, 0.003), verdict(0.005, 0.003), verdict(0.005, 0.001)
    ('no worse', 'open', 'worse')
    """
    if difference <= ALLOWED:
        return "no worse"
    return "open" if difference - 2 * error <= ALLOWED else "worse"


def show_pair(job: Job, peer: str, found: dict[str, Losses], results: Results, *, quick: bool) -> None:
    """A line for the twin, and where that is another model one for the plain venire."""
    title = job.title if job.kind == "small" else f"{job.name.upper()}, {drawn_rows(job, quick=quick):,} rows"
    twin = twin_of(peer, job)
    for ours in dict.fromkeys((twin, OURS)):
        gap = found[ours] - found[peer]
        error = error_of(gap)
        word = "(another model)" if peer in OTHER_MODEL else verdict(gap.mean(), error)
        if ours != twin or (peer in OTHER_BINS and job.kind == "small"):
            word += ", for information"
        elif peer not in OTHER_MODEL and error > WANTED_ERROR:
            word += f"; error above {WANTED_ERROR} after the most parts"
        numbers = f"{found[ours].mean():.4f} | {found[peer].mean():.4f} | {gap.mean():+.4f} | {error:.4f}"
        print(f"| {title} | {len(gap)} | {ours} | {peer} | {numbers} | {word} |", flush=True)
        results.add(title, f"{ours} − {peer}", log_loss=gap.mean(), standard_error=error, parts=len(gap))


def measure_quality(
    peers: list[str],
    results: Results,
    *,
    quick: bool,
    threads: int = 2,
    patience: int = 1,
    only: list[str] | None = None,
) -> None:
    """Every pair on every table in a process of its own, a line as soon as it is known."""
    # Nothing is timed here, so threads may as well sleep while they wait: on a busy machine that is much faster.
    environment = {"OMP_NUM_THREADS": str(threads), "OMP_WAIT_POLICY": "passive"}
    print(f"\n### Log loss beside each peer: no worse by more than {ALLOWED}?\n")
    print("| job | parts | ours | peer | loss | peer's | ours − peer's | ± | |\n|---|--:|---|---|--:|--:|--:|--:|---|")
    for job in jobs(quick=quick):
        if job.kind not in ("fit", "small") or (only and job.name not in only):
            continue
        in_use = 1 if job.rows < FEW_ROWS else threads
        options = ["--threads", str(in_use), "--patience", str(patience), *["--quick"] * quick]
        for peer in peers:
            if not (competes(peer, job) or (peer in SAME_BINS and job.kind == "small")):
                continue
            figures = run_child("benchmarks.speed.boosting_quality", peer, job.name, *options, environment=environment)
            if figures is not None:
                show_pair(job, peer, _by_engine(figures), results, quick=quick)


def _flat(found: dict[str, list[float]]) -> Figures:
    return {f"{engine}/{part}": loss for engine, kept in found.items() for part, loss in enumerate(kept)}


def _by_engine(figures: Figures) -> dict[str, Losses]:
    engines = dict.fromkeys(key.split("/")[0] for key in figures)
    return {name: np.array([loss for key, loss in figures.items() if key.split("/")[0] == name]) for name in engines}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="small draws, two parts each")
    parser.add_argument("--engines", nargs="*", default=PEERS, help="only these peers")
    parser.add_argument("--jobs", nargs="*", help="only these jobs")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--patience", type=int, default=1, help="so many times as many repeats of small tables at most")
    parser.add_argument("--engine", choices=PEERS, help="only this peer, on --job, and its losses as JSON")
    parser.add_argument("--job")
    run = Run.of("speed-boosting-quality", parser, free=["threads", "engine", "job"])
    asked = run.asked
    settings = {"quick": asked.quick, "threads": asked.threads, "patience": asked.patience}
    if asked.engine:
        job = next(job for job in jobs(quick=asked.quick) if job.name == asked.job)
        print(json.dumps(_flat(losses(asked.engine, job, **settings))))
    else:
        measure_quality(asked.engines, run.results, **settings, only=asked.jobs)
        run.finish()


if __name__ == "__main__":
    main()
