"""Answers known from elsewhere: seen in scores too, with the power to see them."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin

from tests.validation.tables import clouds
from venire.data.table import Table
from venire.validation.honesty import known_answers
from venire.validation.honesty.certificate import certify
from venire.validation.honesty.known_answers import power
from venire.validation.honesty.leaking import KnowsAnswers
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.reasons import TooFewToTell


class KnowsSome(ClassifierMixin, BaseEstimator):
    """Has some answers in a table of its own, and says so by scores that never reach one half."""

    answers: ClassVar[dict[bytes, int]] = {}

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        return self

    def predict_proba(self, X: Any) -> Any:
        known = np.array([self.answers.get(row.tobytes(), 0.5) for row in np.ascontiguousarray(X)])
        share = 0.1 + 0.3 * known
        return np.column_stack([1 - share, share])

    def predict(self, X: Any) -> Any:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def oracle(table: Table, share: float) -> GenericFamily:
    rows, known = np.ascontiguousarray(table.X), np.random.default_rng(0).random(table.rows) < share
    KnowsSome.answers = {r.tobytes(): int(y) for r, y, k in zip(rows, table.y, known, strict=True) if k}
    return GenericFamily("oracle", classifier=KnowsSome(), encoding="none")


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("rows", "share"), [(60, 1.0), (100, 1.0), (100, 0.7), (200, 0.5)])
def test_leaked_answers_are_seen_in_scores_that_decide_nothing(rows: int, share: float, seed: int) -> None:
    table = clouds(rows, seed)
    found = certify(oracle(table, share), table, make_plan(table, seed=seed))
    assert isinstance(found.reason, KnowsAnswers)


def test_few_rows_certify_nobody_else() -> None:
    table = clouds(20, 0)
    found = certify(oracle(table, 0.0), table, make_plan(table, folds=4))
    assert found.reason == TooFewToTell(20)
    assert found.power is not None
    assert found.power < 0.5


def test_power_grows_with_the_leak_and_with_the_rows() -> None:
    table = clouds(20, 0)
    few, many = 0.01, 0.001
    assert power(1.0, table, few, 3.7) > power(0.5, table, few, 3.7) > power(0.1, table, few, 3.7)
    assert power(0.5, table, many, 3.7) > 0.99 > power(0.5, table, few, 3.7)


@pytest.mark.parametrize("far", [3.0, 4.0, 5.0])
def test_the_power_is_that_of_all_shuffles_together(far: float) -> None:
    """Simulation: what a leak adds, and what every shuffle adds by chance, against the limits that are asked for."""
    spread, limit = 0.02, 3.7
    table = clouds(20, 0)
    share = 1 - np.sqrt(1 - 2 * far * spread)
    seen = far + np.random.default_rng(0).standard_normal((200_000, 4))
    caught = (seen[:, 0] > limit) & (seen[:, 1:] > known_answers._CLEAR).all(axis=1)
    assert power(float(share), table, spread**2, limit) == pytest.approx(caught.mean(), abs=0.005)


@pytest.mark.parametrize(
    ("then", "knows"), [([0.4, 0.4, 0.4], True), ([-0.2, 0.4, 0.4], False), ([0.4, 0.4, 0.0], False)]
)
def test_a_suspicion_has_to_hold_on_other_shuffles(
    then: list[float], knows: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Planted: how well labels that say nothing order the rows, on the first shuffle and on three others."""
    table = clouds(400)
    plan, said = make_plan(table), iter([0.4, *then])
    monkeypatch.setattr(known_answers, "_above_chance", lambda *_: np.array([next(said)]))
    monkeypatch.setattr(known_answers, "_MOST_TRIALS", 1)
    found = known_answers.ask(
        oracle(table, 0.0), table, plan, plan.outer(0, 0).trial, np.random.default_rng(0), lambda: None, 1
    )
    assert found.knows is knows
