from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.validation.tables import classification, plain
from tests.verdict.cases import BASELINE, BAYES, TREE, judged
from venire.data.table import Task
from venire.metrics import metric
from venire.validation.plans.folds import make_plan
from venire.verdict.candidates import Part
from venire.verdict.differences import pairs
from venire.verdict.leaderboard import CLEARLY, PRACTICAL_SHARE, interval, leaderboard, practical_difference

NAN = float("nan")


def docket(measure: str = "error", rows: int = 100, **splitting: Any) -> Any:
    table = classification(rows, classes=2, **({"time": np.arange(float(rows))} if splitting.pop("time", 0) else {}))
    measured, plan = metric(measure, Task.CLASSIFICATION), make_plan(table, **splitting)
    return SimpleNamespace(metric=measured, plan=plan, table=table, practical_difference=None)


def test_the_interval_of_an_error_rate_is_the_discounted_beta() -> None:
    losses = np.array([0.1, 0.2, 0.2, 0.3, 0.2, 0.1, 0.3, 0.2, 0.2, 0.2])
    found = interval(docket(), losses)
    counted = 100 / (1 + 10 / 9)
    ends = stats.beta.ppf([0.025, 0.975], 0.2 * counted + 0.5, 0.8 * counted + 0.5)
    assert (found.low, found.high) == pytest.approx(tuple(ends))


def test_the_interval_of_any_other_loss_is_the_corrected_t() -> None:
    losses = np.random.default_rng(0).uniform(0.1, 0.4, size=10)
    found = interval(docket("auc"), losses)
    reach = stats.t.ppf(0.975, 9) * losses.std(ddof=1) * np.sqrt(1 / 10 + 1 / 9)
    assert (found.low, found.high) == (pytest.approx(losses.mean() - reach), pytest.approx(losses.mean() + reach))


def test_repeats_narrow_it_only_by_what_they_add() -> None:
    losses = np.random.default_rng(0).uniform(0.1, 0.4, size=10)
    often = np.tile(losses, 20)
    once, many = interval(docket("auc"), losses), interval(docket("auc", repeats=20), often)
    assert many.width < once.width
    # Two hundred figures of the same hundred rows: the overlap term stays.
    assert many.width > once.width * np.sqrt((1 / 9) / (1 / 10 + 1 / 9)) * 0.8
    assert interval(docket(repeats=20), often).width == pytest.approx(interval(docket(), losses).width)


def test_in_time_order_it_knows_how_little_was_trained_on() -> None:
    losses = np.array([0.2, 0.3, 0.25])
    found = interval(docket(folds=5, time=True), losses)
    overlap = np.mean([1 / 2, 1 / 3, 1 / 4])
    reach = stats.t.ppf(0.975, 2) * losses.std(ddof=1) * np.sqrt(1 / 3 + overlap)
    assert found.high == pytest.approx(min(1, losses.mean() + reach))
    assert found.low == pytest.approx(max(0, losses.mean() - reach))


def test_undefined_folds_are_left_out_and_one_fold_is_not_enough() -> None:
    defined = np.array([0.2, 0.3, 0.25])
    padded = np.array([0.2, NAN, 0.3, 0.25, NAN])
    assert interval(docket("auc"), padded) == interval(docket("auc"), defined)
    assert not interval(docket("auc"), np.array([0.2, NAN])).defined


@pytest.mark.parametrize("rate", [0.0, 1.0])
def test_folds_that_all_lost_the_same_still_leave_doubt(rate: float) -> None:
    found = interval(docket(), np.full(10, rate))
    assert found.low <= rate <= found.high
    assert 0.01 < found.width < 0.06
    expected = stats.beta.ppf(0.975, 0.5, 100 / (1 + 10 / 9) + 0.5)
    assert found.width == pytest.approx(expected)


def test_rounding_is_no_spread() -> None:
    losses = np.full(10, 0.3) + np.array([1e-17, 0] * 5)
    assert interval(docket(), losses + np.spacing(0.3) * np.arange(10)).width > 0.1


def test_an_error_rate_stays_between_nought_and_one() -> None:
    found = interval(docket(), np.array([0.0, 0.9] * 5))
    assert (found.low, found.high) == (0.0, pytest.approx(0.45 + 0.4743 * np.sqrt(0.2111) * 2.262, rel=0.01))
    assert interval(docket(), np.array([0.0, 1.0, 1.0])).high == 1.0


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


def test_an_interval_of_one_point_is_none() -> None:
    assert not interval(docket("log_loss"), np.full(10, 1.125)).defined
    assert interval(docket("log_loss"), np.full(10, 1.125) + 0.01 * np.arange(10)).defined


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
