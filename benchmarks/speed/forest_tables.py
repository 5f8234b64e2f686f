"""Forests on five real tables: is venire's quality scikit-learn's, within 0.003?

Both forests see the same splits and the same settings (100 trees, √m columns a node); the difference is averaged over
repeated five-fold cross-validation until its standard error is small. The tables lie in the shared folder's `data`.

    python benchmarks/speed/forest_tables.py [--repeats 4]
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
from forest_jobs import shared_folder
from numpy.typing import NDArray
from sklearn import ensemble as sk
from sklearn.model_selection import KFold, StratifiedKFold

from venire.ensembles.forest import RandomForestClassifier, RandomForestRegressor

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
    columns = duckdb.sql(f"FROM '{path}'" + (f" LIMIT {table.rows}" if table.rows else "")).fetchnumpy()
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


def differences(table: RealTable, repeats: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    x, y = read(table)
    kinds = (
        (RandomForestRegressor, sk.RandomForestRegressor)
        if table.numeric_target
        else (
            RandomForestClassifier,
            sk.RandomForestClassifier,
        )
    )
    folds = KFold if table.numeric_target else StratifiedKFold
    scores: list[list[float]] = [[], []]
    for seed in range(repeats):
        for train, test in folds(5, shuffle=True, random_state=seed).split(x, y):
            for kind, found in zip(kinds, scores, strict=True):
                model = kind(n_estimators=100, max_features="sqrt", random_state=seed, n_jobs=2)
                found.append(model.fit(x[train], y[train]).score(x[test], y[test]))
    return np.array(scores[0]), np.array(scores[1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=4)
    repeats = parser.parse_args().repeats
    if not Path(shared_folder() / "data").exists():
        raise SystemExit("the shared tables are not there; set VENIRE_BENCH_DATA to their folder")
    print("| table | venire | scikit-learn | difference | ± | |\n|---|--:|--:|--:|--:|---|")
    for table in TABLES:
        ours, theirs = differences(table, repeats)
        gap = ours - theirs
        error = gap.std(ddof=1) / np.sqrt(len(gap))
        verdict = "within" if abs(gap.mean()) <= ALLOWED else "beyond"
        numbers = f"{ours.mean():.4f} | {theirs.mean():.4f} | {gap.mean():+.4f} | {error:.4f}"
        print(f"| {table.file} | {numbers} | {verdict} |", flush=True)


if __name__ == "__main__":
    main()
