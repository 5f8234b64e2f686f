"""One model over partitions on real workers: the bytes of one machine, whoever is lost."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import venire
from benchmarks.reliability.clusters import Processes
from venire import cluster as parted
from venire.errors import DataError

pytest.importorskip("distributed")
pytest.importorskip("pyarrow")


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Processes]:
    with Processes(tmp_path_factory.mktemp("cluster")) as processes:
        processes.wait(2)
        yield processes


NAMES = ["a", "b", "c"]
ENDS = [1_000, 4_500, 8_300]
SETTINGS: dict[str, Any] = {"random_state": 0, "n_jobs": 1, "keep_losses": False}


def frame(rows: int = 9_000) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    X = rng.normal(size=(rows, 3)).round(2)
    X[rng.random(X.shape) < 0.05] = np.nan
    signal = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) * np.nan_to_num(X[:, 2])
    found = pd.DataFrame(X, columns=NAMES)
    found["y"] = np.where(signal + rng.normal(size=rows) > 0, "yes", "no")
    return found


def files(folder: Path, whole: pd.DataFrame, ends: list[int]) -> list[str]:
    paths = []
    for first, last in zip([0, *ends], [*ends, len(whole)], strict=True):
        paths.append(str(folder / f"{first}.parquet"))
        whole.iloc[first:last].to_parquet(paths[-1])
    return paths


def content(model: Any, folder: Path) -> bytes:
    venire.save(model, folder / "one.venire")
    return (folder / "one.venire").read_bytes()


def test_partitions_give_the_model_of_one_machine(workers: Processes, tmp_path: Path) -> None:
    whole, paths = frame(), files(tmp_path, frame(), ENDS)
    settings = {**SETTINGS, "n_estimators": 6}
    here = content(venire.GradientBoostingClassifier(**settings).fit(whole[NAMES], whole["y"]), tmp_path)
    boost = parted.GradientBoostingClassifier(client=workers.address, **settings).fit(paths, target="y")
    assert content(boost.model_, tmp_path) == here
    assert boost.score(whole[NAMES], whole["y"]) > 0.6


@pytest.mark.skipif("VENIRE_LONG_TESTS" not in os.environ, reason="takes minutes: make cluster")
def test_a_worker_that_dies_changes_no_byte(workers: Processes, tmp_path: Path) -> None:
    whole, paths = frame(), files(tmp_path, frame(), ENDS)
    settings = {**SETTINGS, "n_estimators": 60}
    here = content(venire.GradientBoostingClassifier(**settings).fit(whole[NAMES], whole["y"]), tmp_path)
    killed = []

    def kill() -> None:
        process = workers.process_of(0)
        assert process is not None
        process.kill()
        killed.append(time.monotonic())

    killing = threading.Timer(5.0, kill)
    killing.start()
    boost = parted.GradientBoostingClassifier(client=workers.address, **settings).fit(paths, target="y")
    assert killed
    killing.join()
    assert content(boost.model_, tmp_path) == here


def test_a_dask_frame_and_futures_do_as_well(workers: Processes, tmp_path: Path) -> None:
    from dask import delayed
    from dask.dataframe import from_pandas
    from distributed import Client

    whole = frame(3_000)
    whole["y"] = np.arange(3_000) % 7 + whole["a"].fillna(0)
    settings = {**SETTINGS, "n_estimators": 6}
    here = content(venire.GradientBoostingRegressor(**settings).fit(whole[NAMES], whole["y"]), tmp_path)
    with Client(workers.address, set_as_default=False) as client:
        boost = parted.GradientBoostingRegressor(client=client, **settings)
        boost.fit(from_pandas(whole, npartitions=3, sort=False), target="y")
        assert content(boost.model_, tmp_path) == here
        pieces = [delayed(frame)(500) for _ in range(2)]
        with pytest.raises(DataError, match="partition 0: could not convert string to float"):
            boost.fit(pieces, target="y")
        with pytest.raises(DataError, match=r"partition 1: there is no column 'z'|partition 0: there is no column 'z'"):
            boost.fit(pieces, target="z")
        with pytest.raises(DataError, match="partition 0 is a DataFrame, not where to find one"):
            boost.fit([whole], target="y")
