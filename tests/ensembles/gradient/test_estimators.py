"""Gradient boosting: contract, histogram boosting as oracle, losses, stages, constraints, stopping."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_classification, make_regression
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split
from sklearn.utils.estimator_checks import parametrize_with_checks
from threadpoolctl import threadpool_limits

from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.errors import DataError, UsageError

Floats = NDArray[np.float64]


DRAWN = "chance meets a row of weight 2 once, its two copies twice"


@parametrize_with_checks(
    [
        GradientBoostingClassifier(n_estimators=5, min_samples_leaf=1),
        GradientBoostingRegressor(n_estimators=10, min_samples_leaf=1),
        GradientBoostingRegressor(n_estimators=20, loss="absolute", subsample=0.9, min_samples_leaf=5),
        GradientBoostingClassifier(n_estimators=5, min_samples_leaf=1, gradient_levels=4),
        GradientBoostingRegressor(n_estimators=10, min_samples_leaf=1, gradient_levels=8),
    ],
    expected_failed_checks=lambda estimator: (
        {f"check_sample_weight_equivalence_on_{kind}_data": DRAWN for kind in ("dense", "sparse")}
        if estimator.subsample < 1 or estimator.gradient_levels
        else {}
    ),
)
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)


def noisy_classes(rows: int, classes: int, seed: int = 0) -> tuple[Floats, NDArray[np.int64]]:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 8))
    z = x[:, 0] * x[:, 1] + x[:, 2] + np.sin(2 * x[:, 3]) + 0.7 * rng.logistic(size=rows)
    return x, np.searchsorted(np.quantile(z, np.arange(1, classes) / classes), z)


@pytest.mark.parametrize("classes", [2, 4])
def test_log_loss_is_that_of_histogram_boosting(classes: int) -> None:
    x, y = noisy_classes(6_000, classes)
    x = x.round(1)  # fewer distinct values than bins: both cut at the same places
    fit, test, y_fit, y_test = train_test_split(x, y, test_size=0.5, random_state=0)
    settings: dict[str, Any] = {"learning_rate": 0.1, "max_leaf_nodes": 15, "min_samples_leaf": 20}
    with threadpool_limits(1):
        theirs = HistGradientBoostingClassifier(max_iter=40, early_stopping=False, **settings).fit(fit, y_fit)
    if classes > 2:  # our steps are (K − 1) / K as long
        settings["learning_rate"] *= classes / (classes - 1)
    ours = GradientBoostingClassifier(n_estimators=40, **settings).fit(fit, y_fit)
    difference = log_loss(y_test, ours.predict_proba(test)) - log_loss(y_test, theirs.predict_proba(test))
    assert abs(difference) < 0.003


@pytest.mark.parametrize("classes", [2, 4])
def test_with_rows_counted_alone_the_trees_are_those_of_histogram_boosting(classes: int) -> None:
    x, y = noisy_classes(3_000, classes)
    x = x.round(1)  # fewer distinct values than bins: both cut at the same places
    with threadpool_limits(1):
        theirs = HistGradientBoostingClassifier(max_iter=40, max_leaf_nodes=15, early_stopping=False).fit(x, y)
    share = 1.0 if classes == 2 else classes / (classes - 1)  # our hessian over its own
    twin: dict[str, Any] = {"learning_rate": 0.1 * share, "min_hessian_leaf": 1e-3 * share}
    twin |= {"n_estimators": 40, "max_leaf_nodes": 15}
    ours = GradientBoostingClassifier(rows_by_hessian=False, **twin).fit(x, y)
    np.testing.assert_allclose(ours.predict_proba(x), theirs.predict_proba(x), atol=1e-5)
    by_hessian = GradientBoostingClassifier(**twin).fit(x, y)
    assert np.abs(by_hessian.predict_proba(x) - theirs.predict_proba(x)).max() > 0.01


@pytest.mark.parametrize(("loss", "theirs"), [("squared", "squared_error"), ("poisson", "poisson")])
def test_few_distinct_values_give_the_trees_of_histogram_boosting(loss: str, theirs: str) -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(0, 40, size=(3_000, 5)).astype(float)
    y = rng.gamma(2.0, np.exp(x[:, 0] / 40 + x[:, 1] * x[:, 2] / 1600))
    with threadpool_limits(1):
        oracle = HistGradientBoostingRegressor(loss=theirs, max_iter=10, max_leaf_nodes=8, early_stopping=False).fit(
            x, y
        )
    ours = GradientBoostingRegressor(loss=loss, n_estimators=10, max_leaf_nodes=8).fit(x, y)
    np.testing.assert_allclose(ours.predict(x), oracle.predict(x), rtol=1e-4)


def test_stages_equal_refits() -> None:
    x, y = noisy_classes(500, 3)
    boost = GradientBoostingClassifier(n_estimators=20).fit(x, y)
    stages = list(boost.staged_predict_proba(x))
    for rounds in (1, 7, 20):
        again = GradientBoostingClassifier(n_estimators=rounds).fit(x, y)
        np.testing.assert_array_equal(stages[rounds - 1], again.predict_proba(x))
    np.testing.assert_array_equal(boost.predict_path(x, [7, 20])[0], list(boost.staged_predict(x))[6])
    np.testing.assert_array_equal(boost.predict_proba_path(x)[-1], boost.predict_proba(x))


def test_stages_of_numbers_equal_refits() -> None:
    x, y = load_diabetes(return_X_y=True)
    boost = GradientBoostingRegressor(n_estimators=18, subsample=0.5, colsample=0.5, random_state=3).fit(x, y)
    again = GradientBoostingRegressor(n_estimators=9, subsample=0.5, colsample=0.5, random_state=3).fit(x, y)
    np.testing.assert_array_equal(list(boost.staged_predict(x))[8], again.predict(x))
    np.testing.assert_array_equal(boost.predict_path(x, [9, 18])[1], boost.predict(x))


def test_a_pickled_model_predicts_the_same_bytes() -> None:
    x, y = load_breast_cancer(return_X_y=True)
    boost = GradientBoostingClassifier(n_estimators=10).fit(x, y)
    again = pickle.loads(pickle.dumps(boost))  # noqa: S301  # our own bytes
    np.testing.assert_array_equal(again.predict_proba(x), boost.predict_proba(x))


def test_missing_values_learn_their_side() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(800, 3))
    missing = rng.random(800) < 0.3
    x[missing, 1] = np.nan
    boost = GradientBoostingClassifier(n_estimators=30).fit(x, missing | (x[:, 0] > 1.5))
    assert boost.score(x, missing | (x[:, 0] > 1.5)) > 0.99


def test_categories_are_grouped() -> None:
    rng = np.random.default_rng(0)
    code = rng.integers(0, 40, size=4_000)
    y = np.isin(code, rng.permutation(40)[:20]).astype(int)  # no order of codes shows the group
    x = np.column_stack([code.astype(float), rng.normal(size=4_000)])
    settings: dict[str, Any] = {"n_estimators": 10, "max_leaf_nodes": 4}
    grouped = GradientBoostingClassifier(**settings, categorical_features=[0]).fit(x, y)
    ordered = GradientBoostingClassifier(**settings).fit(x, y)
    assert grouped.score(x, y) == 1.0
    assert ordered.score(x, y) < 0.9
    fresh = np.array([[np.nan, 0.0], [99.0, 0.0]])
    np.testing.assert_array_equal(grouped.predict_proba(fresh)[0], grouped.predict_proba(fresh)[1])


def test_frames_bring_their_categories() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": rng.choice(["a", "b", "c"], 400), "size": rng.normal(size=400)})
    y = np.where(frame["town"] == "b", "yes", "no")
    boost = GradientBoostingClassifier(n_estimators=30).fit(frame, y)
    assert boost.score(frame, y) == 1.0
    assert boost.feature_importances_[0] > 0.99


@pytest.mark.parametrize("kind", [GradientBoostingClassifier, GradientBoostingRegressor])
def test_rows_of_weight_0_are_no_rows(kind: Any) -> None:
    x, y = noisy_classes(600, 2)
    weights = np.random.default_rng(0).integers(0, 3, size=600).astype(float)
    with_zeros = kind(n_estimators=10).fit(x, y, sample_weight=weights)
    without = kind(n_estimators=10).fit(x[weights > 0], y[weights > 0], sample_weight=weights[weights > 0])
    np.testing.assert_array_equal(*(m.predict_path(x, [10]) for m in (with_zeros, without)))


def test_quantiles_leave_their_share_below() -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(4_000, 2))
    y = x[:, 0] + (0.2 + x[:, 1]) * rng.normal(size=4_000)
    for alpha in (0.1, 0.5, 0.9):
        boost = GradientBoostingRegressor(loss="quantile", alpha=alpha).fit(x, y)
        assert np.mean(y <= boost.predict(x)) == pytest.approx(alpha, abs=0.02)


@pytest.mark.parametrize("loss", ["absolute", "huber"])
def test_robust_losses_do_not_follow_outliers(loss: str) -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(2_000, 1))
    clean = np.sin(6 * x[:, 0])
    y = clean + 0.1 * rng.normal(size=2_000)
    y[rng.random(2_000) < 0.05] += 100
    robust = GradientBoostingRegressor(loss=loss, alpha=0.9).fit(x, y)
    squared = GradientBoostingRegressor().fit(x, y)
    assert np.abs(robust.predict(x) - clean).mean() < 0.2 < np.abs(squared.predict(x) - clean).mean()


def test_a_loss_of_ones_own_is_taken_at_its_word() -> None:
    x, y = make_regression(400, 5, random_state=0)
    y = y - y.mean()
    own = GradientBoostingRegressor(loss=lambda y, s: (s - y, np.ones_like(y)), n_estimators=15).fit(x, y)
    squared = GradientBoostingRegressor(n_estimators=15).fit(x, y)
    np.testing.assert_allclose(own.predict(x), squared.predict(x), atol=1e-3 * np.abs(y).max())


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (lambda y, s: (s[:3], s), "one finite number a row"),
        (lambda y, s: (s * np.nan, s), "one finite number a row"),
        (lambda y, s: (s, s - 1), "negative hessian"),
    ],
)
def test_a_bad_loss_is_named(loss: Any, message: str) -> None:
    x, y = make_regression(60, 3, random_state=0)
    with pytest.raises(UsageError, match=message):
        GradientBoostingRegressor(loss=loss).fit(x, y)


@pytest.mark.parametrize("direction", [-1, 1])
def test_monotone_predictions_never_turn(direction: int) -> None:
    rng = np.random.default_rng(0)
    x = rng.uniform(size=(1_500, 3))
    y = direction * x[:, 0] + np.sin(9 * x[:, 1]) + 0.5 * np.sin(20 * x[:, 0]) + 0.2 * rng.normal(size=1_500)
    boost = GradientBoostingRegressor(monotone=[direction, 0, 0]).fit(x, y)
    grid = np.linspace(0, 1, 101)
    for row in x[:40]:
        line = boost.predict(np.column_stack([grid, np.full(101, row[1]), np.full(101, row[2])]))
        assert (direction * np.diff(line) >= 0).all()
    assert boost.score(x, y) > 0.7


def test_monotone_by_name_and_where_it_means_nothing() -> None:
    frame = pd.DataFrame(np.random.default_rng(0).normal(size=(100, 2)), columns=["a", "b"])
    y = frame["a"].to_numpy() > 0
    GradientBoostingClassifier(n_estimators=2, monotone={"a": 1}).fit(frame, y)
    with pytest.raises(UsageError, match="'c', which is no column"):
        GradientBoostingClassifier(monotone={"c": 1}).fit(frame, y)
    with pytest.raises(UsageError, match="−1, 0 or 1 for each of 2 columns"):
        GradientBoostingClassifier(monotone=[1, 2]).fit(frame, y)
    with pytest.raises(DataError, match="3 classes have one each"):
        GradientBoostingClassifier(monotone=[1, 0, 0, 0]).fit(*load_iris(return_X_y=True))


def test_early_stopping_is_reported_and_keeps_the_best_round() -> None:
    x, y = noisy_classes(800, 3)
    boost = GradientBoostingClassifier(n_estimators=300, learning_rate=0.3, early_stopping=5, random_state=0).fit(x, y)
    stopping = boost.stopping_
    assert stopping is not None
    assert boost.n_rounds_ == stopping.best_round == int(stopping.losses.argmin())
    assert len(stopping.losses) == stopping.best_round + 6
    assert len(list(boost.staged_predict(x))) == boost.n_rounds_
    shares = boost.predict_proba(x[stopping.held_out])
    assert log_loss(y[stopping.held_out], shares) == pytest.approx(stopping.losses.min())


def test_held_out_rows_do_not_reach_the_trees() -> None:
    x, y = noisy_classes(400, 2)
    settings: dict[str, Any] = {"n_estimators": 10, "early_stopping": 10, "random_state": 1}
    boost = GradientBoostingClassifier(**settings).fit(x, y)
    assert boost.stopping_ is not None
    garbled = x.copy()
    garbled[boost.stopping_.held_out] = 1e6
    again = GradientBoostingClassifier(**settings).fit(garbled, y)
    np.testing.assert_array_equal(again.predict_proba_path(x, [10]), boost.predict_proba_path(x, [10]))


def test_drawing_rows_by_gradient_costs_little_and_says_what_it_cannot() -> None:
    x, y = noisy_classes(8_000, 3)
    fit, test, y_fit, y_test = train_test_split(x, y, test_size=0.5, random_state=0)
    settings: dict[str, Any] = {"n_estimators": 40, "max_leaf_nodes": 15, "random_state": 0}
    losses = [
        log_loss(y_test, GradientBoostingClassifier(**settings, **more).fit(fit, y_fit).predict_proba(test))
        for more in ({}, {"gradient_sampling": (0.2, 0.1)}, {"gradient_sampling": (0.2, 0.1), "n_jobs": 3})
    ]
    assert losses[1] == losses[2]
    assert losses[1] == pytest.approx(losses[0], abs=0.03)
    for wish in ((0.5, 0.5), (0.2,), (0.0, 0.1)):
        with pytest.raises(UsageError, match="two positive shares"):
            GradientBoostingClassifier(gradient_sampling=wish).fit(x, y)
    with pytest.raises(UsageError, match="both draw rows"):
        GradientBoostingClassifier(gradient_sampling=(0.2, 0.1), subsample=0.5).fit(x, y)
    with pytest.raises(UsageError, match="gradients are alike"):
        GradientBoostingRegressor(gradient_sampling=(0.2, 0.1), loss="absolute").fit(x, y)


@pytest.mark.parametrize("classes", [2, 3])
def test_stages_of_rounded_gradients_equal_refits(classes: int) -> None:
    x, y = noisy_classes(500, classes)
    settings: dict[str, Any] = {"gradient_levels": 4, "subsample": 0.8, "random_state": 3}
    boost = GradientBoostingClassifier(n_estimators=20, **settings).fit(x, y)
    stages = list(boost.staged_predict_proba(x))
    for rounds in (1, 7, 20):
        again = GradientBoostingClassifier(n_estimators=rounds, n_jobs=2, **settings).fit(x, y)
        np.testing.assert_array_equal(stages[rounds - 1], again.predict_proba(x))
    other = GradientBoostingClassifier(n_estimators=20, **{**settings, "random_state": 4}).fit(x, y)
    assert (other.predict_proba(x) != boost.predict_proba(x)).any()


def test_rounded_gradients_stop_early_at_the_best_of_their_rounds() -> None:
    x, y = noisy_classes(800, 3)
    settings: dict[str, Any] = {"learning_rate": 0.3, "gradient_levels": 4, "random_state": 0}
    boost = GradientBoostingClassifier(n_estimators=300, early_stopping=5, **settings).fit(x, y)
    assert boost.stopping_ is not None
    shares = boost.predict_proba(x[boost.stopping_.held_out])
    assert log_loss(y[boost.stopping_.held_out], shares) == pytest.approx(boost.stopping_.losses.min())
    again = GradientBoostingClassifier(n_estimators=300, early_stopping=5, n_jobs=2, **settings).fit(x, y)
    np.testing.assert_array_equal(again.predict_proba(x), boost.predict_proba(x))


def test_rounded_gradients_cost_little_and_more_levels_less() -> None:
    x, y = noisy_classes(12_000, 3)
    fit, test, y_fit, y_test = train_test_split(x, y, test_size=0.5, random_state=0)
    settings: dict[str, Any] = {"n_estimators": 40, "max_leaf_nodes": 15, "random_state": 0}
    plain, few, many = (
        log_loss(
            y_test, GradientBoostingClassifier(**settings, gradient_levels=levels).fit(fit, y_fit).predict_proba(test)
        )
        for levels in (None, 4, 256)
    )
    assert few == pytest.approx(plain, abs=0.05)
    assert many == pytest.approx(plain, abs=0.01)


@pytest.mark.parametrize("levels", [0, 1, 257, 4.0, "four"])
def test_bad_levels_are_named(levels: Any) -> None:
    with pytest.raises(ValueError, match=r"'gradient_levels' parameter .* int in the range \[2, 256\] or None. Got"):
        GradientBoostingClassifier(gradient_levels=levels).fit(*load_iris(return_X_y=True))


def test_too_many_levels_for_the_rows_are_named() -> None:
    rows = 2**23
    with pytest.raises(UsageError, match="gradient_levels=256 on 8,388,608 rows") as caught:
        GradientBoostingRegressor(gradient_levels=256).fit(np.zeros((rows, 1), dtype=np.float32), np.zeros(rows))
    assert "at most 255 levels" in str(caught.value.hint)


def test_a_leaf_has_its_least_hessian() -> None:
    x, y = load_diabetes(return_X_y=True)
    settings: dict[str, Any] = {"n_estimators": 5, "random_state": 0}
    by_rows = GradientBoostingRegressor(min_samples_leaf=30, **settings).fit(x, y)  # a row's hessian is 1
    by_hessian = GradientBoostingRegressor(min_samples_leaf=1, min_hessian_leaf=30.0, **settings).fit(x, y)
    np.testing.assert_array_equal(by_hessian.predict(x), by_rows.predict(x))


@pytest.mark.parametrize("scalar", [np.float32, np.float64])
def test_one_row_is_scored_as_among_many_and_checked_all_the_same(scalar: Any) -> None:
    x, y = noisy_classes(300, 3)
    x = x.astype(scalar)
    x[::5, 2] = np.nan
    boost = GradientBoostingClassifier(n_estimators=8).fit(x, y)
    many = boost.predict_proba(x)
    np.testing.assert_array_equal(np.concatenate([boost.predict_proba(row[None]) for row in x[:20]]), many[:20])
    with pytest.raises(ValueError, match="infinity"):
        boost.predict_proba(np.full((1, 8), np.inf))
    with pytest.raises(ValueError, match="8 features"):
        boost.predict_proba(x[:1, :3])
    with pytest.raises(ValueError, match="1D array"):
        boost.predict_proba(x[0])
    named = GradientBoostingClassifier(n_estimators=2).fit(pd.DataFrame(x, columns=list("abcdefgh")), y)
    with pytest.warns(UserWarning, match="feature names"):
        named.predict_proba(x[:1])


def test_penalties_shrink_and_prune() -> None:
    x, y = load_diabetes(return_X_y=True)
    plain = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0).fit(x, y)
    for name in ("l2_regularization", "l1_regularization"):
        shrunk = GradientBoostingRegressor(n_estimators=1, learning_rate=1.0, **{name: 100.0}).fit(x, y)
        assert shrunk.predict(x).std() < plain.predict(x).std()
    pruned = GradientBoostingRegressor(n_estimators=1, min_split_gain=1e9).fit(x, y)
    assert pruned.predict(x) == pytest.approx(y.mean())


@pytest.mark.parametrize(
    ("loss", "y", "message"),
    [("poisson", [-1.0, 2.0, 3.0], "not below 0"), ("gamma", [0.0, 2.0, 3.0], "positive numbers")],
)
def test_targets_out_of_range_are_named(loss: str, y: list[float], message: str) -> None:
    with pytest.raises(DataError, match=message):
        GradientBoostingRegressor(loss=loss).fit([[1.0], [2.0], [3.0]], y)


def test_one_class_and_bad_stages_are_named() -> None:
    with pytest.raises(DataError, match="one class"):
        GradientBoostingClassifier().fit([[1.0], [2.0]], ["a", "a"])
    boost = GradientBoostingClassifier(n_estimators=3).fit(*load_iris(return_X_y=True))
    with pytest.raises(UsageError, match=r"ascend within 0\.\.3"):
        boost.predict_path([[1.0, 2, 3, 4]], [4])
    with pytest.raises(UsageError, match="its gradients alone"):
        GradientBoostingRegressor(loss=lambda y, s: (s, s), early_stopping=2).fit([[1.0], [2.0]], [1.0, 2.0])


def test_first_rounds_are_a_model_of_fewer_rounds() -> None:
    X, y = make_classification(n_samples=200, n_classes=3, n_informative=4, random_state=0)
    many = GradientBoostingClassifier(n_estimators=8, colsample=0.5, random_state=1).fit(X, y)
    few = GradientBoostingClassifier(n_estimators=3, colsample=0.5, random_state=1).fit(X, y)
    assert pickle.dumps(many.first_rounds(3)) == pickle.dumps(few)
    assert many.n_rounds_ == 8
    with pytest.raises(UsageError, match="between 1 and the 8 there are; got 9"):
        many.first_rounds(9)
    stopped = GradientBoostingClassifier(n_estimators=8, early_stopping=2, random_state=1).fit(X, y)
    assert stopped.first_rounds(1).stopping_ is None
    np.testing.assert_array_equal(stopped.first_rounds(1).predict_proba(X), next(iter(stopped.staged_predict_proba(X))))
