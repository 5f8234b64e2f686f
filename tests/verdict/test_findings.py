"""Every finding: a table that calls for it, and one that does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression, LogisticRegression

from tests.validation.tables import classification, noise, plain, regression
from tests.verdict.cases import BASELINE, BAYES, NEAREST, RIDGE, TREE, judged
from venire.data.table import Table
from venire.validation.generic import GenericFamily
from venire.verdict.findings import CHECKS, review
from venire.verdict.judge import Judgement
from venire.verdict.procedure import Procedure

HASTY = GenericFamily("hasty", classifier=LogisticRegression(max_iter=1))
Judge = Callable[..., Judgement]


@pytest.fixture
def judge_(tmp_path: Path) -> Judge:
    def judging(table: Table, *families: Any, **how: Any) -> Judgement:
        return judged(tmp_path, table, families or [BASELINE, BAYES], **{"blocks": 4, **how})

    return judging


def message(judgement: Judgement, code: str) -> str | None:
    return next((finding.message for finding in judgement.findings if finding.code == code), None)


def labelled(counts: list[int]) -> Table:
    y = np.repeat(np.arange(len(counts)), counts)
    X = np.random.default_rng(0).normal(size=(len(y), 2)) + y[:, None]
    return plain(X, y, classes=len(counts))


def test_v001_few_rows(judge_: Judge) -> None:
    assert "60 rows are few: the interval from" in str(message(judge_(classification(60)), "V001"))
    assert message(judge_(classification(100)), "V001") is None
    one_defined = judge_(labelled([40, 1]), measure="auc")
    assert message(one_defined, "V001") == "41 rows are few: not even an interval can be given"


def test_v002_classes_with_fewer_rows_than_blocks(judge_: Judge) -> None:
    assert (
        message(judge_(labelled([50, 3, 2])), "V002") == "classes with fewer rows than the 4 blocks: 'c1' (3), 'c2' (2)"
    )
    assert message(judge_(labelled([50, 4])), "V002") is None
    assert message(judge_(regression(40), BASELINE, RIDGE), "V002") is None


def test_v003_trained_without_a_class(judge_: Judge) -> None:
    assert message(judge_(labelled([50, 2])), "V003") == "some models were trained without a single row of 'c1'"
    assert message(judge_(labelled([50, 3])), "V003") is None


def test_v004_undefined_blocks(judge_: Judge) -> None:
    assert "1 − AUC is undefined in 2 of 4 blocks" in str(message(judge_(labelled([50, 2]), measure="auc"), "V004"))
    assert message(judge_(labelled([50, 2])), "V004") is None


def test_v005_no_better_than_guessing(judge_: Judge) -> None:
    assert "cannot be told from always predicting the same" in str(message(judge_(noise(80, 0)), "V005"))
    assert message(judge_(classification(80, noise=0.1)), "V005") is None
    assert message(judge_(noise(80, 0), BAYES), "V005") is None, "without the baseline nothing is said of it"


def test_v005_compares_block_by_block(judge_: Judge) -> None:
    """Groups of very different spread: hard blocks are hard for everybody, and the model is better in each."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(8), 60).astype(np.int32)
    x = 4 * rng.normal(size=480)
    table = plain(x[:, None], x + (1 + groups) * rng.normal(size=480), groups=groups)
    judgement = judge_(table, BASELINE, GenericFamily("line", regressor=LinearRegression()), blocks=8)
    assert judgement.rows[0].interval.high > judgement.candidate("baseline").error, "the intervals overlap"
    assert message(judgement, "V005") is None


def test_v006_a_metric_that_overlooks_the_rare_class(judge_: Judge) -> None:
    assert "'c1' is 10.0% of the rows" in str(message(judge_(labelled([90, 10])), "V006"))
    assert message(judge_(labelled([90, 10]), measure="balanced_error"), "V006") is None
    assert message(judge_(labelled([75, 25])), "V006") is None


def choosing(judgement: Judgement, name: str, p_as_good: float) -> list[str]:
    """What is found when that candidate was chosen and all are as good with that probability."""
    rows = (judgement.rows[0], *(replace(row, p_as_good=p_as_good) for row in judgement.rows[1:]))
    handed = Procedure(judgement.candidate(name), judgement.procedure.picks, 0.1)
    found, _ = review(replace(judgement, procedure=handed, rows=rows))
    return [finding.message for finding in found if finding.code == "V007"]


def test_v007_a_simpler_family_is_as_good(judge_: Judge) -> None:
    judgement = judge_(classification(60), BASELINE, BAYES, TREE)
    (found,) = choosing(judgement, "cart", 0.9)
    said, simpler = found.split("the simpler ")
    assert said == "cart is not clearly better than "
    assert sorted(simpler.split(", ")) == ["baseline", "bayes"]
    assert choosing(judgement, "cart", 0.3) == []
    assert choosing(judgement, "baseline", 0.9) == [], "nothing is simpler"


def test_v008_far_from_its_training_error(judge_: Judge) -> None:
    assert "says nothing about new ones" in str(message(judge_(noise(200, 1), NEAREST), "V008"))
    assert message(judge_(noise(200, 1), BASELINE), "V008") is None


def test_v009_an_unstable_choice(judge_: Judge) -> None:
    judgement = judge_(noise(60, 4), BASELINE, BAYES, NEAREST, RIDGE, TREE, blocks=8)
    picked = [c.name for c in judgement.procedure.picks.values()]
    assert max(picked.count(name) for name in picked) <= 4
    assert "no family was chosen in more than half of the 8 blocks" in str(message(judgement, "V009"))
    assert message(judge_(classification(60), BAYES), "V009") is None


def test_v010_a_learner_warned(judge_: Judge) -> None:
    found = str(message(judge_(classification(60), HASTY), "V010"))
    assert found.startswith("hasty warned in 10 of 10 trials: ConvergenceWarning: ")
    assert message(judge_(classification(60), BAYES), "V010") is None


def test_v011_strictly_stratified_blocks(judge_: Judge) -> None:
    assert "strictly stratified" in str(message(judge_(classification(60), stratified=True), "V011"))
    assert message(judge_(classification(60)), "V011") is None


def test_every_finding_has_a_code_a_test_and_a_place_in_the_docs() -> None:
    codes = [check.code for check in CHECKS]
    assert codes == [f"V{k:03d}" for k in range(1, len(CHECKS) + 1)]
    tests = [name for name in globals() if name.startswith("test_v")]
    assert {name[5:9].upper() for name in tests} == set(codes)
    page = (Path(__file__).parents[2] / "docs/findings.md").read_text()
    assert [code for code in codes if f"## {code} " not in page] == []
