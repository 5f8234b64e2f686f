"""The jobs of the forest benchmark and their data, made outside the clock.

The tables D1 and D3 come from `bench_data.py` in the shared folder beside the checkout (or in VENIRE_BENCH_DATA); where
it is not there, a generated table of the same shape stands in, and the page says so.
"""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

import numpy as np
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification

Table = tuple[NDArray[np.float32], NDArray[np.int32]]
TRAIN_SHARE = 0.8
TREE_SETS = 12  # of a single tree: the difference of two engines' AUC then has a standard error of about 0.0003


@dataclass(frozen=True)
class Job:
    """One line of the page. `small` tables are timed many times in one process; the others once a turn."""

    name: str
    title: str
    table: Callable[[], Table]
    trees: int = 100
    all_columns: bool = False  # one plain tree: no sampling, every column at every node
    sets: int = 1  # disjoint training sets over which quality is judged; the first is the one on the clock
    small: bool = False
    predict_rows: int = 0
    at_least: float = 1.0
    aim: float = 1.0
    at_least_predict: float = 1.5
    aim_predict: float = 3.0


@dataclass(frozen=True)
class Parts:
    """Training part, test part, and the rows to predict against the clock."""

    x: NDArray[np.float32]
    y: NDArray[np.int32]
    x_test: NDArray[np.float32]
    y_test: NDArray[np.int32]
    x_many: NDArray[np.float32]


def shared_folder() -> Path:
    named = os.environ.get("VENIRE_BENCH_DATA")
    return Path(named) if named else Path(__file__).resolve().parents[2].parent / "shared"


def shared_module() -> ModuleType | None:
    path = shared_folder() / "bench_data.py"
    if not path.exists():
        return None
    spec = importlib.util.spec_from_file_location("bench_data", path)
    assert spec is not None  # the path exists and ends in .py
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def d1(rows: int) -> Table:
    shared = shared_module()
    return shared.d1(rows) if shared else stand_in(rows, 28, 2)


def d3(rows: int) -> Table:
    shared = shared_module()
    return shared.d3(rows) if shared else stand_in(rows, 54, 7)


def stand_in(rows: int, columns: int, classes: int) -> Table:
    x, y = make_classification(
        rows, columns, n_informative=12, n_redundant=2, n_classes=classes, flip_y=0.1, random_state=1
    )
    return x.astype(np.float32), y.astype(np.int32)


def bundled(load: Callable[..., tuple[NDArray[np.float64], NDArray[np.int64]]]) -> Table:
    x, y = load(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    return x[order].astype(np.float32), y[order].astype(np.int32)


def jobs(*, quick: bool) -> list[Job]:
    rows = 20_000 if quick else 200_000
    many = 50_000 if quick else 1_000_000
    large = rows * 5 // 4  # of which four fifths train
    return [
        Job("d1", f"forest, D1, {rows:,} × 28", lambda: d1(large), predict_rows=many, at_least=2, aim=4),
        Job("d3", f"forest, D3, {rows:,} × 54, 7 classes", lambda: d3(large), at_least=2, aim=4),
        Job("cancer", "forest, 569 × 30", lambda: bundled(load_breast_cancer), small=True, aim=2),
        Job("wine", "forest, 178 × 13", lambda: bundled(load_wine), small=True, aim=2),
        Job("digits", "forest, 1,797 × 64", lambda: bundled(load_digits), small=True, aim=2),
        Job(
            "tree",
            f"one full tree, {rows:,} × 28",
            lambda: d1((TREE_SETS + 1) * rows),
            trees=1,
            all_columns=True,
            sets=TREE_SETS,
            at_least=4,
            aim=10,
        ),
    ]


def parts_of(job: Job) -> Parts:
    """The first four fifths train, the rest tests; the rows to predict repeat the table as often as needed."""
    if job.sets > 1:
        return sets_of(job)[0]
    x, y = job.table()
    cut = int(len(y) * TRAIN_SHARE)
    repeats = -(-job.predict_rows // len(y)) if job.predict_rows else 0
    many = np.tile(x, (repeats, 1))[: job.predict_rows] if repeats else x[:0]
    return Parts(x[:cut], y[:cut], x[cut:], y[cut:], many)


def sets_of(job: Job) -> list[Parts]:
    """The table in equal parts: each but the last is a training set, and the last tests them all."""
    x, y = job.table()
    *train, test = zip(np.split(x, job.sets + 1), np.split(y, job.sets + 1), strict=True)
    return [Parts(*one, *test, x[:0]) for one in train]
