from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.linear_model import LinearRegression, Ridge
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from venire.errors import UsageError
from venire.validation import bootstrap, one_layer, two_layer
from venire.validation.choice import RULES, check_rule, choose, mean_defined, simplest_best

LOSSES = arrays(np.float64, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=st.floats(0, 1))


@given(LOSSES, st.integers(1, 3))
def test_the_rules_choose_what_they_say(losses: np.ndarray, repeats: int) -> None:
    means = losses.mean(axis=0)
    best = choose(losses, "best", repeats)
    assert means[best] <= means.min() + 1e-9
    assert (means[:best] > means.min()).all(), "of equals the simpler"
    simple = choose(losses, "one_standard_error", repeats)
    assert simple <= best
    if len(losses) > 1:
        reach = losses[:, best].std(ddof=1) / np.sqrt(max(1.0, len(losses) / repeats))
        assert means[simple] <= means[best] + reach + 1e-9
        assert (means[:simple] > means[best] + reach - 1e-9).all()


def test_settings_that_differ_by_rounding_are_the_same() -> None:
    assert simplest_best(np.array([0.3, 0.2 + 1e-12, 0.2])) == 1
    assert simplest_best(np.array([0.3, 0.2 + 1e-8, 0.2])) == 2
    assert simplest_best(np.array([1e8 + 1e-4, 1e8])) == 0


def test_what_is_undefined_is_left_out_and_never_wins() -> None:
    losses = np.array([[np.nan, 0.4, 0.3], [np.nan, 0.2, np.nan]])
    np.testing.assert_allclose(mean_defined(losses), [np.nan, 0.3, 0.3])
    assert choose(losses) == 1
    assert choose(np.full((2, 3), np.nan)) == 0
    assert choose(np.full((2, 3), np.nan), "one_standard_error") == 0


def test_one_fold_has_no_spread() -> None:
    assert choose(np.array([[0.2, 0.1]]), "one_standard_error") == 1


def test_an_unknown_rule_is_refused() -> None:
    assert [check_rule(rule) for rule in RULES] == list(RULES)
    with pytest.raises(UsageError, match="no rule 'simplest'") as caught:
        check_rule("simplest")
    assert "one_standard_error" in str(caught.value.hint)


UNITS = [1e-12, 1e9, 1 / 1609.344]


@given(LOSSES, st.sampled_from(["best", "one_standard_error"]), st.integers(-60, 60))
def test_a_choice_is_the_same_in_every_unit(losses: np.ndarray, rule: Any, power: int) -> None:
    unit = 2.0**power  # exactly: what rounds otherwise may tie otherwise
    assert choose(losses * unit, rule, unit=unit) == choose(losses, rule)


def test_losses_that_are_all_but_0_are_not_told_apart_by_rounding() -> None:
    means = np.array([1.0, 3e-16, 1e-16])
    assert [simplest_best(means * unit, unit) for unit in UNITS] == [1, 1, 1]
    assert simplest_best(np.array([2.2e-16, 0.0])) == 0, "1 − AUC of two perfect rankings"
    assert simplest_best(np.array([1.0, 0.9, 1e13]), 1.0) == 1, "a setting that went astray makes no others equal"


def one_line(unit: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 3))
    return X, (2 * X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=60)) * unit


@pytest.mark.parametrize(("rule", "metric"), list(zip(RULES, ["rmse", "mae"], strict=True)))
def test_the_unit_of_the_target_changes_no_choice(metric: str, rule: str) -> None:
    def choices(unit: float) -> list[Any]:
        how: dict[str, Any] = {"grid": {"alpha": [1000.0, 100.0, 10.0, 1.0]}, "metric": metric}
        one = one_layer(Ridge(), one_line(unit), folds=5, rule=rule, **how)
        two = two_layer(Ridge(), one_line(unit), folds=5, rule=rule, **how)
        again = two_layer(Ridge(), one_line(unit), folds=4, inner_folds=3, rule=rule, **how)
        return [one.chosen, two.chosen, again.chosen, bootstrap(Ridge(), one_line(unit), samples=8, **how).chosen]

    plain = choices(1.0)
    assert plain[0] > 0, "the first of the path is far from the best, so a tie with it would be seen"
    assert [choices(unit) for unit in UNITS] == [plain] * len(UNITS)


def test_of_exact_fits_the_simplest_is_taken_in_every_unit() -> None:
    X = np.random.default_rng(0).normal(size=(40, 1))
    curve = make_pipeline(PolynomialFeatures(), LinearRegression())
    degrees = {"polynomialfeatures__degree": [1, 2, 3, 4]}
    for unit in (1.0, *UNITS):
        found = one_layer(curve, (X, unit * (X[:, 0] ** 2 - X[:, 0])), grid=degrees, folds=5)
        assert found.setting == "degree = 2", unit
