"""Better than guessing, in numbers and in words."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier

from venire.errors import UsageError
from venire.inference import better_than_guessing, compare_learners, random_guessing_errors

RATIO = 1 / 9


def test_random_guessing_errs_as_a_coin_with_the_class_shares():
    rng = np.random.default_rng(0)
    y = rng.choice(3, 300, p=[0.6, 0.3, 0.1])
    folds = np.arange(300) % 5
    expected = random_guessing_errors(y, folds, 3)
    coin = []
    for k in range(5):
        train, test = folds != k, folds == k
        guess = DummyClassifier(strategy="stratified", random_state=0).fit(np.zeros((train.sum(), 1)), y[train])
        drawn = [guess.set_params(random_state=s).predict(np.zeros((test.sum(), 1))) != y[test] for s in range(300)]
        coin.append(np.mean(drawn))
    np.testing.assert_allclose(expected, coin, atol=0.015)


def test_both_guesses_are_compared_fold_by_fold():
    rng = np.random.default_rng(1)
    model, majority, shares = rng.uniform(0.1, 0.2, 10), rng.uniform(0.3, 0.4, 10), rng.uniform(0.4, 0.5, 10)
    found = better_than_guessing(model, majority, shares, test_over_train=RATIO)
    assert found.majority == compare_learners(model, majority, test_over_train=RATIO)
    assert found.shares == compare_learners(model, shares, test_over_train=RATIO)
    assert found.certain
    assert found.sentence.startswith(
        "It is better than always guessing the most frequent class (probability >99.9 %) and"
    )


@pytest.mark.parametrize(
    ("gap", "words"),
    [
        (0.3, "is better than"),
        (0.0, "is not clearly better than"),
        (-0.3, "is worse than"),
        (np.nan, "could not be compared"),
    ],
)
def test_the_words_follow_the_probability(gap, words):
    rng = np.random.default_rng(2)
    model = rng.normal(0.4, 0.02, 10)
    found = better_than_guessing(model, rng.normal(0.4 + gap, 0.02, 10), test_over_train=RATIO)
    assert words in found.sentence
    assert "always guessing the mean" in found.sentence
    assert found.certain == (gap > 0)


def test_different_answers_are_told_apart():
    found = better_than_guessing(
        [0.30, 0.31, 0.29, 0.32], [0.30, 0.32, 0.30, 0.30], [0.5, 0.5, 0.49, 0.51], test_over_train=1 / 3
    )
    assert "is not clearly better than always guessing the most frequent class" in found.sentence
    assert " and it is better than guessing at random" in found.sentence


def test_wrong_requests_are_refused():
    with pytest.raises(UsageError, match="3 labels and 2 fold numbers"):
        random_guessing_errors([0, 1, 1], [0, 1], 2)
