"""One repetition: a table, its folds, a learner without one fold and without two, and the truth on fresh rows."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.honesty.metric_learners import LEARNERS
from benchmarks.honesty.metric_problems import Problem
from benchmarks.honesty.metric_proof import SETS
from venire.data.table import Task
from venire.metrics.all_rows import all_rows
from venire.metrics.predictions import Output, Predictions, cheapest, decide
from venire.metrics.scores import Metric, metric

Floats = NDArray[np.float64]
FRESH = 2000
# Streams of the two sets, so that no table of the one is drawn for the other.
_STREAM = {"development": 7_000, "proof": 11_000}


@dataclass(frozen=True, eq=False)
class Repetition:
    """What one table gives to judge an interval by."""

    problem: Problem
    y: NDArray[Any]
    groups: NDArray[np.intp] | None
    fold_of: NDArray[np.intp]  # [repeat, row]; −1 for rows that are only trained on
    outer: Floats  # [repeat, row, output]: by the model without the row's fold
    pairs: Floats | None  # [row, fold, output] of the first repeat: without another fold too; NaN for its own
    truth: dict[str, float]  # metric → figure of an outer model on fresh rows
    handed_over: dict[str, float]  # metric → figure of the model of all rows
    classes: int


def measures(problem: Problem, classes: int) -> dict[str, Metric]:
    """The metrics of a problem, by name."""
    task = Task.CLASSIFICATION if classes else Task.REGRESSION
    positive = 1 if classes == 2 else None
    return {
        name: metric(name, task, positive=positive, costs=problem.costs if name == "cost" else None)
        for name in problem.metrics
    }


def predictions(measure: Metric, outputs: Floats, classes: int) -> Predictions:
    """Outputs with the decision that the metric makes of them."""
    if not classes:
        return Predictions(None, outputs.reshape(len(outputs), 1), Output.VALUES)
    labels = cheapest(outputs, np.asarray(measure.costs)) if measure.costs is not None else decide(outputs)
    return Predictions(labels, outputs, Output.PROBABILITIES)


def repetition(which: str, name: str, n: int, seed: int) -> Repetition:
    """One table of one cell."""
    problem = SETS[which][name]
    rng = np.random.default_rng([_STREAM[which] + list(SETS[which]).index(name), n, seed])
    while True:
        X, y, groups = problem.draw(n, rng)
        classes = 0 if y.dtype.kind == "f" else _MORE_CLASSES.get(name, 2)
        fold_of = np.stack([_folds(problem, n, groups, rng) for _ in range(problem.repeats)])
        if not classes or all(_every_class(y, folds, classes) for folds in fold_of):
            break
    fresh_X, fresh_y, _ = problem.draw(FRESH, rng)
    fit, width = LEARNERS[problem.learner], classes or 1
    outer = np.full((problem.repeats, n, width), np.nan)
    pairs = None
    for repeat, folds in enumerate(fold_of):
        count = int(folds.max()) + 1
        parts = [(folds < fold) if problem.splitting == "time" else (folds != fold) for fold in range(count)]
        twice = list(combinations(range(count), 2)) if repeat == 0 and problem.splitting != "time" else []
        parts += [(folds != i) & (folds != j) for i, j in twice]
        predict = fit(X, y, np.array([*parts, np.ones(n)], dtype=np.float64), classes)
        said = predict(X, slice(None))
        for fold in range(count):
            outer[repeat, folds == fold] = said[fold, folds == fold]
        if repeat == 0:
            pairs = _pairs(said[count:-1], twice, folds) if twice else None
            fresh = predict(fresh_X, [seed % count, -1])
    known = measures(problem, classes)
    # One of the outer models, each fold's in turn: the mean over all tables is that of all of them.
    # An AUC compares rows of one fold; in time order these are neighbours, and so they are here.
    near = np.arange(FRESH) // (n // (problem.folds + 2)) if problem.splitting == "time" else np.zeros(FRESH, np.intp)
    truth = _figures(known, fresh[0], fresh_y, near, classes)
    handed = _figures(known, fresh[1], fresh_y, near, classes)
    return Repetition(
        problem,
        y,
        groups=groups,
        fold_of=fold_of,
        outer=outer,
        pairs=pairs,
        truth=truth,
        handed_over=handed,
        classes=classes,
    )


_MORE_CLASSES = {"three classes": 3, "four classes": 4, "five petals": 5}


def _folds(problem: Problem, n: int, groups: NDArray[np.intp] | None, rng: np.random.Generator) -> NDArray[np.intp]:
    """At random; whole groups at random; or in time order, where the first two parts are trained on only."""
    if problem.splitting == "time":
        return np.asarray(np.arange(n) * (problem.folds + 2) // n - 2).clip(-1)
    if groups is None:
        return np.asarray(rng.permutation(n) % problem.folds)
    # As the library does: the largest groups first, each to the fold that has the fewest rows.
    sizes = np.bincount(groups)
    order = rng.permutation(len(sizes))
    order = order[np.argsort(-sizes[order], kind="stable")]
    filled, fold = np.zeros(problem.folds), np.zeros(len(sizes), dtype=np.intp)
    for group in order:
        fold[group] = int(filled.argmin())
        filled[fold[group]] += sizes[group]
    return np.asarray(fold[groups])


def _every_class(y: NDArray[Any], folds: NDArray[np.intp], classes: int) -> bool:
    """Whether every class is in every training part, also without two folds."""
    return all(len(np.unique(folds[y == code])) >= 3 for code in range(classes))


def _pairs(said: Floats, twice: list[tuple[int, int]], folds: NDArray[np.intp]) -> Floats:
    found = np.full((len(folds), int(folds.max()) + 1, said.shape[2]), np.nan)
    for outputs, (i, j) in zip(said, twice, strict=True):
        found[folds == i, j] = outputs[folds == i]
        found[folds == j, i] = outputs[folds == j]
    return found


def _figures(
    known: dict[str, Metric], outputs: Floats, y: NDArray[Any], near: NDArray[np.intp], classes: int
) -> dict[str, float]:
    """One model's figures on fresh rows, on the scale on which they may be averaged over tables too."""
    apart, nowhere = {"auc": near}, np.zeros(len(y), dtype=np.intp)
    return {
        name: all_rows(measure, y, predictions(measure, outputs, classes), apart.get(name, nowhere)).base
        for name, measure in known.items()
    }
