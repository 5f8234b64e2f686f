"""Would more rows help? The claim held against tables of twice the rows, with the choice of a setting inside.

    python -m benchmarks.honesty.growing [--set proof] [--repetitions 200] [--first-seed 0] [--jobs 1]
                                         [--results FILE]

For every outer fold a setting is chosen on the other folds and judged on it, with models that left out one fold and
two. That gives what twice the rows would take off the error, with an interval, as a verdict has it. What they do take
off is known from tables that have so many. Counted is how often the interval holds it, how often it is said that rows
help, and how often that they do not: that less than a hundredth of the error can be won.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.honesty.fold_tables import FOLDS, Floats, FoldTable, Learner, fold_table, run_tables
from benchmarks.honesty.metric_problems import DEVELOPMENT, Draw
from benchmarks.honesty.metric_proof import PROOF
from benchmarks.honesty.metric_tables import predictions
from venire.inference import growth
from venire.metrics.all_rows import all_rows
from venire.metrics.scores import Metric

Record = dict[str, Any]
FIELDS = ("problem", "n", "seed")
LITTLE, SURE = 0.01, 0.95
SIZES = (60, 120, 240, 480)
_STREAM = 19_000


@dataclass(frozen=True)
class Course:
    """A way to draw tables, the settings to choose from, and the metrics."""

    draw: Draw
    settings: tuple[Learner, ...]
    metrics: tuple[str, ...]
    proof: bool


_ALL, _TWO, _THREE = slice(None), slice(0, 2), slice(0, 3)
_CLASSES = (("naive_bayes", _TWO), ("naive_bayes", _ALL), ("logistic", _TWO), ("logistic", _ALL))
_NUMBERS = (("linear", _TWO), ("linear", _THREE), ("linear", _ALL))
_BOTH = ("error", "log_loss", "auc")
COURSES: dict[str, Course] = {
    "straight boundary": Course(DEVELOPMENT["straight boundary"].draw, _CLASSES, _BOTH, proof=False),
    "nothing to learn": Course(DEVELOPMENT["nothing to learn"].draw, _CLASSES, _BOTH, proof=False),
    "ten questions": Course(PROOF["ten questions"].draw, _CLASSES, _BOTH, proof=True),
    "ring": Course(PROOF["ring"].draw, _CLASSES, _BOTH, proof=True),
    "heavy tails": Course(DEVELOPMENT["heavy tails"].draw, _NUMBERS, ("rmse", "mae"), proof=False),
    "noise of gamma": Course(PROOF["noise of gamma"].draw, _NUMBERS, ("rmse", "mae"), proof=True),
}


def work(key: tuple[Any, ...]) -> Record:
    """One table, by every metric: what is said of twice the rows, and the figure on fresh rows."""
    name, n, seed = key
    course = COURSES[name]
    stream = _STREAM + list(COURSES).index(name)
    # The same fresh rows for tables of all sizes: what more rows take off is known better than either figure.
    table = fold_table(course.draw, n, [stream, n, seed], in_folds=3, fresh=[stream, 0, seed])
    folds = table.fold_of
    twice = list(combinations(range(FOLDS), 2))
    used = np.array(
        [folds != k for k in range(FOLDS)] + [(folds != i) & (folds != j) for i, j in twice], dtype=np.float64
    )
    single, pairs, fresh = [], [], []
    for learner in course.settings:
        model = table.fitted(learner, used)
        said = model(table.X, slice(None))
        single.append(said[folds, np.arange(n)])
        without = np.full((FOLDS, *said.shape[1:]), np.nan)  # [other fold, row, output]
        for outputs, (i, j) in zip(said[FOLDS:], twice, strict=True):
            without[j, folds == i], without[i, folds == j] = outputs[folds == i], outputs[folds == j]
        pairs.append(without)
        fresh.append(model(table.fresh_X, [seed % FOLDS])[0])
    known = table.measures(course.metrics)
    found = {name: _said(one, table, single, pairs=pairs, fresh=fresh, at=seed % FOLDS) for name, one in known.items()}
    return {"problem": name, "n": n, "seed": seed, "metrics": found}


def _said(
    measure: Metric,
    table: FoldTable,
    single: Sequence[Floats],
    *,
    pairs: Sequence[Floats],
    fresh: Sequence[Floats],
    at: int,
) -> list[float]:
    """Gain, its ends, the probability that rows help, the error; and the fresh figure of one fold's choice."""
    y, folds, classes = table.y, table.fold_of, table.classes
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
    truth = table.on_fresh_rows(measure, fresh[chosen[at]])
    told = (gain.value, gain.low, gain.high, curve.p_helps(LITTLE * one.value), one.value, truth)
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
    run_tables(
        "growing",
        __doc__,
        fields=FIELDS,
        keys=lambda asked, seeds: [
            (name, n, seed)
            for seed in seeds
            for name, course in COURSES.items()
            for n in SIZES
            if asked.set is None or course.proof == (asked.set == "proof")
        ],
        work=work,
        show=print_growing,
        arguments=lambda parser: parser.add_argument("--set", choices=["development", "proof"], default=None),
    )


if __name__ == "__main__":
    main()
