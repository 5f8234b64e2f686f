"""What is said of two classes in one number, against the rule written out, for bits of every kind."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from venire._core import (
    bit_labels,
    complement_shares,
    label_bits,
    long_scores,
    long_shares,
    short_scores,
    short_shares,
)

ODD = [0.0, -0.0, 0.5, 1.0, -1.0, 0.25, 0.75, 1e-45, 1 - 2**-24, 0.5 - 2**-25, 0.5 + 2**-24, np.inf, -np.inf, np.nan]
SHAPES = st.tuples(st.integers(0, 3), st.integers(0, 40), st.just(2))
SIZES = [0, 1, 3, 4, 7, 8, 9, 31, 4095, 4096, 4097, 10_001]


def bits(array: NDArray[np.float32]) -> NDArray[np.uint32]:
    return array.view(np.uint32)


def some_shares(seed: int, rows: int) -> NDArray[np.float32]:
    """Of all sizes, the smaller one rounded."""
    rng = np.random.default_rng(seed)
    smaller = (rng.random((2, rows)) * 10.0 ** -rng.integers(0, 46, (2, rows)) / 2).astype(np.float32)
    pairs = np.stack([smaller, np.float32(1) - smaller], axis=2)
    turned = rng.random((2, rows)) < 0.5
    pairs[turned] = pairs[turned][:, ::-1]
    return pairs


def any_pairs() -> st.SearchStrategy[NDArray[np.float32]]:
    """Numbers of any bits, odd ones often."""
    words = st.integers(0, 2**32 - 1) | st.sampled_from(bits(np.array(ODD, np.float32)).tolist())
    return arrays(np.uint32, SHAPES, elements=words).map(lambda words: words.view(np.float32))


@pytest.mark.parametrize("rows", SIZES)
def test_shares_come_back(rows: int) -> None:
    pairs = some_shares(rows, rows)
    kept = short_shares(pairs)
    assert kept is not None
    assert (kept.dtype, kept.shape) == (np.float32, (2, rows))
    assert np.array_equal(np.abs(kept), pairs.min(axis=2))
    assert np.array_equal(bits(long_shares(kept)), bits(pairs))


@pytest.mark.parametrize("rows", SIZES)
def test_scores_come_back(rows: int) -> None:
    scores = np.random.default_rng(rows).normal(size=(3, rows)).astype(np.float32)
    pairs = np.stack([-scores, scores], axis=2)
    kept = short_scores(pairs)
    assert kept is not None
    assert np.array_equal(bits(kept), bits(scores))
    assert np.array_equal(bits(long_scores(kept)), bits(pairs))


def test_shares_of_every_kind() -> None:
    pairs = np.array([[[0, 1], [1, 0], [0.5, 0.5], [1e-45, 1], [1, 1e-45], [0.25, 0.75]]], np.float32)
    kept = short_shares(pairs)
    assert kept is not None
    assert np.signbit(kept).tolist() == [[True, False, False, True, False, True]]
    assert np.array_equal(bits(long_shares(kept)), bits(pairs))


@given(any_pairs())
def test_whatever_is_kept_comes_back_to_the_bit(pairs: NDArray[np.float32]) -> None:
    for short, long in ((short_shares, long_shares), (short_scores, long_scores)):
        kept = short(pairs)
        assert kept is None or np.array_equal(bits(long(kept)), bits(pairs))


@given(any_pairs())
def test_scores_are_refused_only_where_one_is_not_minus_the_other(pairs: NDArray[np.float32]) -> None:
    mirrored = np.array_equal(bits(pairs)[..., 0] ^ np.uint32(2**31), bits(pairs)[..., 1])
    assert (short_scores(pairs) is not None) == mirrored
    made = np.stack([-pairs[..., 0], pairs[..., 0]], axis=2)  # of NaN as well
    assert short_scores(made) is not None


@pytest.mark.parametrize("at", [0, 1, 5, 4095, 4096, 8191, 9_999])
@pytest.mark.parametrize(
    "odd", [(-0.0, 1), (1, -0.0), (np.nan, np.nan), (0.5, np.nan), (0.25, 0.25), (0.25, 0.75 + 2**-24), (2, -1), (1, 1)]
)
def test_one_that_would_not_come_back_is_found(at: int, odd: tuple[float, float]) -> None:
    pairs = some_shares(0, 5_000)
    pairs.reshape(-1, 2)[at] = odd
    assert short_shares(pairs) is None
    mirrored = np.stack([-pairs[..., 1], pairs[..., 1]], axis=2)
    assert short_scores(mirrored) is not None
    mirrored.reshape(-1, 2)[at] = (1, 1)
    assert short_scores(mirrored) is None


@given(st.lists(st.floats(0, 1), max_size=40))
def test_two_rounded_shares_are_completed(of_second: list[float]) -> None:
    """Whatever the numbers were: after rounding both, the larger is at most one step from one minus the smaller."""
    second = np.array([of_second], np.float64)
    pairs = np.stack([1 - second, second], axis=2).astype(np.float32)
    before = pairs.copy()
    complement_shares(pairs)
    assert short_shares(pairs) is not None
    assert np.array_equal(pairs.min(axis=2), before.min(axis=2))
    assert np.abs(pairs - before).max(initial=0) <= 2**-24
    assert np.array_equal(pairs[..., 0] < pairs[..., 1], before[..., 0] < before[..., 1])
    again = pairs.copy()
    complement_shares(again)
    assert np.array_equal(bits(again), bits(pairs))


@given(any_pairs())
def test_what_are_no_shares_stay_as_they_are(pairs: NDArray[np.float32]) -> None:
    before = pairs.copy()
    complement_shares(pairs)
    changed = (bits(pairs) != bits(before)).any(axis=2)
    assert np.all(np.abs(before[changed].astype(np.float64).sum(axis=1) - 1) < 2**-23)
    assert np.all((before[changed] >= 0) & (before[changed] <= 1))


def test_only_an_array_that_can_be_written_is_completed() -> None:
    with pytest.raises(TypeError, match="incompatible function arguments"):
        complement_shares(np.full((1, 2, 2), 0.5))
    with pytest.raises(TypeError, match="incompatible function arguments"):
        complement_shares(np.full((1, 2, 4), 0.5, np.float32)[..., ::2])
    with pytest.raises(ValueError, match="only what is said of two classes"):
        complement_shares(np.zeros((1, 2, 3), np.float32))


@pytest.mark.parametrize("rows", SIZES)
def test_labels_are_bits_as_numpy_packs_them(rows: int) -> None:
    labels = np.random.default_rng(rows).integers(0, 2, (3, rows)).astype(np.int16)
    kept = label_bits(labels)
    assert kept is not None
    assert np.array_equal(kept, np.packbits(labels.astype(bool), axis=1).reshape(3, -1))
    found = bit_labels(kept, rows)
    assert found.dtype == np.int16
    assert np.array_equal(found, labels)
    assert np.array_equal(bit_labels(kept[1:2], rows), labels[1:2])


@pytest.mark.parametrize("code", [2, 3, -1, 256, -32768, 32767])
@pytest.mark.parametrize("at", [0, 7, 8, 19, 20, 39])
def test_other_labels_are_no_bits(code: int, at: int) -> None:
    labels = np.ones((2, 20), np.int16)
    labels.reshape(-1)[at] = code
    assert label_bits(labels) is None


def test_bits_of_other_rows_are_refused() -> None:
    with pytest.raises(ValueError, match="a byte holds the bits of eight rows"):
        bit_labels(np.zeros((2, 2), np.uint8), 17)


PROGRAM = """
import hashlib
import numpy as np
from venire._core import complement_shares, short_shares

second = np.random.default_rng(0).random((3, 1001))
pairs = np.stack([1 - second, second], axis=2).astype(np.float32)
digest = hashlib.sha256(repr(short_shares(pairs) is None).encode())
complement_shares(pairs)
digest.update(pairs.tobytes() + short_shares(pairs).tobytes())
print(digest.hexdigest())
"""


def test_wide_and_narrow_loops_give_the_same_bits() -> None:
    found = set()
    for simd in (None, "baseline"):
        settings = {key: value for key, value in os.environ.items() if key != "VENIRE_SIMD"}
        if simd:
            settings["VENIRE_SIMD"] = simd
        ran = subprocess.run([sys.executable, "-c", PROGRAM], env=settings, capture_output=True, text=True, check=True)
        found.add(ran.stdout)
    assert len(found) == 1
