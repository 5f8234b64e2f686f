"""A search inside each training part: the plain loop does the same, and what is left out has no say in it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.families.cases import assert_identical, compared
from tests.validation.tables import classification, regression
from venire.data.table import Table
from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.families.paths import one_by_one
from venire.families.trees import searched
from venire.families.trees.searched import CANDIDATES, SearchedBoostingFamily
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan
from venire.validation.trials.family import Cancelled, never
from venire.validation.trials.reasons import TooFewRows


@pytest.fixture
def family(monkeypatch: pytest.MonkeyPatch) -> SearchedBoostingFamily:
    monkeypatch.setattr(searched, "ROWS", 90)
    monkeypatch.setattr(searched, "_STAGES", ((12, 10), (3, 10)))
    return SearchedBoostingFamily(
        "searched",
        classifier=GradientBoostingClassifier(n_jobs=1),
        regressor=GradientBoostingRegressor(n_jobs=1),
        path=one_by_one("n_estimators", [2, 5], "T"),
        encoding="none",
    )


def table_of(classes: int) -> Table:
    return classification(120, classes=classes) if classes else regression(120)


@pytest.mark.parametrize("classes", [0, 2, 3])
def test_every_trial_searches_and_fits_as_the_plain_loop_does(family: SearchedBoostingFamily, classes: int) -> None:
    table = table_of(classes)
    for ours, loop in compared(family, table, make_plan(table, folds=3)):
        assert_identical(ours, loop)


@pytest.mark.parametrize("classes", [0, 3])
def test_nothing_leaks(family: SearchedBoostingFamily, classes: int) -> None:
    table = table_of(classes)
    assert leaks(family, table, make_plan(table, folds=3), np.random.default_rng(0), trials=3) is None


def test_labels_of_what_is_left_out_have_no_say_in_what_is_found(
    family: SearchedBoostingFamily, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = table_of(2)
    plan = make_plan(table, folds=3)
    found: list[dict[str, Any]] = []

    def kept(*asked: Any) -> dict[str, Any]:
        found.append(searched_for(*asked))
        return found[-1]

    searched_for = searched.searched
    monkeypatch.setattr(searched, "searched", kept)
    for trial in plan.trials:
        flipped = table.y.copy()
        flipped[plan.test_rows(trial)] = 1 - flipped[plan.test_rows(trial)]
        for one in (table, table.with_values(table.X, flipped)):
            family.run(family.prepare(one, plan), trial)
        assert found[-2] == found[-1]
    everything = table.with_values(table.X, 1 - table.y)
    family.refit(everything, family.path(everything)[0], 0)
    assert len(found) == 2 * len(plan.trials) + 1
    assert {repr(one) for one in found} <= {repr(params) for params in CANDIDATES}
    assert len({repr(one) for one in found}) > 1, "what is found depends on the rows"


def test_it_listens(family: SearchedBoostingFamily) -> None:
    table, asked = table_of(3), iter([None] * 5)

    def cancel() -> None:
        if next(asked, "no more") is not None:
            raise Cancelled("enough")

    with pytest.raises(Cancelled, match="enough"):
        searched.searched(GradientBoostingClassifier(random_state=0), table, table.categorical, cancel)


def test_a_class_that_no_learning_row_shows_is_not_compared(family: SearchedBoostingFamily) -> None:
    table = table_of(3)
    rare = np.where(table.y == 2, 0, table.y).astype(np.int32)
    rare[0] = 2
    found = searched.searched(
        GradientBoostingClassifier(random_state=0), table.with_values(table.X, rare), table.categorical, never
    )
    assert found in CANDIDATES


def test_few_rows_are_not_searched(family: SearchedBoostingFamily) -> None:
    assert family.unable(table_of(2)) == TooFewRows(120, 5000)
