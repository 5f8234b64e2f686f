from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.validation.tables import classification, plain
from tests.verdict.cases import BASELINE, BAYES, TREE, judged
from venire.data.table import Task
from venire.metrics import metric
from venire.validation.plans.folds import make_plan
from venire.verdict.candidates import Part
from venire.verdict.differences import pairs
from venire.verdict.leaderboard import CLEARLY, PRACTICAL_SHARE, leaderboard, practical_difference

NAN = float("nan")


def docket(measure: str = "error", rows: int = 100, **splitting: Any) -> Any:
    table = classification(rows, classes=2, **({"time": np.arange(float(rows))} if splitting.pop("time", 0) else {}))
    measured, plan = metric(measure, Task.CLASSIFICATION), make_plan(table, **splitting)
    return SimpleNamespace(metric=measured, plan=plan, table=table, practical_difference=None)


def test_a_practical_difference_is_a_share_of_what_there_is_to_gain() -> None:
    rare: list[Any] = [SimpleNamespace(name=n, error=e) for n, e in (("baseline", 0.023), ("tree", 0.5), ("knn", NAN))]
    assert practical_difference(docket(), rare) == pytest.approx(PRACTICAL_SHARE * 0.023)
    assert practical_difference(docket("log_loss"), rare[1:]) == pytest.approx(PRACTICAL_SHARE * 0.5), "no baseline"
    assert practical_difference(docket("log_loss"), []) == 0.0
    asked = docket()
    asked.practical_difference = 0.25
    assert practical_difference(asked, rare) == 0.25


def test_a_practical_difference_of_costs_starts_at_the_least_cost() -> None:
    given = docket()
    given.metric = metric("cost", Task.CLASSIFICATION, costs=[[-1, 1], [5, -1]])
    guess: list[Any] = [SimpleNamespace(name="baseline", error=-0.5)]
    assert practical_difference(given, guess) == pytest.approx(PRACTICAL_SHARE * 0.5)


def test_a_clear_winner_on_a_rare_class_is_not_called_the_same(tmp_path: Path) -> None:
    """One percent of all rows would be half of what there is to gain."""
    rng = np.random.default_rng(0)
    ill = rng.random(4000) < 0.025
    x = rng.normal(size=(4000, 2)) + 3.5 * ill[:, None]
    x[:, 1] *= np.where(rng.random(4000) < 0.1, 5.0, 1.0)  # long tails mislead a Gaussian
    judgement = judged(tmp_path, plain(x, ill, classes=2), [BASELINE, BAYES, TREE], folds=5)
    errors = {row.family: row.error for row in judgement.rows}
    assert errors["cart"] < errors["bayes"] < 0.03
    (pair,) = (p for p in pairs(judgement) if {p.first, p.second} == {"cart", "bayes"})
    fixed = replace(judgement.docket, practical_difference=0.01)
    (before,) = (p for p in pairs(replace(judgement, docket=fixed)) if {p.first, p.second} == {"cart", "bayes"})
    assert before.comparison.p_better < CLEARLY, "a hundredth of all rows says: take the simpler"
    assert pair.comparison.p_better > CLEARLY


def test_the_same_evidence_gives_the_same_chances(tmp_path: Path) -> None:
    table = classification(60)
    rows = [judged(tmp_path, table, [BASELINE, BAYES, TREE], ("vote",), folds=4).rows for _ in range(2)]
    assert [r.p_best for r in rows[0][1:]] == [r.p_best for r in rows[1][1:]]


def test_a_combination_that_would_hand_over_one_member_is_no_rival_of_it(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(60), [BASELINE, BAYES, TREE], ("vote",), folds=4)
    *members, vote = judgement.candidates
    assert not np.array_equal(vote.losses, judgement.candidate("bayes").losses)
    for weight, rival in ((1.0, False), (0.5, True)):
        parts = {Part("bayes", 0): weight, Part("cart", 0): 1.0 - weight}
        rows = leaderboard(judgement.docket, [*members, replace(vote, parts=parts)], judgement.procedure)
        chances = {row.family: row.p_best for row in rows[1:]}
        assert np.isfinite(chances["vote"]) == rival
        assert sum(p for p in chances.values() if np.isfinite(p)) == pytest.approx(1.0)


def test_a_family_that_is_best_everywhere_is_surely_best(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(150, 2))
    judgement = judged(tmp_path, plain(X, X[:, 0] > 0, classes=2), [BASELINE, TREE])
    assert {row.family: row.p_best for row in judgement.rows[1:]}["cart"] > 0.99
