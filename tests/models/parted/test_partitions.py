"""Partitions are read as they come, and what is wrong with one names it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from venire.models.parted.partitions import Wanted, read

X = np.arange(12.0).reshape(6, 2)
Y = np.array([0, 1, 0, 1, 0, 1])
FRAME = pd.DataFrame({"a": X[:, 0], "b": list("xyxyxz"), "y": Y, "w": 2.0})


def test_frames_pairs_and_files_are_one_table(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    FRAME.to_parquet(tmp_path / "one.parquet")
    sources = [FRAME.iloc[:2], str(tmp_path / "one.parquet"), FRAME.iloc[:0]]
    found = read(sources, 4, Wanted("y", "w", categories=True), None)
    assert found.troubles == ()
    assert found.names == ("a", "b")
    assert found.categories == {1: ("x", "y", "z")}
    assert found.X[:, 1].tolist() == [0, 1, 0, 1, 0, 1, 0, 2]
    assert found.X.flags.f_contiguous
    assert found.weights is not None
    assert found.weights.tolist() == [2.0] * 8
    assert found.y.tolist() == [0, 1, *Y]


@pytest.mark.parametrize(
    ("sources", "wanted", "most", "said"),
    [
        ([FRAME], Wanted("z"), None, "partition 3: there is no column 'z'"),
        ([FRAME], Wanted("y", "v"), None, "partition 3: there is no column 'v'"),
        ([FRAME], Wanted(), None, "partition 3: a frame needs the name of its target"),
        ([FRAME], Wanted("y"), None, "partition 3: column 'b' does not hold numbers"),
        ([(X, Y), (X[:, :1], Y)], Wanted(), None, "partition 4 has other columns than partition 3: 1 columns"),
        ([FRAME, FRAME.drop(columns="b")], Wanted("y", categories=True), None, "partition 4 has other columns"),
        ([FRAME, FRAME.assign(b=1.0)], Wanted("y", categories=True), None, "partition 4: column 1 holds numbers"),
        ([(X, Y[:3])], Wanted(), None, r"partition 3: X has the shape \(6, 2\), and y \(3,\)"),
        ([(np.where(X > 9, np.inf, X), Y)], Wanted(), None, "partition 3: it holds infinite numbers"),
        ([(X, np.where(Y, np.nan, 0.0))], Wanted(numeric=True), None, "partition 3: the target has missing values"),
        ([(X, Y, -np.ones(6))], Wanted(), None, "partition 3: the weights are not a number a row"),
        ([(X, Y), (X, Y)], Wanted(), 400.0, "partitions 3 to 4 takes .* GiB in memory, and its worker may take"),
        (["/nowhere/at/all.parquet"], Wanted("y"), None, "partition 3: .*/nowhere/at/all.parquet"),
    ],
)
def test_what_is_wrong_names_the_partition(sources: list[Any], wanted: Wanted, most: float | None, said: str) -> None:
    found = read(sources, 3, wanted, most)
    assert len(found.X) == 0
    assert re.match(said, found.troubles[0])


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    FRAME.to_parquet(tmp_path / "one.parquet")
    found = read([str(tmp_path / "one.parquet")], 0, Wanted("y"), 100.0)
    assert "one.parquet takes" in found.troubles[0]
