from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.validation.tables import classification
from tests.verdict.cases import BAYES, RIDGE, docket_of
from venire.validation.choice import mean_defined
from venire.validation.plans.folds import make_plan

NAN = float("nan")


@pytest.mark.parametrize("measure", ["error", "auc", "log_loss"])
def test_a_ledger_holds_the_loss_of_every_setting_on_every_held_out_fold(tmp_path: Path, measure: str) -> None:
    table = classification(50, classes=2)
    docket = docket_of(tmp_path, table, [BAYES], plan=make_plan(table, folds=4), measure=measure)
    ledger = docket.ledger("bayes")
    assert len(ledger.losses) == 4 + 2 * 6
    assert len(ledger.training) == 4
    for held, losses in ledger.losses.items():
        rows = docket.rows(held)
        train = docket.plan.train_rows(held.trial)
        for s, setting in enumerate(BAYES.path(table)):
            fitted = BAYES.pipeline(table, setting, 0).fit(table.X[train], table.y[train])
            outputs, labels = docket.predictions("bayes", held, s)
            np.testing.assert_array_equal(labels, fitted.predict(table.X[rows]))
            np.testing.assert_allclose(outputs, fitted.predict_proba(table.X[rows]), atol=1e-6)
            if measure == "error":
                assert losses[s] == np.mean(labels != table.y[rows])


def test_what_a_metric_cannot_judge_is_undefined(tmp_path: Path) -> None:
    table = classification(50, classes=2)
    docket = docket_of(tmp_path, table, [RIDGE], plan=make_plan(table, folds=4), measure="log_loss")
    assert np.isnan(np.stack(list(docket.ledger("ridge").losses.values()))).all()


def test_costs_are_judged_on_rows_trained_on_too(tmp_path: Path) -> None:
    """The plain loop: fit, take the class of least expected cost for every row of the fold before, pay for it."""
    table = classification(60, classes=3)
    plan, costs = make_plan(table, folds=4), np.array([[0.0, 1, 4], [5, -1, 2], [3, 9, 0]])
    docket = docket_of(tmp_path, table, [BAYES, RIDGE], plan=plan, measure="cost", costs=costs)
    for family in (BAYES, RIDGE):
        ledger = docket.ledger(family.name)
        assert [trial.test for trial in ledger.training] == [(0,), (1,), (2,), (3,)]
        for trial, losses in ledger.training.items():
            train, seen = plan.train_rows(trial), plan.rows(0, ((trial.test[0] - 1) % 4,))
            for s, setting in enumerate(family.path(table)):
                fitted = family.pipeline(table, setting, 0).fit(table.X[train], table.y[train])
                said = fitted.predict(table.X[seen])
                if family is BAYES:
                    said = (fitted.predict_proba(table.X[seen]) @ costs).argmin(axis=1)
                assert losses[s] == pytest.approx(costs[table.y[seen], said].mean())


def test_a_mean_is_over_what_is_defined() -> None:
    np.testing.assert_array_equal(mean_defined(np.array([[1.0, NAN, NAN], [3.0, 5.0, NAN]])), [2.0, 5.0, NAN])
    assert np.isnan(mean_defined(np.array([NAN])))
