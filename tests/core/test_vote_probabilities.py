"""Class shares of AdaBoost's votes, against the formula written out."""

import numpy as np
import pytest

from venire._core import vote_shares
from venire.ensembles.adaboost.classifier import link


@pytest.mark.parametrize("classes", [1, 2, 3, 11, 2000])
@pytest.mark.parametrize("scale", [0.1, 30.0])
def test_shares_are_those_of_the_estimator(classes, scale):
    rng = np.random.default_rng(classes)
    votes = scale * rng.normal(size=(3, 700, classes))
    places = [2, 0, 0, 1]
    shares, winners = vote_shares(votes, places)
    assert (shares.dtype, winners.dtype) == (np.float32, np.int16)
    for s, place in enumerate(places):
        expected = link(votes[place])
        np.testing.assert_allclose(shares[s], expected, rtol=1e-7, atol=1e-37)
        assert np.array_equal(winners[s], expected.argmax(axis=1))


def test_of_equal_votes_the_first_class_wins():
    _, winners = vote_shares(np.array([[[0.5, 0.5], [0.0, 1.0]]]), [0])
    assert winners.tolist() == [[0, 1]]
    _, winners = vote_shares(np.array([[[0.0, 0.7, 0.7]]]), [0])
    assert winners.tolist() == [[1]]


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="no such place"):
        vote_shares(np.zeros((2, 3, 2)), [2])
    with pytest.raises(ValueError, match="1 to 32,767"):
        vote_shares(np.zeros((2, 3, 0)), [0])
