from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC

from venire.data.generators import gaussian_clouds
from venire.errors import DataError, UsageError
from venire.reductions import CostThreshold
from venire.reductions.cost_threshold import cost_curve

X, Y = gaussian_clouds(400, np.random.default_rng(0), classes=2, distance=1.5)
X_NEW, Y_NEW = gaussian_clouds(4000, np.random.default_rng(1), classes=2, distance=1.5)
COSTS = np.array([[0.0, 1.0], [9.0, 0.0]])
FOLDS = StratifiedKFold(5, shuffle=True, random_state=3)


def cost_of(y: np.ndarray, said: np.ndarray) -> float:
    return float(COSTS[y, said].mean())


@given(
    st.lists(st.tuples(st.integers(0, 1), st.integers(0, 6), st.integers(1, 3)), min_size=1, max_size=25),
    st.integers(1, 9),
)
def test_the_curve_is_the_cost_of_every_threshold(rows: list[tuple[int, int, int]], miss: int) -> None:
    y, score, weights = (np.array(column) for column in zip(*rows, strict=True))
    costs = np.array([[0.0, 1.0], [miss, 0.0]])
    curve = cost_curve(y, score / 6, costs, weights.astype(float))
    for threshold, cost in zip(curve.thresholds, curve.costs, strict=True):
        said = (score / 6 >= threshold).astype(int)
        assert np.isclose(cost, np.average(costs[y, said], weights=weights))
    assert len(curve.thresholds) == len(set(score.tolist())) + 1
    assert curve.costs[curve.best] == pytest.approx(curve.costs.min())
    assert (np.diff(curve.thresholds) > 0).all()


def test_the_threshold_is_chosen_on_held_out_rows() -> None:
    model = CostThreshold(LogisticRegression(), COSTS, cv=FOLDS).fit(X, Y)
    held = cross_val_predict(LogisticRegression(), X, Y, cv=FOLDS, method="predict_proba")[:, 1]
    costs = [cost_of(Y, (held >= t).astype(int)) for t in np.linspace(0, 1, 2001)]
    assert model.curve_.costs.min() <= min(costs) + 1e-12
    assert cost_of(Y, (held >= model.threshold_).astype(int)) == pytest.approx(model.curve_.costs.min())
    assert model.theory_ == pytest.approx(0.1)
    assert (model.predict(X_NEW) == (model.predict_proba(X_NEW)[:, 1] >= model.threshold_)).all()
    assert np.allclose(model.predict_proba(X_NEW), LogisticRegression().fit(X, Y).predict_proba(X_NEW))


def test_it_pays_where_probabilities_are_wrong() -> None:
    copies = np.repeat(X, 6, axis=1)  # naive Bayes counts the same evidence six times and is far too sure
    plain = GaussianNB().fit(copies, Y).predict_proba(np.repeat(X_NEW, 6, axis=1))[:, 1]
    model = CostThreshold(GaussianNB(), COSTS).fit(copies, Y)
    chosen = cost_of(Y_NEW, model.predict(np.repeat(X_NEW, 6, axis=1)))
    assert chosen < 0.9 * cost_of(Y_NEW, (plain > 0.1).astype(int))
    assert chosen < 0.5 * cost_of(Y_NEW, (plain > 0.5).astype(int))
    assert model.threshold_ < 0.05


def test_scores_without_probabilities_labels_and_a_hold_out_part() -> None:
    names = np.array(["fine", "fraud"])[Y]
    model = CostThreshold(LinearSVC(), COSTS, cv=0.33).fit(X, names)
    assert not hasattr(model, "predict_proba")
    assert model.threshold_ < 0
    assert (model.predict(X) == "fraud").mean() > (names == "fraud").mean()


def test_weights_count_in_the_cost() -> None:
    weights = np.where(Y == 1, 9.0, 1.0)
    even = 1.0 - np.eye(2)
    weighted = CostThreshold(GaussianNB(), even, cv=FOLDS).fit(X, Y, sample_weight=weights)
    held = weighted.curve_
    assert held.costs[0] == pytest.approx((Y == 0).sum() / weights.sum())
    assert held.costs[-1] == pytest.approx(9 * (Y == 1).sum() / weights.sum())


def test_more_classes_take_the_least_expected_cost() -> None:
    x, y = load_iris(return_X_y=True)
    costs = 1.0 - np.eye(3)
    costs[2] *= 50
    model = CostThreshold(GaussianNB(), costs).fit(x, y)
    expected = model.predict_proba(x) @ costs
    assert np.allclose(expected[np.arange(150), model.predict(x)], expected.min(axis=1))
    assert not hasattr(model, "threshold_")
    with pytest.raises(UsageError, match="LinearSVC gives no probabilities, and with 3 classes costs need them"):
        CostThreshold(LinearSVC(), costs).fit(x, y)


def test_bad_input() -> None:
    with pytest.raises(UsageError, match="the costs have shape 3 × 3, and there are 2 classes"):
        CostThreshold(GaussianNB(), np.zeros((3, 3))).fit(X, Y)
    with pytest.raises(UsageError, match="cv=0 is neither a number of folds"):
        CostThreshold(GaussianNB(), COSTS, cv=0).fit(X, Y)
    with pytest.raises(DataError, match="cannot divide 400 rows"):
        CostThreshold(GaussianNB(), COSTS, cv=300).fit(X, Y)
