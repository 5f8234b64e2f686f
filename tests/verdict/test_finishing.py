"""Choosing is part of the procedure: setting, weights, calibration and threshold never met the fold they face."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.validation.tables import classification, plain
from tests.verdict.cases import BASELINE, BAYES, RIDGE, TREE, docket_of, judge, judged
from venire.combine.finish import Finish
from venire.data.table import Table
from venire.metrics.predictions import Predictions
from venire.validation.plans.folds import make_plan
from venire.validation.trials.docket import Docket
from venire.verdict.held_out_predictions import held_out
from venire.verdict.judgement import Judgement

COSTS = [[0, 1], [6, 0]]
MEMBERS = [BASELINE, BAYES, RIDGE, TREE]
MEASURES: list[dict[str, Any]] = [{"measure": "cost", "costs": COSTS}, {"measure": "brier"}, {}]
IDS = ["cost", "brier", "error"]


def table_of(rows: int = 120) -> Table:
    return classification(rows, classes=2, noise=1.5)


def with_labels(docket: Docket, y: np.ndarray) -> Docket:
    """The same evidence, judged against other labels."""
    return replace(docket, table=docket.table.with_values(docket.table.X, y), _records={})


def judge_again(docket: Docket) -> Judgement:
    names = [family.name for family in MEMBERS if family.name in docket.keys]
    return judge(docket, names, ["vote", "stack"])


@pytest.mark.parametrize("how", MEASURES, ids=IDS)
def test_nothing_that_is_chosen_for_a_fold_has_seen_its_labels(how: dict[str, Any], tmp_path: Path) -> None:
    table = table_of()
    families = [f for f in MEMBERS if how.get("measure") != "brier" or f is not RIDGE]
    docket = docket_of(tmp_path, table, families, plan=make_plan(table, folds=5), **how)
    honest = judge_again(docket)
    for fold in range(5):
        place = (0, fold)
        y = table.y.copy()
        at = docket.plan.fold_of[0] == fold
        y[at] = 1 - y[at]
        turned = judge_again(with_labels(docket, y))
        assert honest.procedure.picks[place].name == turned.procedure.picks[place].name
        for before, after in zip(honest.candidates, turned.candidates, strict=True):
            assert before.settings.get(place) == after.settings.get(place)
            assert before.parts_at.get(place) == after.parts_at.get(place)
            assert before.finish_at.get(place) == after.finish_at.get(place)
            assert np.array_equal(before.inner[place], after.inner[place], equal_nan=True)
        judged_by_them = [c.outer[place] for c in honest.candidates] != [c.outer[place] for c in turned.candidates]
        assert judged_by_them


def test_what_is_judged_is_what_was_chosen_for_the_fold(tmp_path: Path) -> None:
    """The procedure's loss, worked out by hand from its evidence."""
    judgement = judged(tmp_path, table_of(), MEMBERS, ["vote", "stack"], measure="cost", costs=COSTS, folds=5)
    held = held_out(judgement, "procedure")
    paid = np.asarray(COSTS)[held.actual, held.predicted]
    by_fold = [paid[held.folds == fold].mean() for fold in range(5)]
    assert judgement.procedure.losses == pytest.approx(by_fold)
    assert judgement.rows[0].family == "procedure"
    assert judgement.rows[0].error == pytest.approx(np.mean(by_fold))


def test_costs_are_lower_than_those_of_the_learners_own_decisions(tmp_path: Path) -> None:
    judgement = judged(tmp_path, table_of(240), MEMBERS, measure="cost", costs=COSTS, folds=5)
    for name in ("bayes", "ridge", "cart"):
        candidate = judgement.candidate(name)
        own = [
            judgement.docket.metric.loss(judgement.docket.truth(held), judgement.docket.predicted(name, held, setting))
            for place, setting in candidate.settings.items()
            for held in [judgement.docket.plan.outer(*place)]
        ]
        assert candidate.error < 0.8 * np.mean(own)


def test_a_member_of_scores_has_a_threshold_and_one_of_labels_decides_itself(tmp_path: Path) -> None:
    judgement = judged(tmp_path, table_of(), [BASELINE, RIDGE], measure="cost", costs=COSTS, folds=4)
    finish = judgement.candidate("ridge").finish
    assert finish.threshold is not None
    assert finish.threshold < 0, "a miss is dearer than a false alarm"


def test_three_classes_take_the_least_expected_cost(tmp_path: Path) -> None:
    costs = [[0, 1, 1], [1, 0, 1], [20, 20, 0]]
    judgement = judged(tmp_path, classification(120), [BASELINE, BAYES], measure="cost", costs=costs, folds=4)
    held = held_out(judgement, "bayes")
    assert (held.predicted == 2).mean() > 0.5, "what is dear to miss is said often"
    assert judgement.candidate("bayes").finish.costs == tuple(map(tuple, costs))
    assert judgement.candidate("bayes").finish.threshold is None


def test_a_rash_member_is_calibrated_inside_and_gains_by_it(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 300)
    witness = rng.normal(size=300) + y
    table = plain(np.column_stack([witness + 0.05 * rng.normal(size=300) for _ in range(8)]), y, classes=2)
    judgement = judged(tmp_path, table, [BAYES], measure="log_loss", folds=5)
    candidate = judgement.candidate("bayes")
    assert candidate.finish.calibration is not None
    plan, docket = judgement.docket.plan, judgement.docket
    raw = [docket.metric.loss(docket.truth(h), docket.predicted("bayes", h, candidate.settings[p]))
           for p in candidate.settings for h in [plan.outer(*p)]]  # fmt: skip
    assert candidate.error < 0.7 * np.mean(raw)


def test_error_and_auc_leave_the_outputs_as_they_are(tmp_path: Path) -> None:
    judgement = judged(tmp_path, table_of(), [BASELINE, BAYES], measure="auc", folds=4)
    assert judgement.candidate("bayes").finish == Finish()
    held = held_out(judgement, "bayes")
    assert isinstance(Finish()(Predictions(held.predicted, held.outputs, held.output)), Predictions)
