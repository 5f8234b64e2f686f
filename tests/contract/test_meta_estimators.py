"""Every ensemble and reduction keeps scikit-learn's contract, failing no check that its counterpart there passes."""

from __future__ import annotations

from typing import Any

import pytest
from sklearn.linear_model import Ridge, RidgeClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import parametrize_with_checks

from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.additive import AdditiveRegressor
from venire.ensembles.bagging.estimators import BaggingClassifier, BaggingRegressor
from venire.ensembles.bucket import BucketOfModels
from venire.ensembles.output_codes import OutputCodes
from venire.ensembles.stacking.estimators import StackingClassifier, StackingRegressor
from venire.ensembles.voting import VotingClassifier, VotingRegressor
from venire.models.tree import estimators as tree
from venire.reductions import CostThreshold, OneVsOneClassifier, OneVsRestClassifier, Resampled, ScoreShares

# The contract gives classifiers with class weights a table where a leaf with a speck of the weight would decide; it
# sets this very parameter on classifiers that have it themselves.
TREE = DecisionTreeClassifier(max_depth=3, min_weight_fraction_leaf=0.01, random_state=0)
STUMP = tree.DecisionTreeClassifier(max_depth=1, min_weight_fraction_leaf=0.01)
CLASSIFIERS = [("bayes", GaussianNB()), ("tree", TREE)]
REGRESSORS = [("ridge", Ridge()), ("tree", DecisionTreeRegressor(max_depth=2, random_state=0))]

ESTIMATORS = [
    BaggingClassifier(n_estimators=5, random_state=0),
    BaggingClassifier(CLASSIFIERS, 4, voting="crisp", max_samples=0.8, random_state=0),
    BaggingRegressor(n_estimators=5, random_state=0),
    AdaBoostClassifier(STUMP, n_estimators=3, random_state=0),
    AdaBoostClassifier(n_estimators=3, random_state=0),
    AdditiveRegressor(n_estimators=3, random_state=0),
    VotingClassifier(CLASSIFIERS, voting="confidence"),
    VotingClassifier(CLASSIFIERS, voting="error", cv=3),
    VotingClassifier(CLASSIFIERS, voting="greedy", cv=3),
    VotingRegressor(REGRESSORS, voting="greedy", cv=3),
    StackingClassifier(CLASSIFIERS, GaussianNB(), cv=3),
    StackingClassifier(CLASSIFIERS, "weights", cv=3),
    StackingRegressor(REGRESSORS, cv=3),
    BucketOfModels(CLASSIFIERS, cv=3),
    BucketOfModels(REGRESSORS, cv=3),
    OutputCodes(TREE, random_state=0),
    OutputCodes(random_state=0),
    OneVsRestClassifier(TREE, voting="crisp"),
    OneVsOneClassifier(TREE),
    Resampled(TREE, "over", random_state=0),
    CostThreshold(TREE, cv=3),
    ScoreShares(RidgeClassifier()),
]

DRAWN = "which rows are drawn depends on how many there are, as in scikit-learn's bagging"


def expected(estimator: Any) -> dict[str, str]:
    """The checks scikit-learn exempts its own bagging from."""
    if not isinstance(estimator, BaggingClassifier | BaggingRegressor | Resampled):
        return {}
    dense = {"check_sample_weight_equivalence_on_dense_data": DRAWN}
    sparse = {"check_sample_weight_equivalence_on_sparse_data": DRAWN}
    return dense | sparse if get_tags(estimator).input_tags.sparse else dense


@pytest.mark.filterwarnings("ignore:class .* has one row only:venire.errors.VenireWarning")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected)
def test_contract(estimator: Any, check: Any) -> None:
    check(estimator)
