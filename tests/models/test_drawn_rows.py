"""Rows drawn for learners that cannot take all of them."""

from __future__ import annotations

import numpy as np

from venire.models.drawn_rows import drawn_rows


def test_the_same_seed_draws_the_same_rows_each_once() -> None:
    drawn = drawn_rows(1000, 300, 5)
    assert np.array_equal(drawn, drawn_rows(1000, 300, 5))
    assert not np.array_equal(drawn, drawn_rows(1000, 300, 6))
    assert len(drawn) == 300
    assert (np.diff(drawn) > 0).all()


def test_every_row_is_as_likely() -> None:
    counts = np.bincount(np.concatenate([drawn_rows(40, 10, seed) for seed in range(2000)]), minlength=40)
    assert abs(counts.mean() - 500) < 1e-9
    assert np.abs(counts - 500).max() < 5 * np.sqrt(2000 * 0.25 * 0.75)
