from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, Perceptron
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from venire.data.generators import banana, linear_sinusoid
from venire.ensembles.bucket import BucketOfModels
from venire.errors import DataError, UsageError
from venire.models.tree.estimators import DecisionTreeClassifier

X, Y = load_iris(return_X_y=True)
MEMBERS = [("guess", DummyClassifier()), ("bayes", GaussianNB()), ("near", KNeighborsClassifier(7))]
FOLDS = StratifiedKFold(4, shuffle=True, random_state=1)


def test_the_table_equals_plain_cross_validation_and_the_best_is_retrained_on_everything() -> None:
    bucket = BucketOfModels(MEMBERS, cv=FOLDS).fit(X, Y)
    for row, (_, member) in zip(bucket.table_, MEMBERS, strict=True):
        assert np.allclose(row.errors, 1 - cross_val_score(member, X, Y, cv=FOLDS))
        assert np.isclose(row.error, np.mean(row.errors))
    best = int(np.argmin([row.error for row in bucket.table_]))
    assert [row.chosen for row in bucket.table_] == [m == best for m in range(3)]
    assert bucket.best_name_ == MEMBERS[best][0]
    again = type(MEMBERS[best][1])(**MEMBERS[best][1].get_params()).fit(X, Y)
    assert (bucket.predict_proba(X) == again.predict_proba(X)).all()
    assert bucket.score(X, Y) == again.score(X, Y)


def test_a_hold_out_part_has_one_error() -> None:
    assert [len(row.errors) for row in BucketOfModels(MEMBERS, cv=1 / 3).fit(X, Y).table_] == [1, 1, 1]


def test_of_equals_the_first() -> None:
    twins = [("a", GaussianNB()), ("b", GaussianNB())]
    assert BucketOfModels(twins).fit(X, Y).best_name_ == "a"


def test_other_metrics_and_what_they_need() -> None:
    bucket = BucketOfModels([*MEMBERS, ("line", Perceptron())], metric="log_loss").fit(X, Y)
    assert np.isnan(bucket.table_[3].error)
    assert bucket.table_[3].reason == "gives labels, and log_loss needs more"
    with pytest.raises(DataError, match="none of the models has a figure: line: gives labels"):
        BucketOfModels([("line", Perceptron())], metric="brier").fit(X, Y)


def test_a_model_that_fails_is_out_and_the_table_says_why() -> None:
    gaps = X.copy()
    gaps[3, 0] = np.nan
    bucket = BucketOfModels([("bayes", GaussianNB()), ("tree", DecisionTreeClassifier())]).fit(gaps, Y)
    assert bucket.best_name_ == "tree"
    assert "NaN" in bucket.table_[0].reason
    with pytest.raises(DataError, match="none of the models has a figure: bayes: member 'bayes'"):
        BucketOfModels([("bayes", GaussianNB())]).fit(gaps, Y)


def test_costs_choose_and_decide() -> None:
    x, y = banana(200, np.random.default_rng(0))
    bucket = BucketOfModels(MEMBERS, costs=[[0, 1], [20, 0]]).fit(x, y)
    assert (bucket.predict(x) == (bucket.predict_proba(x)[:, 1] > 1 / 21)).all()
    assert bucket.table_[0].error == pytest.approx((y == 0).mean(), abs=1e-3)  # the guess says 1, at one a false alarm


def test_numbers() -> None:
    x, y = linear_sinusoid(120, np.random.default_rng(0))
    members = [("mean", DummyRegressor()), ("line", LinearRegression()), ("near", KNeighborsRegressor())]
    bucket = BucketOfModels(members).fit(x, y)
    assert is_regressor(bucket)
    assert not is_classifier(bucket)
    assert bucket.best_name_ == "near"
    assert bucket.score(x, y) > 0.95
    assert not hasattr(bucket, "predict_proba")
    assert BucketOfModels(members, metric="mae").fit(x, y).table_[2].error < bucket.table_[2].error


def test_in_a_grid() -> None:
    search = GridSearchCV(BucketOfModels(MEMBERS, cv=3), {"near__n_neighbors": [1, 7]}, cv=3).fit(X, Y)
    assert search.best_estimator_.table_


def test_a_bucket_of_both_kinds() -> None:
    with pytest.raises(UsageError, match=r"not both or neither: a \(GaussianNB\), b \(Linear"):
        BucketOfModels([("a", GaussianNB()), ("b", LinearRegression())]).fit(X, Y)
    with pytest.raises(UsageError, match="there is no metric 'acu' for classification"):
        BucketOfModels(MEMBERS, metric="acu").fit(X, Y)
