"""Members heard as they come in: the figure of the progress is the one of the leaderboard."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.validation.tables import classification, noise
from tests.verdict.cases import BASELINE, BAYES, TREE, docket_of
from venire.validation.plans.folds import make_plan
from venire.verdict.hearing import Hearing
from venire.verdict.judge import judge
from venire.verdict.ledger import Docket


@pytest.mark.parametrize("measure", ["error", "log_loss"])
def test_the_error_of_a_member_is_that_of_the_leaderboard(tmp_path: Path, measure: str) -> None:
    table = noise(80, 0)
    families = [BASELINE, BAYES, TREE]
    docket = docket_of(tmp_path, table, families, plan=make_plan(table, blocks=4), measure=measure)
    hearing = Hearing(docket)
    early = {family.name: hearing.error(family.name) for family in families}
    judgement = judge(docket, list(early), ["vote"])
    rows = {row.family: row for row in judgement.rows}
    assert early == {name: rows[name].error for name in early}
    again = hearing.judgement(list(early), ["vote"])
    assert [(r.family, r.error) for r in again.rows] == [(r.family, r.error) for r in judgement.rows]


def test_the_error_is_of_two_layers(tmp_path: Path) -> None:
    """The plain loop: the setting is chosen on the inner blocks, its loss is that on the outer one."""
    table = noise(80, 0)
    docket = docket_of(tmp_path, table, [TREE], plan=make_plan(table, blocks=4))
    ledger, outer = docket.ledger("cart"), []
    for block in range(4):
        inner = np.mean([ledger.losses[held] for held in docket.plan.inner(0, block)], axis=0)
        outer.append(ledger.losses[docket.plan.outer(0, block)][int(np.argmin(inner))])
    assert Hearing(docket).error("cart") == pytest.approx(np.mean(outer))


def test_in_time_order_the_one_layer_error_is_of_the_blocks_that_are_judged(tmp_path: Path) -> None:
    table = classification(60, classes=2, time=np.arange(60.0))
    docket = docket_of(tmp_path, table, [BAYES], plan=make_plan(table, blocks=5))
    losses = np.stack([docket.ledger("bayes").losses[held] for held in docket.plan.final(0)])
    best = int(losses.mean(axis=0).argmin())
    assert losses.shape == (4, 3)
    heard = Hearing(docket).judgement(["bayes"], []).candidate("bayes")
    assert heard.one_layer_error == pytest.approx(losses[1:, best].mean())


def test_evidence_is_read_once_a_family(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = noise(60, 0)
    docket = docket_of(tmp_path, table, [BASELINE, BAYES], plan=make_plan(table, blocks=4))
    read, true = [], Docket.ledger
    monkeypatch.setattr(Docket, "ledger", lambda self, name: read.append(name) or true(self, name))
    hearing = Hearing(docket)
    hearing.error("bayes")
    hearing.judgement(["baseline", "bayes"], [])
    hearing.judgement(["baseline"], [])
    assert sorted(read) == ["baseline", "bayes"]
