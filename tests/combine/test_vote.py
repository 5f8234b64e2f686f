from __future__ import annotations

import numpy as np
import pytest

from venire.combine import average


def test_the_plain_mean_and_the_weighted_one() -> None:
    members = np.random.default_rng(0).random((3, 5, 2)).astype(np.float32)
    np.testing.assert_allclose(average(members), members.mean(axis=0), rtol=1e-6)
    weights = np.array([0.2, 0.0, 0.8])
    np.testing.assert_allclose(average(members, weights), np.einsum("m,mro->ro", weights, members), rtol=1e-6)
    assert average(members).dtype == np.float64


def test_probabilities_stay_probabilities() -> None:
    members = np.random.default_rng(0).dirichlet(np.ones(4), size=(6, 9))
    said = average(members, np.full(6, 1 / 6))
    np.testing.assert_allclose(said.sum(axis=1), 1)
    assert (said >= 0).all()


def test_a_member_without_weight_is_not_heard() -> None:
    members = np.array([[[1.0]], [[np.nan]]])
    assert average(members, np.array([1.0, 0.0])).tolist() == [[1.0]]


def test_a_weight_for_every_member() -> None:
    with pytest.raises(ValueError, match=r"zip\(\)"):
        average(np.zeros((3, 1, 1)), np.array([0.5, 0.5]))
