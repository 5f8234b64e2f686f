"""Would more rows help? The claim held against tables of twice the rows, with the choice of a setting inside.

    python -m benchmarks.honesty.growing [--repetitions 200] [--first-seed 0] [--jobs 1] [--results FILE]

For every outer fold a setting is chosen on the other folds and judged on it, with models that left out one fold and
two. That gives what twice the rows would take off the error, with an interval, as a verdict has it. What they do take
off is known from tables that have so many. Counted is how often the interval holds it, how often it is said that rows
help, and how often that they do not: that less than a hundredth of the error can be won.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.honesty.metric_learners import LEARNERS
from benchmarks.honesty.metric_problems import DEVELOPMENT, Draw
from benchmarks.honesty.metric_proof import PROOF
from benchmarks.honesty.metric_tables import predictions
from benchmarks.honesty.records import complete, read
from benchmarks.results import Run
from venire.data.table import Task
from venire.inference import growth
from venire.metrics.all_rows import all_rows
from venire.metrics.scores import Metric, metric

Floats = NDArray[np.float64]
Record = dict[str, Any]
FIELDS = ("problem", "n", "seed")
FRESH, FOLDS, LITTLE, SURE = 1000, 10, 0.01, 0.95
SIZES = (60, 120, 240, 480)


@dataclass(frozen=True)
class Course:
    """A way to draw tables, the settings to choose from, and the metrics."""

    draw: Draw
    settings: tuple[tuple[str, slice], ...]
    metrics: tuple[str, ...]


_ALL, _TWO, _THREE = slice(None), slice(0, 2), slice(0, 3)
_CLASSES = (("naive_bayes", _TWO), ("naive_bayes", _ALL), ("logistic", _TWO), ("logistic", _ALL))
_NUMBERS = (("linear", _TWO), ("linear", _THREE), ("linear", _ALL))
_BOTH = ("error", "log_loss", "auc")
COURSES: dict[str, Course] = {
    "straight boundary": Course(DEVELOPMENT["straight boundary"].draw, _CLASSES, _BOTH),
    "nothing to learn": Course(DEVELOPMENT["nothing to learn"].draw, _CLASSES, _BOTH),
    "ten questions": Course(PROOF["ten questions"].draw, _CLASSES, _BOTH),
    "ring": Course(PROOF["ring"].draw, _CLASSES, _BOTH),
    "heavy tails": Course(DEVELOPMENT["heavy tails"].draw, _NUMBERS, ("rmse", "mae")),
    "noise of gamma": Course(PROOF["noise of gamma"].draw, _NUMBERS, ("rmse", "mae")),
}


def work(key: tuple[Any, ...]) -> Record:
    """One table, by every metric: what is said of twice the rows, and the figure on fresh rows."""
    name, n, seed = key
    course = COURSES[name]
    rng = np.random.default_rng([19_000 + list(COURSES).index(name), n, seed])
    while True:
        X, y, _ = course.draw(n, rng)
        folds = rng.permutation(n) % FOLDS
        classes = 0 if y.dtype.kind == "f" else 2
        if not classes or min(len(np.unique(folds[y == code])) for code in range(2)) >= 3:
            break
    fresh_X, fresh_y, _ = course.draw(FRESH, rng)
    twice = list(combinations(range(FOLDS), 2))
    used = np.array(
        [folds != k for k in range(FOLDS)] + [(folds != i) & (folds != j) for i, j in twice], dtype=np.float64
    )
    single, pairs, fresh = [], [], []
    at = seed % FOLDS
    for learner, columns in course.settings:
        fitted = LEARNERS[learner](X[:, columns], y, used, classes)
        said = fitted(X[:, columns], slice(None))
        single.append(said[folds, np.arange(n)])
        without = np.full((FOLDS, *said.shape[1:]), np.nan)  # [other fold, row, output]
        for outputs, (i, j) in zip(said[FOLDS:], twice, strict=True):
            without[j, folds == i], without[i, folds == j] = outputs[folds == i], outputs[folds == j]
        pairs.append(without)
        fresh.append(fitted(fresh_X[:, columns], [at])[0])
    task = Task.CLASSIFICATION if classes else Task.REGRESSION
    found = {}
    for label in course.metrics:
        measure = metric(label, task, positive=1 if classes else None)
        found[label] = _said(
            measure,
            y,
            folds,
            single=single,
            pairs=pairs,
            fresh=fresh,
            fresh_y=fresh_y,
            at=at,
            classes=classes,
        )
    return {"problem": name, "n": n, "seed": seed, "metrics": found}


def _said(
    measure: Metric,
    y: NDArray[Any],
    folds: NDArray[np.intp],
    single: Sequence[Floats],
    pairs: Sequence[Floats],
    fresh: Sequence[Floats],
    fresh_y: NDArray[Any],
    at: int,
    classes: int,
) -> list[float]:
    """Gain, its ends, the probability that rows help, the error; and the fresh figure of one fold's choice."""
    chosen = []
    for i in range(FOLDS):
        others = folds != i
        inner = [
            all_rows(measure, y[others], predictions(measure, each[i][others], classes), folds[others]).base
            for each in pairs
        ]
        chosen.append(int(np.argmin(inner)))
    taken = np.array(chosen)[folds]
    outer = np.stack(single)[taken, np.arange(len(y))]
    one = all_rows(measure, y, predictions(measure, outer, classes), folds)
    rows: list[NDArray[np.intp]] = []
    fold_of: list[NDArray[np.intp]] = []
    apart: list[NDArray[np.intp]] = []
    outputs: list[Floats] = []
    for i in range(FOLDS):
        own = np.flatnonzero(folds == i)
        for j in (k for k in range(FOLDS) if k != i):
            rows.append(own)
            fold_of.append(np.full(len(own), i))
            apart.append(np.full(len(own), len(apart)))
            outputs.append(pairs[chosen[i]][j][own])
    together = np.concatenate(rows)
    said = predictions(measure, np.concatenate(outputs), classes)
    two = all_rows(measure, y[together], said, np.concatenate(apart)).by_fold(np.concatenate(fold_of), FOLDS)
    curve = growth(one.by_fold(folds, FOLDS), two, rows=len(y), folds=FOLDS, lowest=0.0, shown=one.value)
    gain = curve.gain()
    truth = all_rows(
        measure, fresh_y, predictions(measure, fresh[chosen[at]], classes), np.zeros(len(fresh_y), dtype=np.intp)
    )
    told = (gain.value, gain.low, gain.high, curve.p_helps(LITTLE * one.value), one.value, truth.base)
    return [float(f"{value:.6g}") for value in told]


def print_growing(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    """The table as Markdown, and its figures."""
    parted: dict[tuple[str, int, str], list[list[float]]] = {}
    for record in records:
        for label, told in record["metrics"].items():
            parted.setdefault((record["problem"], record["n"], label), []).append(told)
    truth = {}
    for key, part in parted.items():
        mean = float(np.mean([told[5] for told in part]))
        truth[key] = float(np.sqrt(mean)) if key[2] == "rmse" else mean
    print(
        "| problem | rows | metric | tables | error | twice the rows take off | foreseen | interval holds "
        "| no interval | says they help | says they do not |"
    )
    print("|---|--:|---|--:|--:|--:|--:|--:|--:|--:|--:|")
    found = {}
    for (problem, n, label), part in parted.items():
        if (problem, 2 * n, label) not in truth:
            continue
        told = np.array(part, dtype=np.float64)
        real = truth[problem, n, label] - truth[problem, 2 * n, label]
        possible = max(real, 0.0)  # the interval is cut to what more rows can do
        given = ~np.isnan(told[:, 1])
        holds = float(np.mean((told[given, 1] <= possible) & (possible <= told[given, 2]))) if given.any() else np.nan
        helps = float(np.mean(told[:, 3] > SURE))
        no = float(np.mean(told[given, 2] <= LITTLE * told[given, 4])) if given.any() else 0.0
        print(
            f"| {problem} | {n} | {label} | {len(part)} | {truth[problem, n, label]:.4g} | {real:+.4f} "
            f"| {np.mean(told[:, 0]):.4f} | {100 * holds:.1f} % | {100 * np.mean(~given):.0f} % | {100 * helps:.0f} % "
            f"| {100 * no:.0f} % |"
        )
        found[f"{problem}, {n} rows, {label}"] = {"holds": holds, "helps": helps, "no": no, "gain": real}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("build/honesty/growing.jsonl"))
    run = Run.of("honesty-growing", parser, free=["jobs", "results"])
    asked = run.asked
    seeds = range(asked.first_seed, asked.first_seed + asked.repetitions)
    keys = [(name, n, seed) for seed in seeds for name in COURSES for n in SIZES]
    complete(asked.results, keys, FIELDS, work, asked.jobs)
    wanted = set(keys)
    records = [record for record in read(asked.results) if tuple(record[field] for field in FIELDS) in wanted]
    for job, figures in print_growing(records).items():
        run.results.add(job, "venire", **figures)
    run.finish()


if __name__ == "__main__":
    main()
