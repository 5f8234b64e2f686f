"""The leaderboard by other metrics: scikit-learn's figures on the held-out predictions, fold by fold."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn import metrics

from tests.flows import NUMBERS, quickly
from tests.validation.tables import classification, regression
from tests.verdict.cases import BAYES, RIDGE, judged
from venire.errors import UsageError
from venire.metrics.formulas import LOG_LOSS_FLOOR
from venire.verdict.every_metric import allowed, scored
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.procedure import Procedure


@pytest.fixture(scope="module")
def verdict(tmp_path_factory):
    return quickly(classification(90, classes=2), home=tmp_path_factory.mktemp("home"))


ORACLES = {
    "error": lambda y, labels, p: 1 - metrics.accuracy_score(y, labels),
    "accuracy": lambda y, labels, p: metrics.accuracy_score(y, labels),
    "auc": lambda y, labels, p: metrics.roc_auc_score(y, p[:, 1]),
    "log_loss": lambda y, labels, p: -np.mean(np.log(np.clip(p[np.arange(len(y)), y], LOG_LOSS_FLOOR, 1))),
    "brier": lambda y, labels, p: metrics.brier_score_loss(y, p[:, 1]),
    "balanced_error": lambda y, labels, p: 1 - metrics.balanced_accuracy_score(y, labels),
}


@pytest.mark.parametrize("name", ORACLES)
def test_figures_are_those_of_the_evidence(verdict, name):
    found = scored(verdict.judgement, [name])[name]
    assert list(found) == [row.family for row in verdict.judgement.rows]
    for family in ("knn", "naive_bayes", "stack"):
        held = verdict.evidence[family]
        # A mean over rows is the mean of the folds, AUC weighs folds by pairs, balanced error takes all rows at once.
        parts = [held.folds == fold for fold in np.unique(held.folds)]
        parts = [np.ones(len(held), dtype=bool)] if name == "balanced_error" else parts
        each = [ORACLES[name](held.actual[at], held.predicted[at], held.outputs[at].astype(float)) for at in parts]
        pairs = [(held.actual[at] == 1).sum() * (held.actual[at] == 0).sum() for at in parts]
        expected = np.average(each, weights=pairs if name == "auc" else None)
        assert found[family].value == pytest.approx(expected, abs=2e-6)
        assert found[family].low <= found[family].value <= found[family].high


def test_the_metric_of_the_verdict_has_the_figures_of_the_leaderboard(verdict):
    found = scored(verdict.judgement)["error"]
    for row in verdict.judgement.rows:
        figure = found[row.family]
        assert (figure.value, figure.low, figure.high) == pytest.approx(
            (row.error, row.interval.low, row.interval.high), nan_ok=True
        )


def test_without_names_there_is_every_metric_once(verdict, tmp_path):
    assert allowed(verdict.judgement) == ["error", "balanced_error", "log_loss", "brier", "auc", "f1"]
    asked = quickly(models=["baseline", "tree"], metric="accuracy", home=tmp_path)
    assert allowed(asked.judgement) == ["accuracy", "balanced_error", "log_loss", "brier", "auc", "f1"]
    numbers = quickly(regression(60), models=NUMBERS, home=tmp_path)
    assert allowed(numbers.judgement) == ["rmse", "mae", "r2"]
    r2 = scored(numbers.judgement, ["r2"])["r2"]
    held = numbers.evidence["linear"]
    assert r2["linear"].value == pytest.approx(metrics.r2_score(held.actual, held.predicted))


def test_costs_are_judged_where_they_were_given(tmp_path):
    found = quickly(models=["baseline", "tree"], costs="1:5", home=tmp_path)
    assert allowed(found.judgement)[0] == "cost"
    row = next(row for row in found.judgement.rows if row.family == "tree")
    assert scored(found.judgement, ["cost"])["cost"]["tree"].value == pytest.approx(row.error)


def test_what_there_is_not_is_refused_with_a_list(verdict, tmp_path):
    with pytest.raises(UsageError, match="there is no metric 'acu' for classification") as caught:
        scored(verdict.judgement, ["error", "acu"])
    assert "error, balanced_error, log_loss, brier, auc, f1, accuracy" in caught.value.hint
    with pytest.raises(UsageError, match="the evidence has no costs"):
        scored(verdict.judgement, ["cost"])
    with pytest.raises(UsageError, match="there is no metric 'rmse' for classification"):
        scored(verdict.judgement, ["rmse"])
    single = quickly(classification(20, classes=2), models=["baseline", "naive_bayes"], folds=20, home=tmp_path)
    with pytest.raises(UsageError, match="metric 'auc' is not defined on folds of a single row"):
        scored(single.judgement, ["auc"])
    assert "auc" not in allowed(single.judgement)


def test_probabilities_that_nobody_gives_are_refused(tmp_path):
    svm = quickly(models=["svm"], home=tmp_path)
    with pytest.raises(UsageError, match="metric 'log_loss' needs probabilities, and no model gives them"):
        scored(svm.judgement, ["log_loss"])
    mixed = quickly(models=["svm", "tree"], home=tmp_path)
    found = scored(mixed.judgement, ["log_loss"])["log_loss"]
    assert np.isnan(found["svm"].value)
    assert found["tree"].value > 0


def test_a_procedure_that_cannot_be_judged_on_every_fold_has_no_figure(tmp_path):
    judgement = judged(tmp_path, classification(60), [BAYES, RIDGE], folds=3)
    bayes, ridge = map(judgement.candidate, ("bayes", "ridge"))
    first, *others = judgement.procedure.picks
    mixed = replace(judgement, procedure=Procedure(bayes, {first: ridge, **dict.fromkeys(others, bayes)}, 0.1))
    found = scored(mixed, ["error", "log_loss"])
    assert np.isfinite(found["error"][PROCEDURE].value)
    assert np.isfinite(found["log_loss"]["bayes"].value)
    assert np.isnan(found["log_loss"][PROCEDURE].value), "ridge gives no probabilities"
