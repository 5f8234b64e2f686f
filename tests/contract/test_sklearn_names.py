"""Parameters, methods and attributes of scikit-learn's classes are there under their names, but for those listed."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from sklearn import ensemble, multiclass, neighbors, tree
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB

import venire

X, Y = make_classification(60, 4, n_informative=3, n_redundant=0, n_classes=3, n_clusters_per_class=1, random_state=0)
CLASSIFIERS = [("a", LogisticRegression(max_iter=1000)), ("b", GaussianNB())]
REGRESSORS = [("a", Ridge()), ("b", tree.DecisionTreeRegressor())]

# What ours do not have. `docs/scikit-learn.md` says so. All parameters are there.
NO_ATTRIBUTES = {
    "KNeighbors": {"outputs_2d_", "radius"},
    "OneVsRest": {"label_binarizer_"},
    "Voting": {"le_"},
    "StackingRegressor": {"stack_method"},  # always "predict", and no parameter there either
    "GradientBoosting": {"alpha", "n_trees_per_iteration_"},  # of quantiles: a parameter of the regressor alone
    "": {"estimator_params"},  # scikit-learn's own way to hand parameters to members
}
PAIRS = [
    *((tree, name, {}) for name in ("DecisionTreeClassifier", "DecisionTreeRegressor")),
    *(
        (ensemble, f"{kind}{task}", {"n_estimators": 2})
        for kind in ("RandomForest", "ExtraTrees", "Bagging")
        for task in ("Classifier", "Regressor")
    ),
    *((ensemble, f"GradientBoosting{task}", {"n_estimators": 2}) for task in ("Classifier", "Regressor")),
    (ensemble, "AdaBoostClassifier", {"n_estimators": 2}),
    *((ensemble, f"{kind}Classifier", {"estimators": CLASSIFIERS}) for kind in ("Voting", "Stacking")),
    *((ensemble, f"{kind}Regressor", {"estimators": REGRESSORS}) for kind in ("Voting", "Stacking")),
    *((multiclass, name, {"estimator": GaussianNB()}) for name in ("OneVsRestClassifier", "OneVsOneClassifier")),
    *((neighbors, name, {}) for name in ("KNeighborsClassifier", "KNeighborsRegressor")),
]


def listed(table: dict[str, set[str]], name: str) -> set[str]:
    return set().union(*(names for part, names in table.items() if part in name))


def there(model: Any) -> set[str]:
    """The public names of a fitted model that can be asked for; `class_weight` of a regressor means nothing."""
    return {name for name in dir(model) if not name.startswith(("_", "class_weight")) and hasattr(model, name)}


@pytest.mark.filterwarnings("ignore")  # of scikit-learn's own classes
@pytest.mark.parametrize(("module", "name", "params"), PAIRS, ids=[name for _, name, _ in PAIRS])
def test_names_are_there(module: Any, name: str, params: dict[str, Any]) -> None:
    theirs, ours = getattr(module, name), getattr(venire, name)
    known = set(inspect.signature(ours).parameters)
    assert set(inspect.signature(theirs).parameters) <= known
    missing = there(theirs(**params).fit(X, Y)) - there(ours(**params).fit(X, Y))
    assert missing <= listed(NO_ATTRIBUTES, name)


@pytest.mark.parametrize(("module", "name"), [(module, name) for module, name, _ in PAIRS], ids=[p[1] for p in PAIRS])
def test_what_scikit_learn_takes_by_place_is_taken_by_place(module: Any, name: str) -> None:
    """Of constructors and methods, in scikit-learn's order; and no method lacks a parameter of scikit-learn's."""
    theirs, ours = getattr(module, name), getattr(venire, name)
    methods = [each for each, value in inspect.getmembers(theirs, callable) if not each.startswith("_")]
    for method in ("__init__", *(each for each in methods if hasattr(ours, each))):
        wanted, given = (list(inspect.signature(getattr(kind, method)).parameters.values()) for kind in (theirs, ours))
        by_place = [each.name for each in wanted if each.kind is each.POSITIONAL_OR_KEYWORD]
        assert [each.name for each in given if each.kind is each.POSITIONAL_OR_KEYWORD][: len(by_place)] == by_place
        if not any(each.kind is each.VAR_KEYWORD for each in given):
            assert {each.name for each in wanted} <= {each.name for each in given}, method
