from __future__ import annotations

import numpy as np

from venire.reductions.votes import Votes

VOTES = Votes(np.array([[2.0, 1.0, 0.0], [1.0, 1.0, 1.0]]), np.array([[0.9, 1.6, 0.5], [1.2, 0.6, 1.3]]))


def test_counts_decide_and_strength_breaks_ties() -> None:
    assert VOTES.winners(crisp=True).tolist() == [0, 2]
    assert VOTES.winners(crisp=False).tolist() == [1, 2]


def test_strength_never_outweighs_a_vote() -> None:
    classes = 5
    strongest = Votes(np.array([[4.0, 3.0, 2.0, 1.0, 0.0]]), np.array([[0.0, 4.0, 4.0, 4.0, 4.0]]))
    assert strongest.winners(crisp=True)[0] == 0
    assert strongest.deciding(crisp=True).shape == (1, classes)


def test_the_margin_of_two_classes_is_one_column() -> None:
    two = Votes(np.array([[0.0, 1.0]]), np.array([[0.3, 0.7]]))
    assert two.margin(crisp=True).shape == (1,)
    assert two.margin(crisp=False)[0] > 0
    assert VOTES.margin(crisp=False).shape == (2, 3)
