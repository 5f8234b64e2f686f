"""Tables in folds with fresh rows beside them, and the outline of a run over many: for `chances` and `growing`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.honesty.metric_learners import LEARNERS, Predict
from benchmarks.honesty.metric_problems import Draw
from benchmarks.honesty.metric_tables import predictions
from benchmarks.honesty.records import Key, Record, complete, read
from benchmarks.results import Run
from venire.data.table import Task
from venire.metrics.all_rows import all_rows
from venire.metrics.scores import Metric, metric

Floats = NDArray[np.float64]
FOLDS, FRESH = 10, 1000
Learner = tuple[str, slice]  # which, and on which columns


@dataclass(frozen=True, eq=False)
class FoldTable:
    """One table dealt into folds, and rows of the same kind that nobody has seen."""

    X: Floats
    y: NDArray[Any]
    fold_of: NDArray[np.intp]
    fresh_X: Floats
    fresh_y: NDArray[Any]
    classes: int  # 0 where numbers are predicted

    def fitted(self, learner: Learner, used: Floats) -> Predict:
        """The learner on every subset of rows `[subset, row]`; it is given its own columns of what it predicts."""
        name, columns = learner
        predict = LEARNERS[name](self.X[:, columns], self.y, used, self.classes)
        return lambda rows, at: predict(rows[:, columns], at)

    def measures(self, names: Iterable[str], costs: Any = None) -> dict[str, Metric]:
        """Metrics by name."""
        task = Task.CLASSIFICATION if self.classes else Task.REGRESSION
        positive = 1 if self.classes else None
        return {name: metric(name, task, positive=positive, costs=costs if name == "cost" else None) for name in names}

    def on_fresh_rows(self, measure: Metric, outputs: Floats) -> float:
        """A model's figure on fresh rows, on the scale on which it may be averaged over tables too."""
        said = predictions(measure, outputs, self.classes)
        return all_rows(measure, self.fresh_y, said, np.zeros(len(self.fresh_y), dtype=np.intp)).base


def fold_table(
    draw: Draw, n: int, stream: Sequence[int], *, in_folds: int, fresh: Sequence[int] | None = None
) -> FoldTable:
    """A table of `n` rows, drawn again until every class is in so many folds; `fresh` rows may be those of others."""
    rng = np.random.default_rng(list(stream))
    while True:
        X, y, _ = draw(n, rng)
        fold_of = rng.permutation(n) % FOLDS
        classes = 0 if y.dtype.kind == "f" else 2
        if not classes or min(len(np.unique(fold_of[y == code])) for code in range(classes)) >= in_folds:
            break
    fresh_X, fresh_y, _ = draw(FRESH, rng if fresh is None else np.random.default_rng(list(fresh)))
    return FoldTable(X, y, fold_of, fresh_X, fresh_y, classes)


def run_tables(
    name: str,
    about: str | None,
    *,
    fields: Sequence[str],
    keys: Callable[[argparse.Namespace, range], list[Key]],
    work: Callable[[Key], Record],
    show: Callable[[Sequence[Record]], dict[str, dict[str, float]]],
    arguments: Callable[[argparse.ArgumentParser], object] | None = None,
) -> None:
    """Do what is missing of the tables asked for, print them, and keep the figures as results."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    if arguments is not None:
        arguments(parser)
    parser.add_argument("--repetitions", type=int, default=200)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path(f"build/honesty/{name}.jsonl"))
    run = Run.of(f"honesty-{name}", parser, free=["jobs", "results"])
    asked = run.asked
    wanted = keys(asked, range(asked.first_seed, asked.first_seed + asked.repetitions))
    complete(asked.results, wanted, fields, work, asked.jobs)
    among = set(wanted)
    for job, figures in show([r for r in read(asked.results) if tuple(r[field] for field in fields) in among]).items():
        run.results.add(job, "venire", **figures)
    run.finish()
