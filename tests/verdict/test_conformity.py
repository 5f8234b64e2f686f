"""How far the chosen model was off on held-out rows."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.validation.tables import classification, regression
from tests.verdict.cases import BAYES, RIDGE, judged
from venire.combine.conformal import class_scores, residual_scores
from venire.verdict.conformity import conformal
from venire.verdict.held_out_predictions import held_out
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.procedure import Procedure


@pytest.fixture
def mixed(tmp_path: Path) -> Judgement:
    """One fold chose a model without probabilities, the others and all rows one with them."""
    judgement = judged(tmp_path, classification(60), [BAYES, RIDGE], folds=3)
    bayes, ridge = map(judgement.candidate, ("bayes", "ridge"))
    first, *others = judgement.procedure.picks
    return replace(judgement, procedure=Procedure(bayes, {first: ridge, **dict.fromkeys(others, bayes)}, 0.1))


def test_a_fold_without_probabilities_does_not_cost_the_sets(mixed: Judgement) -> None:
    found, own = conformal(mixed, PROCEDURE), held_out(mixed, "bayes")
    assert found is not None
    np.testing.assert_allclose(np.sort(found.scores), np.sort(class_scores(own.actual, own.outputs)))


def test_a_model_without_probabilities_has_no_scores(mixed: Judgement) -> None:
    assert conformal(mixed, "ridge") is None


def test_numbers_are_those_of_the_procedure(tmp_path: Path) -> None:
    judgement = judged(tmp_path, regression(60), [RIDGE], folds=3)
    found, held = conformal(judgement, PROCEDURE), held_out(judgement, PROCEDURE)
    assert found is not None
    np.testing.assert_allclose(np.sort(found.scores), np.sort(residual_scores(held.actual, held.predicted)))
