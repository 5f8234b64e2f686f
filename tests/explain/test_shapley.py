"""Shapley values: brute force over all subsets, additivity, symmetry, idle columns, any number of threads."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression, PoissonRegressor, Ridge, RidgeClassifier
from sklearn.tree import DecisionTreeClassifier as TheirTree

from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.forest.estimators import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.errors import UsageError
from venire.explain.shapley import ShapValues, shap_values
from venire.flow import compare
from venire.metrics.predictions import Output
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor

Floats = NDArray[np.float64]


def brute_force(say: Callable[[Floats], Floats], x: Floats, background: Floats) -> Floats:
    """Shapley's own formula: the mean over all orders, by a loop over all coalitions."""
    columns = x.shape[1]

    def worth(row: Floats, coalition: tuple[int, ...]) -> Floats:
        mixed = background.copy()
        mixed[:, list(coalition)] = row[list(coalition)]
        return np.asarray(say(mixed).mean(axis=0))

    out = []
    for row in x:
        worths = {c: worth(row, c) for size in range(columns + 1) for c in combinations(range(columns), size)}
        values = [np.zeros_like(worths[()]) for _ in range(columns)]
        for c in worths:
            for j in set(range(columns)) - set(c):
                weight = factorial(len(c)) * factorial(columns - len(c) - 1) / factorial(columns)
                values[j] = values[j] + weight * (worths[tuple(sorted((*c, j)))] - worths[c])
        out.append(np.stack(values))
    return np.stack(out)


def mixed_table(rows: int, columns: int = 6, classes: int = 3, seed: int = 0) -> tuple[Floats, NDArray[np.int64]]:
    """Numbers, two columns of codes, gaps; interactions between all kinds."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, columns)).round(1)
    x[:, 1] = rng.integers(0, 3, size=rows)
    x[:, 2] = rng.integers(0, 7, size=rows)
    z = x[:, 0] * (x[:, 1] - 1) + np.isin(x[:, 2], [0, 3, 5]) * x[:, 3] + 0.3 * rng.normal(size=rows)
    x[rng.random(x.shape) < 0.1] = np.nan
    return x, np.searchsorted(np.quantile(z, np.arange(1, classes) / classes), z)


CODES: dict[str, Any] = {"categorical_features": [1, 2]}
MODELS: dict[str, Any] = {
    "tree": DecisionTreeClassifier(categorical="subset", **CODES),
    "tree of many-way splits": DecisionTreeClassifier(categorical="multiway", criterion="entropy", **CODES),
    "regression tree": DecisionTreeRegressor(max_depth=5, **CODES),
    "forest": RandomForestClassifier(n_estimators=4, random_state=0, **CODES),
    "voting forest": RandomForestClassifier(
        n_estimators=4, voting="hard", categorical="multiway", random_state=0, **CODES
    ),
    "regression forest": RandomForestRegressor(n_estimators=3, random_state=0, **CODES),
    "extra trees": ExtraTreesClassifier(n_estimators=4, random_state=0, **CODES),
    "extra regression trees": ExtraTreesRegressor(n_estimators=3, random_state=0, **CODES),
    "boosting": GradientBoostingClassifier(n_estimators=5, max_leaf_nodes=8, min_samples_leaf=5, **CODES),
    "boosted numbers": GradientBoostingRegressor(n_estimators=8, min_samples_leaf=3, **CODES),
    "boosted counts": GradientBoostingRegressor(loss="poisson", n_estimators=5, min_samples_leaf=5, **CODES),
    "AdaBoost": AdaBoostClassifier(DecisionTreeClassifier(max_depth=3, **CODES), 5),
}


def raw(model: Any) -> Callable[[Floats], Floats]:
    """What the values of a model add up to."""
    if isinstance(model, AdaBoostClassifier | GradientBoostingClassifier):
        return model.decision_function
    if isinstance(model, GradientBoostingRegressor) and model.loss == "poisson":
        return lambda x: np.log(model.predict(x))
    return model.predict_proba if hasattr(model, "classes_") else model.predict


@pytest.mark.parametrize("name", MODELS)
def test_values_are_those_of_brute_force(name: str) -> None:
    x, y = mixed_table(250)
    model = MODELS[name].fit(x, y)
    rows, background = x[:5], x[100:117]
    found = shap_values(model, rows, background)
    expected = brute_force(raw(model), rows, background)
    np.testing.assert_allclose(found.values, expected, atol=1e-10)
    np.testing.assert_allclose(found.predictions, raw(model)(rows), atol=1e-10)
    assert found.background_rows == 17


@pytest.mark.parametrize("kind", [GradientBoostingClassifier, AdaBoostClassifier, RandomForestClassifier])
def test_two_classes(kind: Any) -> None:
    x, y = mixed_table(200, columns=4, classes=2)
    x = np.nan_to_num(x)
    model = kind(n_estimators=4).fit(x, y)
    found = shap_values(model, x[:4], x[50:60])
    assert found.values.shape == ((4, 4, 2) if kind is RandomForestClassifier else (4, 4))
    np.testing.assert_allclose(found.values, brute_force(raw(model), x[:4], x[50:60]), atol=1e-10)


def test_ten_columns_of_a_deep_forest() -> None:
    x, y = mixed_table(300, columns=10)
    model = RandomForestClassifier(n_estimators=2, random_state=1).fit(x, y)
    found = shap_values(model, x[:2], x[40:50])
    np.testing.assert_allclose(found.values, brute_force(model.predict_proba, x[:2], x[40:50]), atol=1e-10)


def test_early_stopping_explains_the_rounds_that_are_kept() -> None:
    x, y = mixed_table(400, classes=2)
    model = GradientBoostingClassifier(n_estimators=200, learning_rate=0.5, early_stopping=3, random_state=0).fit(x, y)
    assert model.n_rounds_ < model._forest.trees
    np.testing.assert_allclose(shap_values(model, x).predictions, model.decision_function(x), atol=1e-10)


@given(st.integers(0, 10_000), st.integers(1, 5), st.integers(2, 40))
@settings(max_examples=15, deadline=None)
def test_values_add_up_and_unused_columns_get_nothing(seed: int, columns: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    x = np.column_stack([rng.integers(0, 4, size=(rows, columns)).astype(float), np.zeros(rows)])
    y = rng.normal(size=rows)
    model = RandomForestRegressor(n_estimators=3, random_state=seed).fit(x, y)
    found = shap_values(model, x)
    np.testing.assert_allclose(found.predictions, model.predict(x), atol=1e-10)
    assert (found.values[:, -1] == 0).all()


def test_twins_share_alike() -> None:
    x = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    tree = DecisionTreeRegressor().fit(x, [0.0, 1.0, 1.0, 2.0])
    found = shap_values(tree, x)
    np.testing.assert_allclose(found.values[:, 0], found.values[[0, 2, 1, 3], 1])


def test_any_number_of_threads_and_any_batch_give_the_same_bytes() -> None:
    x, y = load_breast_cancer(return_X_y=True)
    kept = []
    for threads in (1, 2, 3, 8):
        model = GradientBoostingClassifier(n_estimators=10, n_jobs=threads).fit(x, y)
        kept.append(shap_values(model, x, x[:50]).values)
    assert all((one == kept[0]).all() for one in kept)
    alone = np.concatenate([shap_values(model, x[i : i + 7], x[:50]).values for i in range(0, 140, 7)])
    np.testing.assert_array_equal(alone, kept[0][:140])


def test_frames_bring_their_names_and_categories() -> None:
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"town": rng.choice(["a", "b", "c"], 300), "size": rng.normal(size=300)})
    model = GradientBoostingClassifier(n_estimators=20).fit(frame, np.where(frame["town"] == "b", "yes", "no"))
    found = shap_values(model, frame)
    assert isinstance(found, ShapValues)
    assert (found.names, found.classes, found.unit) == (("town", "size"), ("no", "yes"), "log-odds")
    assert found.importances[0] > 20 * found.importances[1]
    assert found.background_rows == 256


def test_what_has_no_exact_values_is_named() -> None:
    x, y = load_iris(return_X_y=True)
    for model in (
        RandomForestClassifier(n_estimators=2, combinations=2),
        AdaBoostClassifier(TheirTree(max_depth=1), 2),
        TheirTree(max_depth=1),
    ):
        with pytest.raises(UsageError, match=f"and none of {type(model).__name__}") as caught:
            shap_values(model.fit(x, y), x, method="exact")
        assert "sampled" in (caught.value.hint or "")
    with pytest.raises(UsageError, match="method must be auto, exact or sampling; got 'quick'"):
        shap_values(model, x, method="quick")
    with pytest.raises(UsageError, match="orders must be at least 1; got 0"):
        shap_values(model, x, orders=0)


LINEAR: dict[str, Any] = {
    "two classes": LogisticRegression(max_iter=5000),
    "three classes": LogisticRegression(max_iter=5000),
    "scores": RidgeClassifier(),
    "numbers": Ridge(),
}


@pytest.mark.parametrize("name", LINEAR)
def test_linear_models_have_exact_values(name: str) -> None:
    x, y = load_iris(return_X_y=True)
    if name == "two classes":
        x, y = x[:100], y[:100]
    model = LINEAR[name].fit(x, y)
    say = model.predict if name == "numbers" else model.decision_function
    found = shap_values(model, x[:5], x[30:50], method="exact")
    np.testing.assert_allclose(found.values, brute_force(say, x[:5], x[30:50]), atol=1e-9)
    np.testing.assert_allclose(found.predictions, say(x[:5]), atol=1e-9)
    assert found.standard_errors is None
    assert found.unit == {"two classes": "log-odds", "numbers": "value"}.get(name, "score")


def test_what_only_looks_linear_is_sampled() -> None:
    x, _ = load_iris(return_X_y=True)
    counts = PoissonRegressor().fit(x, x[:, 0].round())
    assert shap_values(counts, x[:3], x[:9]).standard_errors is not None


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> Any:
    models = ["tree", "boosting", "adaboost", "knn", "logistic", "linear", "vote", "stack"]
    models.append(RandomForestClassifier(n_estimators=5))
    return compare(mixed(), "y", models=models, folds=4, jobs=1, home=tmp_path_factory.mktemp("shap"))


def mixed() -> Any:
    rng = np.random.default_rng(0)
    a, c = rng.normal(size=80), rng.choice(["u", "v"], 80)
    y = np.where(a + (c == "u") + 0.3 * rng.normal(size=80) > 0.5, "yes", "no")
    return pd.DataFrame({"a": a, "c": c, "y": y})


@pytest.mark.parametrize("name", ["tree", "boosting", "adaboost"])
def test_what_a_verdict_hands_over_is_explained_as_its_own_model_is(name: str, verdict: Any) -> None:
    model, rows = verdict.fit(name), mixed()
    inner = model.members[0][1].steps[-1][1]
    wanted = shap_values(inner, verdict.table.X[:20], verdict.table.X[20:])
    found = shap_values(model, rows[:20], rows[20:])
    np.testing.assert_array_equal(found.values, wanted.values)
    np.testing.assert_array_equal(found.base, wanted.base)
    assert (found.names, found.classes, found.unit) == (("a", "c"), ("no", "yes"), wanted.unit)
    if name == "tree":
        np.testing.assert_allclose(found.predictions, model.predict_proba(rows[:20]), atol=1e-12)


def coded(model: Any) -> Callable[[Floats], Floats]:
    """What the model says about rows in which the category is a number."""

    def say(rows: Floats) -> Floats:
        frame = pd.DataFrame({"a": rows[:, 0], "c": np.array(["u", "v"])[rows[:, 1].astype(int)]})
        return np.asarray(
            model.decision_function(frame) if model.gives is Output.SCORES else model.predict_proba(frame)
        )

    return say


@pytest.mark.parametrize("name", ["knn", "vote", "stack", "random_forest_classifier"])
def test_whatever_a_verdict_hands_over_is_explained(name: str, verdict: Any) -> None:
    """Of two columns both orders are walked, so that the values are exact where all background rows are taken."""
    model, rows = verdict.fit(name), mixed()
    found = shap_values(model, rows[:6], rows[20:30], orders=10)
    numbers = np.column_stack([rows["a"], rows["c"] == "v"]).astype(float)
    np.testing.assert_allclose(found.values, brute_force(coded(model), numbers[:6], numbers[20:30]), atol=1e-9)
    np.testing.assert_allclose(found.predictions, model.predict_proba(rows[:6]), atol=1e-9)
    assert (found.names, found.classes, found.unit) == (("a", "c"), ("no", "yes"), "probability")
    assert found.standard_errors.shape == found.values.shape
    assert found.background_rows == 10


@pytest.mark.parametrize(("name", "unit"), [("logistic", "log-odds"), ("linear", "score")])
def test_a_category_gets_the_sum_of_its_encoded_columns(name: str, unit: str, verdict: Any) -> None:
    model, rows = verdict.fit(name), mixed()
    found = shap_values(model, rows[:6], rows[20:30], method="exact")
    *_, last = model.members[0][1].steps
    encoded = model.members[0][1][:-1].transform(verdict.table.X[:6])
    np.testing.assert_allclose(found.predictions, last[1].decision_function(encoded), atol=1e-9)
    assert found.values.shape == (6, 2)
    assert (found.names, found.unit, found.standard_errors) == (("a", "c"), unit, None)
    if name == "linear":
        numbers = np.column_stack([rows["a"], rows["c"] == "v"]).astype(float)
        np.testing.assert_allclose(found.values, brute_force(coded(model), numbers[:6], numbers[20:30]), atol=1e-9)


def test_a_combination_has_no_exact_values(verdict: Any) -> None:
    with pytest.raises(UsageError, match=r"and none of .*knn"):
        shap_values(verdict.fit("vote"), mixed(), method="exact")


def test_scaled_numbers_are_explained_as_the_columns_they_are(tmp_path: Path) -> None:
    rows = mixed().drop(columns="c")
    model = compare(rows, "y", models=[RandomForestClassifier(n_estimators=5)], folds=4, jobs=1, home=tmp_path).fit()
    np.testing.assert_allclose(shap_values(model, rows).predictions, model.predict_proba(rows), atol=1e-12)
