"""Bins: exact where they can be, balanced where they cannot, and derived from the training part alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from venire._core import Bins, Ranks
from venire.models.tree.measures import midpoints

MISSING = 255


def bins_of(
    x: NDArray, weights: NDArray | None = None, *, categorical: bool = False, max_bins: int = 255, threads: int = 1
) -> Bins:
    matrix = x.reshape(-1, 1) if x.ndim == 1 else x
    mask = np.full(matrix.shape[1], categorical)
    return Bins.of(matrix, mask, weights, max_bins=max_bins, threads=threads)


def test_cuts_are_midpoints_between_neighbours() -> None:
    ages = np.array([25, 15, 31, 18, 29, 21, 24, 22, 18], dtype=float)
    assert bins_of(ages).edges(0) == [16.5, 19.5, 21.5, 23.0, 24.5, 27.0, 30.0] == midpoints(ages).tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32, np.int64, np.uint8])
@pytest.mark.parametrize("order", ["C", "F"])
def test_every_scalar_and_order_gives_the_same_codes(dtype: type, order: str) -> None:
    values = np.random.default_rng(0).integers(0, 200, size=(700, 3))
    expected = np.stack([np.unique(column, return_inverse=True)[1] for column in values.T])
    codes = bins_of(np.array(values, dtype=dtype, order=order)).codes  # type: ignore[call-overload]  # order is a str here
    assert np.array_equal(codes, expected)


def test_booleans_and_strided_views() -> None:
    x = np.random.default_rng(1).random((40, 6)) > 0.5
    assert np.array_equal(bins_of(x).codes, x.T)
    assert np.array_equal(bins_of(x[::2, ::-1]).codes, x[::2, ::-1].T)


@pytest.mark.parametrize("distinct", [1, 2, 254, 255, 256, 257, 1000])
def test_up_to_255_values_have_a_bin_each(distinct: int) -> None:
    x = np.repeat(np.arange(distinct, dtype=float), 3)
    bins = bins_of(np.random.default_rng(2).permutation(x))
    assert bins.bin_count(0) == min(distinct, 255)
    assert len(bins.edges(0)) == bins.bin_count(0) - 1


def test_ranges_carry_about_the_same_weight_and_heavy_values_stay_alone() -> None:
    rng = np.random.default_rng(3)
    x = np.concatenate([rng.normal(size=9_000), np.zeros(4_000)])
    codes = bins_of(x).codes[0]
    counts = np.bincount(codes)
    heavy = codes[-1]
    assert set(np.flatnonzero(codes == heavy)) == set(np.flatnonzero(x == 0))
    others = np.delete(counts, heavy)
    assert others.max() <= 2.5 * others.mean()


def test_missing_and_infinite_values() -> None:
    x = np.array([np.nan, -np.inf, -1.0, 0.0, -0.0, np.inf, 1e308])
    bins = bins_of(x)
    assert bins.codes[0].tolist() == [MISSING, 0, 1, 2, 2, 4, 3]
    assert bins_of(np.full(4, np.nan)).codes[0].tolist() == [MISSING] * 4


def test_weights_count_like_copies() -> None:
    rng = np.random.default_rng(4)
    x, copies = rng.normal(size=2_000), rng.integers(0, 4, size=2_000)
    weighted = bins_of(x, copies.astype(float))
    repeated = bins_of(np.repeat(x, copies))
    assert weighted.edges(0) == repeated.edges(0)
    halves = bins_of(x, copies / 2)
    assert halves.edges(0) == weighted.edges(0)


def test_categories_beyond_the_limit_share_the_last_bin() -> None:
    codes = np.concatenate([np.arange(300), np.repeat(np.arange(50, 300), 2)]).astype(float)
    bins = bins_of(codes, categorical=True)
    assert bins.bin_count(0) == 254
    first = bins.codes[0][:300]
    assert first[:3].tolist() == [0, 1, 2]  # of the equally rare, the lower codes keep a bin
    assert np.all(first[3:50] == 253)
    assert len(set(first[50:].tolist())) == 250
    kept = [int(c) for c in first if c != 253]
    assert kept == sorted(kept)


def test_negative_codes_are_missing() -> None:
    codes = np.array([2.0, -1.0, 0.0, np.nan])
    assert bins_of(codes, categorical=True).codes[0].tolist() == [1, MISSING, 0, MISSING]


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), distinct=st.sampled_from([2, 7, 255, 256, 900]), share=st.floats(0.05, 0.95))
def test_narrowed_bins_equal_bins_of_the_part(seed: int, distinct: int, share: float) -> None:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=distinct)[rng.integers(0, distinct, size=(1_200, 2))]
    x[rng.random(x.shape) < 0.1] = np.nan
    inside = rng.random(1_200) < share
    inside[0] = True
    narrowed = Ranks.of(x, np.zeros(2, bool), threads=1).bins(inside.astype(float), max_bins=255, threads=1)
    alone = bins_of(x[inside])
    for j in range(2):
        assert narrowed.edges(j) == alone.edges(j)
    assert np.array_equal(narrowed.codes[:, inside], alone.codes)


def test_rows_left_out_do_not_shape_the_bins() -> None:
    rng = np.random.default_rng(5)
    x, inside = rng.normal(size=(500, 3)), rng.random(500) < 0.5
    garbled = np.where(inside[:, None], x, rng.normal(size=x.shape) * 1e6)
    mask = np.zeros(3, bool)
    pair = [Ranks.of(m, mask, threads=1).bins(inside.astype(float), max_bins=64, threads=1) for m in (x, garbled)]
    assert [pair[0].edges(j) for j in range(3)] == [pair[1].edges(j) for j in range(3)]


def test_threads_do_not_matter() -> None:
    x = np.random.default_rng(6).normal(size=(3_000, 9))
    one = bins_of(x)
    for threads in (2, 3, 8):
        assert np.array_equal(bins_of(x, threads=threads).codes, one.codes)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
@pytest.mark.parametrize("rows", [400, 600_000])
def test_counting_rows_gives_the_bins_that_weighing_each_1_gives(dtype: type, rows: int) -> None:
    rng = np.random.default_rng(9)  # the larger table is more than the caches hold, and is sorted in another way
    x = (rng.normal(size=(rows, 2)) * 1000).astype(dtype)
    x[rng.random(rows) < 0.3, 0] = 17
    if dtype is not np.int32:
        x[::50, 1] = np.nan
        x[::70, 1] = np.inf
        x[::90, 1] = -np.inf
        x[::11, 1] = -0.0
        x[::12, 1] = 0.0
    plain, weighed = bins_of(x), bins_of(x, np.ones(rows))
    assert np.array_equal(plain.codes, weighed.codes)
    assert [plain.edges(j) for j in range(2)] == [weighed.edges(j) for j in range(2)]


def test_what_does_not_fit_is_turned_away() -> None:
    x = np.zeros((4, 2))
    with pytest.raises(ValueError, match="max_bins must lie in 2"):
        bins_of(x, max_bins=256)
    with pytest.raises(ValueError, match="one entry a column"):
        Bins.of(x, np.zeros(3, bool), None, max_bins=255, threads=1)
    with pytest.raises(ValueError, match="weights and the matrix differ in length"):
        Bins.of(x, np.zeros(2, bool), np.ones(5), max_bins=255, threads=1)
    with pytest.raises(TypeError, match="a matrix must hold float32"):
        bins_of(np.zeros((4, 2), dtype=np.float16))
