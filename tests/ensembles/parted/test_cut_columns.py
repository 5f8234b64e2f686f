"""Columns in parts are cut where they would be cut in one place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from venire._core import BlockBinner, count_keys
from venire.ensembles.parted.cut_columns import Asked, Counted, cut_columns

RNG = np.random.default_rng(0)
ROWS = 30_000
COLUMNS: dict[str, np.ndarray] = {
    "normal": RNG.normal(size=ROWS),
    "uniform": RNG.random(ROWS),
    "whole": RNG.integers(-5_000, 5_000, ROWS).astype(float),
    "rounded": RNG.normal(size=ROWS).round(2),
    "few": RNG.integers(0, 7, ROWS).astype(float),
    "heavy": np.where(RNG.random(ROWS) < 0.7, 0.25, RNG.normal(size=ROWS)),
    "wide": RNG.normal(size=ROWS) * 10.0 ** RNG.integers(-30, 30, ROWS),
    "close": 1e6 + RNG.normal(size=ROWS) * 0.1,
    "zeros": np.where(RNG.random(ROWS) < 0.5, -0.0, 0.0),
    "missing": np.full(ROWS, np.nan),
    "one": np.where(np.arange(ROWS) == 17, 3.0, np.nan),
    "gaps": np.where(RNG.random(ROWS) < 0.3, np.nan, RNG.exponential(size=ROWS)),
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("max_bins", [255, 16])
def test_cuts_are_those_of_one_place(dtype: Any, max_bins: int) -> None:
    X = np.asfortranarray(np.column_stack(list(COLUMNS.values())).astype(dtype))
    messages = []

    def ask(asked: list[Asked]) -> list[list[Counted]]:
        told = [
            [
                count_keys(part[:, [j]].copy(), None, known=known, prefixes=prefixes, wanted=wanted)
                for j, known, prefixes, wanted in asked
            ]
            for part in (X[:11], X[11:20_000], X[20_000:])
        ]
        messages.append(max(sum(keys.nbytes + counts.nbytes for keys, counts in one) for one in told))
        return told

    found = cut_columns(ask, range(X.shape[1]), max_bins, wide=dtype == np.float64)
    for name, j in zip(COLUMNS, range(X.shape[1]), strict=True):
        binner = BlockBinner.of(ROWS, 1, max_bins=max_bins)
        binner.take(0, np.ascontiguousarray(X[:, [j]]), None)
        binner.cut(0, categorical=False)
        assert found[j][:2] == binner.cuts(0)[:2], name
    assert len(messages) <= 5
    assert max(messages) < 2**21


def test_keys_of_other_bits_are_refused() -> None:
    column = np.zeros((3, 1))
    with pytest.raises(ValueError, match="no such bits"):
        count_keys(column, None, known=8, prefixes=np.zeros(1, dtype=np.uint64), wanted=16)
    with pytest.raises(ValueError, match="prefixes ascend"):
        count_keys(column, None, known=16, prefixes=np.array([1 << 16], dtype=np.uint64), wanted=24)
