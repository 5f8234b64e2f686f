"""The small jury of the honesty proof says what the families of the bucket say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.honesty import problems
from benchmarks.honesty.jury import Scene, jury
from venire.families.bucket import default_bucket
from venire.metrics.predictions import Output
from venire.validation.plans.folds import make_plan

MEMBERS = ("baseline", "naive_bayes", "knn", "linear")


def members(problem: str, n: int, seed: int) -> tuple[Any, Any, list[Any]]:
    table = problems.as_table(*problems.draw(problem, n, np.random.default_rng([n, seed])))
    plan = make_plan(table, seed=seed)
    order = np.argsort(plan.fold_of[0], kind="stable")
    scene = Scene.of(table.X, table.y, plan.fold_of[0], plan.trials)
    return plan, order, [table, scene, *jury(scene, n)]


@pytest.mark.parametrize(("problem", "n", "seed"), [("rare", 50, 0), ("chi_square", 60, 1), ("banana", 120, 2)])
@pytest.mark.parametrize("name", MEMBERS)
def test_a_member_predicts_as_its_family_does(problem: str, n: int, seed: int, name: str) -> None:
    plan, order, (table, scene, *found) = members(problem, n, seed)
    family = next(f for f in default_bucket() if f.name == name)
    member = next(m for m in found if m.name == name)
    for trial in plan.trials[::9]:
        train, test = np.sort(order[scene.rows(trial.train)]), order[scene.rows(trial.test)]
        for s, setting in enumerate(member.settings):
            model = family.pipeline(table, setting, 0).fit(table.X[train], table.y[train])
            assert member.outcomes[trial].labels[s].tolist() == model.predict(table.X[test]).tolist(), setting
            if member.outcomes[trial].output is Output.PROBABILITIES:
                shares = model.predict_proba(table.X[test])
                np.testing.assert_allclose(member.outcomes[trial].outputs[s], shares, atol=1e-5)


def test_rows_that_no_trial_is_trained_on_change_nothing() -> None:
    X, y = problems.draw("linear", 90, np.random.default_rng(3))
    plan = make_plan(problems.as_table(X[:60], y[:60]), seed=3)
    fold_of = np.append(plan.fold_of[0], np.full(30, plan.folds, dtype=np.int32))
    alone = jury(Scene.of(X[:60], y[:60], plan.fold_of[0], plan.trials), 60)
    beside = jury(Scene.of(X, y, fold_of, plan.trials), 60)
    for one, other in zip(alone, beside, strict=True):
        for trial in plan.trials:
            assert np.array_equal(one.outcomes[trial].labels, other.outcomes[trial].labels)


@pytest.mark.parametrize("problem", problems.PROBLEMS)
def test_a_problem_is_drawn_by_its_generator_alone(problem: str) -> None:
    first, again = (problems.draw(problem, 40, np.random.default_rng(5)) for _ in range(2))
    assert np.array_equal(first[0], again[0])
    assert set(first[1].tolist()) == {0, 1}
