"""What goes wrong has a defined outcome and a clear message, the same for every estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone, is_classifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

import venire as vn

BAYES = GaussianNB()
TREE = vn.DecisionTreeClassifier(max_depth=2)
LINE = LinearRegression()

# Every public estimator, with a parameter out of its range.
SINGLE = [
    (vn.DecisionTreeClassifier(), {"max_depth": 0}),
    (vn.DecisionTreeRegressor(), {"min_samples_leaf": 0}),
    (vn.NaiveBayesClassifier(), {"alpha": -1.0}),
    (vn.KNeighborsClassifier(), {"n_neighbors": 0}),
    (vn.KNeighborsRegressor(), {"weights": "heavy"}),
    (vn.NetClassifier(n_nets=1, max_epochs=3), {"dropout": 1.0}),
    (vn.NetRegressor(n_nets=1, max_epochs=3), {"learning_rate": 0.0}),
    (vn.RuleListClassifier(), {"max_conditions": 0}),
    (vn.RandomForestClassifier(n_estimators=3), {"n_estimators": 0}),
    (vn.RandomForestRegressor(n_estimators=3), {"max_samples": -1}),
    (vn.ExtraTreesClassifier(n_estimators=3), {"max_features": 0}),
    (vn.ExtraTreesRegressor(n_estimators=3), {"criterion": "gini"}),
    (vn.GradientBoostingClassifier(n_estimators=3), {"learning_rate": 0.0}),
    (vn.GradientBoostingRegressor(n_estimators=3), {"subsample": 2.0}),
]
MADE_OF_OTHERS = [
    (vn.BaggingClassifier(BAYES, 3, random_state=0), {"n_estimators": 0}),
    (vn.BaggingRegressor(LINE, 3, random_state=0), {"max_samples": 0.0}),
    (vn.AdaBoostClassifier(TREE, n_estimators=3, random_state=0), {"n_estimators": 0}),
    (vn.AdditiveRegressor(LINE, n_estimators=3, random_state=0), {"learning_rate": -1.0}),
    (vn.VotingClassifier([("one", BAYES), ("two", TREE)], voting="error", cv=2), {"voting": "loud"}),
    (vn.VotingRegressor([("one", LINE)], voting="error", cv=2), {"steps": 0}),
    (vn.StackingClassifier([("one", BAYES), ("two", TREE)], cv=2), {"features": "noses"}),
    (vn.StackingRegressor([("one", LINE)], cv=2), {"passthrough": "perhaps"}),
    (vn.BucketOfModels([("one", BAYES), ("two", TREE)], cv=2), {"metric": 3}),
    (vn.OutputCodes(BAYES, random_state=0), {"n_jobs": "many"}),
    (vn.OneVsRestClassifier(LogisticRegression()), {"voting": "loud"}),
    (vn.OneVsOneClassifier(LogisticRegression()), {"voting": "loud"}),
    (vn.Resampled(BAYES, "over", random_state=0), {"correct": "perhaps"}),
    (vn.CostThreshold(BAYES, cv=2), {"n_jobs": "many"}),
    (vn.ForwardSelection(BAYES, cv=2), {"n_attributes": -1}),
    (vn.BackwardSelection(LINE, cv=2), {"whole_path": "perhaps"}),
]
ALL = [*SINGLE, *MADE_OF_OTHERS]


def name_of(value: Any) -> str | None:
    return type(value).__name__ if isinstance(value, BaseEstimator) else None


def frame(rows: int = 60) -> pd.DataFrame:
    return pd.DataFrame(np.random.default_rng(0).standard_normal((rows, 3)), columns=["a", "b", "c"])


def target(estimator: Any, rows: int = 60) -> np.ndarray:
    return np.arange(rows) % 3 if is_classifier(estimator) else np.arange(rows, dtype=float) % 7


def test_every_estimator_is_here() -> None:
    public = [getattr(vn, name) for name in vn.__all__]
    kinds = {one for one in public if isinstance(one, type) and issubclass(one, BaseEstimator)}
    assert kinds == {type(estimator) for estimator, _ in ALL}


@pytest.mark.parametrize(("estimator", "wrong"), ALL, ids=name_of)
def test_a_parameter_out_of_range(estimator: Any, wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(ValueError, match=f"'{name}' parameter of {type(estimator).__name__} must be"):
        clone(estimator).set_params(**wrong).fit(frame(), target(estimator))


@pytest.mark.parametrize(("estimator", "wrong"), ALL, ids=name_of)
def test_a_column_that_is_gone_at_predict(estimator: Any, wrong: Any) -> None:
    fitted = clone(estimator).fit(frame(), target(estimator))
    with pytest.raises(ValueError, match="seen at fit time, yet now missing:\n- b"):
        fitted.predict(frame().drop(columns="b"))


TAKES_WORDS = [estimator for estimator, _ in SINGLE]


@pytest.mark.parametrize("estimator", TAKES_WORDS, ids=name_of)
def test_a_category_never_seen_counts_as_missing(estimator: Any) -> None:
    words = np.array(["red", "green", "blue"])
    y = target(estimator)
    rows = pd.DataFrame({"colour": words[np.arange(60) % 3], "size": np.arange(60) % 5 + 0.5})
    fitted = clone(estimator).fit(rows, y)
    new = pd.DataFrame({"colour": ["purple"], "size": [2.5]})
    missing = pd.DataFrame({"colour": pd.Series([None], dtype=object), "size": [2.5]})
    assert fitted.predict(new).tolist() == fitted.predict(missing).tolist()


CLASSIFIERS = [estimator for estimator, _ in MADE_OF_OTHERS if is_classifier(estimator)]


@pytest.mark.parametrize("estimator", CLASSIFIERS, ids=name_of)
def test_a_class_that_a_fold_or_a_bootstrap_lacks(estimator: Any) -> None:
    y = target(estimator).astype(object)
    y[:] = np.where(np.arange(60) < 2, "rare", np.where(y == 1, "one", "two"))
    fitted = clone(estimator).fit(frame(), y.astype(str))
    assert fitted.classes_.tolist() == ["one", "rare", "two"]
    shares = fitted.predict_proba(frame())
    assert shares.shape == (60, 3)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert set(fitted.predict(frame())) <= {"one", "rare", "two"}


class Failing(BaseEstimator):
    """Refuses whatever it is given."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        raise ValueError("this learner never learns")

    def predict(self, X: Any) -> Any:
        raise NotImplementedError


class FailingClassifier(ClassifierMixin, Failing):
    def predict_proba(self, X: Any) -> Any:
        raise NotImplementedError


class FailingRegressor(RegressorMixin, Failing):
    pass


@pytest.mark.parametrize(("estimator", "wrong"), MADE_OF_OTHERS, ids=name_of)
def test_a_member_that_fails_to_fit(estimator: Any, wrong: Any) -> None:
    failing = FailingClassifier() if is_classifier(estimator) else FailingRegressor()
    key = "estimators" if "estimators" in estimator.get_params(deep=False) else "estimator"
    broken = clone(estimator).set_params(**{key: [("broken", failing)] if key == "estimators" else failing})
    with pytest.raises(vn.DataError, match=r"could not be fitted on .* this learner never learns") as caught:
        broken.fit(frame(), target(estimator))
    assert caught.value.code == "member_failed"
