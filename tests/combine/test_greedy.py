from __future__ import annotations

from itertools import combinations_with_replacement

import numpy as np

from venire.combine.greedy import greedy_path

RNG = np.random.default_rng(0)
TRUTH = RNG.standard_normal((60, 1))
MEMBERS = TRUTH + RNG.standard_normal((5, 60, 1)) * np.array([1.0, 1.2, 1.1, 3.0, 1.0])[:, None, None]


def losses(tried: np.ndarray) -> np.ndarray:
    return np.square(tried - TRUTH).mean(axis=(1, 2))


def test_every_step_takes_the_best_next_member() -> None:
    path = greedy_path(MEMBERS, losses, steps=6)
    for step in range(6):
        tried = [losses(np.mean(MEMBERS[[*path.picks[:step], m]], axis=0)[None])[0] for m in range(5)]
        assert path.picks[step] == int(np.argmin(tried))
        assert np.isclose(path.losses[step], min(tried))


def test_weights_are_shares_of_the_picks_up_to_the_best_point() -> None:
    path = greedy_path(MEMBERS, losses, steps=30)
    assert np.isclose(path.weights.sum(), 1)
    average = np.tensordot(path.weights, MEMBERS, axes=1)
    assert np.isclose(losses(average[None])[0], min(path.losses))
    assert min(path.losses) < losses(MEMBERS).min()


def test_two_steps_are_near_the_best_pair() -> None:
    pairs = [losses(MEMBERS[list(pair)].mean(axis=0)[None])[0] for pair in combinations_with_replacement(range(5), 2)]
    assert greedy_path(MEMBERS, losses, steps=2).losses[1] <= 1.1 * min(pairs)
