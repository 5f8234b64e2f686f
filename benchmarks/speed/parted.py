"""How long does one boosting take on partitions, next to one process on as many cores, and to other engines on Dask?

    python -m benchmarks.speed.parted [--rows 10000000] [--rounds 50] [--peers FOLDER] [--engines here parted …]

Parquet files of single precision, 28 columns and two classes; each engine reads them and boosts trees of 31 leaves and
255 bins at a rate of 0.1. `here` is one process with two threads; all others run on a scheduler and two workers with a
thread each, real processes on this machine, a cluster of its own each. Seconds are those of the whole call, with
reading. The two models of venire predict the same bits, or there is no figure; areas under the curve are of rows that
were trained on.
`--peers` is a folder with XGBoost and LightGBM, which venire's environment does not have.
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import roc_auc_score

import venire
from benchmarks.reliability.clusters import Processes
from benchmarks.results import Run
from benchmarks.speed.cluster import Watched
from venire.cluster import GradientBoostingClassifier

COLUMNS, PIECES, CHECKED = 28, 8, 200_000
Fitted = tuple[float, np.ndarray, dict[str, float]]  # seconds, scores of some rows, and what else there is to say


def written(folder: Path, rows: int, seed: int) -> list[str]:
    """The table, in pieces."""
    paths = []
    folder.mkdir(parents=True, exist_ok=True)
    for piece in range(PIECES):
        paths.append(str(folder / f"{piece}.parquet"))
        if Path(paths[-1]).exists():
            continue
        rng = np.random.default_rng([seed, piece])
        count = rows * (piece + 1) // PIECES - rows * piece // PIECES
        X = rng.normal(size=(count, COLUMNS)).astype(np.float32)
        signal = X[:, 0] + X[:, 1] * X[:, 2] + np.abs(X[:, 3]) - 0.8 + 0.5 * X[:, 4] * (X[:, 5] > 0)
        frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(COLUMNS)])
        frame["y"] = (signal + rng.normal(size=count) > 0).astype(np.int32)
        frame.to_parquet(paths[-1])
    return paths


def read(paths: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """All rows in one place."""
    frames = [pd.read_parquet(path) for path in paths]
    X = np.concatenate([np.asarray(frame.drop(columns="y")) for frame in frames])
    return X, np.concatenate([np.asarray(frame["y"]) for frame in frames])


def here(paths: list[str], rounds: int, few: np.ndarray, _: Processes | None) -> Fitted:
    """One process with two threads."""
    began = time.perf_counter()
    X, y = read(paths)
    model = venire.GradientBoostingClassifier(n_estimators=rounds, random_state=0, n_jobs=2, keep_losses=False)
    model.fit(X, y)
    return time.perf_counter() - began, model.predict_proba(few)[:, 1], {}


def parted(paths: list[str], rounds: int, few: np.ndarray, processes: Processes | None) -> Fitted:
    """On two workers."""
    assert processes is not None
    watched, began = Watched(processes.scheduler.pid), time.perf_counter()
    boost = GradientBoostingClassifier(
        client=processes.address, n_estimators=rounds, random_state=0, n_jobs=1, keep_losses=False
    )
    boost.fit(paths, target="y")
    took = time.perf_counter() - began
    return (
        took,
        boost.model_.predict_proba(pd.DataFrame(few, columns=[f"x{j}" for j in range(COLUMNS)]))[:, 1],
        {"scheduler_grew_MB": watched.growth()},
    )


def xgboost(paths: list[str], rounds: int, few: np.ndarray, processes: Processes | None) -> Fitted:
    """XGBoost, by histograms, the largest gain first."""
    assert processes is not None
    Client, engine = import_module("distributed").Client, import_module("xgboost")
    parallel = import_module("xgboost.dask")
    settings = {"max_leaves": 31, "max_depth": 0, "grow_policy": "lossguide", "max_bin": 255, "eta": 0.1}
    settings |= {"objective": "binary:logistic", "tree_method": "hist", "nthread": 1}
    with Client(processes.address) as client:
        began = time.perf_counter()
        table = client.persist(import_module("dask.dataframe").read_parquet(paths))
        matrix = parallel.DaskQuantileDMatrix(client, table.drop(columns="y"), table["y"], max_bin=255)
        found = parallel.train(client, settings, matrix, num_boost_round=rounds)
        took = time.perf_counter() - began
    columns = [f"x{j}" for j in range(COLUMNS)]
    return took, found["booster"].predict(engine.DMatrix(pd.DataFrame(few, columns=columns))), {}


def lightgbm(paths: list[str], rounds: int, few: np.ndarray, processes: Processes | None) -> Fitted:
    """LightGBM, whose defaults these settings are."""
    assert processes is not None
    Client, engine = import_module("distributed").Client, import_module("lightgbm")
    with Client(processes.address) as client:
        began = time.perf_counter()
        table = client.persist(import_module("dask.dataframe").read_parquet(paths))
        model = engine.DaskLGBMClassifier(client=client, n_estimators=rounds, max_bin=255, verbose=-1)
        model.fit(table.drop(columns="y"), table["y"])
        took = time.perf_counter() - began
    columns = [f"x{j}" for j in range(COLUMNS)]
    return took, model.to_local().predict_proba(pd.DataFrame(few, columns=columns))[:, 1], {}


ENGINES: dict[str, Callable[..., Fitted]] = {"here": here, "parted": parted, "xgboost": xgboost, "lightgbm": lightgbm}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--rounds", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--peers", default="")
    parser.add_argument("--engines", nargs="+", choices=list(ENGINES), default=list(ENGINES))
    parser.add_argument("--table", type=Path, help="where the pieces of a table of so many rows are, or are to be kept")
    run = Run.of("speed-parted", parser, free=("peers", "table"))
    asked = run.asked
    job = f"{asked.rows} × {COLUMNS}, {asked.rounds} trees of 31 leaves"
    sys.path.append(asked.peers)
    took: dict[str, float] = {}
    said: dict[str, bytes] = {}
    with tempfile.TemporaryDirectory(prefix="venire-speed-") as place:
        paths = written(asked.table or Path(place) / "table", asked.rows, asked.seed)
        X, y = read(paths[:1])
        few, truth = X[:CHECKED], y[:CHECKED]
        for name in asked.engines:
            if name == "here":
                seconds, scores, more = here(paths, asked.rounds, few, None)
            else:
                with Processes(Path(place) / name, memory="8GiB", python_path=asked.peers) as processes:
                    processes.wait(2)
                    try:
                        seconds, scores, more = ENGINES[name](paths, asked.rounds, few, processes)
                    except (
                        ImportError,
                        RuntimeError,
                        ValueError,
                        OSError,
                        AttributeError,
                        TypeError,
                        AssertionError,
                    ) as error:
                        print(f"{job}: {name} did not run: {type(error).__name__}: {error}", flush=True)
                        continue
            took[name], said[name] = seconds, hashlib.sha256(np.ascontiguousarray(scores).tobytes()).digest()
            print(f"{job}: {name} {seconds:.1f} s, area {roc_auc_score(truth, scores):.5f} {more}", flush=True)
            run.results.add(job, name, seconds=seconds, area=float(roc_auc_score(truth, scores)), **more)
    if {"here", "parted"} <= took.keys() and said["here"] != said["parted"]:
        raise SystemExit("the two models of venire differ")
    for over, under in (("parted", "here"), ("xgboost", "parted"), ("lightgbm", "parted")):
        if {over, under} <= took.keys():
            print(f"{over} ÷ {under}: {took[over] / took[under]:.2f}")
            run.results.add(job, f"{over} ÷ {under}", ratio=took[over] / took[under])
    run.finish()


if __name__ == "__main__":
    main()
