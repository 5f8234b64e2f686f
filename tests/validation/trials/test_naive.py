"""The plain loop itself, against scikit-learn's pipelines and against what the families share."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline

from tests.validation.tables import classification, plain, regression
from venire.data.encode import OneHotScaled
from venire.data.table import Table
from venire.families.bucket import default_bucket
from venire.families.paths import one_by_one
from venire.validation.evidence.evidence import FamilyKey
from venire.validation.plans.folds import make_plan
from venire.validation.trials.family import Family, Gregarious, Threaded
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.naive import Naive, naive_outcome

LOGISTIC = GenericFamily(
    "logistic", classifier=LogisticRegression(max_iter=2000), path=one_by_one("C", [0.01, 1.0], "C")
)
RIDGE = GenericFamily("ridge", regressor=Ridge(), path=one_by_one("alpha", [10.0, 0.1], "λ"))


@pytest.mark.parametrize(("family", "table"), [(LOGISTIC, classification(60)), (RIDGE, regression(60))])
def test_the_plain_loop_is_a_pipeline_a_setting(family: GenericFamily, table: Table) -> None:
    plan = make_plan(table, folds=4)
    for trial in (plan.trials[0], plan.trials[-1]):
        train, test = plan.train_rows(trial), plan.test_rows(trial)
        found = naive_outcome(family, table, plan, trial)
        for s, setting in enumerate(family.path(table)):
            model = LogisticRegression(max_iter=2000) if family is LOGISTIC else Ridge()
            model.set_params(**setting.params)
            fitted = make_pipeline(OneHotScaled(table.categorical), model).fit(table.X[train], table.y[train])
            if family is RIDGE:
                np.testing.assert_array_equal(found.outputs[s, :, 0], fitted.predict(table.X[test]))
                continue
            np.testing.assert_array_equal(found.labels[s], fitted.predict(table.X[test]))
            np.testing.assert_array_equal(found.outputs[s], fitted.predict_proba(table.X[test]).astype(np.float32))
            if plan.is_outer(trial):
                seen = plan.rows(0, plan.seen_folds(trial))
                wrong = np.mean(fitted.predict(table.X[seen]) != table.y[seen])
                assert found.training["error"][s] == wrong
                assert found.seen is not None
                np.testing.assert_array_equal(found.seen.labels[s], fitted.predict(table.X[seen]))
                np.testing.assert_allclose(found.seen.outputs[s], fitted.predict_proba(table.X[seen]), atol=1e-7)
        assert bool(found.training) == (found.seen is not None) == plan.is_outer(trial)


@pytest.mark.parametrize("name", ["tree", "naive_bayes", "linear", "boosting"])
def test_a_rule_is_resolved_on_the_training_rows(name: str) -> None:
    family = next(family for family in default_bucket() if family.name == name)
    table = classification(60, classes=2, seed=3)
    plan = make_plan(table, folds=4)
    prepared = family.prepare(table, plan)
    for trial in (plan.trials[1], plan.trials[-1]):
        fast, loop = family.run(prepared, trial), naive_outcome(family, table, plan, trial)
        np.testing.assert_array_equal(fast.labels, loop.labels)
        np.testing.assert_allclose(fast.outputs, loop.outputs, atol=1e-6)
        if fast.seen is not None and loop.seen is not None:
            np.testing.assert_allclose(fast.seen.outputs, loop.seen.outputs, atol=1e-6)
        for metric, losses in loop.training.items():
            np.testing.assert_allclose(fast.training[metric], losses, atol=1e-6)


def test_trained_on_one_class_every_row_is_of_it() -> None:
    table = plain(np.arange(8.0)[:, None], [0, 0, 0, 0, 0, 0, 1, 1], classes=2)
    plan = make_plan(table, folds=4)
    rows = plan.fold_of.copy()
    rows[0] = [0, 0, 1, 1, 2, 2, 3, 3]
    object.__setattr__(plan, "fold_of", rows)
    found = naive_outcome(GenericFamily("bayes", classifier=GaussianNB()), table, plan, plan.trials[3])
    assert found.labels.tolist() == [[0, 0]]
    assert found.outputs.tolist() == [[[1.0, 0.0], [1.0, 0.0]]]


def test_a_family_by_the_plain_loop_is_a_family() -> None:
    family = next(family for family in default_bucket() if family.name == "knn")
    naive: Family = Naive(family)
    table = classification(40)
    plan = make_plan(table, folds=4)
    trial = plan.trials[5]
    found = naive.run(naive.prepare(table, plan), trial)
    np.testing.assert_array_equal(found.outputs, naive_outcome(family, table, plan, trial).outputs)
    assert isinstance(naive, Family)
    assert not isinstance(naive, Threaded | Gregarious)
    assert (naive.name, naive.path(table), naive.cost(table, plan)) == (
        family.name,
        family.path(table),
        family.cost(table, plan),
    )
    keys = {str(FamilyKey.of(each, each.path(table))) for each in (naive, family)}
    assert len(keys) == 2, "evidence of one is not taken for the other's"
