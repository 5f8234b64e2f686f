"""Single columns: what they say alone, groups they mark, rows that are the same."""

from __future__ import annotations

import numpy as np
import pytest

from tests.validation.tables import classification, plain
from venire.verdict.columns import alone, group_effect, row_keys


def test_equal_rows_have_equal_keys_and_others_do_not() -> None:
    X = np.array([[1.0, np.nan], [1.0, -np.nan], [0.0, 2.0], [-0.0, 2.0], [2.0, 0.0], [0.0, 2.0]])
    keys = row_keys(plain(X, [0, 0, 1, 1, 1, 0], classes=2))
    assert keys[0] == keys[1]
    assert keys[2] == keys[3]
    assert len(set(keys.tolist())) == 4, "the order of columns and the target count"


def test_keys_of_many_rows_do_not_collide() -> None:
    X = np.random.default_rng(0).normal(size=(20_000, 3))
    assert len(np.unique(row_keys(plain(X, np.zeros(20_000))))) == 20_000


def test_a_column_alone_is_judged_on_rows_it_has_not_seen() -> None:
    rng = np.random.default_rng(0)
    name = rng.permutation(100).astype(float)  # all different: knows every row it has seen, and nothing else
    table = plain(np.column_stack([name, np.arange(100.0) % 2]), np.arange(100) % 2, classes=2)
    found = alone(table, (np.arange(100) // 2 % 5).astype(np.int32))
    assert found["x0"] is None
    assert found["x1"] == pytest.approx(0.0)


def test_a_number_given_away_by_a_curve() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(-2, 2, size=200)
    table = plain(np.column_stack([x, np.where(rng.random(200) < 0.02, np.nan, x), rng.normal(size=200)]), np.exp(x))
    found = alone(table, (np.arange(200) % 5).astype(np.int32))
    assert found["x0"] is not None
    assert found["x2"] is None


def test_groups_beyond_chance_and_not_by_chance() -> None:
    rng = np.random.default_rng(2)
    group = np.repeat(np.arange(50), 6).astype(float)
    told = plain(group[:, None], rng.normal(size=50)[group.astype(int)] + 0.5 * rng.normal(size=300))
    effect = group_effect(told, 0)
    assert effect is not None
    assert effect.share > 0.5
    assert effect.p < 1e-10
    values = []
    for seed in range(200):
        luck = np.random.default_rng(seed)
        chance = group_effect(plain(luck.permutation(group)[:, None], luck.normal(size=300)), 0)
        assert chance is not None
        values.append(chance.p)
    assert np.mean(np.array(values) < 0.05) < 0.12, "neighbours' differences hang together: p is rough, not wrong"
    assert min(values) > 1e-5


def test_columns_that_cannot_mark_groups() -> None:
    table = classification(90)
    assert group_effect(table, 0) is None, "all values differ"
    assert group_effect(table, 4) is None, "two values are kinds, not cases"


def test_a_threshold_is_no_group() -> None:
    """A measurement that decides at a threshold, in doubt around it: pure on both sides, and no value a case."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        value = np.round(rng.gamma(2.0, 2.0, 2000), 1)
        sick = rng.random(2000) < 1 / (1 + np.exp(-3 * (value - 7)))
        effect = group_effect(plain(value[:, None], sick.astype(int), classes=2), 0)
        assert effect is not None
        assert effect.share < 0.2 or effect.p > 1e-5


def test_rare_cases_in_few_groups_are_seen() -> None:
    rng = np.random.default_rng(5)
    group = np.repeat(rng.permutation(400), 5).astype(float)
    y = (rng.random(400) < 0.1)[group.astype(int)] & (rng.random(2000) < 0.9)
    effect = group_effect(plain(group[:, None], y.astype(int), classes=2), 0)
    assert effect is not None
    assert effect.share > 0.5
    assert effect.p < 1e-10
