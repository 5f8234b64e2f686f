"""Decisions and training errors under costs by plain loops; homes, budgets and Ctrl-C of every way of validating."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from tests.validation.estimators import quick, slow_family
from tests.validation.tables import classification, clouds
from tests.verdict.cases import BAYES, docket_of
from venire.data.table import Table, Task
from venire.errors import UsageError, VenireError
from venire.families.bucket import default_bucket
from venire.families.paths import one_by_one
from venire.metrics.scores import metric
from venire.validation import bootstrap, complexity_curve, holdout, learning_curve, one_layer, two_layer
from venire.validation.honesty.certificate import Certificate
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan
from venire.validation.row_losses import nested_losses
from venire.validation.trials.effort import Tick
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.reasons import CheckInterrupted, Status

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
    plan = make_plan(TABLE, folds=5)
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
    table, plan = TABLE, make_plan(TABLE, folds=4)
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


class Counted(GenericFamily):
    """Counts its trials, and is interrupted at one of them."""

    def __init__(self, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        self.begun: list[Any] = []  # shared with copies of the family that have their path fixed
        self.stops_at = -1

    @property
    def ran(self) -> int:
        return len(self.begun)

    def run(self, prepared: Any, trial: Any, *cancel: Any) -> Any:
        if self.ran == self.stops_at:
            raise KeyboardInterrupt
        self.begun.append(trial)
        return super().run(prepared, trial, *cancel)


def counted(**path: Any) -> Counted:
    return Counted("counted", classifier=GaussianNB(), seconds=quick, **path)


PATH = one_by_one("var_smoothing", [1.0, 1e-6], "s")


@pytest.mark.parametrize(
    ("way", "trials"),
    [
        (lambda family, **how: one_layer(family, TABLE, folds=4, **how), 4),
        (lambda family, **how: two_layer(family, TABLE, folds=4, **how), 10),
        (lambda family, **how: two_layer(family, TABLE, folds=4, inner_folds=3, **how), 16),
        (lambda family, **how: holdout(family, TABLE, repeats=2, **how), 4),
        (lambda family, **how: bootstrap(family, TABLE, samples=5, **how), 6),
        (lambda family, **how: complexity_curve(family, TABLE, folds=4, **how).one_layer, 4),
        (lambda family, **how: learning_curve(family, TABLE, folds=4, sizes=[40, 60], inner_folds=2, **how), 24),
    ],
)
@pytest.mark.usefixtures("trusted")
def test_a_second_call_on_one_home_runs_nothing(tmp_path: Path, way: Any, trials: int) -> None:
    steps: list[Tick] = []
    first, again = counted(path=PATH), counted(path=PATH)
    found = way(first, home=tmp_path, tick=steps.append)
    assert first.ran == trials
    assert (steps[-1].done, steps[-1].total) == (trials, trials)
    resumed = way(again, home=tmp_path)
    assert again.ran == 0
    for one, other in ((found.losses, resumed.losses), (found.training, resumed.training)):
        np.testing.assert_array_equal(one, other)
    in_memory = way(counted(path=PATH))
    np.testing.assert_array_equal(found.losses, in_memory.losses)


@pytest.mark.usefixtures("trusted")
def test_one_layer_and_two_are_kept_apart(tmp_path: Path) -> None:
    """On the same folds: their training errors are of other rows."""
    two = two_layer(counted(path=PATH), TABLE, folds=4, home=tmp_path)
    one = one_layer(counted(path=PATH), TABLE, folds=4, home=tmp_path)
    np.testing.assert_array_equal(one.losses, two.one_layer.losses)
    np.testing.assert_array_equal(one.training, one_layer(counted(path=PATH), TABLE, folds=4).training)
    assert (one.training != two.one_layer.training).any()


@pytest.mark.usefixtures("trusted")
def test_after_ctrl_c_there_is_what_is_complete(tmp_path: Path) -> None:
    whole = one_layer(counted(path=PATH), TABLE, folds=5)
    stopped = counted(path=PATH)
    stopped.stops_at = 3
    found = one_layer(stopped, TABLE, folds=5, home=tmp_path)
    assert found.stopped == "interrupted"
    np.testing.assert_array_equal(found.losses, whole.losses[:3])
    assert found.warnings == ("stopped by an interruption after 3 of 5 trials: all figures are of 3 of 5 folds",)
    assert found.interval.low <= found.error <= found.interval.high
    assert len(found.held_out()) == 54
    assert found.certificate == Certificate("counted", Status.NOT_CHECKED, CheckInterrupted())
    again = one_layer(counted(path=PATH), TABLE, folds=5, home=tmp_path)
    assert again.stopped is None
    assert again.certificate.certified
    np.testing.assert_array_equal(again.losses, whole.losses)


@pytest.mark.usefixtures("trusted")
def test_samples_that_were_finished_are_an_estimate() -> None:
    whole = bootstrap(counted(), TABLE, samples=6)
    stopped = counted()
    stopped.stops_at = 4
    found = bootstrap(stopped, TABLE, samples=6)
    assert found.warnings == ("stopped by an interruption: all figures are of 3 of 6 samples",)
    np.testing.assert_array_equal(found.losses, whole.losses[:3])
    np.testing.assert_array_equal(found.drawn, whole.drawn[:3])
    expected = bootstrap(counted(), TABLE, samples=3)
    np.testing.assert_allclose(found.error_632_plus, expected.error_632_plus)
    assert found.stopped == "interrupted"


@pytest.mark.parametrize("home", [True, False])
@pytest.mark.usefixtures("trusted")
def test_with_nothing_complete_there_is_a_way_to_go_on(tmp_path: Path, home: bool) -> None:
    stopped = counted(path=PATH)
    stopped.stops_at = 2
    with pytest.raises(VenireError, match="interrupted before any fold was finished") as caught:
        two_layer(stopped, TABLE, folds=4, home=tmp_path if home else None)
    assert caught.value.code == "interrupted"
    kept = "trials that were finished are kept; the same command goes on from there"
    assert caught.value.hint == (kept if home else "give home= a folder, and trials that were finished are kept there")


@pytest.mark.usefixtures("trusted")
def test_a_budget_ends_it() -> None:
    slow = slow_family(0.1, settings=5)
    with pytest.raises(VenireError, match=r"the budget of 1 s ended after \d+ of 10 trials, before any fold") as caught:
        two_layer(slow, TABLE, folds=4, budget=1)
    assert caught.value.code == "nothing_finished"
    found = one_layer(slow_family(0.1, settings=2), TABLE, folds=40, budget=2)
    assert found.stopped == "budget"
    assert 0 < len(found.losses) < 40


class Peeking(GenericFamily):
    """Has the labels of all rows among its attributes."""

    def prepare(self, table: Table, plan: Plan) -> Any:
        X = np.array(table.X, order="F")
        X[:, 0] = table.y
        return super().prepare(table.with_values(X, table.y), plan)


@pytest.mark.usefixtures("trusted")
@pytest.mark.parametrize("by", ["one_layer", "bootstrap", "holdout"])
def test_a_leak_is_found(by: str) -> None:
    way: Any = {"one_layer": one_layer, "bootstrap": bootstrap, "holdout": holdout}[by]
    how = {"samples": 5} if by == "bootstrap" else {}
    table = clouds(60)
    peeking = Peeking("peeking", classifier=LogisticRegression(), encoding="none")
    assert way(peeking, table, **how).certificate.status == "leaks"
    assert way(LogisticRegression(), table, **how).certificate.certified


@pytest.mark.usefixtures("trusted")
def test_an_error_that_says_what_to_do_is_told_as_it_is() -> None:
    class Refusing(GenericFamily):
        def run(self, *_: Any) -> Any:
            raise UsageError("not this table", code="odd", hint="take another")

    with pytest.raises(UsageError, match="not this table") as caught:
        one_layer(Refusing("refusing", classifier=GaussianNB()), TABLE, folds=4)
    assert (caught.value.code, caught.value.hint) == ("odd", "take another")
