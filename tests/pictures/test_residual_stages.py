import numpy as np
import pytest

from tests.pictures.read_back import rows_with
from venire import AdditiveRegressor
from venire.data.generators import linear_sinusoid
from venire.errors import UsageError
from venire.pictures import residual_stages

X, Y = linear_sinusoid(60, np.random.default_rng(0))


def test_the_residuals_are_those_the_next_stage_was_fitted_to():
    model = AdditiveRegressor(n_estimators=4, random_state=0).fit(X, Y)
    figure = residual_stages(model, X, Y, stages=(1, 4, 90))
    assert [row[0] for row in figure.numbers.rows] == ["1", "4"]  # there is no stage 90
    panels = rows_with(figure, "x", "y")
    rows = [panel for panel in panels if len(panel) == 60]
    assert [p["y"] for p in rows[0]] == pytest.approx(Y, rel=1e-4)
    left = [np.array([p["y"] for p in panel]) for panel in rows[1:]]
    assert left[0] == pytest.approx(model.residuals_[1], rel=1e-3, abs=1e-4)
    assert left[-1] == pytest.approx(model.residuals_[4], rel=1e-3, abs=1e-4)
    assert figure.numbers.rows[1][1] == f"{model.training_errors_[4]:.3f}"


def test_the_line_is_the_sum_so_far():
    model = AdditiveRegressor(n_estimators=2, random_state=0).fit(X, Y)
    line = next(panel for panel in rows_with(residual_stages(model, X, Y, stages=(2,)), "x", "y") if len(panel) == 200)
    x = np.array([[p["x"]] for p in line])
    agree = np.isclose([p["y"] for p in line], model.predict(x), rtol=1e-3)
    assert agree.mean() > 0.97  # a place that was rounded may lie on the other side of a step


def test_a_stage_that_is_not_there_is_refused():
    with pytest.raises(UsageError, match="there is no stage"):
        residual_stages(AdditiveRegressor(n_estimators=2, random_state=0).fit(X, Y), X, Y, stages=(5,))
