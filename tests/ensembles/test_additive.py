from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from venire.data.generators import linear_sinusoid
from venire.ensembles.additive import AdditiveRegressor
from venire.errors import UsageError
from venire.models.tree.estimators import DecisionTreeRegressor

X, Y = linear_sinusoid(120, np.random.default_rng(0))


def test_each_stage_is_fitted_to_the_residuals_before_it() -> None:
    model = AdditiveRegressor(DecisionTreeRegressor(max_depth=1), 8, learning_rate=0.5).fit(X, Y)
    assert model.residuals_.shape == (9, 120)
    assert np.allclose(model.residuals_[0], Y - Y.mean())
    for t, member in enumerate(model.estimators_):
        alone = DecisionTreeRegressor(max_depth=1).fit(X, model.residuals_[t])
        assert np.allclose(member.predict(X), alone.predict(X))
        assert np.allclose(model.residuals_[t + 1], model.residuals_[t] - 0.5 * member.predict(X))
    assert np.allclose(Y - model.predict(X), model.residuals_[-1])
    assert np.allclose(model.training_errors_, np.sqrt(np.square(model.residuals_).mean(axis=1)))
    assert (np.diff(model.training_errors_) <= 1e-12).all()


def test_staged_equals_refitted() -> None:
    model = AdditiveRegressor(n_estimators=5, random_state=0).fit(X, Y)
    for t, said in enumerate(model.staged_predict(X), start=1):
        assert np.allclose(said, AdditiveRegressor(n_estimators=t, random_state=0).fit(X, Y).predict(X))


def test_a_line_has_nothing_left_for_a_second_line() -> None:
    model = AdditiveRegressor(LinearRegression(), 3).fit(X, Y)
    assert np.allclose(model.predict(X), LinearRegression().fit(X, Y).predict(X))


def test_it_ends_when_nothing_is_left() -> None:
    constant = AdditiveRegressor(n_estimators=5).fit(X, np.full(120, 3.0))
    assert constant.estimators_ == []
    assert (constant.predict(X) == 3).all()
    exact = AdditiveRegressor(DecisionTreeRegressor(), 5).fit(X, np.arange(120.0))
    assert len(exact.estimators_) < 5


def test_weights_count_in_the_mean_and_the_stages() -> None:
    weights = np.where(X[:, 0] < 5, 1.0, 0.0)
    weighted = AdditiveRegressor(n_estimators=3).fit(X, Y, sample_weight=weights)
    part = AdditiveRegressor(n_estimators=3).fit(X[weights > 0], Y[weights > 0])
    assert np.allclose(weighted.predict(X[weights > 0]), part.predict(X[weights > 0]))


def test_residuals_can_be_left_out() -> None:
    model = AdditiveRegressor(n_estimators=2, keep_residuals=False).fit(X, Y)
    assert not hasattr(model, "residuals_")
    assert len(model.training_errors_) == 3


def test_bad_input() -> None:
    with pytest.raises(UsageError, match="'learning_rate' parameter of AdditiveRegressor must be"):
        AdditiveRegressor(learning_rate=0).fit(X, Y)
    with pytest.raises(
        UsageError, match=r"member 'estimator': Underlying estimator KNeighborsRegressor does not support"
    ):
        AdditiveRegressor(KNeighborsRegressor()).fit(X, Y, sample_weight=np.ones(120))
