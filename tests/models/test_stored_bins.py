from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from venire._core import Bins
from venire.data.store import column, column_writer
from venire.models.stored_bins import stored_bins

ROWS = 5000


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("weighing", ["alike", "parts", "weights", "whole weights"])
def test_the_bins_are_those_of_the_matrix_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, weighing: str, threads: int
) -> None:
    for module in (column, column_writer):
        monkeypatch.setattr(module, "STRETCH", 999)
    rng = np.random.default_rng(1)
    X = np.column_stack(
        [
            rng.normal(size=ROWS),
            rng.normal(size=ROWS).astype(np.float32).astype(float),
            np.round(rng.normal(size=ROWS), 1),  # few values
            rng.integers(0, 200, ROWS),
            np.minimum(rng.geometric(0.01, ROWS), 900),  # more categories than bins
            np.full(ROWS, np.nan),
            np.where(rng.random(ROWS) < 0.9, 0.0, rng.normal(size=ROWS)),  # one value heavier than a bin
        ]
    )
    X[:, :5][rng.random((ROWS, 5)) < 0.05] = np.nan
    categorical = np.array([False, False, False, True, True, False, False])
    weights = {
        "alike": None,
        "parts": (rng.random(ROWS) < 0.7).astype(float),
        "weights": np.maximum(rng.normal(1, 1, ROWS), 0.0),
        "whole weights": rng.integers(0, 4, ROWS).astype(float),
    }[weighing]
    writer = column_writer.ColumnWriter(tmp_path, ROWS)
    for values in X.T:
        writer.append(values)
    there = Bins.of(X, categorical, weights, max_bins=100, threads=1)
    found = stored_bins(writer.values(), categorical, weights, max_bins=100, threads=threads)
    assert np.array_equal(found.codes, there.codes)
    for j in range(X.shape[1]):
        assert found.edges(j) == there.edges(j)
        assert found.bin_count(j) == there.bin_count(j)
