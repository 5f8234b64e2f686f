"""Nested losses by triples are those of plain loops that choose inside every training set."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import LeaveOneGroupOut, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from tests.validation.tables import classification, plain, regression
from venire.data.table import Task
from venire.errors import UsageError
from venire.families.paths import one_by_one
from venire.metrics import metric
from venire.validation.plans.folds import make_plan
from venire.validation.row_losses import nested_losses
from venire.validation.trials.generic import GenericFamily

ERROR = metric("error", Task.CLASSIFICATION)
NEIGHBOURS = one_by_one("n_neighbors", [9, 3, 1], "k")
KNN = GenericFamily("knn", classifier=KNeighborsClassifier(), path=NEIGHBOURS, encoding="none")
REGRESSION = GenericFamily("knn", regressor=KNeighborsRegressor(), path=NEIGHBOURS)


def numeric(rows):
    rng = np.random.default_rng(rows)
    X = rng.normal(size=(rows, 3))
    return plain(X, (X[:, 0] + rng.normal(size=rows) > 0).astype(int), classes=2)


def chosen(table, rows, groups):
    """The k with the lowest cross-validated error over these folds, of equals the largest."""
    scores = [
        cross_val_score(
            KNeighborsClassifier(k), table.X[rows], table.y[rows], cv=LeaveOneGroupOut(), groups=groups
        ).mean()
        for k in (9, 3, 1)
    ]
    return (9, 3, 1)[int(np.argmax(np.array(scores) >= max(scores) - 1e-10))]


def test_every_training_set_makes_its_own_choice():
    table = numeric(48)
    plan = make_plan(table, folds=4)
    folds = plan.fold_of[0]
    found = nested_losses(KNN, table, plan, ERROR)
    for i in range(4):
        for j in range(4):
            train = ~np.isin(folds, (i, j))
            k = chosen(table, train, folds[train])
            own = folds == i
            wrong = KNeighborsClassifier(k).fit(table.X[train], table.y[train]).predict(table.X[own]) != table.y[own]
            said = found.outer[0, own] if i == j else found.inner[0, own, j]
            assert said.tolist() == wrong.astype(float).tolist()


def test_a_single_setting_needs_no_triples(monkeypatch):
    table = numeric(40)
    plan = make_plan(table, folds=5, repeats=2)
    family = GenericFamily("bayes", classifier=GaussianNB(), encoding="none")
    ran = []
    real = GenericFamily.run
    monkeypatch.setattr(GenericFamily, "run", lambda self, p, t, *a: ran.append(t) or real(self, p, t, *a))
    found = nested_losses(family, table, plan, metric("log_loss", Task.CLASSIFICATION))
    assert max(len(trial.test) for trial in ran) == 2
    assert len(ran) == 2 * (5 + 10)
    estimate = found.interval()
    assert estimate.value == pytest.approx(found.outer.mean())
    assert np.isnan(found.inner).sum() == 2 * 40


@pytest.mark.parametrize("name", ["error", "log_loss", "brier"])
def test_rows_add_up_to_the_folds_loss(name):
    table = classification(60, classes=3)
    plan = make_plan(table, folds=4)
    family = GenericFamily("prior", classifier=DummyClassifier(strategy="prior"), encoding="none")
    measure = metric(name, Task.CLASSIFICATION)
    found = nested_losses(family, table, plan, measure)
    prepared = family.prepare(table, plan)
    for i in range(4):
        said = family.run(prepared, plan.outer(0, i).trial)
        rows = plan.rows(0, (i,))
        fold = measure.losses(table.y[rows], said.labels.astype(np.int32), said.outputs, said.output)[0]
        assert found.outer[0, rows].mean() == pytest.approx(fold)


def test_numbers_work_too():
    table = regression(40)
    found = nested_losses(REGRESSION, table, make_plan(table, folds=4), metric("mae", Task.REGRESSION))
    assert not np.isnan(found.outer).any()
    assert found.interval(at_all_rows=True).interval.defined


def test_wrong_requests_are_refused():
    table = classification(40, classes=2)
    with pytest.raises(UsageError, match="auc is no mean over rows"):
        nested_losses(KNN, table, make_plan(table), metric("auc", Task.CLASSIFICATION))
    with pytest.raises(UsageError, match="four folds or more that are left out in turn, not 3 split as random"):
        nested_losses(KNN, table, make_plan(table, folds=3), ERROR)
