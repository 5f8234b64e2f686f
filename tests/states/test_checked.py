"""Pickles of our estimators: a state that does not hold together is refused when it is read, not when it predicts."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from tests.persist.fitted import MODELS, said
from tests.persist.make_files import FILES
from venire import (
    BaggingClassifier,
    DecisionTreeClassifier,
    GradientBoostingClassifier,
    KNeighborsClassifier,
    ModelFormatError,
    NaiveBayesClassifier,
    RandomForestClassifier,
    RuleListClassifier,
    load,
)
from venire.data.encode import OneHotScaled
from venire.states.checked import CheckedState

X = np.random.default_rng(0).normal(size=(40, 3))
Y = np.where(X[:, 0] > 0, "yes", "no")
OWN = list(MODELS)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OWN)
def test_a_pickle_is_read_as_it_was_written(name: str) -> None:
    model = load(FILES / f"{name}.venire")
    again = pickle.loads(pickle.dumps(model))  # noqa: S301  # our own bytes
    before, after = said(model), said(again)
    assert before.keys() == after.keys()
    for method, answer in before.items():
        np.testing.assert_array_equal(answer, after[method])


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", OWN)
def test_every_attribute_of_a_fitted_estimator_has_a_constraint(name: str) -> None:
    model = load(FILES / f"{name}.venire")
    if isinstance(model, CheckedState):
        fitted = set(vars(model)) - set(model.get_params(deep=False))
        assert fitted <= set(model._fitted_constraints)


DAMAGES: list[tuple[Any, dict[str, Any], str]] = [
    (DecisionTreeClassifier(), {"classes_": np.array(["yes", "no"])}, "classes_ is not in order"),
    (DecisionTreeClassifier(), {"n_features_in_": 4}, "_layout categorical has 3 features, and there are 4"),
    (DecisionTreeClassifier(), {"n_classes_": 3}, "n_classes_ has 3 classes, and there are 2"),
    (DecisionTreeClassifier(), {"_forest": None}, "_forest is NoneType, and Forest is needed"),
    (
        DecisionTreeClassifier(),
        {"classes_": np.array(["a", "b", "c"]), "n_classes_": 3},
        "_forest has 2 outputs where 3 are needed",
    ),
    (RandomForestClassifier(n_estimators=2), {"_growth": "deep"}, "_growth is str, and Growth is needed"),
    (GradientBoostingClassifier(n_estimators=2), {"n_rounds_": 9}, "n_rounds_ asks for more than the 2 trees"),
    (GradientBoostingClassifier(n_estimators=2), {"_start": [0.0, 0.0]}, "_start has 2 scores for 2 classes"),
    (
        NaiveBayesClassifier(),
        {"class_prior_": np.array([np.nan, 1.0])},
        "class_prior_ holds values that are not",
    ),
    (KNeighborsClassifier(), {"_votes": np.ones(39)}, "_votes has 39 rows, and there are 40"),
    (KNeighborsClassifier(), {"_kept": np.full(40, -1)}, "_kept holds values below 0"),
    (RuleListClassifier(), {"_weights": np.ones((99, 2))}, "_weights has a size of 99"),
    (BaggingClassifier(n_estimators=2), {"estimators_": []}, "estimators_features_ has 2 members, and there are 0"),
    (BaggingClassifier(n_estimators=2), {"classes_": np.array(["a", "b"])}, "members that speak of other classes"),
]


@pytest.mark.parametrize(("estimator", "damage", "wrong"), DAMAGES)
def test_a_damaged_state_is_refused(estimator: Any, damage: dict[str, Any], wrong: str) -> None:
    model = clone(estimator).fit(X, Y)
    with pytest.raises(ModelFormatError, match=wrong):
        clone(estimator).__setstate__({**model.__getstate__(), **damage})


def test_a_state_with_something_missing_is_refused() -> None:
    state = dict(DecisionTreeClassifier().fit(X, Y).__getstate__())
    del state["_forest"]
    with pytest.raises(ModelFormatError, match="_forest is missing"):
        DecisionTreeClassifier().__setstate__(state)


def test_a_state_that_is_no_dictionary_is_refused() -> None:
    with pytest.raises(ModelFormatError, match="is list, and no dictionary"):
        DecisionTreeClassifier().__setstate__([])  # type: ignore[arg-type]  # on purpose


def test_an_encoder_names_only_columns_there_are() -> None:
    state = dict(OneHotScaled(categorical=[False, True]).fit(np.array([[0.5, 1.0], [1.5, 0.0]])).__getstate__())
    ((_, kept, shared),) = state["levels_"]
    with pytest.raises(ModelFormatError, match="an encoded column does not exist"):
        OneHotScaled().__setstate__({**state, "levels_": [(2, kept, shared)]})
    with pytest.raises(ModelFormatError, match="levels_ item 0 item 1 holds values that are not below"):
        OneHotScaled().__setstate__({**state, "levels_": [(1, np.array([1 << 40]), shared)]})


def test_an_estimator_that_is_not_fitted_has_nothing_to_check() -> None:
    again = copy.deepcopy(DecisionTreeClassifier(max_depth=3))
    assert again.max_depth == 3
