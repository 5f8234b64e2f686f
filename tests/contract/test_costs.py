"""Every classifier honours class weights and a cost matrix, in the same way and with the same refusals."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone, is_classifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB

import venire as vn
from venire.data.generators import gaussian_clouds
from venire.models.baseline import BaselineClassifier

TREE = vn.DecisionTreeClassifier(min_samples_leaf=10)
MEMBERS = [("bayes", GaussianNB()), ("tree", TREE)]

CLASSIFIERS = [
    vn.DecisionTreeClassifier(min_samples_leaf=10),
    vn.RandomForestClassifier(n_estimators=15, min_samples_leaf=10, random_state=0),
    vn.ExtraTreesClassifier(n_estimators=15, min_samples_leaf=10, random_state=0),
    vn.GradientBoostingClassifier(n_estimators=10, random_state=0),
    vn.NaiveBayesClassifier(),
    vn.KNeighborsClassifier(15),
    vn.NetClassifier(random_state=0),
    vn.RuleListClassifier(),
    BaselineClassifier(),
    vn.BaggingClassifier(TREE, n_estimators=5, random_state=0),
    vn.AdaBoostClassifier(n_estimators=5, random_state=0),
    vn.VotingClassifier(MEMBERS, voting="average"),
    vn.VotingClassifier(MEMBERS, voting="greedy", cv=3),
    vn.StackingClassifier(MEMBERS, cv=3),
    vn.BucketOfModels(MEMBERS, cv=3),
    vn.OutputCodes(TREE, random_state=0),
    vn.OneVsRestClassifier(LogisticRegression()),
    vn.OneVsOneClassifier(TREE),
    vn.Resampled(TREE, "over", random_state=0),
    vn.CostThreshold(GaussianNB(), cv=3),
    vn.ForwardSelection(GaussianNB(), cv=3),
    vn.BackwardSelection(GaussianNB(), cv=3),
]
EACH = pytest.mark.parametrize("classifier", CLASSIFIERS, ids=lambda one: type(one).__name__)


def clouds(classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Overlapping clouds, so that there is something to decide; labels that are no codes."""
    X, y = gaussian_clouds(240, np.random.default_rng(0), classes=classes, distance=1.5)
    return X, np.array(["amber", "blue", "cyan"])[y]


def test_every_classifier_is_here() -> None:
    public = [getattr(vn, name) for name in vn.__all__]
    kinds = {one for one in public if isinstance(one, type) and hasattr(one, "predict") and "costs" in signature(one)}
    assert kinds == {type(one) for one in CLASSIFIERS} - {BaselineClassifier}
    named = {one for one in public if isinstance(one, type) and one.__name__.endswith("Classifier")}
    assert named <= kinds
    assert all(is_classifier(one) for one in CLASSIFIERS)


def signature(kind: type) -> set[str]:
    return set(kind._get_param_names()) if hasattr(kind, "_get_param_names") else set()


@EACH
def test_the_costly_class_is_predicted_more(classifier: Any) -> None:
    X, y = clouds(2)
    plain = (clone(classifier).fit(X, y).predict(X) == "blue").sum()
    costly = clone(classifier).set_params(costs=[[0, 1], [20, 0]]).fit(X, y)
    said = (costly.predict(X) == "blue").sum()
    assert said > plain or said == plain == len(y)  # a baseline may say nothing else in any case
    spared = clone(classifier).set_params(costs=[[0, 20], [1, 0]]).fit(X, y)
    assert (spared.predict(X) == "blue").sum() < (costly.predict(X) == "blue").sum()


@EACH
def test_the_heavy_class_is_predicted_more(classifier: Any) -> None:
    X, y = clouds(2)
    for heavy in ("amber", "blue"):
        light = clone(classifier).set_params(class_weight={heavy: 0.05}).fit(X, y)
        weighted = clone(classifier).set_params(class_weight={heavy: 20.0}).fit(X, y)
        assert (weighted.predict(X) == heavy).sum() > (light.predict(X) == heavy).sum()


@EACH
@pytest.mark.parametrize("classes", [2, 3])
def test_equal_costs_change_nothing(classifier: Any, classes: int) -> None:
    X, y = clouds(classes)
    equal = clone(classifier).set_params(costs=1.0 - np.eye(classes)).fit(X, y)
    assert equal.predict(X).tolist() == clone(classifier).fit(X, y).predict(X).tolist()


@EACH
def test_one_class_of_three_can_be_costly(classifier: Any) -> None:
    X, y = clouds(3)
    missed, feared = 1.0 - np.eye(3), 1.0 - np.eye(3)
    missed[2, :2] = 30.0
    feared[:2, 2] = 30.0
    said = [clone(classifier).set_params(costs=costs).fit(X, y).predict(X) for costs in (missed, feared)]
    assert (said[0] == "cyan").sum() > (said[1] == "cyan").sum()


@EACH
@pytest.mark.parametrize(
    ("costs", "message"),
    [
        (np.zeros((3, 3)), "the costs have shape 3 × 3, and there are 2 classes"),
        ([[0, 1], [2]], "the costs are not a matrix of numbers"),
        ([[0, 1], [np.nan, 0]], "the costs hold a value that is not a finite number"),
        ([[2, 1], [5, 0]], "the costs make a wrong answer cheaper than the right one"),
    ],
)
def test_bad_costs_are_refused(classifier: Any, costs: Any, message: str) -> None:
    X, y = clouds(2)
    with pytest.raises(vn.UsageError, match=message) as caught:
        clone(classifier).set_params(costs=costs).fit(X, y)
    assert caught.value.hint is not None
    assert "amber, blue" in caught.value.hint
