from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from venire.data.encode import AsTheyAre, FrequencyCodes, OneHotScaled

NAN = np.nan
NUMBERS = st.floats(-1e6, 1e6, allow_subnormal=False) | st.just(NAN)
CODES = st.integers(0, 5).map(float) | st.just(NAN)


@st.composite
def tables(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A training part, other rows, and which columns hold categories."""
    mask = np.array(draw(st.lists(st.booleans(), min_size=1, max_size=4)))
    rows, others = draw(st.integers(1, 12)), draw(st.integers(0, 6))
    columns = [draw(arrays(np.float64, rows + others, elements=CODES if c else NUMBERS)) for c in mask]
    X = np.asfortranarray(np.stack(columns, axis=1))
    return X[:rows], X[rows:], mask


@given(tables())
def test_encoding_takes_any_table_and_leaves_no_gap(case: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    X, other, mask = case
    before = X.copy()
    encoder = OneHotScaled(categorical=mask).fit(X)
    inside, outside = encoder.transform(X), encoder.transform(other)
    assert inside.shape[1] == outside.shape[1]
    assert np.isfinite(inside).all()
    assert np.isfinite(outside).all()
    np.testing.assert_array_equal(X, before)
    numbers = inside[:, : (~mask).sum()]
    np.testing.assert_allclose(numbers.mean(axis=0), 0, atol=1e-6)
    assert (numbers.std(axis=0) <= 1 + 1e-6).all()
    assert np.isin(inside[:, (~mask).sum() :], [0.0, 1.0]).all()


@given(tables())
def test_each_row_is_encoded_by_itself(case: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    """What other rows are transformed together with a row makes no difference: nothing is learned in `transform`."""
    X, other, mask = case
    for encoder in (OneHotScaled(categorical=mask).fit(X), FrequencyCodes(categorical=mask).fit(X)):
        together = encoder.transform(other)
        for k in range(len(other)):
            np.testing.assert_array_equal(encoder.transform(other[k : k + 1])[0], together[k])


@given(tables())
def test_frequency_codes_keep_numbers_and_gaps(case: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    X, other, mask = case
    encoder = FrequencyCodes(categorical=mask).fit(X)
    for rows in (X, other):
        coded = encoder.transform(rows)
        np.testing.assert_array_equal(coded[:, ~mask], rows[:, ~mask])
        np.testing.assert_array_equal(np.isnan(coded), np.isnan(rows))
    for j in np.flatnonzero(mask):
        ranks = encoder.transform(X)[:, j]
        counts = np.bincount(ranks[~np.isnan(ranks)].astype(int))
        assert (np.diff(counts) <= 0).all(), "the most frequent first"
        assert (counts > 0).all()


def test_means_spreads_and_categories_come_from_the_training_part() -> None:
    train = np.array([[1.0, 0.0], [3.0, 1.0]])
    encoder = OneHotScaled(categorical=[False, True]).fit(train)
    np.testing.assert_array_equal(encoder.transform(np.array([[5.0, 1.0]])), [[3.0, 0.0, 1.0]])
    assert encoder.mean_ == [2.0]
    assert encoder.spread_ == [1.0]


def test_an_unseen_category_has_no_column_and_a_shared_one_where_there_is_one() -> None:
    train = np.array([[0.0], [0.0], [1.0], [2.0]])
    roomy = OneHotScaled(categorical=[True]).fit(train)
    np.testing.assert_array_equal(roomy.transform(np.array([[9.0], [NAN]])), np.zeros((2, 3)))
    tight = OneHotScaled(categorical=[True], max_categories=2).fit(train)
    np.testing.assert_array_equal(
        tight.transform(np.array([[0.0], [1.0], [2.0], [9.0], [NAN]])), [[1, 0], [0, 1], [0, 1], [0, 1], [0, 1]]
    )


def test_a_missing_category_is_a_category() -> None:
    train = np.array([[0.0], [NAN], [1.0]])
    encoder = OneHotScaled(categorical=[True]).fit(train)
    np.testing.assert_array_equal(encoder.transform(train), [[0, 1, 0], [1, 0, 0], [0, 0, 1]])


def test_gaps_are_flagged_only_where_training_had_some() -> None:
    train = np.array([[1.0, 1.0], [NAN, 2.0], [3.0, 3.0]])
    encoder = OneHotScaled().fit(train)
    out = encoder.transform(np.array([[NAN, NAN]]))
    np.testing.assert_array_equal(out, [[0.0, 0.0, 1.0]])


def test_all_missing_and_constant_columns_are_quiet() -> None:
    train = np.column_stack([np.full(4, NAN), np.full(4, 7.0), np.full(4, 0.1) * [1, 1 + 1e-15, 1, 1]])
    encoder = OneHotScaled().fit(train)
    out = encoder.transform(np.array([[5.0, 8.0, 0.1]]))
    np.testing.assert_allclose(out, [[5.0, 1.0, 0.0, 0.0]], atol=1e-12)
    assert (encoder.spread_ == 1.0).all()


def test_a_large_offset_does_not_hide_the_spread() -> None:
    train = 1e8 + np.arange(5.0)[:, None]
    np.testing.assert_allclose(OneHotScaled().fit_transform(train)[:, 0], (np.arange(5) - 2) / np.sqrt(2))


def test_frequency_codes_share_the_last_rank() -> None:
    train = np.array([[5.0], [5.0], [5.0], [2.0], [2.0], [0.0], [1.0]])
    coded = FrequencyCodes(categorical=[True], max_categories=3).fit(train)
    np.testing.assert_array_equal(
        coded.transform(np.array([[5.0], [2.0], [0.0], [1.0], [77.0]]))[:, 0], [0, 1, 2, 2, 2]
    )
    full = FrequencyCodes(categorical=[True]).fit(train)
    np.testing.assert_array_equal(full.transform(np.array([[0.0], [1.0], [77.0]]))[:, 0], [2, 3, 4])


@pytest.mark.parametrize("encoder", [OneHotScaled(), FrequencyCodes()])
def test_misuse_is_said(encoder: OneHotScaled | FrequencyCodes) -> None:
    with pytest.raises(NotFittedError, match="not fitted yet"):
        encoder.transform(np.zeros((1, 1)))
    wrong = clone(encoder).set_params(categorical=[True])
    with pytest.raises(ValueError, match="categorical has 1 entries, but the matrix has 2 columns"):
        wrong.fit(np.zeros((3, 2)))


def test_as_they_are() -> None:
    X = np.array([[1.0, NAN]])
    assert AsTheyAre().fit_transform(X) is X
