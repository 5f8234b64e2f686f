"""Planted leaks: what a careless pipeline reports, what venire reports, and what fresh rows say.

    python -m benchmarks.honesty.leaks [--repetitions 40] [--jobs 1] [--results FILE]

In each case one step learns from rows that later judge it. The careless pipeline does that step on the whole table and
cross-validates afterwards, with scikit-learn. venire is handed the same table, with the step inside the estimator, or
with copies declared as groups. The truth is the error on fresh rows of the honest pipeline trained on nine tenths of
the table, averaged over tables. An honest 95 % interval holds it in about 95 of 100 tables.
"""

from __future__ import annotations

import argparse
import tempfile
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import TargetEncoder

import venire
from benchmarks.honesty.problems import as_table
from benchmarks.honesty.records import complete, read
from benchmarks.results import Run
from venire.data.table import Kind
from venire.reductions import Resampled
from venire.validation.trials.generic import GenericFamily

Rows = tuple[NDArray[np.float64], NDArray[np.int32]]
FIELDS = ("case", "seed")
FRESH = 2000
_FOLDS = 10


@dataclass(frozen=True, eq=False)
class Case:
    """A way to draw rows, the honest estimator, and what the careless pipeline cross-validates instead."""

    draw: Callable[[int, np.random.Generator], Rows]
    rows: int
    honest: Any  # an estimator with the step inside
    careless: Callable[[NDArray[np.float64], NDArray[np.int32]], tuple[NDArray[Any], NDArray[Any], Any]]
    copies: int = 1  # how often every row is in the table
    categorical: bool = False


class ClassMeans(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Fills gaps with the column's mean; with labels at hand, with that of the row's own class."""

    def fit(self, X: Any, y: Any = None) -> ClassMeans:
        """Learn the means."""
        self.means_ = np.nanmean(X, axis=0)
        return self

    def transform(self, X: Any) -> Any:
        """Fill with the column's mean."""
        return np.where(np.isnan(X), self.means_, X)

    def peek(self, X: Any, y: Any) -> Any:
        """Fill with the mean of the row's own class: what must not be done to rows that are to be judged."""
        own = np.stack([np.nanmean(X[y == label], axis=0) for label in (0, 1)])[y]
        return np.where(np.isnan(X), own, X)


class ByRelevance(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Scales every column by how well it tells the classes apart: so distances are about what matters."""

    def fit(self, X: Any, y: Any) -> ByRelevance:
        """Learn the scales, with labels."""
        self.scale_ = f_classif(X, y)[0] / X.std(axis=0)
        return self

    def transform(self, X: Any) -> Any:
        """Scale."""
        return X * self.scale_


def _coin(n: int, rng: np.random.Generator, columns: int) -> Rows:
    return rng.standard_normal((n, columns)), rng.integers(0, 2, n, dtype=np.int32)


def _gappy(n: int, rng: np.random.Generator) -> Rows:
    X, y = _coin(n, rng, 8)
    X[:, 0] += y
    return np.where(rng.random(X.shape) < 0.4, np.nan, X), y


def _codes(n: int, rng: np.random.Generator) -> Rows:
    return rng.integers(0, 80, (n, 3)).astype(float), rng.integers(0, 2, n, dtype=np.int32)


def _rare(n: int, rng: np.random.Generator) -> Rows:
    return rng.standard_normal((n, 4)), (rng.random(n) < 0.15).astype(np.int32)


def _linear(n: int, rng: np.random.Generator) -> Rows:
    X = rng.standard_normal((n, 4))
    return X, (X[:, 0] + rng.standard_normal(n) > 0).astype(np.int32)


def _oversampled(X: NDArray[np.float64], y: NDArray[np.int32]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The rare class repeated until both are equally frequent."""
    rare, common = np.flatnonzero(y == 1), np.flatnonzero(y == 0)
    at = np.concatenate([common, np.resize(rare, len(common))])
    return X[at], y[at]


_FILLED = make_pipeline(ClassMeans(), GaussianNB())
_SCALED = make_pipeline(ByRelevance(), KNeighborsClassifier(5))
_SELECTED = make_pipeline(SelectKBest(k=10), GaussianNB())
_ENCODED = make_pipeline(TargetEncoder(random_state=0), LogisticRegression())
_NEAREST = KNeighborsClassifier(1)

CASES = {
    "imputation by class": Case(_gappy, 100, _FILLED, lambda X, y: (ClassMeans().peek(X, y), y, GaussianNB())),
    "scaling by relevance": Case(
        partial(_coin, columns=100), 100, _SCALED,
        lambda X, y: (ByRelevance().fit_transform(X, y), y, KNeighborsClassifier(5)),
    ),
    "target encoding": Case(
        _codes, 200, _ENCODED, lambda X, y: (TargetEncoder().fit(X, y).transform(X), y, LogisticRegression()),
        categorical=True,
    ),
    "feature selection": Case(
        partial(_coin, columns=500), 80, _SELECTED,
        lambda X, y: (SelectKBest(k=10).fit_transform(X, y), y, GaussianNB()),
    ),
    "resampling": Case(
        _rare, 150, Resampled(_NEAREST, "over", random_state=0), lambda X, y: (*_oversampled(X, y), _NEAREST)
    ),
    "copies of rows": Case(_linear, 60, _NEAREST, lambda X, y: (X, y, _NEAREST), copies=3),
}  # fmt: skip


def repetition(key: tuple[Any, ...]) -> dict[str, Any]:
    """One table of one case."""
    name, seed = key
    case, rng = CASES[name], np.random.default_rng([2000 + list(CASES).index(name), seed])
    X, y = case.draw(case.rows, rng)
    fresh = case.draw(FRESH, rng)
    part = rng.permutation(case.rows) < case.rows * (1 - 1 / _FOLDS)
    model = clone(case.honest)
    truth = float(np.mean(model.fit(*_copied(X[part], y[part], case)).predict(fresh[0]) != fresh[1]))
    X, y = _copied(X, y, case)
    folds = KFold(_FOLDS, shuffle=True, random_state=seed)
    prepared, labels, learner = case.careless(X, y)
    scores = 1 - cross_val_score(learner, prepared, labels, cv=folds)
    reach = 1.96 * scores.std(ddof=1) / np.sqrt(_FOLDS)
    error, low, high = _ours(X, y, case, seed)
    return {
        "case": name,
        "seed": seed,
        "truth": truth,
        "careless": [scores.mean(), scores.mean() - reach, scores.mean() + reach],
        "venire": [error, low, high],
    }


def _copied(X: NDArray[np.float64], y: NDArray[np.int32], case: Case) -> Rows:
    return np.repeat(X, case.copies, axis=0), np.repeat(y, case.copies)


def _ours(X: NDArray[np.float64], y: NDArray[np.int32], case: Case, seed: int) -> tuple[float, float, float]:
    """The verdict's error and interval for the honest estimator."""
    table = as_table(X, y)
    if case.categorical:
        levels = tuple(str(code) for code in range(80))
        columns = tuple(replace(c, kind=Kind.CATEGORICAL, categories=levels) for c in table.columns)
        table = replace(table, columns=columns)
    if case.copies > 1:
        table = replace(table, groups=np.repeat(np.arange(case.rows, dtype=np.int32), case.copies))
    family = GenericFamily("honest", classifier=case.honest, encoding="none")
    with tempfile.TemporaryDirectory() as home:
        verdict = venire.compare(table, models=[family], seed=seed, jobs=1, budget=None, home=home)
        top = verdict.judgement.rows[0]
    return top.error, top.interval.low, top.interval.high


def print_cases(records: Sequence[dict[str, Any]]) -> dict[tuple[str, str], dict[str, float]]:
    """One line a case; the figures of each by case and by who validated it."""
    found: dict[tuple[str, str], dict[str, float]] = {}
    print("| leak through | tables | error on fresh rows | careless: error, coverage | venire: error, coverage |")
    print("|---|---|---|---|---|")
    for name in CASES:
        part = [r for r in records if r["case"] == name]
        truth = float(np.mean([r["truth"] for r in part]))
        shown = []
        for who in ("careless", "venire"):
            error = np.mean([r[who][0] for r in part])
            held = np.mean([r[who][1] <= truth <= r[who][2] for r in part])
            found[name, who] = {"error": float(error), "coverage": float(held), "truth": truth}
            shown.append(f"{error:.3f}, {100 * held:.0f} %")
        print(f"| {name} | {len(part)} | {truth:.3f} | {' | '.join(shown)} |")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repetitions", type=int, default=40)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--results", type=Path, default=Path("build/honesty/leaks.jsonl"))
    run = Run.of("honesty-leaks", parser, free=["jobs", "results"])
    asked = run.asked
    keys = [(case, seed) for seed in range(asked.repetitions) for case in CASES]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # selecting among constant columns and the like: not the point here
        complete(asked.results, keys, FIELDS, repetition, asked.jobs)
    wanted = set(keys)
    found = print_cases([r for r in read(asked.results) if tuple(r[f] for f in FIELDS) in wanted])
    for (case, who), figures in found.items():
        run.results.add(case, who, **figures)
    run.finish()


if __name__ == "__main__":
    main()
