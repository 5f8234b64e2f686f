"""Scores as probabilities: the same learner, judged where a metric asks for probabilities."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from tests.families.cases import compared
from tests.validation.tables import classification
from venire.data.table import Task
from venire.families.bucket import default_bucket
from venire.families.requested import able_families
from venire.families.scores_as_shares import ScoreSharesFamily
from venire.metrics import metric
from venire.metrics.predictions import Output
from venire.reductions.score_shares import shares_of
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily

SCORING = ("linear", "perceptron", "svm")


def scoring(name: str) -> GenericFamily:
    return next(family for family in default_bucket() if family.name == name)


@pytest.mark.parametrize("name", SCORING)
@pytest.mark.parametrize("classes", [2, 3])
def test_they_are_the_shares_of_the_family_s_scores(name: str, classes: int) -> None:
    table = classification(120, classes=classes)
    plan = make_plan(table, folds=3)
    plain, shared = scoring(name), ScoreSharesFamily(scoring(name))
    trial = plan.trials[0]
    scores = plain.run(plain.prepare(table, plan), trial)
    ours = shared.run(shared.prepare(table, plan), trial)
    assert (scores.output, ours.output) == (Output.SCORES, Output.PROBABILITIES)
    np.testing.assert_allclose(ours.outputs, shares_of(scores.outputs), atol=1e-6)
    np.testing.assert_array_equal(ours.labels, scores.labels)
    assert np.isfinite(ours.training["log_loss"]).all()
    assert np.isnan(scores.training["log_loss"]).all()
    np.testing.assert_array_equal(ours.training["error"], scores.training["error"])


@pytest.mark.parametrize("name", SCORING)
def test_what_is_handed_over_says_what_was_validated(name: str) -> None:
    table = classification(120, classes=2)
    shared = cast("GenericFamily", ScoreSharesFamily(scoring(name)))
    for ours, loop in compared(shared, table, make_plan(table, folds=3)):
        np.testing.assert_allclose(ours.outputs, loop.outputs, atol=2e-3 if name == "svm" else 1e-5)


def test_nothing_leaks() -> None:
    table = classification(150, classes=3)
    shared = ScoreSharesFamily(scoring("linear"))
    assert leaks(shared, table, make_plan(table, folds=4), np.random.default_rng(0), trials=3) is None


def test_they_take_part_where_probabilities_are_asked_for_and_nowhere_else() -> None:
    table = classification(60, classes=2)
    by_error, _ = able_families(default_bucket(), table, metric("error", Task.CLASSIFICATION))
    by_log_loss, left_out = able_families(default_bucket(), table, metric("log_loss", Task.CLASSIFICATION))
    assert not any(isinstance(family, ScoreSharesFamily) for family in by_error)
    assert {family.name for family in by_log_loss if isinstance(family, ScoreSharesFamily)} == set(SCORING)
    assert left_out.keys().isdisjoint(SCORING)
    keys = {family.definition() for family in by_error}
    assert all(f.definition() not in keys for f in by_log_loss if isinstance(f, ScoreSharesFamily))
