"""Small calculators: Bayes' rule, and why many voters are better than one."""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, isclose

from scipy import special

from venire.errors import UsageError


def bayes_rule(prior: float, likelihood: float, evidence: float) -> float:
    """P(H | E) = P(E | H) P(H) / P(E).

    Parameters
    ----------
    prior
        P(H), of the hypothesis.
    likelihood
        P(E | H), of the evidence if the hypothesis is true.
    evidence
        P(E), of the evidence in any case.

    Returns
    -------
    float
        P(H | E), of the hypothesis given the evidence.

    Examples
    --------
    Rain on 10 % of days, half of the rainy days start cloudy, and 40 % of all days do:

    >>> bayes_rule(prior=0.10, likelihood=0.5, evidence=0.4)
    0.125
    """
    for name, value in (("prior", prior), ("likelihood", likelihood), ("evidence", evidence)):
        _probability(name, value)
    joint = prior * likelihood
    if evidence == 0:
        raise UsageError("evidence of probability 0 cannot be observed, so nothing follows from it")
    if joint > evidence and not isclose(joint, evidence):
        raise UsageError(
            f"the evidence has probability {evidence}, less than the {joint:g} it has together with the hypothesis",
            hint="P(E) is at least P(E | H) P(H); total_probability computes it.",
        )
    return min(1.0, joint / evidence)


def total_probability(priors: Sequence[float], likelihoods: Sequence[float]) -> float:
    """P(E) = Σ P(E | H_i) P(H_i), over hypotheses of which exactly one is true.

    Parameters
    ----------
    priors
        P(H_i), of each hypothesis.
    likelihoods
        P(E | H_i), of the evidence if that hypothesis is true.

    Returns
    -------
    float
        P(E).

    Examples
    --------
    >>> round(total_probability([0.1, 0.9], [0.5, 0.35 / 0.9]), 3)
    0.4
    """
    if len(priors) != len(likelihoods):
        raise UsageError(f"there are {len(priors)} priors and {len(likelihoods)} likelihoods")
    for prior, likelihood in zip(priors, likelihoods, strict=True):
        _probability("prior", prior)
        _probability("likelihood", likelihood)
    if not isclose(fsum(priors), 1.0, rel_tol=1e-9):
        raise UsageError(f"the priors of hypotheses that exclude each other sum to 1; these sum to {fsum(priors):g}")
    return fsum(p * q for p, q in zip(priors, likelihoods, strict=True))


def majority_vote_accuracy(voters: int, accuracy: float) -> float:
    """The probability that most of that many independent voters are right; a tied vote is a coin toss.

    Parameters
    ----------
    voters
        How many there are.
    accuracy
        Of each of them.

    Returns
    -------
    float
        The accuracy of the vote.

    Examples
    --------
    >>> round(1 - majority_vote_accuracy(25, 0.65), 2)
    0.06
    """
    if voters < 1:
        raise UsageError(f"a vote needs at least one voter, and {voters} were given")
    _probability("accuracy", accuracy)
    half = voters // 2
    most = float(special.bdtrc(half, voters, accuracy))
    if voters % 2:
        return most
    at_least_half = float(special.bdtrc(half - 1, voters, accuracy))
    return (most + at_least_half) / 2


def average_variance(variance: float, correlation: float, predictors: int) -> float:
    """The variance of the average of equally good predictors: ρσ² + (1 − ρ)σ² / ℓ.

    Parameters
    ----------
    variance
        Of each predictor, σ².
    correlation
        Between any two of them, ρ.
    predictors
        How many there are, ℓ.

    Returns
    -------
    float
        The variance of their average.

    Examples
    --------
    More predictors remove the second term only, which is why a forest makes its trees differ:

    >>> average_variance(1.0, 0.5, 1), average_variance(1.0, 0.5, 100), average_variance(1.0, 0.0, 100)
    (1.0, 0.505, 0.01)
    """
    if predictors < 1:
        raise UsageError(f"an average needs at least one predictor, and {predictors} were given")
    if not variance >= 0:
        raise UsageError(f"a variance is not negative, and {variance} was given")
    least = -1 / (predictors - 1) if predictors > 1 else -1.0
    if not least - 1e-12 <= correlation <= 1:
        raise UsageError(
            f"{predictors} predictors cannot all correlate by {correlation}",
            hint=f"Their common correlation lies between {least:g} and 1.",
        )
    return correlation * variance + (1 - correlation) * variance / predictors


def _probability(name: str, value: float) -> None:
    if not 0 <= value <= 1:
        raise UsageError(f"the {name} must be a probability between 0 and 1, and is {value}")
