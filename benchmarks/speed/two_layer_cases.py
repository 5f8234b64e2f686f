"""The eight families and grids of the two-layer benchmark, for scikit-learn's loops and for venire."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, make_classification
from sklearn.ensemble import AdaBoostClassifier as PlainAdaBoost
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.ensemble import RandomForestClassifier as PlainForest
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier as PlainNeighbors
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier as PlainTree

from venire.data import Table, read_table
from venire.families.bucket import default_bucket
from venire.families.paths import forest_sizes, one_by_one
from venire.validation.trials.family import Setting

STRENGTHS = tuple(float(value) for value in np.logspace(-4, 4, 20))
ROUNDS = tuple(range(10, 201, 10))
LEVELS = (*(float(value) for value in np.geomspace(0.1, 1e-4, 19)), 0.0)
SMOOTHINGS = tuple(float(value) for value in np.logspace(0, -9, 10))
NEIGHBOURS = tuple(range(30, 0, -1))

# Twice as many, over the same range (neighbours, which are all there already, over twice the range).
MORE_STRENGTHS = tuple(float(value) for value in np.logspace(-4, 4, 40))
MORE_ROUNDS = tuple(range(5, 201, 5))
MORE_LEVELS = (*(float(value) for value in np.geomspace(0.1, 1e-4, 39)), 0.0)
MORE_SMOOTHINGS = tuple(float(value) for value in np.logspace(0, -9, 20))
MORE_NEIGHBOURS = tuple(range(60, 0, -1))


@dataclass(frozen=True)
class Case:
    """One family: its scikit-learn estimator and grid, and the name and settings of ours."""

    name: str
    family: str
    estimator: Callable[[], Any]
    grid: Callable[[int], dict[str, list[Any]]]  # from the number of columns
    settings: Callable[[int], tuple[Setting, ...]]
    more: Callable[[int], tuple[Setting, ...]] | None  # twice as many, where the path has room for them
    rounds: str | None = None  # the parameter that counts them, where the length of a fit is what the path varies


def _fixed(grid: dict[str, list[Any]]) -> Callable[[int], dict[str, list[Any]]]:
    return lambda _: grid


def _path(name: str, values: tuple[Any, ...]) -> Callable[[int], tuple[Setting, ...]]:
    return lambda _: one_by_one(name, values, name)


CASES = (
    Case(
        "ridge classifier, 20 λ",
        "linear",
        lambda: make_pipeline(StandardScaler(), RidgeClassifier()),
        _fixed({"ridgeclassifier__alpha": list(STRENGTHS)}),
        _path("alpha", STRENGTHS[::-1]),
        _path("alpha", MORE_STRENGTHS[::-1]),
    ),
    Case(
        "logistic, 20 C",
        "logistic",
        lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        _fixed({"logisticregression__C": list(STRENGTHS)}),
        _path("C", STRENGTHS),
        _path("C", MORE_STRENGTHS),
    ),
    Case(
        "k-NN, k = 1…30",
        "knn",
        lambda: make_pipeline(StandardScaler(), PlainNeighbors()),
        _fixed({"kneighborsclassifier__n_neighbors": list(NEIGHBOURS)}),
        _path("n_neighbors", NEIGHBOURS),
        _path("n_neighbors", MORE_NEIGHBOURS),
    ),
    Case(
        "Gaussian naive Bayes, 10 smoothings",
        "naive_bayes",
        GaussianNB,
        _fixed({"var_smoothing": list(SMOOTHINGS)}),
        _path("var_smoothing", SMOOTHINGS),
        _path("var_smoothing", MORE_SMOOTHINGS),
    ),
    Case(
        "tree, 20 pruning levels",
        "tree",
        lambda: PlainTree(random_state=0),
        _fixed({"ccp_alpha": [0.5 * level for level in LEVELS]}),
        _path("level", LEVELS),
        _path("level", MORE_LEVELS),
    ),
    Case(
        "forest, 100 trees, q",
        "forest",
        lambda: PlainForest(random_state=0),
        lambda m: {"max_features": list(forest_sizes(m))},
        lambda m: one_by_one("max_features", forest_sizes(m), "q"),
        None,
    ),
    Case(
        "boosted trees, T = 10…200",
        "boosting",
        lambda: HistGradientBoostingClassifier(early_stopping=False, random_state=0),
        _fixed({"max_iter": list(ROUNDS)}),
        _path("n_estimators", ROUNDS),
        _path("n_estimators", MORE_ROUNDS),
        rounds="n_estimators",
    ),
    Case(
        "AdaBoost stumps, T = 10…200",
        "adaboost",
        lambda: PlainAdaBoost(random_state=0),
        _fixed({"n_estimators": list(ROUNDS)}),
        _path("n_estimators", ROUNDS),
        _path("n_estimators", MORE_ROUNDS),
        rounds="n_estimators",
    ),
)


def family_of(case: Case, columns: int) -> Any:
    """Our family of this case, with the settings of the case for a path."""
    (family,) = (family for family in default_bucket() if family.name == case.family)
    return cast(Any, family).with_path(case.settings(columns))


def tables(*, quick: bool) -> dict[str, tuple[Any, Any]]:
    """Breast cancer, digits and a synthetic table of 20,000 × 20."""
    rows = 2_000 if quick else 20_000
    made = make_classification(rows, 20, n_informative=10, n_redundant=4, random_state=0)
    found = {"breast cancer": load_breast_cancer(return_X_y=True), "digits": load_digits(return_X_y=True)}
    return {**found, f"synthetic {rows:,} × 20": made}


def as_table(X: Any, y: Any) -> Table:
    """Our table with the columns as they are: numbers, none of them left out."""
    kinds = {f"x{j}": "numeric" for j in range(X.shape[1])}
    return read_table((np.asarray(X, dtype=float), y), kinds=kinds)
