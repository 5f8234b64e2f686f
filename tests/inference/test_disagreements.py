"""McNemar with mid-p, and the posterior of the difference in error rate."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from venire.errors import UsageError
from venire.inference import ShareDifference, mcnemar
from venire.inference.disagreements import mid_p


def wrong(b, c, both, n):
    rows = np.arange(n)
    first = rows < b + both
    second = (rows >= b) & (rows < b + both + c)
    return first, second


@pytest.mark.parametrize(("b", "c"), [(0, 0), (0, 1), (3, 3), (2, 9), (15, 4), (0, 12)])
def test_mid_p_is_half_the_exact_test_and_half_the_next(b, c):
    exact = stats.binomtest(min(b, c), b + c, 0.5).pvalue if b + c else 1.0
    point = stats.binom.pmf(min(b, c), b + c, 0.5)
    expected = 1.0 if b == c else exact - point
    assert mid_p(b, c) == pytest.approx(expected)
    assert mid_p(b, c) == mid_p(c, b)


def test_only_disagreements_decide_the_test():
    few, many = (mcnemar(*wrong(4, 14, both, 500)) for both in (0, 200))
    assert few.p_value == many.p_value == pytest.approx(mid_p(4, 14))
    assert few.method == "mcnemar"


def test_the_posterior_is_that_of_draws():
    rng = np.random.default_rng(0)
    b, c, rest = 12, 5, 83
    shares = rng.dirichlet([b + 0.5, c + 0.5, rest + 0.5], 400_000)
    drawn = shares[:, 0] - shares[:, 1]
    posterior = ShareDifference(b, c, rest)
    assert posterior.mean == pytest.approx(drawn.mean(), abs=1e-3)
    assert posterior.scale == pytest.approx(drawn.std(), rel=0.01)
    for at in (-0.05, 0.0, 0.05, 0.15):
        assert posterior.cdf(at) == pytest.approx((drawn <= at).mean(), abs=0.004)
    assert (posterior.interval().low, posterior.interval().high) == pytest.approx(
        tuple(np.quantile(drawn, [0.025, 0.975])), abs=2e-3
    )
    assert posterior.mirrored().cdf(0.05) == pytest.approx(1 - posterior.cdf(-0.05))


def test_the_probabilities_sum_to_one_and_turn_around():
    ahead = mcnemar(*wrong(3, 17, 10, 200), rope=0.02)
    assert ahead.p_better > 0.9
    assert ahead.p_better + ahead.p_equal + ahead.p_worse == pytest.approx(1)
    assert ahead.reverse().p_worse == pytest.approx(ahead.p_better)
    assert ahead.difference == pytest.approx(-14 / 201.5)


def test_models_that_never_disagree_are_equal_within_a_small_region():
    same = mcnemar(*wrong(0, 0, 30, 400), rope=0.01)
    assert same.p_equal > 0.95
    assert same.p_value == 1.0


def test_equal_models_are_called_different_as_often_as_said():
    rng = np.random.default_rng(1)
    p = [mcnemar(*(rng.random((2, 150)) < 0.2)).p_value for _ in range(800)]
    assert 0.02 < np.mean(np.array(p) < 0.05) < 0.07


def test_wrong_requests_are_refused():
    with pytest.raises(UsageError, match="tested on 3 and 2 rows"):
        mcnemar([True, False, True], [True, False])
    with pytest.raises(UsageError, match=r"must not be negative, and is -0\.1"):
        mcnemar([True], [False], rope=-0.1)
