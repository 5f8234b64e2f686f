"""Boosting on a logarithmic scale: the plain loop does the same, and it is for amounts and counts alone."""

from __future__ import annotations

import numpy as np
import pytest

from tests.families.cases import assert_identical, compared
from tests.validation.tables import classification
from venire.data.table import Table
from venire.families.bucket import default_bucket
from venire.families.paths import one_by_one
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan
from venire.validation.subject import as_table
from venire.validation.trials.family import Setting
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.reasons import NoAmounts, WrongTask


def named(name: str, *rounds: int) -> GenericFamily:
    family = next(family for family in default_bucket() if family.name == name)
    return family.with_path(one_by_one("n_estimators", rounds, "T"))


def amounts(rows: int = 160) -> Table:
    """What three columns do is multiplied, and so is noise of a tenth."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(rows, 3))
    return as_table(X, np.exp(0.5 * X.sum(axis=1) + 0.1 * rng.normal(size=rows)))


@pytest.mark.parametrize("counts", [False, True])
def test_every_trial_is_what_the_plain_loop_gives(counts: bool) -> None:
    table = amounts()
    if counts:  # many of them 0
        table = table.with_values(table.X, np.floor(table.y))
        assert (table.y == 0).mean() > 0.2
    for ours, loop in compared(named("boosting_log", 10, 30), table, make_plan(table, folds=3)):
        assert_identical(ours, loop)


def test_nothing_leaks() -> None:
    table = amounts()
    assert (
        leaks(named("boosting_log", 10, 30), table, make_plan(table, folds=3), np.random.default_rng(0), trials=3)
        is None
    )


def test_what_multiplies_is_learned_better_than_by_squares_and_its_mean_is_right() -> None:
    """Planted: the logarithm is a sum. Nothing is predicted below 0, and the scale does not matter."""
    table = amounts(4_000)
    seen, fresh = table.take(np.arange(2_000)), table.take(np.arange(2_000, 4_000))
    lost, at = {}, Setting("T = 300", {"n_estimators": 300})
    for name in ("boosting_log", "boosting_slow"):
        said = named(name, 300).refit(seen, at, 0).predict(fresh.X)
        lost[name] = float(np.sqrt(np.mean((said - fresh.y) ** 2)))
        if name == "boosting_log":
            assert said.min() > 0
            assert said.mean() == pytest.approx(fresh.y.mean(), rel=0.05)
            thousand = named(name, 300).refit(seen.with_values(seen.X, 1000 * seen.y), at, 0)
            np.testing.assert_allclose(thousand.predict(fresh.X), 1000 * said, rtol=1e-6)
    assert lost["boosting_log"] < 0.9 * lost["boosting_slow"]


def test_it_is_for_amounts_and_counts_alone() -> None:
    family, table = named("boosting_log", 10), amounts()
    assert family.unable(table) is None
    below = np.where(np.arange(table.rows) == 3, -1.5, table.y)
    assert family.unable(table.with_values(table.X, below)) == NoAmounts(-1.5, 159)
    rare = np.where(np.arange(table.rows) < 29, table.y, 0.0)
    assert family.unable(table.with_values(table.X, rare)) == NoAmounts(0.0, 29)
    few = amounts(20)
    assert family.unable(few) is None
    assert family.unable(few.with_values(few.X, np.where(np.arange(20) == 3, 0.0, few.y))) == NoAmounts(0.0, 19)
    assert family.unable(classification(60)) == WrongTask("classification")
