"""Neural nets: all settings of a trial from one pass, to the bit as fitted one by one."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np
import pytest
from sklearn.neural_network import MLPClassifier

from tests.families.cases import assert_identical, case, compared
from venire.families import paths
from venire.families.net import NetFamily
from venire.models.net.estimators import NetClassifier, NetRegressor
from venire.validation.trials.family import Cancelled, Setting

SMALL: dict[str, Any] = {"n_nets": 2, "max_epochs": 4, "n_jobs": 1}
PATH = (
    Setting("4 units", {"hidden_layer_sizes": (4,)}),
    Setting("8 units", {"hidden_layer_sizes": (8,), "learning_rate": 0.01}),
    Setting("8 + 4 units", {"hidden_layer_sizes": (8, 4), "dropout": 0.2}),
)


def family() -> NetFamily:
    return NetFamily(
        "net", classifier=NetClassifier(**SMALL), regressor=NetRegressor(**SMALL), path=PATH, encoding="none"
    )


@pytest.mark.parametrize(
    "name", ["mixed", "weights", "missing class", "constant and twice", "far away", "many categories"]
)
@pytest.mark.parametrize("classes", [0, 2, 3])
def test_one_pass_equals_the_plain_loop(name: str, classes: int) -> None:
    table, plan = case(name, classes)
    for ours, loop in compared(family(), table, plan):
        assert_identical(ours, loop)
        assert np.isfinite(ours.outputs).all()
        assert ours.warnings == ()


def test_an_epoch_is_the_longest_that_a_budget_waits() -> None:
    table, plan = case("mixed", 2)
    asked = count()

    def cancel() -> None:
        if next(asked) == 2:
            raise Cancelled

    nets = family()
    with pytest.raises(Cancelled, match=r"^$"):
        nets.run(nets.prepare(table, plan), plan.trials[0], cancel)
    assert next(asked) == 3


def test_settings_that_are_no_nets_of_ours_are_fitted_one_by_one() -> None:
    table, plan = case("mixed", 2)
    others = NetFamily("net", classifier=MLPClassifier((4,), solver="lbfgs", tol=1.0))
    for ours, loop in compared(others, table, plan):
        assert_identical(ours, loop)
    assert family().in_threads(table)
    assert not others.in_threads(table)


def test_a_budget_reckons_with_all_nets_that_are_averaged() -> None:
    table, plan = case("mixed", 2)
    more = tuple(
        replace(setting, params={**setting.params, "n_nets": number})
        for setting, number in zip(PATH, (3, 4, 5), strict=True)
    )
    plain, dearer = (family().with_path(path).cost(table, plan) for path in (PATH, more))
    assert dearer.seconds == pytest.approx(2 * plain.seconds)  # of two each, as the family is made
    assert dearer.bytes == plain.bytes


def test_of_large_and_of_wide_tables_fewer_nets_are_averaged() -> None:
    table, _ = case("mixed", 2)
    assert [setting.params["n_nets"] for setting in paths.nets(table)] == [4] * 4
    found = [paths.nets_averaged(rows, columns) for rows, columns in ((20_000, 200), (20_001, 9), (300, 201))]
    assert found == [4, 2, 2]
