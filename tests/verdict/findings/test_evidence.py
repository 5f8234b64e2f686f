"""What findings about the evidence say, where it matters how they say it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from tests.validation.tables import classification
from tests.verdict.cases import BASELINE, BAYES, judged
from venire.inference import RowContest
from venire.verdict import differences
from venire.verdict.findings.evidence import Said, no_better_than_guessing
from venire.verdict.judgement import Judgement

FOLDS = 8
Beside = Callable[[np.ndarray], tuple[list[Said], float]]


@pytest.fixture(scope="module")
def judgement(tmp_path_factory: pytest.TempPathFactory) -> Judgement:
    return judged(tmp_path_factory.mktemp("case"), classification(80), [BASELINE, BAYES], folds=FOLDS)


@pytest.fixture
def beside_guessing(judgement: Judgement, monkeypatch: pytest.MonkeyPatch) -> Beside:
    """V005 of a procedure whose losses differ from the baseline's by so much a row, and P(better)."""

    def found(gaps: np.ndarray) -> tuple[list[Said], float]:
        both = RowContest(np.array([gaps.mean(), 0.0]), np.stack([gaps - gaps.mean(), 0 * gaps]), overlap=1.5)
        monkeypatch.setattr(differences, "contest", lambda docket, judged: both)
        return list(no_better_than_guessing(judgement)), both.posterior().compare(0, 1).p_better

    return found


SPREAD = np.linspace(-1, 1, 80)


def test_v005_says_how_sure_one_can_be(beside_guessing: Beside) -> None:
    """Close to the threshold it is probably better; the strong words are for where there is nothing."""
    seen = set()
    for shift in np.linspace(-0.1, 0.3, 40):
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
    ((same, advice),), _ = beside_guessing(np.zeros(80))
    assert "is no better than always predicting the same" in same
    assert same.endswith("they are equal in every row")
    assert "learned nothing that can be shown" in advice
