"""Neighbours read off lists of near rows, against looking at all rows: the same bits on any scale."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire._core import listed_nearest, near_lists, nearest, neighbour_votes, scaled_rows


def looked_up(points, counted, rows, k):
    among = np.flatnonzero(counted)
    numbers = np.zeros(points.shape[1], dtype=bool)
    found, _ = nearest(points[among], points[rows], numbers, k=k, skip_self=False, threads=1)
    return among[found]


def read_off(common, points, counted, rows, k, length, shrink):
    near, squared = near_lists(common, np.arange(len(common)), length=length)
    norm = np.sqrt((common**2).sum(axis=1))
    return listed_nearest(points, near=near, squared=squared, norm=norm, counted=counted, rows=rows, shrink=shrink, k=k)


def drawn_rows(rng, kind, rows, columns):
    if kind == "ties":
        return rng.integers(0, 3, (rows, columns)).astype(float)
    if kind == "duplicates":
        return rng.normal(size=(rows // 4 + 1, columns))[rng.integers(0, rows // 4 + 1, rows)]
    if kind == "far":
        return rng.normal(size=(rows, columns)) + 1e8
    if kind == "tails":
        return rng.standard_cauchy((rows, columns)) ** 3
    if kind == "rare":  # a column with a single value that is not 0
        X = rng.normal(size=(rows, columns))
        X[:, 0] = np.arange(rows) == rows // 2
        return X
    return rng.normal(size=(rows, columns))


@given(
    seed=st.integers(0, 10**6),
    kind=st.sampled_from(["normal", "ties", "duplicates", "far", "tails", "rare"]),
    rows=st.integers(2, 150),
    columns=st.integers(1, 11),
    share=st.floats(0.05, 1.0),
    k=st.integers(1, 40),
    length=st.integers(1, 150),
)
def test_the_same_neighbours_as_by_looking_at_all_rows(seed, kind, rows, columns, share, k, length):
    rng = np.random.default_rng(seed)
    X = drawn_rows(rng, kind, rows, columns)
    counted = rng.random(rows) < share
    counted[rng.integers(rows)] = True
    spread = X[counted].std(axis=0)
    spread[spread <= 1e-12 * np.abs(X[counted]).max()] = 1.0
    common = np.maximum(X.std(axis=0), spread)
    origin, offset = X[counted][0], (X[counted] - X[counted][0]).mean(axis=0)
    points = scaled_rows(X, origin=origin, offset=offset, spread=spread)
    k, asked = min(k, int(counted.sum())), rng.permutation(rows)[: rng.integers(1, rows + 1)]
    on_common = scaled_rows(X, origin=origin, offset=offset, spread=common)
    shrink = float((common / spread).min())
    found, _ = read_off(on_common, points, counted, asked, k, min(length, rows), shrink)
    assert np.array_equal(found, looked_up(points, counted, asked, k))


@pytest.mark.parametrize("columns", [0, 1, 3])
def test_a_common_scale_may_leave_columns_out(columns):
    rng = np.random.default_rng(columns)
    points = rng.normal(size=(300, 4))
    counted = rng.random(300) < 0.8
    every = np.arange(300)
    found, unsure = read_off(points[:, :columns].copy(), points, counted, every, 5, 40, 1.0)
    assert np.array_equal(found, looked_up(points, counted, every, 5))
    assert unsure == 300 if columns == 0 else unsure > 0


def test_lists_that_reach_are_enough():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(2000, 5))
    counted = rng.random(2000) < 0.8
    found, unsure = read_off(points * 0.999, points, counted, np.arange(2000), 10, 60, 1 / 0.999)
    assert unsure == 0
    assert np.array_equal(found, looked_up(points, counted, np.arange(2000), 10))


def test_lists_hold_the_nearest_in_order():
    points = np.random.default_rng(1).normal(size=(1234, 7))
    asked = np.array([5, 1233, 0])
    near, squared = near_lists(points, asked, length=33)
    exact = ((points[asked][:, None] - points) ** 2).sum(axis=2)
    assert np.array_equal(near, np.argsort(exact, axis=1)[:, :33])
    np.testing.assert_allclose(squared, np.sort(exact, axis=1)[:, :33], rtol=1e-5)


@pytest.mark.parametrize("values", [[1e30, -1e30], [1e100, 1e-100, -1e100]])
def test_scales_beyond_single_precision_change_nothing(values):
    rng = np.random.default_rng(2)
    points = rng.normal(size=(200, 3))
    points[:, 0] *= rng.choice(values, 200)
    counted = np.ones(200, dtype=bool)
    found, _ = read_off(points, points, counted, np.arange(200), 7, 30, 1.0)
    assert np.array_equal(found, looked_up(points, counted, np.arange(200), 7))


def test_threads_may_read_at_once():
    rng = np.random.default_rng(3)
    points = rng.normal(size=(400, 6))
    masks = [rng.random(400) < 0.7 for _ in range(8)]
    rows = np.arange(400)
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda counted: read_off(points, points, counted, rows, 9, 30, 1.0)[0], masks))
    for counted, each in zip(masks, found, strict=True):
        assert np.array_equal(each, looked_up(points, counted, rows, 9))


def test_scaling_is_the_encoders():
    rng = np.random.default_rng(4)
    X = rng.normal(size=(50, 3)) + 1e8
    origin, offset, spread = X[0], rng.normal(size=3), rng.random(3) + 0.1
    numbers = X - origin
    numbers -= offset
    numbers /= spread
    assert np.array_equal(scaled_rows(X, origin=origin, offset=offset, spread=spread), numbers)


@pytest.mark.parametrize("classes", [1, 2, 5])
@pytest.mark.parametrize("weighted", [False, True])
def test_votes_are_running_sums(classes, weighted):
    rng = np.random.default_rng(classes)
    found = rng.integers(0, 40, (25, 12))
    weights = rng.lognormal(size=40) if weighted else np.ones(40)
    labels = rng.integers(0, classes, 40).astype(np.int32)
    counts = [12, 7, 7, 1]
    shares, winners = neighbour_votes(found, weights=weights, labels=labels, classes=classes, counts=counts)
    said = np.where(np.arange(classes) == labels[found][:, :, None], weights[found][:, :, None], 0.0).cumsum(axis=1)
    totals = weights[found].cumsum(axis=1)
    for s, k in enumerate(counts):
        expected = said[:, k - 1] / totals[:, k - 1, None]
        assert np.array_equal(shares[s], expected.astype(np.float32))
        assert np.array_equal(winners[s], expected.argmax(axis=1))


def test_what_does_not_fit_is_refused():
    points, every = np.zeros((5, 2)), np.arange(5)
    near, squared = near_lists(points, every, length=3)
    given = {"near": near, "squared": squared, "norm": np.zeros(5), "counted": every < 3, "rows": every, "shrink": 1.0}
    with pytest.raises(ValueError, match="number of rows eligible"):
        listed_nearest(points, **given, k=4)
    with pytest.raises(ValueError, match="not in the table"):
        listed_nearest(points, **{**given, "rows": every + 1}, k=2)
    with pytest.raises(ValueError, match="differ in length"):
        listed_nearest(points, **{**given, "norm": np.zeros(4)}, k=2)
    with pytest.raises(ValueError, match="1 row and all of them"):
        near_lists(points, every, length=6)
    with pytest.raises(ValueError, match="not in the table"):
        near_lists(points, every - 1, length=2)
    with pytest.raises(ValueError, match="one entry a column"):
        scaled_rows(points, origin=np.zeros(2), offset=np.zeros(2), spread=np.ones(3))
    votes = {"weights": np.ones(5), "labels": every.astype(np.int32) % 2, "classes": 2, "counts": [2]}
    with pytest.raises(ValueError, match="neighbours found"):
        neighbour_votes(every[:, None], **votes)
    with pytest.raises(ValueError, match="not in the table"):
        neighbour_votes(np.full((1, 2), 5), **votes)
    with pytest.raises(ValueError, match="a label is not in"):
        neighbour_votes(np.full((1, 2), 3), **{**votes, "labels": every.astype(np.int32)})
    with pytest.raises(ValueError, match="32,767 classes"):
        neighbour_votes(np.full((1, 2), 3), **{**votes, "classes": 32_768})
