"""Is it better than guessing? Against always saying the most frequent class (or the mean), and a weighted coin."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.errors import UsageError
from venire.inference.certainty import SURE
from venire.inference.comparisons import Comparison, compare_learners
from venire.wording import share


@dataclass(frozen=True, slots=True)
class BetterThanGuessing:
    """A model beside two ways of guessing: `p_better` of each comparison is the probability that it beats the guess.

    Attributes
    ----------
    majority
        The model against always the most frequent class, or the mean.
    shares
        The model against guessing at random by the class shares; None where numbers are predicted.

    Examples
    --------
    >>> found = better_than_guessing([0.10, 0.12, 0.08], [0.30, 0.35, 0.31], test_over_train=1 / 2)
    >>> round(found.majority.p_better, 3), found.shares
    (0.996, None)
    """

    majority: Comparison
    shares: Comparison | None = None  # random guessing by class shares; None where numbers are predicted

    @property
    def certain(self) -> bool:
        """Whether it beats every guess with a probability above 95 %."""
        return all(compared.p_better > SURE for compared in self._all)

    @property
    def sentence(self) -> str:
        """The answer in words."""
        guesses = ["always guessing the most frequent class", "guessing at random by the class shares"]
        if self.shares is None:
            guesses = ["always guessing the mean"]
        claims = [_claim(guess, compared.p_better) for guess, compared in zip(guesses, self._all, strict=True)]
        if len(claims) == 2 and claims[0][0] == claims[1][0]:
            (verb, first), (_, second) = claims
            return f"It {verb} {first} and {second}."
        return f"It {' and it '.join(f'{verb} {guess}' for verb, guess in claims)}."

    @property
    def _all(self) -> tuple[Comparison, ...]:
        return (self.majority,) if self.shares is None else (self.majority, self.shares)


def better_than_guessing(
    losses: ArrayLike, majority: ArrayLike, shares: ArrayLike | None = None, *, test_over_train: float
) -> BetterThanGuessing:
    """Compare a model's fold losses with those of the majority baseline, and of random guessing by class shares.

    Parameters
    ----------
    losses
        Of the model, one per fold.
    majority
        Of always the most frequent class (or the mean), on the same folds.
    shares
        Of guessing at random by the class shares, on the same folds.
    test_over_train
        Rows tested over rows trained on: 1 / (K − 1) for K folds.

    Returns
    -------
    BetterThanGuessing
        The two comparisons, and a sentence on them.

    Examples
    --------
    >>> found = better_than_guessing([0.10, 0.12, 0.08], [0.30, 0.35, 0.31], [0.42, 0.46, 0.43], test_over_train=1 / 2)
    >>> found.sentence  # doctest: +NORMALIZE_WHITESPACE
    'It is better than always guessing the most frequent class (probability 99.6 %) and guessing at random
    by the class shares (probability 99.9 %).'
    """
    by_shares = None if shares is None else compare_learners(losses, shares, test_over_train=test_over_train)
    return BetterThanGuessing(compare_learners(losses, majority, test_over_train=test_over_train), by_shares)


def random_guessing_errors(y: ArrayLike, fold_of: ArrayLike, classes: int) -> NDArray[np.float64]:
    """The expected error on each fold of guessing each class as often as the other folds show it.

    Parameters
    ----------
    y
        Class codes.
    fold_of
        The fold of each row.
    classes
        The number of classes.

    Returns
    -------
    ndarray
        One error per fold.

    Examples
    --------
    >>> random_guessing_errors([0, 0, 0, 1, 0, 1], [0, 0, 0, 1, 1, 1], 2).round(3)
    array([0.667, 0.667])
    """
    codes, folds = np.asarray(y, dtype=np.intp), np.asarray(fold_of, dtype=np.intp)
    if codes.shape != folds.shape:
        raise UsageError(f"there are {codes.size} labels and {folds.size} fold numbers")
    counts = np.zeros((int(folds.max()) + 1, classes))
    np.add.at(counts, (folds, codes), 1.0)
    others = counts.sum(axis=0) - counts
    trained = others / others.sum(axis=1, keepdims=True)
    tested = counts / counts.sum(axis=1, keepdims=True)
    return np.asarray(1.0 - (trained * tested).sum(axis=1))


def _claim(guess: str, p: float) -> tuple[str, str]:
    if np.isnan(p):
        return "could not be compared with", guess
    verb = "is better than" if p > SURE else "is worse than" if p < 1 - SURE else "is not clearly better than"
    return verb, f"{guess} (probability {'of being better ' if p <= SURE else ''}{share(p)})"
