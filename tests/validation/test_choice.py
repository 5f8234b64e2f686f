from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from venire.errors import UsageError
from venire.validation.choice import RULES, check_rule, choose, mean_defined, simplest_best

LOSSES = arrays(np.float64, st.tuples(st.integers(1, 8), st.integers(1, 6)), elements=st.floats(0, 1))


@given(LOSSES, st.integers(1, 3))
def test_the_rules_choose_what_they_say(losses: np.ndarray, repeats: int) -> None:
    means = losses.mean(axis=0)
    best = choose(losses, "best", repeats)
    assert means[best] <= means.min() + 1e-9
    assert (means[:best] > means.min()).all(), "of equals the simpler"
    simple = choose(losses, "one_standard_error", repeats)
    assert simple <= best
    if len(losses) > 1:
        reach = losses[:, best].std(ddof=1) / np.sqrt(max(1.0, len(losses) / repeats))
        assert means[simple] <= means[best] + reach + 1e-9
        assert (means[:simple] > means[best] + reach - 1e-9).all()


def test_settings_that_differ_by_rounding_are_the_same() -> None:
    assert simplest_best(np.array([0.3, 0.2 + 1e-12, 0.2])) == 1
    assert simplest_best(np.array([0.3, 0.2 + 1e-8, 0.2])) == 2
    assert simplest_best(np.array([1e8 + 1e-4, 1e8])) == 0


def test_what_is_undefined_is_left_out_and_never_wins() -> None:
    losses = np.array([[np.nan, 0.4, 0.3], [np.nan, 0.2, np.nan]])
    np.testing.assert_allclose(mean_defined(losses), [np.nan, 0.3, 0.3])
    assert choose(losses) == 1
    assert choose(np.full((2, 3), np.nan)) == 0
    assert choose(np.full((2, 3), np.nan), "one_standard_error") == 0


def test_one_block_has_no_spread() -> None:
    assert choose(np.array([[0.2, 0.1]]), "one_standard_error") == 1


def test_an_unknown_rule_is_refused() -> None:
    assert [check_rule(rule) for rule in RULES] == list(RULES)
    with pytest.raises(UsageError, match="no rule 'simplest'") as caught:
        check_rule("simplest")
    assert "one_standard_error" in str(caught.value.hint)
