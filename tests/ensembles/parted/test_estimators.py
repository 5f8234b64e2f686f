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
    boost.fit(tmp_path, target="y")  # a folder: 0.parquet, 1000.parquet, … stand in this order
    assert content(boost.model_, tmp_path) == here
    with pytest.raises(DataError, match="there are no Parquet files"):
        boost.fit(tmp_path / "nothing", target="y")


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


def test_other_models_have_the_bytes_of_one_partition(workers: Processes, tmp_path: Path) -> None:
    whole = frame()
    (tmp_path / "gaps").mkdir()
    bayes = parted.NaiveBayesClassifier(client=workers.address).fit(files(tmp_path / "gaps", whole, ENDS), target="y")
    here = venire.NaiveBayesClassifier().fit(whole[NAMES], whole["y"])
    assert content(bayes.model_, tmp_path) == content(here, tmp_path)
    full = whole.fillna(0.5)
    full["z"] = full["a"] - 2 * full["b"] + np.arange(len(full)) % 3
    (tmp_path / "full").mkdir()
    (tmp_path / "one").mkdir()
    paths = files(tmp_path / "full", full.drop(columns="y"), ENDS)
    one = files(tmp_path / "one", full.drop(columns="y"), [])
    lines = [parted.Ridge(client=workers.address, alpha=2.0).fit(each, target="z") for each in (paths, one)]
    assert lines[0].score(full[NAMES], full["z"]) > 0.5
    assert content(lines[0].model_, tmp_path) == content(lines[1].model_, tmp_path)
    (tmp_path / "classes").mkdir()
    paths = files(tmp_path / "classes", full.drop(columns="z"), ENDS)
    one = files(tmp_path / "one", full.drop(columns="z"), [])
    shares = [parted.LogisticRegression(client=workers.address).fit(each, target="y") for each in (paths, one)]
    assert shares[0].score(full[NAMES], full["y"]) > 0.6
    assert content(shares[0].model_, tmp_path) == content(shares[1].model_, tmp_path)
    with pytest.raises(DataError, match=r"part 0: column 'a' has .* missing values"):
        parted.LogisticRegression(client=workers.address).fit(files(tmp_path, whole, ENDS), target="y")


def test_partitions_that_do_not_go_together_are_named(workers: Processes, tmp_path: Path) -> None:
    whole = frame()
    paths = files(tmp_path, whole, ENDS)
    boost = parted.GradientBoostingClassifier(client=workers.address, **SETTINGS)
    whole.iloc[:100].drop(columns="b").to_parquet(paths[3])
    with pytest.raises(DataError, match="partition 3 has other columns than partition 2: a, c"):
        boost.fit(paths, target="y")
    whole.iloc[:100].assign(b="text").to_parquet(paths[3])
    with pytest.raises(DataError, match=r"column 'b' holds numbers|partition 2: column 1 holds numbers"):
        boost.fit(paths, target="y")
    with pytest.raises(DataError, match=r"partition 1: .*nowhere"):
        boost.fit([paths[0], str(tmp_path / "nowhere.parquet")], target="y")
    whole.to_parquet(paths[0])
    with pytest.raises(DataError, match="column 1 is categorical"):  # an error of a worker's
        parted.GradientBoostingClassifier(client=workers.address, categorical_features=["b"], **SETTINGS).fit(
            paths[:1], target="y"
        )
