"""The calculators give the figures of the literature, and agree with simulation."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from venire.errors import UsageError
from venire.inference import average_variance, bayes_rule, majority_vote_accuracy, total_probability


def test_rain_after_clouds():
    assert bayes_rule(prior=0.10, likelihood=0.5, evidence=0.4) == pytest.approx(0.125)


def test_total_probability_is_the_evidence_of_bayes_rule():
    evidence = total_probability([0.1, 0.9], [0.5, 0.2])
    assert evidence == pytest.approx(0.23)
    posteriors = [bayes_rule(0.1, 0.5, evidence), bayes_rule(0.9, 0.2, evidence)]
    assert sum(posteriors) == pytest.approx(1)


def test_twenty_five_voters():
    assert round(1 - majority_vote_accuracy(25, 1 - 0.35), 2) == 0.06


@pytest.mark.parametrize("voters", [1, 2, 7, 10])
@pytest.mark.parametrize("accuracy", [0.0, 0.3, 0.5, 0.8, 1.0])
def test_majority_is_the_binomial_tail_with_ties_halved(voters, accuracy):
    right = stats.binom(voters, accuracy)
    expected = sum(right.pmf(k) * (1 if 2 * k > voters else 0.5 if 2 * k == voters else 0) for k in range(voters + 1))
    assert majority_vote_accuracy(voters, accuracy) == pytest.approx(expected, abs=1e-12)


def test_two_voters_are_as_good_as_one():
    assert majority_vote_accuracy(2, 0.7) == pytest.approx(majority_vote_accuracy(1, 0.7)) == pytest.approx(0.7)


def test_variance_of_an_average_by_simulation():
    sigma2, rho, predictors = 2.0, 0.3, 8
    covariance = sigma2 * (np.full((predictors, predictors), rho) + (1 - rho) * np.eye(predictors))
    drawn = np.random.default_rng(0).multivariate_normal(np.zeros(predictors), covariance, 50_000)
    assert average_variance(sigma2, rho, predictors) == pytest.approx(rho * sigma2 + (1 - rho) * sigma2 / predictors)
    assert drawn.mean(axis=1).var() == pytest.approx(average_variance(sigma2, rho, predictors), rel=0.03)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bayes_rule(1.2, 0.5, 0.4), r"prior must be a probability between 0 and 1, and is 1\.2"),
        (lambda: bayes_rule(0.5, 0.9, 0.4), r"probability 0\.4, less than the 0\.45 it has together"),
        (lambda: bayes_rule(0.0, 0.5, 0.0), "evidence of probability 0 cannot be observed"),
        (lambda: total_probability([0.5, 0.2], [0.1, 0.1]), r"these sum to 0\.7"),
        (lambda: total_probability([1.0], [0.1, 0.1]), "1 priors and 2 likelihoods"),
        (lambda: majority_vote_accuracy(0, 0.5), "at least one voter, and 0 were given"),
        (lambda: average_variance(1.0, -0.5, 10), r"10 predictors cannot all correlate by -0\.5"),
        (lambda: average_variance(-1.0, 0.5, 10), r"not negative, and -1\.0 was given"),
        (lambda: average_variance(1.0, 0.5, 0), "at least one predictor, and 0 were given"),
    ],
)
def test_wrong_requests_are_refused(call, message):
    with pytest.raises(UsageError, match=message):
        call()
