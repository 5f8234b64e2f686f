import pytest
from scipy import stats
from scipy.integrate import trapezoid

from tests.pictures.read_back import rows_with
from venire.errors import UsageError
from venire.inference import Student, compare_learners
from venire.inference.comparisons import Comparison
from venire.pictures import accuracy_posterior, difference_posterior, pairwise


def area(points, x="at", y="density"):
    return trapezoid([p[y] for p in points], [p[x] for p in points])


def test_the_curve_of_an_accuracy_is_the_beta_distribution():
    figure = accuracy_posterior(6, 8, guessing=0.5)
    shaded, whole = rows_with(figure, "at", "density")
    assert area(whole) == pytest.approx(1.0, abs=5e-3)
    assert area(shaded) == pytest.approx(0.95, abs=5e-3)
    assert (shaded[0]["at"], shaded[-1]["at"]) == (pytest.approx(0.41, abs=0.005), pytest.approx(0.94, abs=0.005))
    middle = whole[len(whole) // 2]
    assert middle["density"] == pytest.approx(stats.beta(6.5, 2.5).pdf(middle["at"]), rel=1e-3)
    assert figure.numbers.rows[1] == ("better than guessing", f"{100 * stats.beta(6.5, 2.5).sf(0.5):.1f} %")


def test_the_parts_of_a_difference_are_its_probabilities():
    first, second = [0.10, 0.12, 0.08, 0.11, 0.09], [0.12, 0.12, 0.10, 0.12, 0.11]
    compared = compare_learners(first, second, test_over_train=0.25, rope=0.01)
    figure = difference_posterior(compared, first="svm", second="tree")
    *parts, whole = rows_with(figure, "at", "density")
    assert area(whole) == pytest.approx(1.0, abs=0.01)
    assert [area(part) for part in parts] == pytest.approx(
        [compared.p_better, compared.p_equal, compared.p_worse], abs=0.01
    )
    (span,) = rows_with(figure, "to")
    assert span[0]["at"] == pytest.approx(compared.interval().low)
    assert "at most 0.01" in figure.caption


def test_a_point_has_no_curve():
    with pytest.raises(UsageError, match="no curve to draw"):
        difference_posterior(Comparison(Student(0.0, 0.0, 4)))


def test_pairs_are_read_off_row_by_row():
    table = [[None, 0.9, 0.4], [0.05, None, 0.2], [0.5, 0.7, None]]
    figure = pairwise(["a", "a", "c"], table)
    (cells,) = rows_with(figure, "row", "column", "p")
    assert {(c["row"], c["column"]): c["p"] for c in cells} == {
        ("a", "a (2)"): 0.9, ("a", "c"): 0.4, ("a (2)", "a"): 0.05, ("a (2)", "c"): 0.2, ("c", "a"): 0.5,
        ("c", "a (2)"): 0.7,
    }  # fmt: skip
