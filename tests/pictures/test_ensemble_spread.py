import numpy as np
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import cohen_kappa_score

from tests.pictures.read_back import rows_with
from venire import RandomForestClassifier
from venire.data.generators import chi_square, linear_sinusoid, linear_sinusoid_truth
from venire.errors import UsageError
from venire.inference.decomposition import bias_variance
from venire.pictures import bias_and_variance, kappa_error


def test_the_mean_of_the_fits_and_the_truth_are_drawn():
    parts = bias_variance(
        LinearRegression(), linear_sinusoid, 12, truth=lambda X: linear_sinusoid_truth(X[:, 0]), test_rows=50
    )
    figure = bias_and_variance(parts, name="time")
    (fits,), (two,) = rows_with(figure, "fit"), rows_with(figure, "what")
    assert len({p["fit"] for p in fits}) == 12
    at = sorted({p["x"] for p in fits})
    means = [np.mean([p["y"] for p in fits if p["x"] == x]) for x in at]
    assert [p["y"] for p in two if p["what"] == "mean of the fits"] == pytest.approx(means, rel=1e-3, abs=1e-3)
    truth = [p["y"] for p in two if p["what"] == "truth"]
    assert truth == pytest.approx(linear_sinusoid_truth(np.array(at)), rel=1e-2, abs=1e-3)
    squares = np.square(parts.predictions.mean(axis=0) - parts.truth)
    assert figure.numbers.rows[0] == ("bias²", f"{squares.mean():.3g}")


def test_bias_is_drawn_over_one_column_of_numbers():
    parts = bias_variance(RandomForestClassifier(n_estimators=2), chi_square, 3, rows=20, test_rows=20)
    with pytest.raises(UsageError, match="numbers over one column"):
        bias_and_variance(parts)


def test_kappa_is_that_of_every_pair():
    rng = np.random.default_rng(0)
    (X, y), (new_X, new_y) = chi_square(120, rng), chi_square(150, rng)
    forest = RandomForestClassifier(n_estimators=5, random_state=0).fit(X, y)
    figure = kappa_error(forest, new_X, new_y)
    pairs, middle = rows_with(figure, "kappa", "error")
    assert len(pairs) == 10
    said = [np.asarray(tree.predict(new_X)) for tree in forest.estimators_]
    third = next(p for p in pairs if p["pair"] == "1 and 4")
    assert third["kappa"] == pytest.approx(cohen_kappa_score(said[0], said[3]), abs=1e-4)
    assert third["error"] == pytest.approx((np.mean(said[0] != new_y) + np.mean(said[3] != new_y)) / 2, abs=1e-4)
    assert middle[0]["error"] == pytest.approx(np.mean([np.mean(s != new_y) for s in said]), abs=1e-4)
