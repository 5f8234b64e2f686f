"""Decisions and training errors under costs: plain loops over the same parts, and the ledger of a verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.tree import DecisionTreeClassifier

from tests.validation.tables import classification
from tests.verdict.cases import BAYES, docket_of
from venire.data.table import Task
from venire.families.bucket import default_bucket
from venire.metrics.scores import metric
from venire.validation import bootstrap, complexity_curve, holdout, learning_curve, one_layer, two_layer
from venire.validation.plans.folds import make_plan
from venire.validation.row_losses import nested_losses

COSTS = np.array([[0.0, 1.0], [10.0, 0.0]])
GRID = {"C": [0.01, 1.0, 100.0]}
TABLE = classification(90, classes=2, noise=1.5)


def paid(model: Any, X: np.ndarray, y: np.ndarray) -> float:
    """The mean cost of the answers of least expected cost."""
    return float(COSTS[y, (model.predict_proba(X) @ COSTS).argmin(axis=1)].mean())


@pytest.mark.parametrize("naive", [False, True])
def test_the_cheapest_class_is_said_and_paid_for(naive: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 3))
    y = (X[:, 0] + rng.normal(size=90) > 0.8).astype(int)
    parts = [(np.flatnonzero(np.arange(90) % 5 != k), np.flatnonzero(np.arange(90) % 5 == k)) for k in range(5)]
    how: dict[str, Any] = {"grid": GRID, "costs": COSTS, "encoding": "none", "naive": naive}
    found = one_layer(LogisticRegression(), (X, y), split=parts, task="classification", **how)
    for s, C in enumerate(GRID["C"]):
        models = [LogisticRegression(C=C).fit(X[train], y[train]) for train, _ in parts]
        held_out = [paid(model, X[test], y[test]) for model, (_, test) in zip(models, parts, strict=True)]
        inside = [paid(model, X[train], y[train]) for model, (train, _) in zip(models, parts, strict=True)]
        np.testing.assert_allclose(found.losses[:, s], held_out)
        np.testing.assert_allclose(found.training[:, s], inside)
    held = found.held_out()
    assert COSTS[held.actual, held.predicted].mean() == pytest.approx(found.error), "what is told is what was decided"
    assert (held.predicted != held.outputs.argmax(axis=1)).any()


def test_it_is_what_the_verdict_decides(tmp_path: Path) -> None:
    plan = make_plan(TABLE, blocks=5)
    ledger = docket_of(tmp_path, TABLE, [BAYES], plan=plan, measure="cost", costs=COSTS).ledger("bayes")
    found = two_layer(BAYES, TABLE, folds=5, costs=COSTS)
    one = found.one_layer
    for at, held in enumerate(plan.final(0)):
        np.testing.assert_allclose(one.losses[at], ledger.losses[held])
        np.testing.assert_allclose(one.training[at], ledger.training[held.trial])


def test_without_probabilities_the_decision_is_the_learner_s_own() -> None:
    found = one_layer(RidgeClassifier(), TABLE, folds=5, costs=COSTS)
    held = found.held_out()
    np.testing.assert_array_equal(held.predicted, held.outputs.argmax(axis=1))
    assert not np.isnan(found.training).any()


@pytest.mark.parametrize("name", ["tree", "naive_bayes", "logistic", "knn", "boosting", "forest", "adaboost"])
def test_every_family_has_a_training_cost(name: str) -> None:
    family = next(family for family in default_bucket() if family.name == name)
    fast = two_layer(family, TABLE, folds=3, costs=COSTS)
    assert not np.isnan(fast.training).any()
    assert 0 <= fast.training_error <= 10
    if name != "forest":  # whose shared trees are not those of the plain loop
        loops = two_layer(family, TABLE, folds=3, costs=COSTS, naive=True)
        np.testing.assert_allclose(fast.training, loops.training)
        np.testing.assert_allclose(fast.losses, loops.losses)


def test_losses_for_nested_intervals_are_of_the_same_decisions() -> None:
    table, plan = TABLE, make_plan(TABLE, blocks=4)
    measure = metric("cost", Task.CLASSIFICATION, positive=1, costs=COSTS)
    bayes = next(family for family in default_bucket() if family.name == "naive_bayes")
    rows = nested_losses(bayes, table, plan, measure)
    found = two_layer(bayes, table, folds=4, costs=COSTS)
    held = found.held_out
    np.testing.assert_allclose(rows.outer[0][held.rows], COSTS[held.actual, held.predicted])


def test_every_function_shows_it() -> None:
    tree, how = DecisionTreeClassifier(random_state=0), {"costs": COSTS, "grid": {"max_depth": [1, 5]}}
    curve = complexity_curve(tree, TABLE, folds=4, **how)
    assert not np.isnan(curve.training_errors).any()
    assert curve.training_errors[1] < curve.training_errors[0]
    assert not np.isnan(learning_curve(tree, TABLE, folds=4, sizes=[0.5, 1.0], inner_folds=3, **how).training).any()
    assert not np.isnan(two_layer(tree, TABLE, folds=4, inner_folds=3, **how).training_error)
    assert not np.isnan(holdout(tree, TABLE, **how).training_error)
    found = bootstrap(tree, TABLE, samples=6, **how)
    assert not np.isnan(found.training).any()
    held = found.held_out()
    at = held.repeats == 0
    assert COSTS[held.actual[at], held.predicted[at]].mean() == pytest.approx(found.losses[0, found.chosen])
    assert "—" not in str(curve)
