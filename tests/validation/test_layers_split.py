"""One layer and two where rows hang together or are split by somebody else: which folds a figure is of."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.datasets import load_diabetes
from sklearn.linear_model import Ridge
from sklearn.metrics import root_mean_squared_error
from sklearn.model_selection import GridSearchCV, KFold, RepeatedKFold, ShuffleSplit, TimeSeriesSplit, cross_val_score
from sklearn.naive_bayes import GaussianNB

from tests.validation.tables import classification, plain, regression
from venire.data.table import Task
from venire.errors import UsageError
from venire.families.bucket import default_bucket
from venire.validation import bootstrap, complexity_curve, holdout, one_layer, two_layer
from venire.validation.trials.generic import GenericFamily

DIABETES = tuple(part[:100] for part in load_diabetes(return_X_y=True))


def test_in_time_order_two_layers_equal_a_grid_search_that_only_looks_back() -> None:
    timed = plain(*DIABETES, time=np.arange(100.0))
    grid, outer, inner = {"alpha": [10.0, 1.0, 0.1]}, TimeSeriesSplit(4), TimeSeriesSplit(3)
    asked = {"grid": grid, "encoding": "none", "metric": "mae"}
    search = GridSearchCV(Ridge(), grid, cv=inner, scoring="neg_mean_absolute_error")
    expected = -cross_val_score(search, *DIABETES, cv=outer, scoring="neg_mean_absolute_error")
    found = two_layer(Ridge(), timed, split=outer, inner_folds=inner, **asked)
    np.testing.assert_allclose(found.losses, expected, rtol=1e-12)
    # Folds of 20 and windows of a quarter are those of TimeSeriesSplit, which calls the first of them no split.
    np.testing.assert_allclose(two_layer(Ridge(), timed, split=outer, inner_folds=4, **asked).losses, expected)
    split = two_layer(Ridge(), timed, folds=5, inner_folds=4, **asked)
    np.testing.assert_allclose(split.losses, expected)
    assert "4 test folds, 4 inner folds in time order each" in str(split)


TIMED = regression(90, time=np.arange(90.0), noise=3.0)


@pytest.mark.parametrize("settings", [[1.0], [1e4, 100.0, 1.0]])
def test_in_time_order_one_layer_and_two_are_figures_of_the_same_folds(settings: list[float]) -> None:
    found = two_layer(Ridge(), TIMED, grid={"alpha": settings}, folds=6)
    alone = one_layer(Ridge(), TIMED, grid={"alpha": settings}, folds=6)
    assert [fold for _, fold in found.places] == [fold for _, fold in found.one_layer.places] == [2, 3, 4, 5]
    assert [fold for _, fold in alone.places] == [1, 2, 3, 4, 5], "nothing is chosen before the first of them"
    np.testing.assert_array_equal(alone.losses[1:], found.one_layer.losses)
    chosen = int(alone.losses.mean(axis=0).argmin())
    assert found.one_layer.chosen == alone.chosen == chosen, "the choice sees all folds"
    both = [found.one_layer.held_out(), found.held_out]
    once, twice = (root_mean_squared_error(said.actual, said.predicted) for said in both)
    assert found.one_layer.error == pytest.approx(once)
    assert found.optimism == pytest.approx(twice - once)
    if len(settings) == 1:
        assert found.optimism == 0
    else:
        assert "chosen on these same folds and the one before" in str(found.one_layer)
        assert "chosen on these same folds, so too good" in str(alone)


def test_in_time_order_an_interval_goes_by_the_rows_that_are_judged() -> None:
    table = classification(60, time=np.arange(60.0))
    alone = one_layer(GaussianNB(), table, folds=6)
    assert len(alone.judged.rows.rows) == len(alone.held_out()) == 50
    assert alone.judged.rows.in_order
    found = two_layer(GaussianNB(), table, folds=6)
    assert len(found.judged.rows.rows) == len(found.held_out) == len(found.one_layer.held_out()) == 40


OF_CLASSES = [family for family in default_bucket() if Task.CLASSIFICATION in family.tasks]
SMALL_TABLES = [family for family in OF_CLASSES if getattr(family, "least_rows", 0) <= 48]
SHARING = [family for family in SMALL_TABLES if type(family) is not GenericFamily]


@pytest.mark.parametrize("family", SHARING, ids=lambda family: family.name)
def test_windows_are_the_same_by_sharing_and_by_plain_loops(family: Any) -> None:
    table = classification(48, classes=2, time=np.arange(48.0) // 2)
    fast, loops = (two_layer(family, table, folds=3, inner_folds=3, naive=naive) for naive in (False, True))
    assert fast.chosen == loops.chosen
    np.testing.assert_allclose(fast.losses, loops.losses, atol=1e-12)
    np.testing.assert_allclose(fast.inner, loops.inner, atol=1e-12)


class Off(RegressorMixin, BaseEstimator):
    """Knows the target, and is off by as much as the second column says, and by a little more."""

    def __init__(self, more: float = 0.0) -> None:
        self.more = more

    def fit(self, X: Any, y: Any) -> Off:
        self.fitted_ = True
        return self

    def predict(self, X: Any) -> Any:
        return X.sum(axis=1) + self.more


@pytest.mark.parametrize(
    ("split", "splits"),
    [
        (ShuffleSplit(20, test_size=0.3, random_state=0), 6),
        (RepeatedKFold(n_splits=5, n_repeats=4, random_state=0), 4),
        (KFold(5), 1),
    ],
    ids=["ShuffleSplit", "RepeatedKFold", "KFold"],
)
@pytest.mark.usefixtures("trusted")
def test_one_standard_error_is_that_of_one_split_whoever_splits(split: Any, splits: int) -> None:
    """Three settings, planted: too far from the best, within the error of one split, and the best."""
    rng = np.random.default_rng(4)
    y, off = rng.normal(size=120), rng.exponential(size=120)
    losses = [off[test].mean() for _, test in split.split(y[:, None])]
    error = np.std(losses, ddof=1) / np.sqrt(len(losses) / splits)
    asked = {"grid": {"more": [1.1 * error, 0.9 * error, 0.0]}, "split": split, "metric": "mae", "encoding": "none"}
    data = np.column_stack([y, off]), y
    assert one_layer(Off(), data, rule="one_standard_error", **asked).chosen == 1
    curve = complexity_curve(Off(), data, **asked)
    assert (curve.simplest, curve.best) == (1, 2)


HANGING_TOGETHER = classification(60, time=np.arange(60.0), groups=np.arange(60, dtype=np.int32) // 5)


@pytest.mark.parametrize("function", [one_layer, two_layer, holdout])
def test_groups_in_time_order_never_meet_their_future_or_their_group(function: Any) -> None:
    plan = function(GaussianNB(), HANGING_TOGETHER).plan
    groups, time = HANGING_TOGETHER.groups, HANGING_TOGETHER.time
    assert groups is not None
    assert time is not None
    for trial in plan.trials:
        train, test = plan.train_rows(trial), plan.test_rows(trial)
        assert time[train].max() < time[test].min()
        assert not set(groups[train]) & set(groups[test])


def test_the_bootstrap_knows_no_time_order() -> None:
    with pytest.raises(UsageError, match="the bootstrap knows no time order"):
        bootstrap(GaussianNB(), HANGING_TOGETHER)
