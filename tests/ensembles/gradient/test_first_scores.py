"""What a boosting starts from."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, make_regression
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.errors import UsageError
from venire.export import to_onnx
from venire.persist import load, save


def test_a_linear_model_to_start_from_leaves_its_residuals() -> None:
    x, y = make_regression(300, 5, noise=1.0, random_state=0)
    first = LinearRegression().fit(x, y)
    started = GradientBoostingRegressor(n_estimators=20, init=LinearRegression(), random_state=0).fit(x, y)
    residuals = GradientBoostingRegressor(n_estimators=20, init="zero", random_state=0).fit(x, y - first.predict(x))
    assert started.predict(x) == pytest.approx(first.predict(x) + residuals.predict(x), abs=1e-6)
    assert started.init_.coef_ == pytest.approx(first.coef_)


@pytest.mark.parametrize("data", [load_breast_cancer, load_iris])
def test_classes_start_from_the_logarithms_of_probabilities(data: Any) -> None:
    x, y = data(return_X_y=True)
    init = make_pipeline(StandardScaler(), LogisticRegression())
    model = GradientBoostingClassifier(n_estimators=1, learning_rate=1e-9, init=init).fit(x, y)
    assert model.predict_proba(x) == pytest.approx(init.fit(x, y).predict_proba(x), abs=1e-6)


def test_without_one_it_is_the_best_constant() -> None:
    x, y = load_iris(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=2).fit(x[20:], y[20:])
    assert model.init_.predict_proba(x[:1])[0] == pytest.approx(np.bincount(y[20:]) / 130)
    numbers = GradientBoostingRegressor(n_estimators=2).fit(x, y)
    assert numbers.init_.predict(x[:2]) == pytest.approx([1.0, 1.0])
    assert GradientBoostingRegressor(n_estimators=2, init="zero").fit(x, y).init_ == "zero"


def test_rows_held_out_are_not_shown_to_it() -> None:
    x, y = make_regression(200, 4, noise=30.0, random_state=0)
    init = KNeighborsRegressor(1)
    model = GradientBoostingRegressor(init=init, early_stopping=3, random_state=0).fit(x, y)
    held_out = model.stopping_.held_out
    assert model.init_.n_samples_fit_ == 200 - len(held_out)
    assert model.stopping_.losses[0] > 1.0  # one neighbour is right about rows it has seen


def test_a_model_that_takes_no_weights_is_refused_with_them() -> None:
    x, y = make_regression(50, 3, random_state=0)
    init = make_pipeline(LinearRegression())
    with pytest.raises(UsageError, match="Pipeline does not support sample weights"):
        GradientBoostingRegressor(init=init).fit(x, y, sample_weight=np.ones(50))


def test_stored_and_refused(tmp_path: Any) -> None:
    x, y = make_regression(100, 3, random_state=0)
    model = GradientBoostingRegressor(n_estimators=5, init=LinearRegression()).fit(x, y)
    save(model, tmp_path / "model.venire")
    assert np.array_equal(load(tmp_path / "model.venire").predict(x), model.predict(x))
    with pytest.raises(UsageError, match="starts from another model"):
        to_onnx(model)
