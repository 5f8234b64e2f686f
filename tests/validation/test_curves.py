"""Error along a path and against the number of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from tests.validation.tables import classification, plain, regression
from venire.data.table import Table
from venire.errors import UsageError
from venire.validation import complexity_curve, learning_curve, one_layer

DEPTHS = {"max_depth": [1, 2, 3, 5, 8, 12]}


def wave(rows: int, seed: int = 0, **fields: Any) -> Table:
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 10, size=(rows, 1))
    return plain(x, x[:, 0] + 2 * np.sin(1.5 * x[:, 0]) + rng.normal(0, 0.6, size=rows), **fields)


def test_training_error_falls_and_held_out_error_turns() -> None:
    curve = complexity_curve(DecisionTreeRegressor(), wave(150), grid=DEPTHS, folds=5)
    assert (np.diff(curve.training_errors) < 0).all()
    assert 0 < curve.best < 5, "neither the simplest nor the most complex"
    assert curve.simplest <= curve.best
    assert curve.errors[curve.best] == curve.errors.min()
    for interval, error in zip(curve.intervals, curve.errors, strict=True):
        assert interval.low < error < interval.high


def test_a_complexity_curve_is_one_layer_whatever_the_rule() -> None:
    table = wave(80)
    plain_layer = one_layer(DecisionTreeRegressor(), table, grid=DEPTHS, folds=4, rule="one_standard_error")
    curve = complexity_curve(DecisionTreeRegressor(), table, grid=DEPTHS, folds=4, rule="one_standard_error")
    np.testing.assert_array_equal(curve.one_layer.losses, plain_layer.losses)
    assert curve.simplest == plain_layer.chosen
    drawn = curve.to_dict()
    assert drawn["settings"] == [f"max_depth = {depth}" for depth in DEPTHS["max_depth"]]
    assert drawn["held_out"] == curve.errors.tolist()
    assert drawn["chosen"] == curve.best
    assert "best" in str(curve)


def test_more_rows_help_a_learner_that_needs_them() -> None:
    curve = learning_curve(KNeighborsRegressor(3), wave(240), folds=4, sizes=[12, 45, 180])
    assert curve.sizes == (12, 45, 180)
    assert curve.losses.shape == (3, 4)
    assert (np.diff(curve.errors) < 0).all()
    assert curve.to_dict()["rows"] == [12, 45, 180]
    assert all(interval.defined for interval in curve.intervals)


def test_every_point_is_a_plain_fit_on_a_part_of_the_training_rows() -> None:
    table = wave(60)
    curve = learning_curve(LinearRegression(), table, folds=3, sizes=[0.25, 1.0], encoding="none")
    assert curve.sizes == (10, 40)
    parts = {}
    for at in range(6):
        fold_of = curve.plan.fold_of[at]
        train, test = np.flatnonzero(fold_of == 1), np.flatnonzero(fold_of == 0)
        parts[at] = (train, test)
        size, fold = divmod(at, 3)
        fitted = LinearRegression().fit(table.X[train], table.y[train])
        expected = np.sqrt(np.mean((fitted.predict(table.X[test]) - table.y[test]) ** 2))
        assert curve.losses[size, fold] == pytest.approx(expected)
        assert len(train) == curve.sizes[size]
    for fold in range(3):
        assert set(parts[fold][0]) < set(parts[3 + fold][0]), "smaller parts are subsets of the larger ones"
        np.testing.assert_array_equal(parts[fold][1], parts[3 + fold][1])


def test_the_choice_is_made_inside_every_part() -> None:
    curve = learning_curve(Ridge(), regression(80), grid={"alpha": [1e4, 1.0]}, folds=4, sizes=[20, 60], inner_folds=3)
    assert curve.chosen.shape == (2, 4)
    assert len(curve.plan.trials) == 8 * (1 + 3)
    loops = learning_curve(
        Ridge(), regression(80), grid={"alpha": [1e4, 1.0]}, folds=4, sizes=[20, 60], inner_folds=3, naive=True
    )
    np.testing.assert_allclose(curve.losses, loops.losses)


def test_in_time_order_the_latest_rows_are_trained_on() -> None:
    time = np.random.default_rng(0).permutation(60).astype(float)
    table = wave(60, time=time)
    curve = learning_curve(LinearRegression(), table, folds=6, sizes=[5, 20])
    for at in range(curve.plan.repeats):
        fold_of = curve.plan.fold_of[at]
        train, test = time[fold_of == 1], time[fold_of == 0]
        assert train.max() < test.min()
        assert sorted(train) == list(np.arange(test.min() - len(train), test.min()))


def test_in_time_order_the_choice_inside_a_part_only_looks_back() -> None:
    time = np.random.default_rng(0).permutation(60).astype(float)
    curve = learning_curve(Ridge(), wave(60, time=time), grid={"alpha": [1e3, 1.0]}, folds=6, sizes=[8, 20])
    plan = curve.plan
    assert plan.windows
    assert len(plan.trials) == 2 * 3 * (1 + 4)
    for trial in plan.trials:
        assert time[plan.train_rows(trial)].max() < time[plan.test_rows(trial)].min()


def test_in_time_order_the_overlap_is_that_of_the_folds_judged() -> None:
    curve = learning_curve(LinearRegression(), wave(60, time=np.arange(60.0)), folds=6, sizes=[20])
    assert curve.test_over_train == pytest.approx(np.mean([1 / 3, 1 / 4, 1 / 5]))


def test_groups_never_straddle() -> None:
    groups = np.arange(60, dtype=np.int32) // 3
    curve = learning_curve(GaussianNB(), classification(60, groups=groups), sizes=[20, 40], folds=4)
    for trial in curve.plan.trials:
        assert not set(groups[curve.plan.train_rows(trial)]) & set(groups[curve.plan.test_rows(trial)])


@pytest.mark.parametrize("sizes", [[1], [0.0], [1.5], [61], [-3], []])
def test_sizes_that_make_no_sense_are_refused(sizes: list[float]) -> None:
    with pytest.raises(UsageError, match=r"cannot have the size|no size to train on"):
        learning_curve(LinearRegression(), wave(80), folds=4, sizes=sizes)


def test_a_small_table_has_fewer_sizes() -> None:
    assert learning_curve(LinearRegression(), wave(12), folds=3).sizes == (3, 4, 6, 8)


@pytest.mark.parametrize(
    ("table", "sizes", "inner"),
    [
        (wave(12), (6, 8, 10), 5),  # of 3 rows no 5 folds are made
        (wave(10), (5, 7, 9), 5),
        (wave(60, groups=np.arange(60, dtype=np.int32) % 4), (15, 25, 35, 45), 3),  # 3 of 4 groups are trained on
        (wave(40, time=np.arange(40.0)), (6, 11, 16, 20), 5),
        (wave(40, time=np.arange(40.0) // 4), (11, 16, 20), 3),  # 3 to 5 moments of 4 rows
    ],
    ids=["12 rows", "10 rows", "4 groups", "time", "10 moments"],
)
def test_the_defaults_fit_every_table(table: Table, sizes: tuple[int, ...], inner: int) -> None:
    curve = learning_curve(Ridge(), table, grid={"alpha": [10.0, 0.1]})
    assert len(curve.plan.inner_folds) == inner
    assert curve.sizes == sizes
    assert np.isfinite(curve.losses).all()


def test_what_was_asked_for_is_kept_or_refused() -> None:
    grid = {"alpha": [10.0, 0.1]}
    few = learning_curve(Ridge(), wave(12), grid=grid, sizes=[3, 10])
    assert (few.sizes, len(few.plan.inner_folds)) == ((3, 10), 3)
    assert learning_curve(Ridge(), wave(12), grid=grid, inner_folds=np.int64(8)).sizes == (8, 10)
    with pytest.raises(UsageError, match="4 inner folds cannot be made of a training part of 3 rows"):
        learning_curve(Ridge(), wave(12), grid=grid, sizes=[3, 10], inner_folds=4)
    with pytest.raises(UsageError, match="40 inner folds cannot be made of a training part of 10 rows"):
        learning_curve(Ridge(), wave(12), grid=grid, inner_folds=40)
    halves = wave(20, groups=np.arange(20, dtype=np.int32) // 10)
    with pytest.raises(UsageError, match="2 inner folds cannot be made of a training part of 1 groups"):
        learning_curve(Ridge(), halves, grid=grid)
