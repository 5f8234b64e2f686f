"""Do ordered target statistics of categories help boosting? Measured beside the categories as the trees take them.

    python -m benchmarks.accuracy.target_statistics [--data FOLDER] [--splits 3] [--rows 20000]

A category becomes a number: the mean target of its rows that come before in a random order, drawn towards the mean of
all as if by one more row (Prokhorenkova and others, 2018). New rows get the mean of all training rows of their
category. Everything is learned from the training rows of a split. `statistics` are trees on these numbers alone,
`both` have the categories beside them. A blend would average such a recipe with the plain one, and so does `plain +
statistics`; `plain + plain` averages two seeds, for averaging alone helps.

Tables of development only, and one with 1,500 and 200 categories, made here. Log loss or RMSE on the other 30 %.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import venire as vn
from benchmarks.accuracy.peers import ROOT, tables_in

Floats = NDArray[np.float64]
RECIPE: dict[str, Any] = {
    "learning_rate": 0.03, "min_samples_leaf": 8, "l2_regularization": 5.0, "colsample": 0.5, "n_jobs": 1,
}  # fmt: skip
ROUNDS = (300, 800)
TABLES = ("titanic.csv", "adult.parquet", "bank_marketing.parquet", "diamonds.parquet")


def ordered(codes: NDArray[np.intp], y: Floats, prior: float, rng: np.random.Generator) -> Floats:
    """For every row the mean target of the rows of its category that come before it in a random order."""
    order = rng.permutation(len(codes))
    by_category = order[np.argsort(codes[order], kind="stable")]
    c, t = codes[by_category], y[by_category]
    first = np.flatnonzero(np.r_[True, c[1:] != c[:-1]])
    start = np.repeat(first, np.diff(np.r_[first, len(c)]))
    before = np.cumsum(t) - t
    found = np.empty(len(codes))
    found[by_category] = (before - before[start] + prior) / (np.arange(len(c)) - start + 1)
    return found


def of_all(codes: NDArray[np.intp], y: Floats, prior: float, new: NDArray[np.intp]) -> Floats:
    """For new rows, the mean target of all rows of their category."""
    size = int(max(codes.max(), new.max())) + 1
    sums, counts = np.bincount(codes, y, minlength=size), np.bincount(codes, minlength=size)
    return np.asarray(((sums + prior) / (counts + 1))[new])


def encoded(X: Floats, categorical: NDArray[np.bool_], y: Floats, inside: Any, outside: Any, seed: int) -> Any:
    """Training and test rows with statistics in place of categories."""
    prior, train, test = float(y[inside].mean()), X[inside].copy(), X[outside].copy()
    for j in np.flatnonzero(categorical):
        codes = np.where(np.isnan(X[:, j]), 0, X[:, j] + 1).astype(np.intp)
        rng = np.random.default_rng([seed, int(j)])
        train[:, j] = ordered(codes[inside], y[inside], prior, rng)
        test[:, j] = of_all(codes[inside], y[inside], prior, codes[outside])
    return train, test


def losses(X: Floats, categorical: NDArray[np.bool_], y: NDArray[Any], seed: int, most: int) -> dict[str, list[float]]:
    """What each way loses on one split, after each number of rounds."""
    classes = y.dtype.kind in "iu"
    order = np.random.default_rng([3, seed]).permutation(len(y))[:most]
    inside, outside = np.split(order, [round(0.7 * len(order))])
    train, test = encoded(X, categorical, y.astype(np.float64), inside, outside, seed)
    stats, none = np.flatnonzero(categorical), np.zeros(len(categorical), dtype=bool)
    both = [np.column_stack([X[rows], part[:, stats]]) for rows, part in ((inside, train), (outside, test))]
    ways = {
        "plain": (X[inside], X[outside], categorical, seed),
        "again": (X[inside], X[outside], categorical, seed + 1000),
        "statistics": (train, test, none, seed),
        "both": (*both, np.r_[categorical, none[stats]], seed),
    }
    said: dict[str, list[Floats]] = {}
    for name, (fit_on, predict, mask, random_state) in ways.items():
        kind: Any = vn.GradientBoostingClassifier if classes else vn.GradientBoostingRegressor
        model = kind(n_estimators=ROUNDS[-1], categorical_features=mask, random_state=random_state, **RECIPE)
        model.fit(fit_on, y[inside])
        first = [model.first_rounds(rounds) for rounds in ROUNDS]
        said[name] = [each.predict_proba(predict)[:, 1] if classes else each.predict(predict) for each in first]
    for name, other in (("plain + plain", "again"), ("plain + statistics", "statistics"), ("plain + both", "both")):
        said[name] = [(a + b) / 2 for a, b in zip(said["plain"], said[other], strict=True)]
    del said["again"]
    return {name: [_loss(each, y[outside], classes) for each in by_round] for name, by_round in said.items()}


def _loss(predicted: Floats, truth: NDArray[Any], classes: bool) -> float:
    if not classes:
        return float(np.sqrt(np.mean((predicted - truth) ** 2)))
    return float(-np.log(np.clip(np.where(truth == 1, predicted, 1 - predicted), 1e-7, 1)).mean())


def many_categories() -> tuple[Floats, NDArray[np.bool_], NDArray[Any]]:
    """12,000 rows: a few categories with many rows and a thousand with few, each with an effect of its own."""
    rng, rows = np.random.default_rng(0), 12_000
    one = np.minimum((rng.pareto(1.0, rows) * 20).astype(int), 1500)
    two = rng.integers(0, 200, rows)
    x = rng.normal(size=(rows, 4))
    height = rng.normal(size=1501)[one] + 0.5 * rng.normal(size=200)[two] + 0.7 * x[:, 0] * x[:, 1] + x[:, 2]
    y = (rng.random(rows) < 1 / (1 + np.exp(-height))).astype(int)
    return np.column_stack([x, one, two]), np.array([False] * 4 + [True] * 2), y


def main() -> None:
    """Print a line a table and way."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--rows", type=int, default=20_000)
    asked = parser.parse_args()
    if not (asked.data / "manifest.json").exists():
        sys.exit(f"there are no tables in {asked.data}: nothing is measured (--data names another folder)")
    found = {"many categories": many_categories()}
    listed = tables_in(asked.data)
    for name in TABLES:
        path = asked.data / name
        frame = pd.read_csv(path) if path.suffix == ".csv" else pd.read_parquet(path)
        entry = listed[name]
        table = vn.read_table(frame.drop(columns=list(entry.get("drop") or ())), entry["target"])
        found[name] = np.asarray(table.X), table.categorical, table.y
    for name, (X, categorical, y) in found.items():
        of_splits = [losses(X, categorical, y, seed, asked.rows) for seed in range(asked.splits)]
        print(name)
        for way in of_splits[0]:
            means = np.mean([one[way] for one in of_splits], axis=0)
            print(f"  {way:20}" + "".join(f" {mean:>10.5g}" for mean in means), flush=True)


if __name__ == "__main__":
    main()
