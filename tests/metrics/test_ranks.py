"""Ranks against those of scipy, to the last bit."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.stats import rankdata

from venire.metrics.ranks import mean_ranks

NUMBERS = st.one_of(st.integers(-3, 3).map(float), st.floats(allow_nan=False))


@given(arrays.arrays(np.float64, st.integers(0, 40), elements=NUMBERS))
def test_one_line(values: np.ndarray) -> None:
    assert mean_ranks(values).tobytes() == rankdata(values).astype(np.float64).tobytes()


@given(arrays.arrays(np.float64, st.tuples(st.integers(1, 4), st.integers(1, 20)), elements=NUMBERS))
def test_lines_are_ranked_by_themselves(values: np.ndarray) -> None:
    assert mean_ranks(values).tobytes() == rankdata(values, axis=1).astype(np.float64).tobytes()


def test_no_lines() -> None:
    assert mean_ranks(np.empty((0, 5))).shape == (0, 5)
