"""The models by which attributes of a table can be selected, each with one fixed setting and its encoding."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone, is_classifier, is_regressor
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from venire.data.encode import OneHotScaled
from venire.data.table import Table, Task
from venire.ensembles.forest.estimators import RandomForestClassifier, RandomForestRegressor
from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.errors import UsageError, did_you_mean
from venire.families.bayes import code_columns
from venire.models.bayes.classifier import NaiveBayesClassifier
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor

MODELS = ("linear", "logistic", "naive_bayes", "knn", "tree", "forest", "boosting")
_NEIGHBOURS = 5
_LEAF = 5  # rows a leaf: a full tree would fit any attribute


def chosen_model(model: Any, table: Table, seed: int) -> tuple[str, Any, Any]:
    """Its name, the estimator for the table's task, and the encoder before it (None: it takes the codes themselves)."""
    assert table.target is not None
    task = table.target.task
    one_hot = OneHotScaled(categorical=table.categorical)
    if not isinstance(model, str):
        suits = is_classifier if task is Task.CLASSIFICATION else is_regressor
        if isinstance(model, type) or not suits(model):
            raise UsageError(
                f"{model!r} cannot do {task}", code="unknown_model", hint=f"give an estimator, or {', '.join(MODELS)}"
            )
        return type(model).__name__, clone(model), one_hot
    if model not in MODELS:
        raise UsageError(
            f"columns cannot be selected by {model!r}{did_you_mean(model, MODELS)}",
            code="unknown_model",
            hint=f"use one of {', '.join(MODELS)}",
        )
    estimator = (_classifiers if task is Task.CLASSIFICATION else _regressors)(table, seed).get(model)
    if estimator is None:
        raise UsageError(f"{model} does not do {task}", code="no_models", hint="use linear, tree or another")
    return model, estimator, None if hasattr(estimator, "categorical_features") else one_hot


def _classifiers(table: Table, seed: int) -> dict[str, Any]:
    codes: dict[str, Any] = {"categorical_features": table.categorical, "n_jobs": 1}
    return {
        "linear": RidgeClassifier(),
        "logistic": LogisticRegression(max_iter=1000),
        "naive_bayes": NaiveBayesClassifier(categorical_features=code_columns(table), n_jobs=1),
        "knn": KNeighborsClassifier(_NEIGHBOURS),
        "tree": DecisionTreeClassifier(min_samples_leaf=_LEAF, **codes),
        "forest": RandomForestClassifier(random_state=seed, **codes),
        "boosting": GradientBoostingClassifier(random_state=seed, **codes),
    }


def _regressors(table: Table, seed: int) -> dict[str, Any]:
    codes: dict[str, Any] = {"categorical_features": table.categorical, "n_jobs": 1}
    return {
        "linear": LinearRegression(),
        "knn": KNeighborsRegressor(_NEIGHBOURS),
        "tree": DecisionTreeRegressor(min_samples_leaf=_LEAF, **codes),
        "forest": RandomForestRegressor(random_state=seed, **codes),
        "boosting": GradientBoostingRegressor(random_state=seed, **codes),
    }
