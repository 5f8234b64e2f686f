"""The trees of all trials of a two-layer cross-validation: grown together (core/joint.hpp) or one by one?

K + K(K − 1)/2 full trees over one set of bins, on one thread. Categories stand as numbers, since joint growth takes
numeric columns only. Both ways give the same trees, which is checked by their predictions. The columns of the page:

- in groups: the share of separate growth's updates (rows added to a histogram, times columns) in nodes examined
  together;
- updates: those of separate growth ÷ those of joint growth;
- one by one, without groups, together: processor seconds, the smallest of a few turns taken alternately. "Without
  groups" is the same call with every tree alone: speed-up = without groups ÷ together is the gain of sharing alone;
- trials: the whole trials of the tree family today, which also bin, walk all pruning levels and score; and how many
  times faster they would be if the trees were grown together.

The tables lie in the shared folder's `data`.

    OMP_NUM_THREADS=1 python benchmarks/speed/joint_growth.py [--folds 5 10] [--least 512] [--turns 3] [--tables …]
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from forest_jobs import shared_folder
from forest_tables import RealTable, read
from numpy.typing import NDArray
from two_layer_cases import as_table

from venire import DecisionTreeClassifier
from venire._core import Bins, Forest
from venire.families.tree import TreeFamily
from venire.models.tree_growth import NO_LIMIT, Growth, Problem
from venire.validation.deal import make_plan

TABLES = [
    RealTable("yeast.csv", "localization_site", leave_out="sequence_name"),
    RealTable("mammography.csv", "class"),
    RealTable("letter.parquet", "class"),
    RealTable("bank_marketing.parquet", "y"),
    RealTable("adult.parquet", "income"),
    RealTable("covertype.parquet", "cover_type", rows=100_000),
]


@dataclass(frozen=True)
class Trials:
    """A table dealt into blocks, and the blocks each tree leaves out (the same one twice for a single)."""

    bins: Bins
    labels: NDArray[np.int32]
    blocks: NDArray[np.uint8]
    left_out: list[tuple[int, int]]

    @property
    def classes(self) -> int:
        return int(self.labels.max()) + 1

    def apart(self) -> list[Forest]:
        growth = Growth("gini")
        kept = [(~np.isin(self.blocks, pair)).astype(float) for pair in self.left_out]
        return [growth.grow(self.bins, None, Problem(self.classes, self.labels, None, one)) for one in kept]

    def together(self, least: int) -> tuple[Forest, int, int]:
        return Forest.grow_joint(
            self.bins,
            classes=self.classes,
            labels=self.labels,
            blocks=self.blocks,
            left_out=[block for pair in self.left_out for block in pair],
            max_depth=NO_LIMIT,
            min_samples_leaf=1,
            least=least,
        )


def deal(x: NDArray[np.float64], y: NDArray[Any], folds: int) -> Trials:
    bins = Bins.of(x, np.zeros(x.shape[1], dtype=bool), None, max_bins=255, threads=1)
    blocks = np.random.default_rng(0).permutation(np.arange(len(y)) % folds).astype(np.uint8)
    left_out = [(i, i) for i in range(folds)] + list(combinations(range(folds), 2))
    return Trials(bins, y.astype(np.int32), blocks, left_out)


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.process_time()
    done = work()
    return time.process_time() - start, done


def rows_added_apart(forests: list[Forest]) -> int:
    """Rows of all nodes in which separate growth looks for a question: those that are not pure."""
    return sum(node["rows"] for one in forests for node in one.describe(0) if node["impurity"] > 0)


def check_equal(trials: Trials, joint: Forest, forests: list[Forest]) -> None:
    rows = np.arange(len(trials.labels))
    summed = joint.average_coded(trials.bins, rows, [joint.trees], votes=False, threads=1)
    alone = Forest.joined(forests).average_coded(trials.bins, rows, [joint.trees], votes=False, threads=1)
    np.testing.assert_array_equal(summed, alone)


def whole_trials(x: NDArray[np.float64], y: NDArray[Any], folds: int) -> float:
    """Seconds of all trials of the tree family."""
    table = as_table(x, np.char.add("class ", y.astype(str)))
    plan = make_plan(table, blocks=folds)
    family = TreeFamily(classifier=DecisionTreeClassifier())
    prepared = family.prepare(table, plan)
    return timed(lambda: [family.run(prepared, trial) for trial in plan.trials])[0]


def measure(x: NDArray[np.float64], y: NDArray[Any], folds: int, least: int, turns: int) -> str:
    trials = deal(x, y, folds)
    ways: dict[str, Callable[[], Any]] = {
        "apart": trials.apart,
        "without": lambda: trials.together(NO_LIMIT),
        "together": lambda: trials.together(least),
    }
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    grown: dict[str, Any] = {}
    for _ in range(turns):
        for name, way in ways.items():
            spent, grown[name] = timed(way)
            seconds[name].append(spent)
    joint, served, added = grown["together"]
    check_equal(trials, joint, grown["apart"])
    updates = rows_added_apart(grown["apart"])
    shared = f"{served / updates:.0%} | {updates / (updates - served + added):.2f}"
    apart, without, together = (min(seconds[name]) for name in ways)
    whole = whole_trials(x, y, folds)
    times = f"{apart:.2f} | {without:.2f} | {together:.2f} | {without / together:.2f}"
    return f"{shared} | {times} | {whole:.2f} | {whole / (whole - apart + together):.2f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folds", type=int, nargs="+", default=[5, 10])
    parser.add_argument("--least", type=int, default=512)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--tables", nargs="+", default=[table.file for table in TABLES])
    options = parser.parse_args()
    if not (shared_folder() / "data").exists():
        raise SystemExit("the shared tables are not there; set VENIRE_BENCH_DATA to their folder")
    titles = [
        "table",
        "rows",
        "columns",
        "K",
        "in groups",
        "updates",
        "one by one, s",
        "without groups, s",
        "together, s",
    ]
    titles += ["speed-up", "trials, s", "trials faster"]
    print("| " + " | ".join(titles) + " |\n|---|" + "--:|" * (len(titles) - 1))
    for table in TABLES:
        if table.file not in options.tables:
            continue
        x, y = read(table)
        for folds in options.folds:
            line = measure(x, y, folds, options.least, options.turns)
            print(f"| {table.file.split('.')[0]} | {len(y):,} | {x.shape[1]} | {folds} | {line} |", flush=True)


if __name__ == "__main__":
    main()
