"""The judgement as a whole, on tables where the truth is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.validation.tables import classification, noise, plain, regression
from tests.verdict.cases import BASELINE, BAYES, NEAREST, RIDGE, TREE, docket_of, judge, judged
from venire.data.read import read_table
from venire.data.table import Table
from venire.families.bucket import default_bucket
from venire.validation.plans.folds import make_plan
from venire.validation.trials.docket import Docket
from venire.verdict.held_out_figures import HeldOutRows
from venire.verdict.judgement import Assessment, Judgement

EVERY = ("vote", "stack", "blend")


def codes(judgement: Judgement) -> set[str]:
    return {finding.code for finding in judgement.findings}


def test_nothing_is_found_in_noise(tmp_path: Path) -> None:
    judgement = judged(tmp_path, noise(240, seed=1), [BASELINE, BAYES, NEAREST, RIDGE], EVERY)
    top = judgement.rows[0]
    assert top.error == pytest.approx(0.5, abs=0.1)
    nearly_sure = HeldOutRows(judgement.docket, judgement.procedure.picks).figure(level=0.99).interval
    assert nearly_sure.low < 0.5 < nearly_sure.high
    assert "V005" in codes(judgement)


def test_a_perfect_column_is_found(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    table = plain(X, X[:, 1] > 0, classes=2)
    judgement = judged(tmp_path, table, [BASELINE, TREE], EVERY)
    top = judgement.rows[0]
    assert judgement.procedure.chosen.name == "cart"
    assert top.error < 0.05
    assert 0 <= top.interval.low <= top.error < top.interval.high < 0.2
    assert "V005" not in codes(judgement)


def test_one_layer_is_the_more_optimistic_on_noise(tmp_path: Path) -> None:
    gaps = []
    for seed in range(6):
        table = noise(60, seed=seed, columns=5)
        top = judged(tmp_path, table, [BAYES, NEAREST, RIDGE, TREE], folds=5).rows[0]
        gaps.append(top.error - top.one_layer_error)
    assert np.mean(gaps) > 0.03


def garbled_fold(table: Table, judgement: Judgement, fold: int) -> Table:
    rng = np.random.default_rng(9)
    rows = judgement.docket.plan.rows(0, (fold,))
    X, y = table.X.copy(), table.y.copy()
    X[rows] = rng.permuted(X[rows], axis=0) * np.where(table.categorical, 1, 3)
    if table.target is not None and table.target.classes:
        y[rows] = (y[rows] + 1) % len(table.target.classes)
    else:
        y[rows] = -y[rows]
    return table.with_values(X, y)


@pytest.mark.parametrize("make", [classification, regression])
def test_no_choice_for_a_fold_has_seen_the_fold(tmp_path: Path, make: type) -> None:
    """Settings, weights and the pick for outer fold i are the same whatever fold i holds; its loss is not."""
    families = [BASELINE, NEAREST, RIDGE, TREE]
    table = make(60)
    clean = judged(tmp_path, table, families, EVERY, folds=4, stratified=True)
    plan = clean.docket.plan
    for fold in (0, 3):
        other = garbled_fold(table, clean, fold)
        docket = docket_of(tmp_path, other, families, plan=plan)
        again = judge(docket, [family.name for family in families], EVERY)
        place = (0, fold)
        assert again.procedure.picks[place].name == clean.procedure.picks[place].name
        for one, two in zip(clean.candidates, again.candidates, strict=True):
            np.testing.assert_array_equal(one.inner[place], two.inner[place])
            if one.kind == "member":
                assert one.settings[place] == two.settings[place]
                assert one.training[place] == two.training[place]
            else:
                assert one.parts_at[place] == two.parts_at[place]
        assert clean.candidates[-1].outer[place] != again.candidates[-1].outer[place]


def test_the_leaderboard_is_ordered_and_complete(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(80), [BASELINE, BAYES, RIDGE, TREE], EVERY, folds=5)
    assert judgement.rows[0].kind == "procedure"
    others = judgement.rows[1:]
    assert {row.family for row in others} == {"baseline", "bayes", "ridge", "cart", *EVERY}
    assert [row.error for row in others] == sorted(row.error for row in others)
    assert sum(row.p_best for row in others) == pytest.approx(1)
    assert all(row.p_as_good >= row.p_best - 1e-12 for row in others)
    assert all(row.interval.low <= row.error <= row.interval.high for row in judgement.rows)
    for row in others:
        assert 0 <= row.training_error <= 1


def test_a_class_with_a_single_row_and_a_metric_it_leaves_undefined(tmp_path: Path) -> None:
    y = np.zeros(40, int)
    y[11] = 1
    table = plain(np.random.default_rng(0).normal(size=(40, 2)), y, classes=2)
    judgement = judged(tmp_path, table, [BASELINE, BAYES, RIDGE], EVERY, measure="auc", folds=5)
    assert int(np.isnan(judgement.procedure.losses).sum()) == 4
    assert {"V002", "V003", "V004"} <= codes(judgement)
    assert not judgement.rows[0].interval.defined


def test_repeats_time_and_groups_are_judged(tmp_path: Path) -> None:
    table = regression(60)
    often = judged(tmp_path, table, [BASELINE, RIDGE, TREE], EVERY, folds=4, repeats=3)
    assert len(often.procedure.losses) == 12
    timed = regression(60, time=np.arange(60.0))
    ordered = judged(tmp_path, timed, [BASELINE, RIDGE, TREE], EVERY, folds=5)
    assert len(ordered.procedure.losses) == 3
    assert ordered.rows[0].interval.defined
    grouped = regression(60, groups=np.arange(60, dtype=np.int32) // 6)
    assert len(judged(tmp_path, grouped, [BASELINE, RIDGE], folds=5).procedure.losses) == 5


def test_in_time_order_one_layer_and_two_are_figures_of_the_same_folds(tmp_path: Path) -> None:
    """By plain fits on the folds before each fold; the first of them is easier than all that follow."""
    table = regression(72, time=np.arange(72.0), noise=3.0)
    y = (table.y - table.y.mean()) * np.linspace(5, 1, 72)
    table = table.with_values(table.X, y)
    judgement = judged(tmp_path, table, [BASELINE, RIDGE, TREE], EVERY, folds=6)
    rows = {row.family: row for row in judgement.rows}
    assert rows["baseline"].one_layer_error == rows["baseline"].error, "one setting: there is nothing to choose"
    for family in (RIDGE, TREE):
        losses = np.empty((5, 2))
        for fold in range(1, 6):
            train, test = slice(0, 12 * fold), slice(12 * fold, 12 * (fold + 1))
            seed = judgement.docket.plan.outer(0, fold).trial.seed(0, family.name)
            for at, setting in enumerate(family.path(table)):
                fitted = family.pipeline(table, setting, seed).fit(table.X[train], y[train])
                losses[fold - 1, at] = np.sqrt(np.mean((fitted.predict(table.X[test]) - y[test]) ** 2))
        chosen = int(losses.mean(axis=0).argmin())
        assert judgement.candidate(family.name).final_setting == chosen, "chosen on every fold that was predicted"
        assert rows[family.name].one_layer_error == pytest.approx(
            np.sqrt(np.mean(np.square(losses[1:, chosen]))), rel=1e-5
        ), "squares are averaged: folds are of one size"
    for row in judgement.rows:
        name = judgement.procedure.chosen.name if row.family == "procedure" else row.family
        assert row.one_layer_error == pytest.approx(np.sqrt(np.mean(np.square(judgement.candidate(name).final[1:]))))


def test_one_family_needs_no_combination(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(40), [BASELINE, BAYES], EVERY, folds=4)
    assert [c.name for c in judgement.candidates] == ["baseline", "bayes"]


# Splits of a tree that gain the same up to rounding fall as rounding has it: its units are powers of two.
@pytest.mark.parametrize(
    ("names", "units"),
    [(("baseline", "knn", "linear"), (1e-12, 1e9)), (("baseline", "knn", "tree", "boosting"), (2.0**-40, 2.0**30))],
)
@pytest.mark.parametrize("measure", ["rmse", "mae"])
def test_the_unit_of_the_target_changes_no_verdict(
    tmp_path: Path, measure: str, names: tuple[str, ...], units: tuple[float, ...]
) -> None:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(60, 3))
    y = 2 * X[:, 0] + X[:, 1] + 0.3 * rng.normal(size=60)
    bucket = [family for family in default_bucket() if family.name in names]

    def said(unit: float) -> list[object]:
        found = judged(tmp_path, read_table((X, y * unit)), bucket, EVERY, measure=measure, folds=4)
        picks = [candidate.name for candidate in found.procedure.picks.values()]
        return [*picks, *((row.family, row.setting) for row in found.rows)]

    plain = said(1.0)
    assert "baseline" not in plain
    assert [said(unit) for unit in units] == [plain] * len(units)


@pytest.mark.parametrize("measure", ["error", "log_loss", "auc", "f1"])
def test_the_error_of_a_member_is_that_of_the_leaderboard(tmp_path: Path, measure: str) -> None:
    table = noise(80, 0)
    families = [BASELINE, BAYES, TREE]
    docket = docket_of(tmp_path, table, families, plan=make_plan(table, folds=4), measure=measure)
    hearing = Assessment(docket)
    early = {family.name: hearing.error(family.name) for family in families}
    judgement = judge(docket, list(early), ["vote"])
    rows = {row.family: row for row in judgement.rows}
    assert early == {name: rows[name].error for name in early}
    again = hearing.judgement(list(early), ["vote"])
    assert [(r.family, r.error) for r in again.rows] == [(r.family, r.error) for r in judgement.rows]


def test_the_error_is_of_two_layers(tmp_path: Path) -> None:
    """The plain loop: the setting is chosen on the inner folds, its loss is that on the outer one."""
    table = noise(80, 0)
    docket = docket_of(tmp_path, table, [TREE], plan=make_plan(table, folds=4))
    ledger, outer = docket.ledger("cart"), []
    for fold in range(4):
        inner = np.mean([ledger.losses[held] for held in docket.plan.inner(0, fold)], axis=0)
        outer.append(ledger.losses[docket.plan.outer(0, fold)][int(np.argmin(inner))])
    assert Assessment(docket).error("cart") == pytest.approx(np.mean(outer))


def test_in_time_order_the_one_layer_error_is_of_the_folds_that_are_judged(tmp_path: Path) -> None:
    table = classification(60, classes=2, time=np.arange(60.0))
    docket = docket_of(tmp_path, table, [BAYES], plan=make_plan(table, folds=5))
    losses = np.stack([docket.ledger("bayes").losses[held] for held in docket.plan.final(0)])
    best = int(losses.mean(axis=0).argmin())
    assert losses.shape == (4, 3)
    heard = Assessment(docket).judgement(["bayes"], []).candidate("bayes")
    assert heard.one_layer_error == pytest.approx(losses[1:, best].mean())


def test_evidence_is_read_once_a_family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = noise(60, 0)
    docket = docket_of(tmp_path, table, [BASELINE, BAYES], plan=make_plan(table, folds=4))
    read, true = [], Docket.ledger
    monkeypatch.setattr(Docket, "ledger", lambda self, name: read.append(name) or true(self, name))
    hearing = Assessment(docket)
    hearing.error("bayes")
    hearing.judgement(["baseline", "bayes"], [])
    hearing.judgement(["baseline"], [])
    assert sorted(read) == ["baseline", "bayes"]
