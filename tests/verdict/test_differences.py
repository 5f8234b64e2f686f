"""Pairs, guessing, more rows and costs: against the losses they are drawn from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.validation.tables import classification, noise, regression
from tests.verdict.cases import BASELINE, BAYES, NEAREST, RIDGE, TREE, judged
from venire.verdict.differences import expenses, guessing, more_rows, pairs


def test_every_pair_once_and_in_the_order_of_the_leaderboard(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(90), [BASELINE, BAYES, TREE], ["vote"], folds=5)
    found = pairs(judgement)
    order = [row.family for row in judgement.rows[1:]]
    assert [(p.first, p.second) for p in found] == [(a, b) for i, a in enumerate(order) for b in order[i + 1 :]]
    for pair in found:
        one, other = judgement.candidate(pair.first), judgement.candidate(pair.second)
        assert pair.comparison.difference == pytest.approx(one.error - other.error)
        total = pair.comparison.p_better + pair.comparison.p_equal + pair.comparison.p_worse
        assert total == pytest.approx(1.0)


def test_better_than_guessing(tmp_path: Path) -> None:
    found = guessing(judged(tmp_path, classification(150, noise=0.3), [BASELINE, BAYES], folds=5))
    assert found is not None
    assert found.baseline.p_better > 0.95
    assert found.coin is not None
    assert found.coin.p_better > 0.95
    useless = guessing(judged(tmp_path, noise(150, 0), [BASELINE, NEAREST], folds=5))
    assert useless is not None
    assert useless.baseline.p_better < 0.95
    assert guessing(judged(tmp_path, classification(60), [BAYES], folds=4)) is None
    numbers = guessing(judged(tmp_path, regression(90), [BASELINE, RIDGE], folds=5))
    assert numbers is not None
    assert numbers.coin is None


@pytest.mark.parametrize("combined", [(), ("vote",)], ids=["members", "combination"])
def test_more_rows_are_read_off_singles_and_pairs(tmp_path: Path, combined: tuple[str, ...]) -> None:
    judgement = judged(tmp_path, classification(120), [BASELINE, BAYES, TREE], combined, folds=5)
    found = more_rows(judgement)
    assert found is not None
    assert found.rows == 120
    assert found.without_one.mean() == pytest.approx(judgement.top.error), "two panels never disagree"
    plan = judgement.docket.plan
    for (repeat, i), picked in judgement.procedure.picks.items():
        if picked.kind == "member":
            ledger, setting = judgement.ledgers[picked.name], picked.settings[repeat, i]
            others = [h for j in range(5) if j != i for h in plan.inner(repeat, j) if h.fold == i]
            assert found.without_two[i] == pytest.approx(np.mean([ledger.losses[h][setting] for h in others]))


def test_a_lucky_choice_does_not_look_like_help_from_more_rows(tmp_path: Path) -> None:
    """On noise the choice on all rows errs less than half on the folds that chose it; the curve starts above that."""
    starts, flattered = [], []
    for seed in range(4):
        judgement = judged(tmp_path / str(seed), noise(60, seed), [BASELINE, NEAREST, BAYES], folds=5)
        found = more_rows(judgement)
        assert found is not None
        assert found.without_one.tolist() == judgement.procedure.losses.tolist()
        starts.append(found.without_one.mean())
        flattered.append(judgement.procedure.one_layer_error)
    assert np.mean(starts) > np.mean(flattered)


def test_in_time_order_more_rows_cannot_be_foretold(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(80, time=np.arange(80.0)), [BASELINE, BAYES], folds=6)
    assert more_rows(judgement) is None
    assert guessing(judgement) is not None


def test_costs_of_a_thousand_rows_beside_always_saying_the_same(tmp_path: Path) -> None:
    table = classification(100, classes=2)
    costs = [[0, 2], [7, 0]]
    judgement = judged(tmp_path, table, [BASELINE, BAYES], measure="cost", costs=costs, folds=5)
    ours, no, yes = expenses(judgement)
    assert (ours.name, no.name, yes.name) == ("procedure", "always saying class 0", "always saying class 1")
    assert ours.per_thousand == pytest.approx(1000 * judgement.rows[0].error)
    assert no.per_thousand == pytest.approx(7000 * np.mean(table.y == 1)), "folds of equal size"
    assert yes.per_thousand == pytest.approx(2000 * np.mean(table.y == 0))
    assert ours.interval.low <= ours.per_thousand <= ours.interval.high
    assert ours.interval.low == pytest.approx(1000 * judgement.rows[0].interval.low)
    assert all(way.interval.low >= 0 and way.interval.high <= 7000 for way in (ours, no, yes)), "no row can cost less"
    assert expenses(judged(tmp_path, table, [BASELINE], folds=5)) == ()
