"""One layer and two against scikit-learn's loops, the plain loops, and the verdict."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneOut,
    PredefinedSplit,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tests.validation.tables import classification, noise, plain, regression
from tests.verdict.cases import judged
from venire.errors import DataError, UsageError, VenireError
from venire.families.bucket import default_bucket
from venire.families.neighbors import NeighborsFamily
from venire.families.paths import neighbours, one_by_one
from venire.inference import accuracy_interval, clustered_beta
from venire.validation import holdout, one_layer, two_layer
from venire.validation.plans.folds import make_plan
from venire.validation.plans.inner_folds import given_plan, with_inner_folds
from venire.validation.plans.splits import holdout_plan, leave_one_out
from venire.validation.subject import Subject, measure_of
from venire.validation.trials.family import Setting
from venire.validation.trials.generic import GenericFamily
from venire.validation.trying import means, tried

X, Y = (part[:120] for part in load_breast_cancer(return_X_y=True))
PIPELINE = make_pipeline(StandardScaler(), KNeighborsClassifier())
GRID = {"kneighborsclassifier__n_neighbors": [15, 7, 3, 1]}
DIABETES = tuple(part[:100] for part in load_diabetes(return_X_y=True))


def test_two_layers_equal_cross_val_score_of_a_grid_search() -> None:
    """Independently drawn inner folds, any K₁ and K₂: the textbook's loops to the last digit."""
    outer, inner = KFold(5, shuffle=True, random_state=1), StratifiedKFold(3)
    found = two_layer(PIPELINE, (X, Y), grid=GRID, split=outer, inner_folds=inner, encoding="none")
    search = GridSearchCV(PIPELINE, GRID, cv=inner)
    expected = cross_val_score(search, X, Y, cv=outer)
    np.testing.assert_allclose(1 - found.losses, expected, rtol=0, atol=1e-15)
    chosen = [
        search.fit(X[train], Y[train]).best_params_ == {name: found.settings[at].params[name] for name in GRID}
        for at, (train, _) in zip(found.chosen, outer.split(X), strict=True)
    ]
    assert all(chosen)
    assert found.trials == 5 * (1 + 3)
    assert found.error == pytest.approx(1 - expected.mean())


def test_shared_folds_equal_cross_val_score_of_a_grid_search_on_them() -> None:
    found = two_layer(Ridge(), DIABETES, grid={"alpha": [10.0, 1.0, 0.1]}, folds=5, encoding="none", metric="mae")
    fold_of = found.plan.fold_of[0]
    expected = []
    for train, test in PredefinedSplit(fold_of).split():
        search = GridSearchCV(
            Ridge(), {"alpha": [10.0, 1.0, 0.1]}, cv=PredefinedSplit(fold_of[train]), scoring="neg_mean_absolute_error"
        )
        search.fit(DIABETES[0][train], DIABETES[1][train])
        expected.append(-search.score(DIABETES[0][test], DIABETES[1][test]))
    np.testing.assert_allclose(found.losses, expected, rtol=1e-12)
    assert found.trials == 5 + 10


def test_drawn_inner_folds_equal_a_grid_search_on_those_folds() -> None:
    found = two_layer(PIPELINE, (X, Y), grid=GRID, folds=4, inner_folds=3, repeats=2, encoding="none")
    for at in range(8):
        fold_of = found.plan.fold_of[at]
        train, test = np.flatnonzero(fold_of > 0), np.flatnonzero(fold_of == 0)
        search = GridSearchCV(PIPELINE, GRID, cv=PredefinedSplit(fold_of[train])).fit(X[train], Y[train])
        assert found.losses[at] == pytest.approx(1 - search.score(X[test], Y[test]), abs=1e-15)
        np.testing.assert_allclose(1 - found.inner[at], search.cv_results_["mean_test_score"])
        assert found.chosen[at] == search.best_index_


def test_one_layer_equals_cross_validate() -> None:
    split = StratifiedKFold(4, shuffle=True, random_state=2)
    found = one_layer(PIPELINE, (X, Y), split=split, encoding="none")
    expected = cross_validate(PIPELINE, X, Y, cv=split, return_train_score=True)
    np.testing.assert_allclose(1 - found.losses[:, 0], expected["test_score"], atol=1e-15)
    np.testing.assert_allclose(1 - found.training[:, 0], expected["train_score"], atol=1e-15)
    shuffled = ShuffleSplit(6, test_size=0.25, random_state=0)
    again = one_layer(PIPELINE, (X, Y), split=shuffled, encoding="none")
    np.testing.assert_allclose(1 - again.losses[:, 0], cross_val_score(PIPELINE, X, Y, cv=shuffled), atol=1e-15)


@pytest.mark.parametrize("metric", ["rmse", "mae"])
def test_leave_one_out_equals_scikit_learn(metric: str) -> None:
    found = one_layer(Ridge(), DIABETES, split="leave_one_out", metric=metric, encoding="none")
    scoring = {"rmse": "neg_mean_squared_error", "mae": "neg_mean_absolute_error"}[metric]
    scores = -cross_val_score(Ridge(), *DIABETES, cv=LeaveOneOut(), scoring=scoring).mean()
    assert found.error == pytest.approx(np.sqrt(scores) if metric == "rmse" else scores)
    assert found.interval.low < found.error < found.interval.high


def test_two_layers_of_leave_one_out() -> None:
    """K = n: every inner choice is a leave-one-out of its own."""
    table = noise(16, 3)
    found = two_layer(KNeighborsClassifier(), table, grid={"n_neighbors": [5, 1]}, split="leave_one_out")
    assert found.trials == 16 + 16 * 15 // 2
    X_scaled = StandardScaler()
    for i in (0, 9):
        kept = np.delete(np.arange(16), i)
        search = GridSearchCV(
            make_pipeline(X_scaled, KNeighborsClassifier()),
            {"kneighborsclassifier__n_neighbors": [5, 1]},
            cv=LeaveOneOut(),
        ).fit(table.X[kept], table.y[kept])
        assert found.chosen[i] == search.best_index_
        assert found.losses[i] == float(search.predict(table.X[[i]])[0] != table.y[i])
    assert "trials: 136" in str(found)
    assert "… and" not in str(found)


FAMILIES: list[tuple[Any, Any]] = [
    (NeighborsFamily("knn", classifier=KNeighborsClassifier(), path=neighbours), classification(60)),
    (
        GenericFamily("ridge", regressor=Ridge(), path=one_by_one("alpha", [100.0, 1.0], "λ")),
        regression(60, groups=np.arange(60, dtype=np.int32) // 4),
    ),
    (GenericFamily("bayes", classifier=GaussianNB()), classification(60, time=np.arange(60.0) // 2)),
]


@pytest.mark.parametrize(("family", "table"), FAMILIES, ids=[family.name for family, _ in FAMILIES])
@pytest.mark.parametrize("way", [one_layer, two_layer, holdout])
def test_sharing_work_changes_no_figure(way: Any, family: Any, table: Any) -> None:
    options = {} if way is holdout else {"folds": 5}
    fast, loops = way(family, table, **options), way(family, table, naive=True, **options)
    np.testing.assert_allclose(fast.losses, loops.losses, rtol=1e-12)
    np.testing.assert_allclose(fast.training, loops.training, rtol=1e-12)
    assert fast.chosen == loops.chosen
    assert str(fast) == str(loops)


def test_jobs_change_no_bit() -> None:
    table = classification(60, seed=4)
    alone, together = (two_layer(LogisticRegression(), table, grid={"C": [0.1, 1.0]}, folds=4, jobs=j) for j in (1, 2))
    np.testing.assert_array_equal(alone.losses, together.losses)
    np.testing.assert_array_equal(alone.held_out.outputs, together.held_out.outputs)
    assert alone.chosen == together.chosen


@pytest.mark.parametrize("name", ["forest", "boosting", "naive_bayes"])
def test_threads_change_no_bit(name: str) -> None:
    table = classification(60, seed=4)
    (family,) = (family for family in default_bucket() if family.name == name)
    alone, together = (two_layer(family, table, folds=4, jobs=jobs) for jobs in (1, 3))
    np.testing.assert_array_equal(alone.losses, together.losses)
    np.testing.assert_array_equal(alone.held_out.outputs, together.held_out.outputs)
    assert alone.chosen == together.chosen


@pytest.mark.parametrize("rule", ["best", "one_standard_error"])
def test_the_verdict_says_the_same(tmp_path: Path, rule: Any) -> None:
    table = classification(80, seed=5)
    family = NeighborsFamily("knn", classifier=KNeighborsClassifier(), path=neighbours)
    judgement = judged(tmp_path, table, [family], folds=5)
    expected = judgement.candidates[0]
    found = two_layer(family, table, folds=5, rule=rule)
    if rule == "best":
        assert found.losses.tolist() == expected.losses.tolist()
        assert list(found.chosen) == list(expected.settings.values())
        assert found.one_layer.error == expected.one_layer_error
        assert found.training_error == pytest.approx(judgement.rows[1].training_error)
        assert found.one_layer.chosen == expected.final_setting
        assert found.interval == judgement.rows[0].interval
    else:
        assert all(s <= t for s, t in zip(found.chosen, expected.settings.values(), strict=True)), "simpler"
        assert found.one_layer.chosen <= expected.final_setting


def test_choosing_on_noise_is_optimistic_and_two_layers_are_not() -> None:
    path = one_by_one("n_neighbors", range(29, 0, -2), "k")
    family = NeighborsFamily("knn", classifier=KNeighborsClassifier(), path=path)
    found = [two_layer(family, noise(60, seed), folds=5, seed=seed) for seed in range(12)]
    assert np.mean([each.optimism for each in found]) > 0.03
    assert abs(np.mean([each.error for each in found]) - 0.5) < 0.06


def test_held_out_predictions_are_those_of_models_that_had_not_seen_the_rows() -> None:
    table = classification(50, seed=6)
    found = two_layer(GaussianNB(), table, grid={"var_smoothing": [1.0, 1e-6]}, folds=5)
    held = found.held_out
    assert sorted(held.rows) == list(range(50))
    assert held.classes == ("class 0", "class 1", "class 2")
    np.testing.assert_array_equal(held.actual, table.y[held.rows])
    for at, (_, fold) in enumerate(found.places):
        own = held.folds == fold
        assert np.mean(held.actual[own] != held.predicted[own]) == found.losses[at]
        train = found.plan.train_rows(found.plan.outer(0, fold).trial)
        family = GenericFamily("gaussian_nb", classifier=GaussianNB())
        fitted = family.pipeline(table, found.settings[found.chosen[at]], 0).fit(table.X[train], table.y[train])
        np.testing.assert_allclose(held.outputs[own], fitted.predict_proba(table.X[held.rows[own]]), atol=1e-6)
    single = found.one_layer.held_out(1)
    assert len(single) == 50
    with pytest.raises(UsageError, match="there is no setting 2"):
        found.one_layer.held_out(2)


def test_a_holdout_chooses_on_the_validation_part_and_trains_again() -> None:
    found = holdout(PIPELINE, (X, Y), grid=GRID, encoding="none")
    fold_of = found.plan.fold_of[0]
    train, validation, test = (np.flatnonzero(fold_of == part) for part in range(3))
    scores = [
        PIPELINE.set_params(**setting.params).fit(X[train], Y[train]).score(X[validation], Y[validation])
        for setting in found.settings
    ]
    best = int(np.argmax(scores))
    assert found.chosen == (best,)
    both = np.concatenate([train, validation])
    fitted = PIPELINE.set_params(**found.settings[best].params).fit(X[both], Y[both])
    assert found.losses[0] == pytest.approx(1 - fitted.score(X[test], Y[test]))
    assert found.interval.low < found.error < found.interval.high
    np.testing.assert_array_equal(found.held_out.rows, test)


def test_a_perfect_holdout_has_an_interval_too() -> None:
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(-20, 1, size=(30, 1)), rng.normal(20, 1, size=(30, 1))])
    found = holdout(GaussianNB(), plain(X, np.repeat([0, 1], 30), classes=2))
    assert found.error == 0
    assert 0 <= found.interval.low < found.interval.high < 0.2


def test_one_test_part_of_groups_is_judged_by_groups() -> None:
    table = classification(240, groups=np.arange(240, dtype=np.int32) // 6)
    found = holdout(GaussianNB(), table)
    wrong = found.held_out.predicted != found.held_out.actual
    groups = np.arange(240)[found.held_out.rows] // 6
    expected = clustered_beta(wrong, groups)
    assert (found.error, found.interval) == (pytest.approx(expected.value), expected.interval)
    assert found.interval == found.one_layer.interval
    assert found.interval.width > accuracy_interval(len(wrong) - wrong.sum(), len(wrong)).width
    assert not found.warnings


def test_few_groups_in_the_test_part_are_said() -> None:
    table = classification(90, groups=np.arange(90, dtype=np.int32) // 6)
    found = holdout(GaussianNB(), table)
    assert "the test part has 5 groups, too few to show how much groups differ" in str(found)
    assert found.warnings[-1].startswith("the test part has 5 groups")
    assert holdout(GaussianNB(), table, metric="brier").warnings == found.warnings, "by groups, too"
    half = np.arange(90) < 48
    out = one_layer(GaussianNB(), table, split=[(np.flatnonzero(half), np.flatnonzero(~half))])
    assert "the test part has 7 groups" in str(out)


def test_repeated_random_sub_sampling() -> None:
    found = holdout(GaussianNB(), classification(60), repeats=8)
    assert found.losses.shape == (8,)
    assert len(found.held_out) == 8 * 20
    assert found.error == pytest.approx(found.losses.mean())
    assert "8 times" in str(found)


def test_time_order_and_groups_are_kept() -> None:
    table = classification(60, time=np.arange(60.0))
    found = two_layer(GaussianNB(), table, grid={"var_smoothing": [1.0, 1e-3]}, folds=6)
    assert found.trials == 5, "two layers cost no more than one"
    assert [fold for _, fold in found.places] == [2, 3, 4, 5]
    grouped = regression(60, groups=np.arange(60, dtype=np.int32) // 6)
    out = two_layer(Ridge(), grouped, grid={"alpha": [10.0, 0.1]}, split="leave_one_group_out")
    assert len(out.losses) == 10


def test_scores_and_costs() -> None:
    table = classification(80, classes=2)
    auc = two_layer(SVC(), table, grid={"C": [0.1, 1.0]}, metric="auc", folds=4)
    assert auc.metric == "auc"
    assert 0 < auc.error < 0.5
    cost = one_layer(GaussianNB(), table, metric="cost", costs=[[0, 1], [10, 0]], folds=4)
    assert 0 <= cost.training_error <= 10
    assert "—" not in str(cost)


def test_a_path_and_pages_of_options() -> None:
    path = [Setting("few", {"C": 0.01}), Setting("many", {"C": 100.0})]
    found = two_layer(LogisticRegression(), (X[:60], Y[:60]), path=path, folds=3, rule="one_standard_error", seed=3)
    assert [setting.label for setting in found.settings] == ["few", "many"]
    assert found.setting in ("few", "many")
    assert found.rule == "one_standard_error"
    assert found.warnings == tuple(sorted(found.warnings))


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"split": "sideways"}, UsageError, "no way of splitting called 'sideways'"),
        ({"split": "leave_one_out", "folds": 3}, UsageError, "folds and repeats are for rows that are split here"),
        ({"split": "leave_one_out", "metric": "auc"}, UsageError, "not defined on folds of a single row"),
        ({"split": ShuffleSplit(3, random_state=0)}, UsageError, "nothing to choose a setting on"),
        ({"split": KFold(2)}, UsageError, "nothing to choose a setting on"),
        ({"rule": "worst"}, UsageError, "no rule 'worst'"),
        ({"seed": -1}, UsageError, "seed must be 0 or more"),
        ({"jobs": 0}, UsageError, "jobs must be at least 1"),
        ({"folds": 61}, DataError, "fewer than the 61 folds"),
        ({"metric": "rmse"}, UsageError, "no metric 'rmse' for classification"),
        ({"grid": {"D": [1]}}, UsageError, "LogisticRegression has no parameter 'D'"),
        ({"inner_folds": 100}, UsageError, "100 inner folds cannot be made"),
    ],
)
def test_what_makes_no_sense_is_refused(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        two_layer(LogisticRegression(), classification(60), **{"grid": {"C": [0.1, 1.0]}, **options})


def test_a_learner_that_fails_is_named() -> None:
    with pytest.raises(
        VenireError,
        match=r"kneighbors_classifier failed on 45 rows: trained on folds 2, 3, 4: ValueError: Expected n_neighbors",
    ) as caught:
        one_layer(KNeighborsClassifier(50), classification(60), folds=4)
    assert caught.value.code == "trial_failed"


@pytest.mark.parametrize("name", ["naive_bayes", "knn", "linear", "tree"])
def test_every_way_of_splitting_serves_families_that_share_work(name: str) -> None:
    table = classification(24)
    family = next(family for family in default_bucket() if family.name == name)
    assert isinstance(family, GenericFamily)
    family = family.with_path(family.path(table)[::6])
    case = Subject(family, table, measure_of(table), family.path(table))
    given = ShuffleSplit(2, test_size=0.25, train_size=0.5, random_state=0)
    plans = [
        given_plan(table, given, inner=3),
        with_inner_folds(table, make_plan(table, folds=3, layers=1), 3),
        holdout_plan(table, validation=1 / 3, repeats=2),
        leave_one_out(table),
    ]
    for plan in plans:
        fast, loops = (tried(case, plan, means(naive=naive)).ledger for naive in (False, True))
        assert fast.losses.keys() == loops.losses.keys()
        assert fast.training.keys() == loops.training.keys()
        for trial, losses in fast.training.items():
            np.testing.assert_allclose(losses, loops.training[trial], atol=1e-9)
        for held, losses in fast.losses.items():
            np.testing.assert_allclose(losses, loops.losses[held], atol=1e-9)
