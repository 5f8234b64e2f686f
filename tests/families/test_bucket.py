"""What holds for every family of the bucket, whatever it is made of."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.naive_bayes import GaussianNB

from tests.validation.tables import classification, regression
from venire.data.table import Table, Task
from venire.errors import UsageError
from venire.families.bucket import COMBINATIONS, default_bucket, pick
from venire.families.trees.forest import ForestFamily
from venire.metrics.packing import in_bits, shortened
from venire.metrics.predictions import Output
from venire.validation.evidence.evidence import FamilyKey
from venire.validation.honesty.garble import leaks, run_alone
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan
from venire.validation.trials.family import Brief, Family
from venire.validation.trials.generic import GenericFamily

TABLES = {Task.CLASSIFICATION: classification(36, classes=3), Task.REGRESSION: regression(36)}
PLANS = {task: make_plan(table, folds=4) for task, table in TABLES.items()}
EVERY = [
    pytest.param(family, task, id=f"{family.name}-{task}")
    for family in default_bucket()
    for task in Task
    if task in family.tasks
]


def tables_of(task: Task) -> tuple[Table, Plan]:
    return TABLES[task], PLANS[task]


@pytest.mark.parametrize(("family", "task"), EVERY)
def test_nothing_outside_the_training_part_reaches_a_prediction(family: Family, task: Task) -> None:
    table, plan = tables_of(task)
    pair = Plan(plan.fold_of, plan.folds, plan.splitting, plan.seed)
    object.__setattr__(pair, "trials", (plan.trials[0], plan.trials[-1]))  # one outer trial and one of a pair
    assert leaks(family, table, pair, np.random.default_rng(0)) is None


@pytest.mark.parametrize(("family", "task"), [one for one in EVERY if isinstance(one.values[0], Brief)])
def test_in_brief_it_says_what_it_says_with_all_its_settings(family: Family, task: Task) -> None:
    assert isinstance(family, Brief)
    table, plan = tables_of(task)
    brief, trial = family.in_brief(table), plan.trials[-1]
    labels = [setting.label for setting in family.path(table)]
    places = [labels.index(setting.label) for setting in brief.path(table)]
    assert 0 < len(places) < len(labels)
    some, every = (run_alone(one, one.prepare(table, plan), trial) for one in (brief, family))
    assert some.outputs.tobytes() == every.outputs[places].tobytes()
    assert some.labels.tobytes() == every.labels[places].tobytes()


@pytest.mark.parametrize(
    "family", [one for one in default_bucket() if Task.CLASSIFICATION in one.tasks], ids=lambda family: family.name
)
def test_what_is_said_of_two_classes_has_a_short_form(family: Family) -> None:
    """Evidence keeps one number of it, for every family."""
    table = classification(60, classes=2)
    plan = make_plan(table, folds=4)
    prepared = family.prepare(table, plan)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        outcomes = [family.run(prepared, trial) for trial in (plan.trials[0], plan.trials[-1])]
    for outcome in outcomes:
        assert shortened(outcome.outputs, outcome.output)[0].name in ("shares of two", "scores of two")
        assert in_bits(outcome.labels)[0].name == "bits"


@pytest.mark.parametrize(
    ("family", "task"), [one for one in EVERY if not isinstance(one.values[0], ForestFamily)]
)  # forests share their trees between trials; they have an oracle of their own
def test_all_settings_of_a_trial_equal_fits_one_by_one(family: Family, task: Task) -> None:
    """The plain loop: the family's own pipeline, fitted on the training part alone, setting by setting."""
    assert isinstance(family, GenericFamily)
    table, plan = tables_of(task)
    trial = plan.trials[-1]
    train, test = plan.train_rows(trial), plan.test_rows(trial)
    settings = family.path(table)
    part = table.with_values(table.X[train], table.y[train])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        outcome = family.run(family.prepare(table, plan), trial)
        assert outcome.output is family.output(task)
        assert len(outcome.outputs) == len(settings)
        for s in sorted({0, len(settings) // 2, len(settings) - 1}):
            fitted = family.pipeline(part, settings[s], trial.seed(plan.seed, family.name)).fit(part.X, part.y)
            said = fitted.predict(table.X[test])
            if task is Task.REGRESSION:
                np.testing.assert_allclose(outcome.outputs[s, :, 0], said, rtol=1e-9)
                continue
            np.testing.assert_array_equal(outcome.labels[s], said)
            if outcome.output is Output.PROBABILITIES:
                np.testing.assert_allclose(outcome.outputs[s], fitted.predict_proba(table.X[test]), atol=1e-6)
    assert not outcome.training, "only outer models have a training error"


@pytest.mark.parametrize(("family", "task"), EVERY)
def test_a_path_is_a_rule_on_the_shape(family: Family, task: Task) -> None:
    table, plan = tables_of(task)
    settings = family.path(table)
    assert len({setting.label for setting in settings}) == len(settings)
    other = table.with_values(np.zeros_like(table.X), np.zeros_like(table.y))
    assert family.path(other) == settings
    assert FamilyKey.of(family, settings) == FamilyKey.of(
        next(f for f in default_bucket() if f.name == family.name), settings
    )
    cost, larger = family.cost(table, plan), family.cost(table, make_plan(table, folds=4, repeats=2))
    assert 0 < cost.seconds < larger.seconds
    assert cost.bytes > 0
    assert not cost.guess


@pytest.mark.parametrize("task", list(Task))
def test_paths_run_from_simple_to_complex(task: Task) -> None:
    """By the training error of the two ends: a rising path must not fit worse at its complex end."""
    # One setting, two kernels, no minimum of any loss, a mean, which more members only make steadier, random cuts, or
    # nets that stop where the rows they hold back say so.
    apart = {"baseline", "svm", "perceptron", "naive_bayes", "bagging", "extra_trees", "neural_net"}
    table, plan = tables_of(task)
    plan = replace(plan, layers=1)  # so that the error is that of all training rows
    for family in default_bucket():
        if task not in family.tasks or family.name in apart:
            continue
        training = family.run(family.prepare(table, plan), plan.trials[0]).training
        losses = training["error" if task is Task.CLASSIFICATION else "rmse"]
        assert losses[-1] <= losses[0] + 1e-9, family.name


def test_the_bucket_is_the_one_decided_on() -> None:
    names = [family.name for family in default_bucket()]
    assert names == [
        "baseline",
        "naive_bayes",
        "knn",
        "tree",
        "linear",
        "logistic",
        "perceptron",
        "svm",
        "neural_net",
        "bagging",
        "forest",
        "extra_trees",
        "forest_rc",
        "adaboost",
        "boosting",
        "boosting_small",
        "boosting_slow",
        "boosting_large",
        "boosting_log",
        "boosting_searched",
    ]
    assert COMBINATIONS == ("vote", "stack", "blend")


def test_families_are_picked_in_the_buckets_order() -> None:
    families, combined = pick(default_bucket(), ["stack", "forest", "tree"])
    assert [family.name for family in families] == ["tree", "forest"]
    assert combined == ("stack",)
    assert pick(default_bucket(), None)[1] == COMBINATIONS


@pytest.mark.parametrize(
    ("names", "own", "code", "words"),
    [
        (["forrest"], [], "unknown_model", "no model called 'forrest'; did you mean 'forest'"),
        (["vote"], [], "no_models", "vote: there is nothing to combine"),
        ([], [], "no_models", "an empty list"),
        (None, ["tree"], "same_model_name", "two models are called 'tree'"),
        (None, ["vote"], "same_model_name", "two models are called 'vote'"),
        (None, ["procedure"], "same_model_name", "two models are called 'procedure'"),
        (None, ["../up"], "bad_model_name", r"cannot be called '\.\./up'"),
    ],
)
def test_names_that_make_no_sense_are_refused(names: Any, own: list[str], code: str, words: str) -> None:
    mine = [GenericFamily(name, classifier=GaussianNB()) for name in own]
    with pytest.raises(UsageError, match=words) as caught:
        pick((*default_bucket(), *mine), names)
    assert caught.value.code == code
    assert caught.value.hint
