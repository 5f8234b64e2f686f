from __future__ import annotations

import numpy as np
import pytest

from tests.validation.tables import classification, regression
from venire.data.table import Table, Task
from venire.families.bucket import default_bucket
from venire.families.tree import TreeFamily, pruning_levels, root_impurity
from venire.validation.deal import make_plan
from venire.validation.family import Setting


def tree_family() -> TreeFamily:
    (family,) = (family for family in default_bucket() if family.name == "tree")
    assert isinstance(family, TreeFamily)
    return family


@pytest.mark.parametrize("table", [classification(80), classification(80, classes=2, noise=3.0), regression(80)])
def test_every_pruning_level_equals_a_refit_with_its_alpha(table: Table) -> None:
    family = tree_family()
    plan = make_plan(table, blocks=4)
    trial = plan.trials[-1]
    train, test = plan.train_rows(trial), plan.test_rows(trial)
    outcome = family.run(family.prepare(table, plan), trial)
    part = table.with_values(table.X[train], table.y[train])
    sizes = []
    for s, setting in enumerate(family.path(table)):
        fitted = family.pipeline(part, setting, trial.seed(plan.seed, family.name)).fit(part.X, part.y)
        sizes.append(fitted[-1].get_n_leaves())
        if table.target is not None and table.target.task is Task.CLASSIFICATION:
            np.testing.assert_array_equal(outcome.labels[s], fitted.predict(table.X[test]))
            np.testing.assert_allclose(outcome.outputs[s], fitted.predict_proba(table.X[test]), atol=1e-6)
        else:
            np.testing.assert_allclose(outcome.outputs[s, :, 0], fitted.predict(table.X[test]), rtol=1e-12)
    assert sizes == sorted(sizes), "from simple to complex"
    assert sizes[0] < sizes[-1]


def test_levels_are_shares_of_the_root() -> None:
    levels = [float(setting.params["level"]) for setting in pruning_levels(classification(20))]
    assert len(levels) == 20
    assert levels == sorted(levels, reverse=True)
    assert levels[-1] == 0.0


def test_scaling_the_target_scales_the_predictions() -> None:
    """A level is relative, so the same path means the same thing for kilometres and millimetres."""
    family = tree_family()
    table = regression(60)
    thousand = table.with_values(table.X, 1024 * table.y)
    plan = make_plan(table, blocks=4)
    one, other = (family.run(family.prepare(t, plan), plan.trials[-1]).outputs for t in (table, thousand))
    np.testing.assert_allclose(1024 * one, other, rtol=1e-9)


def test_the_root_alone_at_level_one() -> None:
    family = tree_family()
    table = classification(40)
    stump = family.pipeline(table, Setting("c = 1", {"level": 1.0}), 0).fit(table.X, table.y)
    assert stump[-1].get_n_leaves() == 1


def test_the_impurity_of_the_root() -> None:
    assert root_impurity(np.array([0, 0, 1, 2]), classes=True) == pytest.approx(1 - (0.25 + 2 / 16))
    assert root_impurity(np.array([1.0, 2.0, 3.0]), classes=False) == pytest.approx(2 / 3)
