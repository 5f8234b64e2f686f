"""The tree family against the plain loop: one growth has to give what a fit a setting gives, to the bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.families.cases import CASES, assert_identical, case, compared
from tests.validation.tables import classification, plain, regression
from venire.errors import UsageError
from venire.families.bucket import default_bucket
from venire.families.trees.tree import TreeFamily, depths, fewest_rows, pruning_levels, root_impurity
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from venire.validation.honesty.garble import leaks
from venire.validation.plans.folds import make_plan
from venire.validation.trials.family import Setting

FEW = {"c": pruning_levels(plain([[0.0]], [0.0]))[::6], "depth": depths(plain([[0.0]], [0.0]))[1::6]}


def family_of(path: str = "c", **settings: Any) -> TreeFamily:
    return TreeFamily(
        classifier=DecisionTreeClassifier(**settings),
        regressor=DecisionTreeRegressor(**settings),
        path=path,
        settings=FEW.get(path),  # the plain loop grows a tree for each
    )


@pytest.mark.parametrize("classes", [0, 2, 4])
@pytest.mark.parametrize("name", CASES)
def test_one_growth_equals_a_fit_for_every_level(name: str, classes: int) -> None:
    for ours, loop in compared(family_of(), *case(name, classes)):
        assert_identical(ours, loop)


@pytest.mark.parametrize("path", ["depth", "min_rows"])
@pytest.mark.parametrize(("name", "classes"), [("mixed", 0), ("mixed", 3), ("weights", 2), ("missing class", 3)])
def test_depth_and_fewest_rows_are_cut_from_the_same_tree(path: str, name: str, classes: int) -> None:
    for ours, loop in compared(family_of(path), *case(name, classes)):
        np.testing.assert_array_equal(ours.outputs, loop.outputs)
        np.testing.assert_array_equal(ours.labels, loop.labels)


@pytest.mark.parametrize("classes", [0, 2])
def test_bins_are_narrowed_to_the_training_part(classes: int) -> None:
    """More distinct values than bins: the cuts of a training part must be its own."""
    table = classification(400, classes=classes) if classes else regression(400)
    plan = make_plan(table, folds=4)
    for ours, loop in compared(family_of(max_bins=16), table, plan):
        np.testing.assert_array_equal(ours.outputs, loop.outputs)
    assert leaks(family_of(max_bins=16), table, plan, np.random.default_rng(0), trials=3) is None


def test_other_settings_go_through() -> None:
    table = classification(120, classes=3)
    tree = DecisionTreeClassifier(
        criterion="entropy", categorical="multiway", min_samples_leaf=0.02, class_weight="balanced"
    )
    family = TreeFamily(classifier=tree, settings=FEW["c"])
    for ours, loop in compared(family, table, make_plan(table, folds=4)):
        np.testing.assert_array_equal(ours.outputs, loop.outputs)


def test_levels_are_shares_of_the_root() -> None:
    levels = [float(setting.params["level"]) for setting in pruning_levels(classification(20))]
    assert len(levels) == 20
    assert levels == sorted(levels, reverse=True)
    assert levels[-1] == 0.0


def test_paths_run_from_simple_to_complex() -> None:
    table = classification(100)
    assert [s.params["min_samples_split"] for s in fewest_rows(table)] == [50, 25, 12, 6, 3, 2]
    assert depths(table)[0].params == {"max_depth": 1}
    assert depths(table)[-1].params == {"max_depth": None}
    plan = make_plan(table, folds=4)
    for path in ("c", "depth", "min_rows"):
        family = TreeFamily(classifier=DecisionTreeClassifier(), path=path)
        losses = family.run(family.prepare(table, plan), plan.trials[0]).training["error"]
        assert losses[-1] < losses[0]
        assert (np.diff(losses) <= 0).all()


def test_an_unknown_path_is_refused() -> None:
    with pytest.raises(UsageError, match="a tree has no path called 'leaves'") as caught:
        TreeFamily(path="leaves")
    assert caught.value.hint == "paths: c, depth, min_rows"


def test_scaling_the_target_scales_the_predictions() -> None:
    """A level is relative, so the same path means the same thing for kilometres and millimetres."""
    family = family_of()
    table = regression(60)
    thousand = table.with_values(table.X, 1024 * table.y)
    plan = make_plan(table, folds=4)
    one, other = (family.run(family.prepare(t, plan), plan.trials[-1]).outputs for t in (table, thousand))
    np.testing.assert_allclose(1024 * one, other, rtol=1e-9)


def test_the_root_alone_at_level_one() -> None:
    (family,) = (family for family in default_bucket() if family.name == "tree")
    assert isinstance(family, TreeFamily)
    table = classification(40)
    stump = family.pipeline(table, Setting("c = 1", {"level": 1.0}), 0).fit(table.X, table.y)
    assert stump[-1].get_n_leaves() == 1


def test_the_impurity_of_the_root() -> None:
    assert root_impurity(np.array([0, 0, 1, 2]), classes=True) == pytest.approx(1 - (0.25 + 2 / 16))
    assert root_impurity(np.array([1.0, 2.0, 3.0]), classes=False) == pytest.approx(2 / 3)
