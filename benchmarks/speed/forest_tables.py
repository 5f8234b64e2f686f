"""Forests on five real tables: is venire's quality scikit-learn's, within 0.003?

Both forests see the same splits and the same settings (100 trees, √m columns a node); the difference is averaged over
repeated five-fold cross-validation until its standard error is half of what is allowed. The tables lie in the shared
folder's `data`.

    python -m benchmarks.speed.forest_tables [--most 40]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from numpy.typing import NDArray
from sklearn import ensemble as sk
from sklearn.model_selection import KFold, StratifiedKFold

from benchmarks.results import Run
from benchmarks.speed.forest_jobs import shared_folder
from venire.ensembles.forest.estimators import RandomForestClassifier, RandomForestRegressor

ALLOWED = 0.003


@dataclass(frozen=True)
class RealTable:
    file: str
    target: str
    numeric_target: bool = False
    leave_out: str | None = None  # a column that only names the rows
    rows: int | None = None  # the first so many, where all would take long


TABLES = [
    RealTable("banknote_authentication.csv", "class"),
    RealTable("mammography.csv", "class"),
    RealTable("yeast.csv", "localization_site", leave_out="sequence_name"),
    RealTable("letter.parquet", "class", rows=6000),
    RealTable("california_housing.csv", "medianhousevalue", numeric_target=True, rows=6000),
]


def read(table: RealTable) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Numeric columns as numbers, the others as codes."""
    path = shared_folder() / "data" / table.file
    columns = duckdb.connect().sql(f"FROM '{path}'" + (f" LIMIT {table.rows}" if table.rows else "")).fetchnumpy()
    names = {name.lower(): name for name in columns}
    target = columns.pop(names[table.target])
    if table.leave_out:
        del columns[table.leave_out]
    coded = [_numbers(values) for values in columns.values()]
    y = (
        np.asarray(target, dtype=float)
        if table.numeric_target
        else np.unique(np.asarray(target), return_inverse=True)[1]
    )
    return np.column_stack(coded), y


def _numbers(values: Any) -> NDArray[np.float64]:
    plain = np.ma.filled(values, np.nan) if values.dtype.kind == "f" else np.asarray(values)
    if plain.dtype.kind in "OUT":
        return np.unique(plain.astype(str), return_inverse=True)[1].astype(float)
    return plain.astype(float)


def differences(table: RealTable, most: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores of venire and of scikit-learn, fold by fold; four repeats at least, and as many as it takes."""
    x, y = read(table)
    kinds: tuple[Any, Any] = (RandomForestClassifier, sk.RandomForestClassifier)
    if table.numeric_target:
        kinds = (RandomForestRegressor, sk.RandomForestRegressor)
    folds = KFold if table.numeric_target else StratifiedKFold
    scores: list[list[float]] = [[], []]
    for seed in range(most):
        for train, test in folds(5, shuffle=True, random_state=seed).split(x, y):
            for kind, found in zip(kinds, scores, strict=True):
                model = kind(n_estimators=100, max_features="sqrt", random_state=seed, n_jobs=2)
                found.append(model.fit(x[train], y[train]).score(x[test], y[test]))
        if seed >= 3 and error_of(np.subtract(scores[0], scores[1])) <= ALLOWED / 2:
            break
    return np.array(scores[0]), np.array(scores[1])


def error_of(gap: NDArray[np.float64]) -> float:
    return float(gap.std(ddof=1) / np.sqrt(len(gap)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=40, help="repeats of five folds at most")
    run = Run.of("speed-forest-tables", parser)
    most = run.asked.most
    if not Path(shared_folder() / "data").exists():
        raise SystemExit("the shared tables are not there; set VENIRE_BENCH_DATA to their folder")
    print("| table | repeats | venire | scikit-learn | difference | ± | |\n|---|--:|--:|--:|--:|--:|---|")
    for table in TABLES:
        ours, theirs = differences(table, most)
        gap = ours - theirs
        verdict = "within" if abs(gap.mean()) <= ALLOWED else "beyond"
        if error_of(gap) > ALLOWED / 2:
            verdict = "open"
        numbers = f"{ours.mean():.4f} | {theirs.mean():.4f} | {gap.mean():+.4f} | {error_of(gap):.4f}"
        print(f"| {table.file} | {len(gap) // 5} | {numbers} | {verdict} |", flush=True)
        run.results.add(
            table.file, "venire", score=ours.mean(), above_scikit_learn=gap.mean(), standard_error=error_of(gap)
        )
        run.results.add(table.file, "scikit-learn", score=theirs.mean())
    run.finish()


if __name__ == "__main__":
    main()
