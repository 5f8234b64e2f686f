import math

import numpy as np
import pytest

from tests.pictures.read_back import rows_with
from venire import AdaBoostClassifier
from venire.errors import UsageError
from venire.pictures import boosting_alpha, boosting_rounds

X, Y = np.arange(10.0)[:, None], np.array([1, 1, 1, 0, 0, 0, 0, 1, 1, 1])


def test_every_round_shows_its_weights_error_and_alpha():
    model = AdaBoostClassifier(n_estimators=3).fit(X, Y)
    figure = boosting_rounds(model, X, Y)
    panels = rows_with(figure, "weight", "size", "wrong")
    assert len(panels) == 4  # three rounds and their sum
    weights = np.full(10, 0.1)
    for t, stump in enumerate(model.estimators_):  # the plain loop
        assert [p["weight"] for p in panels[t]] == pytest.approx(weights, abs=1e-5)
        wrong = stump.predict(X) != Y
        assert [p["wrong"] for p in panels[t]] == wrong.astype(int).tolist()
        error = weights[wrong].sum()
        alpha = 0.5 * math.log((1 - error) / error)
        assert figure.numbers.rows[t][1:3] == (f"{error:.3f}", f"{alpha:.3f}")
        weights = weights * np.exp(np.where(wrong, alpha, -alpha))
        weights /= weights.sum()
    assert [p["size"] for p in panels[1]] == pytest.approx([300 * p["weight"] for p in panels[1]], rel=1e-3)
    assert figure.numbers.rows[2][3] == "0 %"  # three stumps part these ten points


def test_alpha_and_the_multipliers_are_the_formulas():
    figure = boosting_alpha()
    curves = rows_with(figure, "error", "value", "what")
    alphas = {p["error"]: p["value"] for p in curves[0]}
    assert alphas[0.14] == pytest.approx(0.5 * math.log(0.86 / 0.14), rel=1e-5)
    by_name = {name: {p["error"]: p["value"] for p in curves[1] if p["what"] == name} for name in
               ("rows it gets right", "rows it gets wrong")}  # fmt: skip
    assert by_name["rows it gets right"][0.3] == pytest.approx(1 / (2 * 0.7), rel=1e-5)
    assert by_name["rows it gets wrong"][0.3] == pytest.approx(1 / (2 * 0.3), rel=1e-5)


def test_with_more_classes_a_round_may_be_worse_than_a_half():
    assert "ε = 0.667" in boosting_alpha(3).caption
    assert "ε = 0.5" in boosting_alpha(3, "M1").caption


def test_what_cannot_be_drawn_is_refused():
    with pytest.raises(UsageError, match="at least one round"):
        boosting_rounds(AdaBoostClassifier(n_estimators=3).fit(X, Y), X, Y, rounds=0)
    with pytest.raises(UsageError, match="there is no 'M2' of 2 classes"):
        boosting_alpha(2, "M2")
