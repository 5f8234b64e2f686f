"""Does the interval hold for every metric? Cheap learners on many tables, through the library's own `row_figure`.

    python -m benchmarks.honesty.every_metric [--set proof] [--repetitions 1000] [--first-seed 0] [--jobs 1]
                                              [--problems …] [--results FILE]

A repetition draws a table, fits a learner without each fold and without each pair of folds, and asks one of the outer
models, and the model of all rows, about 2,000 fresh rows. Figures and ends are kept, one JSON line a repetition, so an
interrupted run goes on. `--set development` is what rules were tuned on; `proof` has other generators and seeds.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.honesty.metric_proof import SETS
from benchmarks.honesty.metric_tables import Repetition, measures, predictions, repetition
from benchmarks.honesty.records import complete, read
from benchmarks.results import Run
from venire.inference import Figure, RowsTested, row_figure, stretches
from venire.metrics.scores import Metric

Record = dict[str, Any]
FIELDS = ("set", "problem", "n", "seed")
NEEDED, MUCH, WIDE = 0.93, 0.975, 1.15
SQUARES = ("rmse",)  # averaged over tables as squares


def figure(measure: Metric, table: Repetition) -> Figure:
    """What the library says of this table by this metric."""
    problem, fold_of = table.problem, table.fold_of
    judged = [np.flatnonzero(folds >= 0) for folds in fold_of]
    rows = np.concatenate(judged)
    place = np.concatenate([fold_of[r][at] + r * problem.folds for r, at in enumerate(judged)])
    outputs = np.concatenate([table.outer[r][at] for r, at in enumerate(judged)])
    pairs = None
    if table.pairs is not None:
        others = [np.flatnonzero(fold_of[0] != j) for j in range(problem.folds)]
        pairs = [(at, predictions(measure, table.pairs[at, j], table.classes)) for j, at in enumerate(others)]
    return row_figure(
        measure,
        table.y[rows],
        predictions(measure, outputs, table.classes),
        RowsTested(
            rows,
            place,
            folds=problem.folds,
            test_over_train=_test_over_train(fold_of[0], problem.splitting),
            groups=stretches(np.arange(len(table.y))) if problem.splitting == "time" else table.groups,
            in_order=problem.splitting == "time",
        ),
        without_two=pairs,
    )


def _test_over_train(folds: NDArray[np.intp], splitting: str) -> float:
    tested = range(int(folds.max()) + 1)
    trained = [(folds < k).sum() if splitting == "time" else (folds != k).sum() for k in tested]
    return float(np.mean([(folds == k).sum() / trained[k] for k in tested]))


def work(key: tuple[Any, ...]) -> Record:
    """One table of one cell, by all its metrics."""
    which, name, n, seed = key
    table = repetition(which, name, n, seed)
    found = {}
    for label, measure in measures(table.problem, table.classes).items():
        said = figure(measure, table)
        ends = said.interval
        found[label] = [
            float(f"{v:.7g}") for v in (said.value, ends.low, ends.high, table.truth[label], table.handed_over[label])
        ]
    return {"set": which, "problem": name, "n": n, "seed": seed, "metrics": found}


@dataclass(frozen=True)
class Cell:
    """One metric on one problem at one number of rows."""

    which: str
    problem: str
    n: int
    metric: str
    tables: int
    truth: float
    bias: float  # over the standard deviation of the estimate
    coverage: float
    own: float  # how often it holds the figure of the very model handed over
    width: float  # median, over 2 · 1.96 standard deviations of the estimate
    required: bool

    @property
    def error(self) -> float:
        """The standard error of the coverage."""
        return float(np.sqrt(max(self.coverage * (1 - self.coverage), 1 / self.tables / 4) / self.tables))

    @property
    def holds(self) -> bool:
        """Whether it may be that the interval holds often enough: within two standard errors of the share needed."""
        return self.coverage >= NEEDED - 2 * self.error


def cells(records: Sequence[Record]) -> list[Cell]:
    """All cells, in the order of their first repetition."""
    parted: dict[tuple[str, str, int], list[Record]] = {}
    for record in records:
        parted.setdefault((record["set"], record["problem"], record["n"]), []).append(record)
    return [_cell(key, name, part) for key, part in parted.items() for name in part[0]["metrics"]]


def _cell(key: tuple[str, str, int], name: str, part: Sequence[Record]) -> Cell:
    figures = np.array([record["metrics"][name] for record in part], dtype=np.float64)
    value, low, high, fresh, own = figures.T
    truth = float(np.nanmean(fresh))
    if name in SQUARES:
        truth, own = float(np.sqrt(truth)), np.sqrt(own)
    spread = float(np.nanstd(value, ddof=1))
    return Cell(
        *key,
        metric=name,
        tables=len(part),
        truth=truth,
        bias=(float(np.nanmean(value)) - truth) / spread if spread else 0.0,
        coverage=float(np.mean((low <= truth) & (truth <= high))),
        own=float(np.mean((low <= own) & (own <= high))),
        width=float(np.nanmedian(high - low)) / (2 * 1.96 * spread) if spread else float("nan"),
        required=SETS[key[0]][key[1]].level == "required",
    )


def print_cells(records: Sequence[Record]) -> list[Cell]:
    """Print the table as Markdown; the cells."""
    found = cells(records)
    print("| set | problem | rows | metric | tables | truth | bias / sd | coverage | of the model | width |")
    print("|---|---|--:|---|--:|--:|--:|--:|--:|--:|")
    for one in found:
        share = f"{100 * one.coverage:.1f} ± {100 * one.error:.1f} %"
        shown = "" if one.required else " (shown)"
        print(
            f"| {one.which} | {one.problem}{shown} | {one.n:,} | {one.metric} | {one.tables:,} | {one.truth:.4g} "
            f"| {one.bias:+.2f} | {share} | {100 * one.own:.1f} % | {one.width:.2f} |"
        )
    for which in dict.fromkeys(one.which for one in found):
        asked = [one for one in found if one.which == which and one.required]
        held, narrow = sum(one.holds for one in asked), sum(one.width <= WIDE for one in asked)
        print(
            f"\n{which}: of {len(asked)} cells {held} hold at least {100 * NEEDED:.0f} % within two standard errors, "
            f"{narrow} are at most {WIDE} times as wide as the spread of the estimate"
        )
        failing = [f"{one.problem} at {one.n}: {one.metric}" for one in asked if not one.holds]
        if failing:
            print("cells that do not hold: " + "; ".join(failing))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--set", choices=list(SETS), default="proof")
    parser.add_argument("--repetitions", type=int, default=1000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--problems", nargs="+", default=None)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("build/honesty/every_metric.jsonl"))
    run = Run.of("honesty-every-metric", parser, free=["jobs", "results"])
    asked = run.asked
    problems = asked.problems or list(SETS[asked.set])
    seeds = range(asked.first_seed, asked.first_seed + asked.repetitions)
    keys = [(asked.set, name, n, seed) for seed in seeds for name in problems for n in SETS[asked.set][name].rows]
    complete(asked.results, keys, FIELDS, work, asked.jobs)
    wanted = set(keys)
    for one in print_cells([r for r in read(asked.results) if tuple(r[f] for f in FIELDS) in wanted]):
        job = f"{one.which}: {one.problem}, {one.n:,} rows, {one.metric}"
        run.results.add(job, coverage=one.coverage, of_the_model=one.own, width=one.width, bias_over_sd=one.bias)
    run.finish()


if __name__ == "__main__":
    main()
