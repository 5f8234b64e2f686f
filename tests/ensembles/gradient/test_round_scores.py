"""The losses of the rounds, and what is printed of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, make_regression
from sklearn.metrics import log_loss, mean_absolute_error, mean_pinball_loss, mean_squared_error

from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor


@pytest.mark.parametrize(
    ("loss", "measure"),
    [
        ("squared_error", mean_squared_error),
        ("absolute_error", mean_absolute_error),
        ("quantile", lambda y, told: mean_pinball_loss(y, told, alpha=0.9)),
    ],
)
def test_the_losses_of_numbers_are_those_of_the_training_rows(loss: str, measure: Any) -> None:
    x, y = make_regression(200, 5, noise=5.0, random_state=0)
    model = GradientBoostingRegressor(n_estimators=15, loss=loss).fit(x, y)
    assert model.train_score_ == pytest.approx([measure(y, told) for told in model.staged_predict(x)])


def test_the_losses_of_classes_are_deviances() -> None:
    x, y = load_breast_cancer(return_X_y=True)
    model = GradientBoostingClassifier(n_estimators=8).fit(x, y)
    assert model.train_score_ == pytest.approx([2 * log_loss(y, told) for told in model.staged_predict_proba(x)])
    steep = GradientBoostingClassifier(n_estimators=8, loss="exponential").fit(x, y)
    sign = np.where(y > 0, 1.0, -1.0)
    stages = steep.staged_decision_function(x)
    assert steep.train_score_ == pytest.approx([np.exp(-sign * scores[:, 0]).mean() for scores in stages])


def test_rows_that_a_round_left_out_judge_it() -> None:
    x, y = make_regression(400, 5, noise=5.0, random_state=0)
    model = GradientBoostingRegressor(n_estimators=30, subsample=0.5, random_state=0).fit(x, y)
    assert model.oob_scores_.shape == model.oob_improvement_.shape == (30,)
    assert model.oob_score_ == model.oob_scores_[-1]
    assert model.oob_improvement_[:10].min() > 0
    assert model.oob_improvement_.sum() > model.oob_scores_[0] / 2


def test_large_tables_keep_none_unasked() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(10_001, 2))
    model = GradientBoostingRegressor(n_estimators=2).fit(x, x[:, 0])
    assert not hasattr(model, "train_score_")
    asked = GradientBoostingRegressor(n_estimators=2, keep_losses=True).fit(x, x[:, 0])
    assert asked.train_score_.shape == (2,)
    assert np.array_equal(asked.predict(x), model.predict(x))


def test_rounds_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    x, y = make_regression(60, 3, random_state=0)
    GradientBoostingRegressor(n_estimators=30, verbose=1, subsample=0.5, random_state=0).fit(x, y)
    head, *lines = capsys.readouterr().out.splitlines()
    assert head.split() == ["Iter", "Train", "Loss", "OOB", "Improve", "Remaining", "Time"]
    assert [int(line.split()[0]) for line in lines] == [*range(1, 11), 20, 30]
    assert all(len(line) < 80 for line in lines)
