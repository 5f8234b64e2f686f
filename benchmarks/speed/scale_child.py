"""One measurement of `benchmarks.speed.scale` in a process of its own; prints its figures as JSON, on the last line.

python -m benchmarks.speed.scale_child fit-memory|fit-store|write-store|write-parquet|sums ROWS FOLDER
python -m benchmarks.speed.scale_child neighbour|xgboost …
"""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.speed import large_rows

ROUNDS, LEAVES, THREADS = 100, 31, 2
_LOOKED_AT = 200_000  # rows whose predictions are compared
Figures = dict[str, Any]


def _model(rounds: int = ROUNDS) -> Any:
    from venire import GradientBoostingClassifier

    return GradientBoostingClassifier(n_estimators=rounds, max_leaf_nodes=LEAVES, n_jobs=THREADS, random_state=0)


def _fitted(X: Any, y: NDArray[Any], rows: NDArray[Any]) -> Figures:
    began, used = time.perf_counter(), time.process_time()
    model = _model().fit(X, y)
    took, processor = time.perf_counter() - began, time.process_time() - used
    said = model.predict_proba(rows)
    return {
        "fit": took,
        "fit_processor": processor,
        "digest": hashlib.blake2b(said.tobytes(), digest_size=8).hexdigest(),
        "log_loss": float(-np.log(np.where(y[: len(said)] == 1, said[:, 1], said[:, 0])).mean()),
    }


def fit_memory(rows: int, folder: Path) -> Figures:
    """From a matrix of doubles in memory."""
    X, y = large_rows.in_memory(rows)
    return _fitted(X, y, np.ascontiguousarray(X[:_LOOKED_AT]))


def fit_store(rows: int, folder: Path) -> Figures:
    """From the files of a column store."""
    X, y = large_rows.read_store(rows, folder)
    return _fitted(X, y, np.ascontiguousarray(X[:_LOOKED_AT]))


def write_store(rows: int, folder: Path) -> Figures:
    """The store, which is no part of what is timed."""
    began = time.perf_counter()
    large_rows.write_store(rows, folder)
    size = sum(path.stat().st_size for path in folder.iterdir())
    return {"written": time.perf_counter() - began, "gb": size / 1e9}


def write_parquet(rows: int, folder: Path) -> Figures:
    """A folder of Parquet files."""
    began = time.perf_counter()
    large_rows.write_parquet(rows, folder)
    return {"written": time.perf_counter() - began, "gb": sum(p.stat().st_size for p in folder.iterdir()) / 1e9}


def sums(rows: int, folder: Path) -> Figures:
    """Trees on whole-number sums beside trees on double precision, on six columns of 64 values.

    Of the first tree, and of the sixth: how much less of the loss it takes away than the tree that double precision
    grows, and how far the values of its leaves are from those of double precision, over their mean size.
    """
    from benchmarks.speed.double_trees import gain_of_leaves, grown, values_of_leaves

    codes = np.empty((6, rows), np.uint8)
    y = np.empty(rows)
    columns = (0, 1, 2, 8, 22, 23)
    for begin, x, classes in large_rows.stretches_of_store(rows, folder, columns):
        part = slice(begin, begin + len(x))
        for place, j in enumerate(columns):
            low, high = (-3.0, 3.0) if j < 21 else (0.0, 1.0)
            codes[place, part] = np.clip((x[:, place] - low) / (high - low) * 64, 0, 63)
        y[part] = classes
    figures: Figures = {}
    bins, booster = _booster(codes, y)
    for tree in range(6):
        if tree in (0, 5):
            share = 1 / (1 + np.exp(-booster.scores()[0]))
            gradient, hessian = share - y, share * (1 - share)
            best = gain_of_leaves(grown(codes, gradient, hessian, LEAVES, 20), gradient, hessian)
        before = booster.scores()[0]
        booster.advance(1, threads=THREADS)
        if tree in (0, 5):
            leaf = _leaves(booster.forest(), bins, tree)
            said = np.bincount(leaf, booster.scores()[0] - before) / np.maximum(np.bincount(leaf), 1)
            exact = values_of_leaves(leaf, gradient, hessian, 0.1)
            figures |= {
                f"tree_{tree + 1}_less": 1 - gain_of_leaves(leaf, gradient, hessian) / best,
                f"tree_{tree + 1}_values": float(np.abs(said - exact).max() / np.abs(exact).mean()),
                f"tree_{tree + 1}_leaves": len(exact),
            }
    return figures


def _leaves(forest: Any, bins: Any, tree: int) -> NDArray[np.int32]:
    """The leaf of every row in one tree, counted from 0."""
    out = np.empty(bins.rows, np.int32)
    for begin in range(0, bins.rows, 1 << 22):
        rows = np.arange(begin, min(begin + (1 << 22), bins.rows))
        out[rows] = forest.leaves_coded(bins, rows, threads=THREADS)[:, tree]
    numbers = np.zeros(out.max() + 1, np.int32)
    numbers[np.bincount(out) > 0] = 1
    return (np.cumsum(numbers) - 1).astype(np.int32)[out]


def _booster(codes: NDArray[np.uint8], y: NDArray[Any]) -> tuple[Any, Any]:
    """Bins of codes as they are, and a boosting before its first round."""
    from venire._core import Bins, Booster
    from venire.ensembles.gradient.settings import Goal

    model = _model()
    model.n_features_in_ = len(codes)
    goal = Goal("logistic", 1, y, None)
    bins = Bins.of(codes.T, np.zeros(len(codes), bool), None, max_bins=255, threads=THREADS)
    plan = model._plan(goal, 0, len(y))
    return bins, Booster.of(bins, y, None, np.zeros(0), np.zeros(len(codes), np.int8), plan, threads=THREADS)


def _spin(stop: Any) -> None:
    while not stop.is_set():
        sum(range(100_000))


def neighbour(engine: str) -> Figures:
    """A fit with two threads, alone and next to a process that keeps a core busy; OpenMP waits as installed."""
    X, y = large_rows.in_memory(1_000_000)
    X = np.ascontiguousarray(X.astype(np.float32))
    fit = _lightgbm if engine == "lightgbm" else lambda X, y: _model().fit(X, y)
    fit(X[:2000], y[:2000])
    alone = min(_seconds(fit, X, y) for _ in range(2))
    context = multiprocessing.get_context("spawn")
    stop = context.Event()
    busy = context.Process(target=_spin, args=(stop,), daemon=True)
    busy.start()
    time.sleep(1.0)
    beside = min(_seconds(fit, X, y) for _ in range(2))
    stop.set()
    busy.join()
    return {"alone": alone, "beside": beside}


def _seconds(fit: Callable[..., Any], *given: Any) -> float:
    began = time.perf_counter()
    fit(*given)
    return time.perf_counter() - began


def _lightgbm(X: NDArray[Any], y: NDArray[Any]) -> Any:
    import lightgbm

    return lightgbm.LGBMClassifier(n_estimators=ROUNDS, num_leaves=LEAVES, n_jobs=THREADS, verbose=-1).fit(X, y)


def xgboost(rows: int, folder: Path) -> Figures:
    """XGBoost's external memory on the same rows, in a cache of its own beside them; stretches are its batches.

    They come from the files of the column store, as ours do.
    """
    import xgboost as xgb

    class Batches(xgb.DataIter):  # type: ignore[misc]  # it is not installed where types are checked
        def __init__(self) -> None:
            super().__init__(cache_prefix=str(cache / "xgboost"))
            self._left: Iterator[Any] = iter(())

        def reset(self) -> None:
            self._left = large_rows.stretches_of_store(rows, folder)

        def next(self, given: Any) -> bool:
            for _, x, y in self._left:
                given(data=x, label=y)
                return True
            return False

    cache = folder.parent / f"xgboost-{rows}"
    cache.mkdir(exist_ok=True)
    began = time.perf_counter()
    matrix = xgb.ExtMemQuantileDMatrix(Batches(), max_bin=255, nthread=THREADS)
    built = time.perf_counter()
    asked = {
        "objective": "binary:logistic",
        "eta": 0.1,
        "max_leaves": LEAVES,
        "grow_policy": "depthwise",
        "max_bin": 255,
    }
    model = xgb.train({**asked, "max_depth": 0, "nthread": THREADS, "tree_method": "hist"}, matrix, ROUNDS)
    took = time.perf_counter() - began
    del matrix
    _, x, y = next(large_rows.stretches_of_store(rows, folder))
    said = model.predict(xgb.DMatrix(x[:_LOOKED_AT]))
    loss = float(-np.log(np.where(y[: len(said)] == 1, said, 1 - said)).mean())
    shutil.rmtree(cache, ignore_errors=True)
    return {"fit": took, "built": built - began, "log_loss": loss}


_OF_ROWS: dict[str, Callable[[int, Path], Figures]] = {
    "fit-memory": fit_memory,
    "fit-store": fit_store,
    "write-store": write_store,
    "write-parquet": write_parquet,
    "sums": sums,
    "xgboost": xgboost,
}


def main() -> None:
    job, *given = sys.argv[1:]
    if job == "neighbour":
        found = neighbour(given[0])
    else:
        found = _OF_ROWS[job](int(given[0]), Path(given[1]))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
