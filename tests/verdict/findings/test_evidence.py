"""What findings about the evidence say, where it matters how they say it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from tests.validation.tables import classification
from tests.verdict.cases import BASELINE, BAYES, judged
from venire.verdict.findings.evidence import Said, no_better_than_guessing
from venire.verdict.judgement import Judgement
from venire.verdict.procedure import Procedure

FOLDS = 8
Beside = Callable[[np.ndarray], tuple[list[Said], float]]


@pytest.fixture(scope="module")
def judgement(tmp_path_factory: pytest.TempPathFactory) -> Judgement:
    return judged(tmp_path_factory.mktemp("case"), classification(80), [BASELINE, BAYES], folds=FOLDS)


@pytest.fixture
def beside_guessing(judgement: Judgement) -> Beside:
    """V005 of a procedure whose losses differ from the baseline's by so much a fold, and P(better) by hand."""

    def found(gaps: np.ndarray) -> tuple[list[Said], float]:
        baseline = judgement.candidate("baseline")
        outer = {place: baseline.outer[place] + gap for place, gap in zip(baseline.outer, gaps, strict=True)}
        one = replace(baseline, name="one", outer=outer)
        case = replace(judgement, procedure=Procedure(one, dict.fromkeys(outer, one), 0.0))
        told = list(no_better_than_guessing(case))
        scale = gaps.std(ddof=1) * np.sqrt(1 / FOLDS + 2 / (FOLDS - 1))  # twice the overlap, as learners are compared
        return told, float(stats.t(FOLDS - 1).cdf(-gaps.mean() / scale)) if scale else 0.0

    return found


SPREAD = np.linspace(-1, 1, FOLDS)


def test_v005_says_how_sure_one_can_be(beside_guessing: Beside) -> None:
    """Close to the threshold it is probably better; the strong words are for where there is nothing."""
    seen = set()
    for shift in np.linspace(-0.1, 0.8, 40):
        told, p = beside_guessing(0.1 * (SPREAD - shift))
        if p > 0.95:
            assert told == []
            continue
        ((message, advice),) = told
        assert message.endswith(f"the probability that it is better is {p:.2f}")
        assert ("is probably better than always" in message) == (p > 0.9)
        assert ("is not clearly better than always" in message) == (p <= 0.9)
        assert ("learned nothing that can be shown" in advice) == (p <= 0.9)
        seen.add(p > 0.9)
    assert seen == {False, True}


def test_v005_where_it_is_worse_or_the_same(beside_guessing: Beside) -> None:
    ((worse, _),), p = beside_guessing(0.1 + 0.01 * SPREAD)
    assert p < 0.05
    assert "is worse than always predicting the same" in worse
    ((same, advice),), _ = beside_guessing(np.zeros(FOLDS))
    assert "is no better than always predicting the same" in same
    assert same.endswith("they are equal in every fold")
    assert "learned nothing that can be shown" in advice
