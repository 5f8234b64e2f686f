"""Forests whose trees serve many trials, against trees fitted one by one on the rows they may see."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.families.cases import CASES, case, compared
from tests.validation.tables import classification, plain, regression
from venire._core import Bins
from venire.data.table import Table, Task
from venire.ensembles.forest.estimators import RandomForestClassifier, RandomForestRegressor
from venire.families.bucket import default_bucket
from venire.families.paths import one_by_one
from venire.families.trees.forest import CombiningFamily, ForestFamily, shares
from venire.families.trees.left_out import SHARE
from venire.families.trees.shared_growth import growth_of
from venire.metrics.packing import completed
from venire.models.tree.growth import Problem
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancelled, Family, Gregarious, Setting
from venire.validation.trials.naive import naive_outcome

SAMPLES: dict[str, Any] = {"bootstrap": False, "max_samples": SHARE}
ROUNDS = one_by_one("n_estimators", [2, 3, 7], "T")


def family_of(path: Any = ROUNDS, kind: type[ForestFamily] = ForestFamily, **settings: Any) -> ForestFamily:
    return kind(
        "forest",
        classifier=RandomForestClassifier(**SAMPLES, **settings),
        regressor=RandomForestRegressor(**SAMPLES, **settings),
        path=path,
        path_label="T" if path is ROUNDS else "q",
        encoding="none",
    )


def one_by_one_trees(family: ForestFamily, table: Table, plan: Plan, trial: Trial, rows: np.ndarray) -> np.ndarray:
    """The means of the trial's forests, every tree grown afresh on the very rows it keeps: [setting, row, output]."""
    prepared = family.prepare(table, plan)
    roster, seed = family._roster(prepared, trial.repeat)
    found = np.empty((len(prepared.settings), len(rows), max(1, len(table.target.classes))))  # type: ignore[union-attr]  # a target
    for recipe in prepared.recipes:
        said = []
        for tree in roster.trees[trial.test]:
            kept = np.flatnonzero(~np.isin(plan.fold_of[trial.repeat], roster.left_out[tree]))
            weights = np.ones(len(kept)) if table.weights is None else table.weights[kept]
            numbers = table.target.task is Task.REGRESSION  # type: ignore[union-attr]  # a target
            y = table.y[kept]
            problem = Problem(
                0 if numbers else len(table.target.classes),  # type: ignore[union-attr]  # a target
                None if numbers else y.astype(np.int32),
                y if numbers else None,
                weights,
            )
            bins = Bins.of(table.X[kept], table.categorical, weights, max_bins=recipe.estimator.max_bins, threads=1)
            growth = growth_of(recipe.estimator, np.count_nonzero(weights), table.X.shape[1])
            grown = replace(growth, seed=seed, first=tree).grow(bins, table.X[kept], problem)
            said.append(grown.average(table.X[rows], [1], votes=False, threads=1)[0])
        for s, count in zip(recipe.settings, recipe.counts, strict=True):
            found[s] = sum(said[:count], np.zeros_like(said[0])) / count
    return found


@pytest.mark.parametrize("classes", [0, 2, 4])
@pytest.mark.parametrize("name", [name for name in CASES if name != "time"])
def test_a_trial_is_the_mean_of_its_own_trees(name: str, classes: int) -> None:
    table, plan = case(name, classes)
    family = family_of()
    prepared = family.prepare(table, plan)
    for trial in (plan.trials[0], plan.trials[-1]):
        outcome = family.run(prepared, trial)
        means = one_by_one_trees(family, table, plan, trial, plan.test_rows(trial))
        expected = completed(means.astype(outcome.outputs.dtype), outcome.output)
        np.testing.assert_array_equal(outcome.outputs, expected)
        if classes:
            np.testing.assert_array_equal(outcome.labels, means.argmax(axis=2))
            if plan.is_outer(trial):
                _, seen = plan.predicted_rows(trial)
                means = one_by_one_trees(family, table, plan, trial, seen)
                inside = means.argmax(axis=2)
                np.testing.assert_allclose(outcome.training["error"], (inside != table.y[seen]).mean(axis=1))
                assert outcome.seen is not None
                np.testing.assert_array_equal(outcome.seen.labels, inside)
                expected = completed(means.astype(np.float32), outcome.output)
                np.testing.assert_array_equal(outcome.seen.outputs, expected)
        assert bool(outcome.training) == plan.is_outer(trial)


@pytest.mark.parametrize(
    ("kind", "path", "settings"),
    [
        (ForestFamily, one_by_one("max_features", [1, 3, 6], "q"), {"n_estimators": 7}),
        (
            ForestFamily,
            tuple(Setting.of({"max_features": q, "n_estimators": t}, {"q": q, "T": t}) for q in (2, 5) for t in (9, 4)),
            {"max_bins": 16},
        ),
        (CombiningFamily, one_by_one("max_features", [1, 3], "q"), {"n_estimators": 6, "combinations": 2}),
    ],
    ids=["q", "q and T", "combinations"],
)
@pytest.mark.parametrize("classes", [0, 3])
def test_every_kind_of_path(kind: type[ForestFamily], path: Any, settings: dict[str, Any], classes: int) -> None:
    table = classification(120, classes=classes) if classes else regression(120)
    plan = make_plan(table, folds=5, repeats=2)
    family = family_of(path, kind, **settings)
    prepared = family.prepare(table, plan)
    for trial in (plan.trials[2], plan.trials[-1]):
        outcome = family.run(prepared, trial)
        means = one_by_one_trees(family, table, plan, trial, plan.test_rows(trial))
        np.testing.assert_array_equal(outcome.outputs, means.astype(outcome.outputs.dtype))


@pytest.mark.parametrize("classes", [0, 2])
@pytest.mark.parametrize("kind", [ForestFamily, CombiningFamily])
def test_nothing_leaks(kind: type[ForestFamily], classes: int) -> None:
    table = classification(150, classes=classes) if classes else regression(150)
    settings = {"max_bins": 16} if kind is ForestFamily else {"max_bins": 16, "combinations": 2}
    family = family_of(ROUNDS, kind, **settings)
    assert leaks(family, table, make_plan(table, folds=5), np.random.default_rng(0), trials=4) is None


def test_the_order_of_trials_changes_nothing() -> None:
    table = classification(80)
    plan = make_plan(table, folds=4)
    family = family_of()
    one, other = family.prepare(table, plan), family.prepare(table, plan)
    forwards = [family.run(one, trial).outputs for trial in plan.trials]
    backwards = [family.run(other, trial).outputs for trial in reversed(plan.trials)][::-1]
    for found, expected in zip(backwards, forwards, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_threads_that_grow_together_change_nothing() -> None:
    table = classification(60, classes=2)
    plan = make_plan(table, folds=4, repeats=2, seed=1)
    family = family_of()
    assert isinstance(family, Gregarious)
    assert family.in_one_piece(plan)
    alone, together = family.prepare(table, plan), family.prepare(table, plan)
    family.share(together, plan.trials, 3)
    assert sorted(together.shelves) == [0, 1]
    for trial in plan.trials:
        one, many, own = family.run(alone, trial), family.run(together, trial), family.run_alone(alone, trial)
        np.testing.assert_array_equal(one.outputs, own.outputs)
        np.testing.assert_array_equal(one.training.get("error", 0), own.training.get("error", 0))
        np.testing.assert_array_equal(one.outputs, many.outputs)
        np.testing.assert_array_equal(one.training.get("error", 0), many.training.get("error", 0))


@pytest.mark.parametrize("classes", [0, 3])
def test_in_time_order_every_trial_grows_its_own(classes: int) -> None:
    table, plan = case("time", classes)
    assert not shares(plan, plan.trials[0])
    for ours, loop in compared(family_of(), table, plan):
        np.testing.assert_array_equal(ours.outputs, loop.outputs)
        np.testing.assert_array_equal(ours.labels, loop.labels)


@pytest.mark.parametrize("classes", [0, 3])
def test_other_samples_are_drawn_by_every_trial_for_itself(classes: int) -> None:
    table, plan = case("weights", classes)
    family = ForestFamily(
        "bootstrap",
        classifier=RandomForestClassifier(),
        regressor=RandomForestRegressor(),
        path=ROUNDS,
        encoding="none",
    )
    for ours, loop in compared(family, table, plan):
        np.testing.assert_array_equal(ours.outputs, loop.outputs)


@pytest.mark.parametrize("what", ["numbers", "classes", "class weights"])
def test_a_trial_whose_trees_would_see_no_weight_grows_its_own(what: str) -> None:
    """Six rows of sixty count, in three of five folds: trees that leave out those three have nothing to grow on."""
    table = regression(60) if what == "numbers" else classification(60, classes=2)
    plan, family = make_plan(table, folds=5), family_of()
    chosen = np.concatenate([plan.rows(0, (fold,))[:2] for fold in (0, 2, 3)])
    weights = np.zeros(60)
    weights[chosen] = [1.0, 2.0, 1.0, 0.5, 1.0, 1.0]
    if what == "class weights":
        forest = RandomForestClassifier(**SAMPLES, class_weight={0: 0.0, 1: 1.0})
        family = ForestFamily("forest", classifier=forest, path=ROUNDS, path_label="T", encoding="none")
        table = table.with_values(table.X, (weights > 0).astype(np.int32))
    else:
        table = replace(table, weights=weights)
    prepared = family.prepare(table, plan)
    own = 0
    for trial in plan.trials:
        outcome = family.run(prepared, trial)
        alone = family.run_alone(family.prepare(table, plan), trial)
        np.testing.assert_array_equal(outcome.outputs, alone.outputs)
        shared = prepared.shelves[0].serves(trial)
        own += not shared
        if what == "class weights":  # the one class that counts is all there is to learn
            expected = np.zeros_like(outcome.outputs) + np.array([0.0, 1.0])
        elif shared:
            means = one_by_one_trees(family, table, plan, trial, plan.test_rows(trial))
            expected = completed(means.astype(outcome.outputs.dtype), outcome.output)
        else:
            expected = naive_outcome(family, table, plan, trial).outputs
        np.testing.assert_array_equal(outcome.outputs, expected)
        assert bool(outcome.training) == plan.is_outer(trial)
    assert 0 < own < len(plan.trials)


def test_whether_a_trial_grows_its_own_is_told_by_its_training_part() -> None:
    table = regression(60)
    plan = make_plan(table, folds=5)
    weights = np.where(np.isin(plan.fold_of[0], (0, 2, 3)), 1.0, 0.0)
    family = family_of()

    def served(weights: np.ndarray) -> list[bool]:
        prepared = family.prepare(replace(table, weights=weights), plan)
        return [family._new_shelf(prepared, 0).serves(trial) for trial in plan.trials]

    before = served(weights)
    assert not all(before)
    for fold in range(5):
        turned = np.where(plan.fold_of[0] == fold, 1.0 - weights, weights)
        for trial, one, other in zip(plan.trials, before, served(turned), strict=True):
            assert fold not in trial.test or one == other


def test_trees_are_grown_once_for_all_trials() -> None:
    """The first trial does the work of all, and says so in its seconds."""
    table = classification(100)
    plan = make_plan(table, folds=10)
    family = family_of()
    prepared = family.prepare(table, plan)
    seconds = [family.run(prepared, trial).seconds for trial in plan.trials]
    assert seconds[0] > 0
    assert seconds[1:] == [0.0] * (len(plan.trials) - 1)
    (shelf,) = prepared.shelves.values()
    assert len(shelf._roster.left_out) < 6 * 7, "of 55 × 7 trees"


def test_growing_can_be_stopped_and_taken_up_again() -> None:
    table = classification(60)
    plan = make_plan(table, folds=4)
    family = family_of()
    prepared = family.prepare(table, plan)
    asked = iter([None] * 3)

    def cancel() -> None:
        if next(asked, "no more") is not None:
            raise Cancelled("enough")

    with pytest.raises(Cancelled, match="enough"):
        family.run(prepared, plan.trials[0], cancel)
    assert prepared.shelves[0]._added == 3, "what is grown is kept"
    found, expected = (family.run(p, plan.trials[0]) for p in (prepared, family.prepare(table, plan)))
    np.testing.assert_array_equal(found.outputs, expected.outputs)


def test_sums_beyond_the_limit_take_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    table = classification(60)
    plan = make_plan(table, folds=4)
    family = family_of(one_by_one("max_features", [1, 3, 6], "q"), n_estimators=5)
    together = family.run(family.prepare(table, plan), plan.trials[-1])
    monkeypatch.setattr("venire.families.trees.shared_growth._MOST_SUMS", 1.0)
    in_turns = family.run(family.prepare(table, plan), plan.trials[-1])
    np.testing.assert_array_equal(together.outputs, in_turns.outputs)


def test_what_is_handed_over_draws_as_many_rows() -> None:
    """The model a user keeps is the one that was validated: trees on half of the rows, without replacement."""
    for family in default_bucket():
        if isinstance(family, ForestFamily):
            table = classification(60)
            fitted = family.refit(table, family.path(table)[0], 0)[-1]
            drawn = fitted.rows_in_bag(table.X, table.y).sum(axis=1)
            assert set(drawn) == {round(SHARE * 60)}


def test_combinations_need_numbers() -> None:
    (family,) = (family for family in default_bucket() if family.name == "forest_rc")
    table = plain(np.zeros((9, 1)), np.arange(9) % 2, classes=2)
    assert str(family.unable(table)) == "combines numeric columns, and the table has 1"
    assert isinstance(family, Family)


def test_the_cost_is_that_of_the_trees_grown() -> None:
    table = classification(100)
    plan = make_plan(table, folds=10)
    path = one_by_one("n_estimators", [100], "T")
    (family,) = (family for family in default_bucket() if family.name == "bagging")
    alone = make_plan(classification(100, time=np.arange(100.0)), folds=10)
    assert family_of(path).cost(table, plan).seconds < 0.5 * family_of(path).cost(table, alone).seconds
    assert family.cost(table, plan).bytes > 0
