"""Do intervals and sets hold the truth as often as they say? Ten tables, each cut into training and fresh rows.

A model is compared and fitted on some rows of a table, with scores from its held-out predictions; on all other rows
(at most 2,000) it is counted how often the truth lies in the interval, or in the set. Both are means over splits; the
spread of one split is about √(c(1 − c)/n) from the n scores alone, and more from the rows tested.

    python -m benchmarks.honesty.prediction_intervals [--splits 4] [--data FOLDER]
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchmarks.results import Run
from venire import compare

COVERAGES = (0.8, 0.9)
MOST_TESTED = 2000
# A table of the folder, its target, and how many rows are for training.
STORED = (
    ("california_housing.csv", "medianHouseValue", 500),
    ("abalone.csv", "Rings", 500),
    ("auto_mpg.csv", "mpg", 200),
    ("diamonds.parquet", "price", 500),
    ("yeast.csv", "localization_site", 500),
    ("credit_g.csv", "class", 500),
    ("banknote_authentication.csv", "class", 300),
)


def generated() -> Iterator[tuple[str, pd.DataFrame, str, int]]:
    """Numbers with noise that grows, numbers with heavy tails, and three classes that overlap."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 4))
    frame = pd.DataFrame(X, columns=list("abcd"))
    yield "noise that grows", frame.assign(y=X[:, 0] + np.exp(X[:, 1] / 2) * rng.normal(size=4000)), "y", 300
    yield "heavy tails", frame.assign(y=X[:, 0] + rng.standard_t(3, size=4000)), "y", 300
    pull = X[:, 0] + X[:, 1] + rng.normal(size=4000)
    yield "three classes", frame.assign(y=np.array(["l", "m", "h"])[np.digitize(pull, [-1, 1])]), "y", 300


def tables(folder: Path) -> Iterator[tuple[str, pd.DataFrame, str, int]]:
    """Stored tables where they are there, and generated ones."""
    for name, target, rows in STORED:
        path = folder / name
        if path.exists():
            frame = pd.read_parquet(path) if path.suffix == ".parquet" else pd.read_csv(path)
            yield path.stem, frame.dropna(subset=[target]), target, rows
    yield from generated()


def covered(frame: pd.DataFrame, target: str, rows: int, split: int) -> dict[float, tuple[float, float]]:
    """For every coverage: the share of fresh rows that is held, and the mean size of what holds them."""
    order = np.random.default_rng([split, 0xC0]).permutation(len(frame))
    train, fresh = frame.iloc[order[:rows]], frame.iloc[order[rows : rows + MOST_TESTED]]
    numbers = pd.api.types.is_numeric_dtype(frame[target]) and frame[target].nunique() > 10
    asked: dict[str, Any] = {"models": ["linear", "tree"] if numbers else ["naive_bayes", "logistic"], "folds": 5}
    with tempfile.TemporaryDirectory() as home:
        task = "regression" if numbers else "classification"
        model = compare(train, target, task=task, home=home, progress=False, **asked).fit()
    if not numbers:
        fresh = fresh[fresh[target].isin(model.classes_)]
    found = {}
    for coverage in COVERAGES:
        if numbers:
            ends, actual = model.predict_interval(fresh, coverage), fresh[target].to_numpy(dtype=float)
            held, size = (ends[:, 0] <= actual) & (actual <= ends[:, 1]), ends[:, 1] - ends[:, 0]
        else:
            sets, codes = model.predict_sets(fresh, coverage), np.searchsorted(model.classes_, fresh[target])
            held, size = sets[np.arange(len(codes)), codes], sets.sum(axis=1)
        found[coverage] = float(np.mean(held)), float(np.mean(size))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--splits", type=int, default=4)
    parser.add_argument("--data", type=Path, default=Path(__file__).parents[3] / "shared/data")
    run = Run.of("honesty-prediction-intervals", parser, free=("data",))
    print("| table | training rows | 80 % asked | 90 % asked | mean width or set size at 90 % |\n|---|--:|--:|--:|--:|")
    for name, frame, target, rows in tables(run.asked.data):
        found = [covered(frame, target, rows, split) for split in range(run.asked.splits)]
        held = {c: float(np.mean([one[c][0] for one in found])) for c in COVERAGES}
        size = float(np.mean([one[0.9][1] for one in found]))
        print(f"| {name} | {rows} | {100 * held[0.8]:.1f} % | {100 * held[0.9]:.1f} % | {size:.4g} |", flush=True)
        run.results.add(name, held_of_80=held[0.8], held_of_90=held[0.9], size_of_90=size)
    run.finish()


if __name__ == "__main__":
    main()
