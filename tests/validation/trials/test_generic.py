"""The generic family: equal to the plain loops, and at home with any estimator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.svm import SVC

from tests.validation.oracle import error_rate, mean, nested, rmse, root_mean_square
from tests.validation.tables import classification, plain, regression
from tests.verdict.cases import judged
from venire.data.table import Table, Task
from venire.families.bucket import default_bucket
from venire.families.neighbors import NeighborsFamily
from venire.families.paths import neighbours, one_by_one
from venire.metrics.predictions import Output
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan
from venire.validation.trials.family import Family, Setting
from venire.validation.trials.generic import GenericFamily, thinned
from venire.validation.trials.reasons import NoWeights, WrongTask

LOGISTIC = GenericFamily(
    "logistic",
    classifier=LogisticRegression(max_iter=2000),
    path=one_by_one("C", [1e-3, 1e-1, 1e1], "C"),
)
BAYES = GenericFamily("bayes", classifier=GaussianNB(), path=one_by_one("var_smoothing", [1.0, 1e-2, 1e-6], "s"))
NEAREST = NeighborsFamily("nearest", classifier=KNeighborsClassifier(), path=neighbours)
RIDGE = GenericFamily("ridge", regressor=Ridge(), path=one_by_one("alpha", [1e3, 10.0, 1.0, 1e-2], "λ"))


# Families whose weighted fit must be the weighted refit on the same rows.
WEIGHTED = {"naive_bayes", "tree", "linear", "adaboost", "boosting"}


@pytest.mark.parametrize(
    ("family", "table"),
    [
        (LOGISTIC, classification(95, classes=3)),
        (BAYES, classification(95, classes=2, seed=1)),
        (NEAREST, classification(95, classes=3, seed=2)),
        (RIDGE, regression(95)),
    ],
    ids=lambda value: value.name if isinstance(value, GenericFamily) else "",
)
def test_two_layers_equal_the_plain_loops_to_the_last_digit(
    tmp_path: Path, family: GenericFamily, table: Table
) -> None:
    assert np.isnan(table.X).any()
    assert table.categorical.any()
    judgement = judged(tmp_path, table, [family], folds=5)
    found = judgement.candidates[0]
    loss, averaged = (rmse, root_mean_square) if family is RIDGE else (error_rate, mean)
    expected = nested(family, table, judgement.docket.plan, loss, averaged)
    assert list(found.settings.values()) == expected.settings
    assert found.losses.tolist() == expected.losses
    assert found.error == averaged(expected.losses)
    assert found.final_setting == expected.final_setting
    # Figures of all rows together: of an RMSE the same sum in another order.
    assert found.one_layer_error == pytest.approx(averaged(expected.one_layer_losses), rel=1e-14)
    # With one family and one candidate, the procedure is that candidate.
    assert judgement.rows[0].error == pytest.approx(found.error, rel=1e-14)
    assert judgement.procedure.losses.tolist() == expected.losses


def test_the_training_error_is_that_of_the_outer_models_on_the_fold_before(tmp_path: Path) -> None:
    table = classification(60)
    judgement = judged(tmp_path, table, [BAYES], folds=4)
    plan, found = judgement.docket.plan, judgement.candidates[0]
    settings = BAYES.path(table)
    errors = []
    for i in range(4):
        rows = np.flatnonzero(plan.fold_of[0] != i)
        fitted = BAYES.pipeline(table, settings[found.settings[0, i]], 0).fit(table.X[rows], table.y[rows])
        seen = np.flatnonzero(plan.fold_of[0] == (i - 1) % 4)
        errors.append(error_rate(table.y[seen], fitted.predict(table.X[seen])))
    assert list(found.training.values()) == errors


def test_refit_is_the_definition_that_was_validated() -> None:
    table = classification(60)
    setting = LOGISTIC.path(table)[1]
    kept = LOGISTIC.refit(table, setting, seed=0)
    fresh = LOGISTIC.pipeline(table, setting, seed=0).fit(table.X, table.y)
    assert setting.params["C"] == kept[-1].C
    np.testing.assert_array_equal(kept.predict_proba(table.X), fresh.predict_proba(table.X))


@pytest.mark.parametrize(
    "family", [LOGISTIC, *(f for f in default_bucket() if f.name in WEIGHTED)], ids=lambda f: f.name
)
def test_weights_reach_the_fit_and_the_refit(family: Any) -> None:
    rng = np.random.default_rng(5)
    table = classification(80, classes=2, weights=rng.choice([0.25, 1.0, 4.0], size=80))
    plan = make_plan(table, folds=4, seed=1)
    trial = plan.trials[0]
    outcome = family.run(family.prepare(table, plan), trial)
    assert not np.array_equal(
        outcome.outputs, family.run(family.prepare(replace(table, weights=None), plan), trial).outputs
    )
    part = replace(
        table.with_values(table.X[plan.train_rows(trial)], table.y[plan.train_rows(trial)]),
        weights=table.weights[plan.train_rows(trial)],
    )
    for s, setting in enumerate(family.path(table)):
        kept = family.refit(part, setting, trial.seed(plan.seed, family.name))
        wanted = kept.predict(table.X[plan.test_rows(trial)])
        np.testing.assert_array_equal(outcome.labels[s], wanted, err_msg=str(setting))


def test_a_learner_that_takes_no_weights_says_so() -> None:
    table = classification(60, weights=np.ones(60))
    family = GenericFamily("bare", classifier=KNeighborsClassifier())
    assert family.unable(table) == NoWeights()
    assert family.unable(replace(table, weights=None)) is None


class Bare(ClassifierMixin, BaseEstimator):
    """The least an own estimator can be: `fit` and `predict`, not even `classes_`."""

    def fit(self, X: Any, y: Any) -> Bare:
        self.most_ = np.bincount(y).argmax()
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.most_)


@pytest.mark.parametrize(
    ("estimator", "output"),
    [
        (GaussianNB(), Output.PROBABILITIES),
        (SVC(), Output.SCORES),
        (Perceptron(), Output.SCORES),
        (Bare(), Output.LABELS),
        (make_pipeline(FunctionTransformer(), GaussianNB()), Output.PROBABILITIES),
    ],
    ids=["bayes", "svc", "perceptron", "bare", "pipeline"],
)
@pytest.mark.parametrize("classes", [2, 3])
def test_any_estimator_speaks_in_the_global_class_order(estimator: Any, output: Output, classes: int) -> None:
    table = classification(40, classes=classes)
    family = GenericFamily("own", classifier=estimator)
    assert family.output(Task.CLASSIFICATION) is output
    plan = make_plan(table, folds=4)
    outcome = family.run(family.prepare(table, plan), plan.trials[0])
    rows = len(plan.test_rows(plan.trials[0]))
    assert outcome.output is output
    assert outcome.outputs.shape == (1, rows, classes)
    assert outcome.outputs.dtype == np.float32
    if output is Output.PROBABILITIES:
        np.testing.assert_allclose(outcome.outputs.sum(axis=2), 1, rtol=1e-6)
    np.testing.assert_array_equal(outcome.outputs.argmax(axis=2), outcome.labels)


def test_the_decision_of_a_bare_estimator_is_kept() -> None:
    table = plain(np.zeros((20, 1)), np.arange(20) % 4 > 0, classes=2)
    family = GenericFamily("bare", classifier=Bare())
    plan = make_plan(table, folds=4)
    outcome = family.run(family.prepare(table, plan), plan.trials[0])
    assert (outcome.labels == 1).all()
    assert (outcome.outputs == [0.0, 1.0]).all()
    assert outcome.training["error"] == pytest.approx(0.25, abs=0.1)


def one_row_of_a_class(position: int = 7) -> tuple[Table, Plan]:
    rng = np.random.default_rng(0)
    y = np.arange(30) % 2
    y[position] = 2
    table = plain(rng.normal(size=(30, 2)) + y[:, None], y, classes=3)
    return table, make_plan(table, folds=5)


@pytest.mark.parametrize("estimator", [GaussianNB(), SVC(), Bare()])
def test_a_class_absent_from_training_is_never_predicted(estimator: Any) -> None:
    table, plan = one_row_of_a_class()
    family = GenericFamily("own", classifier=estimator)
    prepared = family.prepare(table, plan)
    absent = [t for t in plan.trials if not (table.y[plan.train_rows(t)] == 2).any()]
    assert absent
    for trial in absent:
        outcome = family.run(prepared, trial)
        assert (outcome.labels != 2).all()
        assert (outcome.outputs[..., 2] <= outcome.outputs.min(axis=2)).all()


def test_trained_on_one_class_everything_is_of_that_class() -> None:
    time = np.arange(40.0)
    y = (time >= 12).astype(int)
    table = plain(time[:, None], y, classes=2, time=time)
    plan = make_plan(table, folds=5)
    outcome = LOGISTIC.run(LOGISTIC.prepare(table, plan), plan.trials[0])
    assert set(table.y[plan.train_rows(plan.trials[0])]) == {0}
    assert (outcome.labels == 0).all()
    assert (outcome.outputs == [1.0, 0.0]).all()


def test_values_keep_their_width() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=40)
    table = plain(x[:, None], 1e8 + x, classes=0)
    plan = make_plan(table, folds=4)
    outcome = RIDGE.run(RIDGE.prepare(table, plan), plan.trials[0])
    assert outcome.outputs.dtype == np.float64
    rows = plan.test_rows(plan.trials[0])
    np.testing.assert_allclose(outcome.outputs[3, :, 0], table.y[rows], atol=0.01)


def test_a_learners_warnings_are_kept_and_not_raised() -> None:
    table = classification(40)
    hasty = GenericFamily("hasty", classifier=LogisticRegression(max_iter=1))
    plan = make_plan(table, folds=4)
    outcome = hasty.run(hasty.prepare(table, plan), plan.trials[0])
    assert len(outcome.warnings) == 1
    assert outcome.warnings[0].startswith("ConvergenceWarning: ")


def test_randomness_is_seeded_by_the_trial() -> None:
    table = classification(40)
    plan = make_plan(table, folds=4)
    family = GenericFamily("forest", classifier=RandomForestClassifier(n_estimators=5))
    twice = [family.run(family.prepare(table, plan), plan.trials[2]).outputs for _ in range(2)]
    np.testing.assert_array_equal(*twice)
    other = make_plan(table, folds=4, seed=1)
    same_folds = Plan(plan.fold_of, 4, "random", other.seed)
    assert (family.run(family.prepare(table, same_folds), plan.trials[2]).outputs != twice[0]).any()


def test_thinning_keeps_the_order_and_both_ends() -> None:
    settings = tuple(Setting(str(k)) for k in range(20))
    small = classification(50)
    assert thinned(settings, small) == settings
    large = plain(np.zeros((400_000, 1)), np.arange(400_000) % 7, classes=7)
    kept = [int(s.label) for s in thinned(settings, large)]
    assert kept[0] == 0
    assert kept[-1] == 19
    assert kept == sorted(set(kept))
    assert len(kept) == 7
    larger = plain(np.zeros((2_000_000, 1)), np.arange(2_000_000) % 7, classes=7)
    assert len(thinned(settings, larger)) == 5


def test_a_generic_family_is_a_family() -> None:
    assert isinstance(LOGISTIC, Family)
    assert LOGISTIC.tasks == {Task.CLASSIFICATION}
    assert LOGISTIC.unable(regression(20)) == WrongTask("regression")
    assert LOGISTIC.unable(classification(20)) is None
