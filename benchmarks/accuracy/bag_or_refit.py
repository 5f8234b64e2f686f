"""What is handed over when there is no time for a fit on all rows: are the models of the folds, averaged, as good?

    python -m benchmarks.accuracy.bag_or_refit [--data FOLDER] [--splits 1] [--rows 6000]

Of each table 70 % are learned from (so many rows at most), the rest is predicted. A recipe of boosting is fitted on all
of these rows, and on all but one of K folds each; the K models are averaged, as probabilities or as numbers. Log loss
or RMSE of the rest, the better number of rounds of each. Tables on which defaults were chosen, none that is held back.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.accuracy.peers import HELD_BACK, ROOT, split, tables_in
from benchmarks.results import Run
from venire import GradientBoostingClassifier, GradientBoostingRegressor, read_table

RECIPES: dict[str, dict[str, Any]] = {
    "boosting": {"n_estimators": 200, "min_samples_leaf": 20},
    "boosting_slow": {
        "n_estimators": 800, "learning_rate": 0.03, "min_samples_leaf": 8, "l2_regularization": 5.0, "colsample": 0.5,
    },
}  # fmt: skip
ROUNDS = {"boosting": [50, 100, 200], "boosting_slow": [200, 400, 800]}
FOLDS = (3, 5, 10)


def measured(data: Path, name: str, entry: dict[str, Any], seed: int, rows: int) -> dict[str, dict[str, float]]:
    """For every recipe the loss of one fit of all rows, and of the bag of K folds' models."""
    train, test = split(data, name, entry, seed)
    classes = entry["task"] != "regression"
    table = read_table(train.iloc[:rows], entry["target"])
    asked = test[test[entry["target"]].astype(str).isin(train[entry["target"]].iloc[:rows].astype(str).unique())]
    found: dict[str, dict[str, float]] = {}
    for recipe, params in RECIPES.items():
        found[recipe] = _losses(table, asked, entry["target"], classes, params, ROUNDS[recipe], seed)
    return found


def _losses(
    table: Any, asked: Any, target: str, classes: bool, params: dict[str, Any], rounds: list[int], seed: int
) -> dict[str, float]:
    from venire.data import conform

    kind: Any = GradientBoostingClassifier if classes else GradientBoostingRegressor
    X = conform(asked.drop(columns=target), table.columns, reading=table.reading).X
    if classes:
        place = {str(label): at for at, label in enumerate(table.target.classes)}
        y = np.array([place[str(value)] for value in asked[target]])
    else:
        y = asked[target].to_numpy(float)

    def predicted(rows: Any, number: int) -> Any:
        model = kind(**params, categorical_features=table.categorical, random_state=number, n_jobs=2)
        model.fit(table.X[rows], table.y[rows])
        if not classes:
            return model.predict_path(X, rounds)
        said = model.predict_proba_path(X, rounds)
        full = np.zeros((*said.shape[:2], len(table.target.classes)))
        full[:, :, model.classes_] = said
        return full

    def loss(said: Any) -> float:
        if classes:
            shares = np.clip(said[:, np.arange(len(y)), y], 1e-7, 1.0)
            return float((-np.log(shares)).mean(axis=1).min())
        return float(np.sqrt(((said - y) ** 2).mean(axis=1)).min())

    everything = np.arange(table.rows)
    found = {"refit": loss(predicted(everything, 0))}
    for folds in FOLDS:
        fold_of = np.random.default_rng([seed, folds]).permutation(table.rows) % folds
        found[f"bag of {folds}"] = loss(
            np.mean([predicted(np.flatnonzero(fold_of != i), i) for i in range(folds)], axis=0)
        )
    return found


def main() -> None:
    """Measure every table of development, and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared/data")
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--rows", type=int, default=6_000)
    parser.add_argument("--tables", nargs="+")
    run = Run.of("accuracy-bag-or-refit", parser, free=("data",))
    asked = run.asked
    for name, entry in tables_in(asked.data).items():
        if name in HELD_BACK or (asked.tables and name.split(".")[0] not in asked.tables):
            continue
        for seed in range(asked.splits):
            for recipe, losses in measured(asked.data, name, entry, seed, asked.rows).items():
                run.results.add(f"{name.split('.')[0]}, split {seed}", recipe, **losses)
                said = ", ".join(f"{how} {loss:.5g}" for how, loss in losses.items())
                print(f"{name.split('.')[0]:22} {seed} {recipe:14} {said}", flush=True)
    run.finish()


if __name__ == "__main__":
    main()
