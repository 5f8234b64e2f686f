import numpy as np
import pytest

from tests.pictures.read_back import rows_with
from venire import RandomForestClassifier
from venire.data.generators import chi_square, linear_sinusoid
from venire.errors import UsageError
from venire.inference.diversity import member_correlation
from venire.pictures import forest_curves


def test_errors_and_correlation_are_those_of_the_forests():
    rng = np.random.default_rng(0)
    (X, y), (new_X, new_y) = chi_square(150, rng), chi_square(300, rng)
    figure = forest_curves(X, y, new_X, new_y, q=[1, 5], trees=12, seed=3)
    (by_q,) = rows_with(figure, "q", "error", "what")
    (rho,) = rows_with(figure, "q", "rho")
    (by_trees,) = rows_with(figure, "trees", "error")
    for q in (1, 5):
        forest = RandomForestClassifier(n_estimators=12, max_features=q, random_state=3).fit(X, y)
        error = np.mean(forest.predict(new_X) != new_y)
        trees = [np.mean(tree.predict(new_X) != new_y) for tree in forest.estimators_]
        drawn = {p["what"]: p["error"] for p in by_q if p["q"] == q}
        assert drawn["the forest"] == pytest.approx(error, rel=1e-5)
        assert drawn["a single tree"] == pytest.approx(np.mean(trees), rel=1e-4)
        assert next(p["rho"] for p in rho if p["q"] == q) == pytest.approx(
            member_correlation(forest, new_X, new_y).rho, rel=1e-4
        )
        last = [p["error"] for p in by_trees if p["what"] == f"q = {q}"]
        assert (len(last), last[0]) == (12, pytest.approx(trees[0]))
        assert last[-1] == pytest.approx(error, rel=1e-5)
    assert "⌊log₂ m⌋ + 1 = 4" in figure.caption


def test_numbers_are_measured_by_their_root_mean_squared_error():
    rng = np.random.default_rng(0)
    (X, y), (new_X, new_y) = linear_sinusoid(80, rng), linear_sinusoid(80, rng)
    figure = forest_curves(X, y, new_X, new_y, trees=5)
    assert figure.numbers.head[1] == "root mean squared error of the forest"
    assert float(figure.numbers.rows[0][1]) < float(figure.numbers.rows[0][2])


def test_q_counts_columns():
    with pytest.raises(UsageError, match="q counts columns, 1 to 2"):
        forest_curves(np.ones((4, 2)), [0, 1, 0, 1], np.ones((4, 2)), [0, 1, 0, 1], q=[3])
