"""Pairs won, against comparing every pair and against numpy's sorts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire._core import won_pairs


def by_comparing(score, chosen):
    mine, rest = score[:, chosen, None], score[:, None, ~chosen]
    won = (mine > rest).sum(axis=(1, 2)) + (mine == rest).sum(axis=(1, 2)) / 2
    return np.where(np.isnan(score).any(axis=1), np.nan, won)


def by_places(score, chosen):
    """What the chosen rows' places in a stable sort add up to, ties last and ties first."""
    rest = int((~chosen).sum())
    other_way = np.concatenate([score[chosen], score[~chosen]])
    late = np.argsort(np.concatenate([score[~chosen], score[chosen]]), kind="stable") >= rest
    early = np.argsort(other_way, kind="stable") < len(score) - rest
    mine = len(score) - rest
    return (int(np.flatnonzero(late).sum()) + int(np.flatnonzero(early).sum()) - mine * (mine - 1)) / 2


@given(data=st.data(), width=st.sampled_from([32, 64]), rows=st.integers(1, 40), settings=st.integers(1, 3))
def test_every_pair_is_compared_once(data, width, rows, settings):
    some = st.floats(width=width, allow_nan=True) | st.sampled_from([0.0, -0.0, 1.0, 0.5])
    drawn = data.draw(st.lists(some, min_size=rows * settings, max_size=rows * settings))
    score = np.array(drawn, dtype=f"f{width // 8}").reshape(settings, rows)
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=rows, max_size=rows)))
    assert np.array_equal(won_pairs(score, chosen), by_comparing(score, chosen), equal_nan=True)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [100, 511, 512, 5000])
@pytest.mark.parametrize("levels", [2, 63, 64, 65, 1000, None])
def test_counting_and_sorting_agree_with_places(dtype, rows, levels):
    rng = np.random.default_rng(rows)
    score = rng.normal(size=(3, rows)) if levels is None else rng.integers(0, levels, (3, rows)) / levels - 0.5
    score = score.astype(dtype)
    for chosen in (rng.random(rows) < 0.2, rng.random(rows) < 0.9, np.zeros(rows, dtype=bool)):
        assert won_pairs(score, chosen).tolist() == [by_places(row, chosen) for row in score]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("rows", [100, 255, 256, 1499, 1500])
@pytest.mark.parametrize("digits", [2, 9])
def test_settings_of_a_path_do_not_see_each_other(dtype, rows, digits):
    """Each begins with the order of the last: all equal, a few rows out of place, many, turned round, equal again."""
    rng = np.random.default_rng(rows)
    start, moves = rng.normal(size=rows), rng.normal(size=rows)
    steps = [start, start, start + 1e-5 * moves, start + 1e-3 * moves, start + 0.1 * moves, moves, -moves, -moves]
    score = np.round(steps, digits).astype(dtype)
    chosen = rng.random(rows) < 0.4
    assert won_pairs(score, chosen).tolist() == [by_places(row, chosen) for row in score]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_any_strides_will_do(dtype):
    rng = np.random.default_rng(0)
    given_scores = rng.normal(size=(5, 700, 4)).astype(dtype)
    chosen = rng.random(700) < 0.3
    for view in (given_scores[:, :, 1], given_scores[::-1, ::-1, 2], given_scores[::2, :, -1], given_scores[:, ::1, 0]):
        assert np.array_equal(won_pairs(view, chosen), won_pairs(np.ascontiguousarray(view), chosen))
    turned = np.asfortranarray(given_scores[:, :, 3])
    assert np.array_equal(won_pairs(turned, chosen), won_pairs(given_scores[:, :, 3], chosen))


@pytest.mark.parametrize("at", [0, 599])
@pytest.mark.parametrize("levels", [3, 10**6])
def test_a_score_that_is_no_number_leaves_its_setting_undefined(at, levels):
    score = np.random.default_rng(0).integers(0, levels, (3, 600)).astype(np.float32)
    score[1, at] = np.nan
    chosen = np.arange(600) % 3 == 0
    assert np.isnan(won_pairs(score, chosen)).tolist() == [False, True, False]


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="one entry a row"):
        won_pairs(np.zeros((2, 5)), np.zeros(4, dtype=bool))
    with pytest.raises(TypeError, match="float32 or float64"):
        won_pairs(np.zeros((2, 5), dtype=np.int32), np.zeros(5, dtype=bool))
