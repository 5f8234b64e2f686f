"""Single columns: what they say alone, and groups they mark."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.validation.tables import classification, plain
from venire.data.table import Column, Kind
from venire.verdict.findings.columns import alone, group_effect


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
        value = np.round(rng.gamma(2.0, 20.0, 2000))
        sick = rng.random(2000) < 1 / (1 + np.exp(-0.3 * (value - 70)))
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


CURVES = {
    "parabola": lambda x: np.square((x - 25) / 25),
    "wave": lambda x: np.sin(x / 4),
    "growth": lambda x: np.exp(x / 8 - 5),
    "step": lambda x: 1.0 * (x > 22),
}


@pytest.mark.parametrize("noise", [0.0, 0.01, 0.1, 1.0])
@pytest.mark.parametrize("values", [26, 60])
@pytest.mark.parametrize("curve", CURVES)
def test_a_smooth_relation_is_no_group(curve: str, values: int, noise: float) -> None:
    """However little noise there is: a straight line in a window is never quite the curve."""
    rng = np.random.default_rng(7)
    x = rng.integers(0, values, 600).astype(float)
    effect = group_effect(plain(x[:, None], CURVES[curve](x) + noise * rng.normal(size=600)), 0)
    assert effect is not None
    assert effect.share < 0.2


def test_the_share_of_whole_numbers_is_of_all_the_target_varies() -> None:
    """Two effects on one number: a trend, which is left out, and groups, which are told as a share of both."""
    rng = np.random.default_rng(8)
    code = np.repeat(np.arange(300), 6)
    own = rng.normal(size=300)[code]
    for trend in (0.0, 2.0):
        y = own + trend * (code - 149.5) / 300 * np.sqrt(12) + 0.5 * rng.normal(size=1800)
        effect = group_effect(plain(code[:, None], y), 0)
        assert effect is not None
        assert effect.share == pytest.approx(1 / (1 + trend**2 + 0.25), abs=0.08)


def test_a_number_with_a_fraction_names_no_case() -> None:
    """Some cars were measured to a tenth and some to a half: how finely a number is written is no group."""
    rng = np.random.default_rng(9)
    fine = rng.random(400) < 0.5
    measured = np.where(fine, rng.integers(100, 200, 400), 5 * rng.integers(20, 40, 400)) / 10
    table = plain(measured[:, None], 3.0 * fine + rng.normal(size=400))
    assert group_effect(table, 0) is None
    named = replace(table, columns=(Column("x0", Kind.CATEGORICAL, tuple(map(str, range(200)))),))
    assert group_effect(named, 0) is not None


def test_an_amount_that_most_rows_do_not_have_names_no_group() -> None:
    """Capital gains: 0 for most, and for the others amounts that rules of tax bring about, with one class each."""
    rng = np.random.default_rng(0)
    amount = np.where(rng.random(3000) < 0.9, 0, rng.choice(rng.integers(100, 99_999, 60), 3000)).astype(float)
    rich = np.random.default_rng(1).random(100_000) < 0.5
    y = np.where(amount > 0, rich[amount.astype(int)], rng.random(3000) < 0.2).astype(int)
    assert group_effect(plain(amount[:, None], y, classes=2), 0) is None
    some = amount > 0
    named = group_effect(plain(amount[some, None], y[some], classes=2), 0)
    assert named is not None, "without the usual value the same numbers could be names"
    assert named.share > 0.2
