"""Do intervals hold where rows of a table are copies of one another?

    python -m benchmarks.honesty.copied_rows [--set proof] [--repetitions 200] [--first-seed 0] [--jobs 1]
                                             [--results FILE]

Tables of which a part of the rows is there two to four times. Copies share a fold, as venire deals them, and count as
one row in the interval. It should hold the figure of models trained on such tables, on fresh rows that are copies of
nothing. Beside it stands what comes of taking copies for rows of their own.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.honesty.every_metric import NEEDED, SQUARES
from benchmarks.honesty.fold_tables import FOLDS, FoldTable, Learner, fold_table, run_tables
from benchmarks.honesty.metric_problems import DEVELOPMENT, NUMBERS
from benchmarks.honesty.metric_proof import PROOF
from benchmarks.honesty.metric_tables import predictions
from venire.inference import RowsTested, row_figure

Record = dict[str, Any]
FIELDS = ("set", "problem", "n", "seed")
COPIED, MOST_COPIES = 0.4, 4
ROWS = 150  # different ones
METRICS = ("error", "balanced_error", "log_loss", "brier", "auc", "f1")
PROBLEMS = {
    "development": {name: DEVELOPMENT[name] for name in ("straight boundary", "10 % positive", "normal noise")},
    "proof": {name: PROOF[name] for name in ("ring", "ten questions", "12 % positive", "noise of gamma")},
}
_STREAM = {"development": 29_000, "proof": 31_000}


def work(key: tuple[Any, ...]) -> Record:
    """One table with copies, by every metric: the figure, its ends with and without joining copies, and the truth."""
    which, name, n, seed = key
    problem = PROBLEMS[which][name]
    stream = [_STREAM[which] + list(PROBLEMS[which]).index(name), n, seed]
    table = fold_table(problem.draw, n, stream, in_folds=3)
    rng = np.random.default_rng([*stream, 1])
    times = np.where(rng.random(n) < COPIED, rng.integers(2, MOST_COPIES + 1, n), 1)
    cases = np.repeat(np.arange(n), times)
    copied = FoldTable(
        table.X[cases], table.y[cases], table.fold_of[cases], table.fresh_X, table.fresh_y, table.classes
    )
    names = NUMBERS if problem.metrics == NUMBERS else METRICS
    found = _figures(copied, (problem.learner, slice(None)), names, cases, seed % FOLDS)
    return {"set": which, "problem": name, "n": n, "seed": seed, "metrics": found}


def _figures(
    table: FoldTable, learner: Learner, names: Sequence[str], cases: NDArray[np.intp], at: int
) -> dict[str, list[float]]:
    folds = table.fold_of
    twice = list(combinations(range(FOLDS), 2))
    used = [folds != k for k in range(FOLDS)] + [(folds != i) & (folds != j) for i, j in twice]
    model = table.fitted(learner, np.array(used, dtype=np.float64))
    said = model(table.X, slice(None))
    outer = said[folds, np.arange(len(folds))]
    without = np.full((FOLDS, *said.shape[1:]), np.nan)  # [other fold, row, output]
    for outputs, (i, j) in zip(said[FOLDS:], twice, strict=True):
        without[j, folds == i], without[i, folds == j] = outputs[folds == i], outputs[folds == j]
    fresh = model(table.fresh_X, [at])[0]
    others = [np.flatnonzero(folds != k) for k in range(FOLDS)]
    found = {}
    for name, measure in table.measures(names).items():
        pairs = [(rows, predictions(measure, without[k][rows], table.classes)) for k, rows in enumerate(others)]
        joined, apart = (
            row_figure(
                measure,
                table.y,
                predictions(measure, outer, table.classes),
                RowsTested(rows, folds, folds=FOLDS, test_over_train=1 / (FOLDS - 1)),
                without_two=pairs,
            )
            for rows in (cases, np.arange(len(cases)))
        )
        ends = (joined.interval.low, joined.interval.high, apart.interval.low, apart.interval.high)
        told = (joined.value, *ends, table.on_fresh_rows(measure, fresh))
        found[name] = [float(f"{value:.6g}") for value in told]
    return found


def print_copied(records: Sequence[Record]) -> dict[str, dict[str, float]]:
    """The table as Markdown, and its figures."""
    parted: dict[tuple[str, int, str], list[list[float]]] = {}
    for record in records:
        for label, told in record["metrics"].items():
            parted.setdefault((record["problem"], record["n"], label), []).append(told)
    print(
        "| problem | rows | metric | tables | truth | bias / sd | copies joined: holds, width | copies apart: holds |"
    )
    print("|---|--:|---|--:|--:|--:|--:|--:|")
    found, failing = {}, []
    for (problem, n, label), part in parted.items():
        value, low, high, low_apart, high_apart, fresh = np.array(part, dtype=np.float64).T
        truth = float(np.sqrt(fresh.mean()) if label in SQUARES else fresh.mean())
        spread = float(value.std(ddof=1))
        holds, apart = (float(np.mean((a <= truth) & (truth <= b))) for a, b in ((low, high), (low_apart, high_apart)))
        error = float(np.sqrt(max(holds * (1 - holds), 0.25 / len(part)) / len(part)))
        width = float(np.median(high - low)) / (2 * 1.96 * spread)
        bias = (float(value.mean()) - truth) / spread
        print(
            f"| {problem} | {n} | {label} | {len(part)} | {truth:.4g} | {bias:+.2f} "
            f"| {100 * holds:.1f} ± {100 * error:.1f} %, {width:.2f} | {100 * apart:.1f} % |"
        )
        if holds < NEEDED - 2 * error:
            failing.append(f"{problem}: {label}")
        found[f"{problem}, {n} rows, {label}"] = {"holds": holds, "apart": apart, "width": width, "bias_over_sd": bias}
    print(f"\nAt least {NEEDED:.0%} within two standard errors in every cell: {', '.join(failing) or 'yes'}")
    return found


def main() -> None:
    run_tables(
        "copied-rows",
        __doc__,
        fields=FIELDS,
        keys=lambda asked, seeds: [(asked.set, name, ROWS, seed) for seed in seeds for name in PROBLEMS[asked.set]],
        work=work,
        show=print_copied,
        arguments=lambda parser: parser.add_argument("--set", choices=list(PROBLEMS), default="proof"),
    )


if __name__ == "__main__":
    main()
