"""A small fitted model of every kind that a model file can hold, by the name of its file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array
from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron, Ridge, RidgeClassifier, RidgeCV
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, SVR

import venire as vn
from venire.combine.calibrate import Calibration, Steps
from venire.combine.finish import Finish
from venire.data.encode import AsTheyAre, FrequencyCodes, OneHotScaled
from venire.data.ranges import Ranges
from venire.models.baseline import BaselineClassifier, BaselineRegressor
from venire.models.svm.machines import SupportVectorClassifier, SupportVectorRegressor
from venire.reductions.score_shares import ScoreShares

ROWS = 24
Tree, NumberTree = vn.DecisionTreeClassifier, vn.DecisionTreeRegressor


def numbers(rows: int = ROWS) -> NDArray[np.float64]:
    return np.random.default_rng(7).normal(size=(rows, 3)).round(3)


def coded(rows: int = ROWS) -> NDArray[np.float64]:
    """Two numbers with a gap, and a column of codes."""
    X = numbers(rows)
    X[:, 2] = np.arange(rows) % 3
    X[1, 0] = np.nan
    return X


def frame(rows: int = ROWS) -> pd.DataFrame:
    X = coded(rows)
    words = np.array(["red", "green", "blue"])[X[:, 2].astype(int)]
    return pd.DataFrame({"size": X[:, 0], "weight": X[:, 1], "colour": words})


def two(rows: int = ROWS) -> NDArray[Any]:
    return np.where(numbers(rows)[:, 1] > 0, "yes", "no")


def three(rows: int = ROWS) -> NDArray[Any]:
    return np.digitize(numbers(rows)[:, 1], [-0.5, 0.5]) * 2 + 1


def cells() -> Any:
    """Numbers of which most are zero, as a sparse table."""
    return csr_array(np.maximum(numbers(), 0.0))


def two_targets() -> NDArray[Any]:
    """Two columns of classes."""
    return np.column_stack([three() > 2, numbers()[:, 0] > 0])


def amounts(rows: int = ROWS) -> NDArray[np.float64]:
    X = numbers(rows)
    return np.asarray(X[:, 0] * 2 - X[:, 1])


def _fit(model: Any, X: Any, y: Any) -> Callable[[], Any]:
    return lambda: model.fit(X, y)


def _of_numbers(model: Any) -> Callable[[], Any]:
    return _fit(model, numbers(), amounts())


def _of_classes(model: Any, y: NDArray[Any] | None = None) -> Callable[[], Any]:
    return _fit(model, numbers(), two() if y is None else y)


def _of_frame(model: Any, y: NDArray[Any] | None = None) -> Callable[[], Any]:
    return _fit(model, frame(), two() if y is None else y)


def _verdict(name: str, y: NDArray[Any], of: tuple[str, ...] = (), **asked: Any) -> Callable[[], Any]:
    def fitted() -> Any:
        table = frame(40).assign(y=y)
        verdict = vn.compare(table, "y", models=[*of, name], folds=3, budget=None, jobs=1, **asked)
        return verdict.fit(name)

    return fitted


def _calibrated() -> Any:
    """A model whose probabilities are bent by steps."""
    model = _verdict("naive_bayes", two(40))()
    return model.set_params(finish=Finish(Calibration("isotonic", (Steps((0.1, 0.5, 0.9), (0.2, 0.5, 0.8)),))))


def _warm() -> Any:
    """Rounds of two fits, the second at another rate."""
    model = vn.GradientBoostingRegressor(n_estimators=2, min_samples_leaf=2, warm_start=True).fit(numbers(), amounts())
    return model.set_params(n_estimators=4, learning_rate=0.3).fit(numbers(), amounts())


_PAIR = [("tree", Tree(max_depth=2)), ("bayes", vn.NaiveBayesClassifier())]
_NUMBER_PAIR = [("tree", NumberTree(max_depth=2)), ("line", LinearRegression())]
_NET: dict[str, Any] = {"solver": "lbfgs", "max_iter": 5000, "random_state": 0}
_COSTS = [[0.0, 1.0], [5.0, 0.0]]

MODELS: dict[str, Callable[[], Any]] = {
    "tree_classifier": _of_frame(Tree(costs=_COSTS)),
    "tree_multiway": _of_frame(Tree(categorical="multiway", criterion="gain_ratio"), three()),
    "tree_regressor": _of_frame(NumberTree(max_depth=3), amounts()),
    "naive_bayes": _of_frame(vn.NaiveBayesClassifier()),
    "knn_classifier": _of_frame(vn.KNeighborsClassifier(n_neighbors=3), three()),
    "knn_regressor": _of_numbers(vn.KNeighborsRegressor(n_neighbors=3, weights="distance")),
    "knn_sparse": _fit(vn.KNeighborsClassifier(n_neighbors=3), cells(), three()),
    "knn_metric": _of_numbers(vn.KNeighborsRegressor(n_neighbors=3, p=1)),
    "knn_targets": _fit(vn.KNeighborsClassifier(n_neighbors=3), numbers(), two_targets()),
    "naive_bayes_sparse": _fit(vn.NaiveBayesClassifier(), cells(), three()),
    "tree_sparse": _fit(NumberTree(max_depth=3), cells(), amounts()),
    "tree_targets": _fit(NumberTree(max_depth=3), frame(), np.column_stack([amounts(), -(amounts() ** 2)])),
    "forest_targets": _fit(vn.RandomForestClassifier(n_estimators=3, random_state=0), numbers(), two_targets()),
    "boosting_sparse": _fit(vn.GradientBoostingClassifier(n_estimators=3, min_samples_leaf=2), cells(), three()),
    "net_classifier": _of_frame(vn.NetClassifier((4,), n_nets=2, max_epochs=5, random_state=0), three()),
    "net_regressor": _of_numbers(vn.NetRegressor((4, 3), n_nets=2, max_epochs=5, random_state=0)),
    "rule_list": _of_frame(vn.RuleListClassifier()),
    "baseline_classifier": _of_frame(BaselineClassifier()),
    "baseline_regressor": _of_numbers(BaselineRegressor()),
    "support_vector_classifier": _of_classes(SupportVectorClassifier(kernel="linear"), three()),
    "support_vector_rbf": _of_classes(SupportVectorClassifier(), three()),
    "support_vector_regressor": _of_numbers(SupportVectorRegressor()),
    "bagging_classifier": _of_frame(vn.BaggingClassifier(Tree(max_depth=2), n_estimators=3, random_state=0)),
    "bagging_regressor": _of_numbers(vn.BaggingRegressor(n_estimators=2, max_features=2, random_state=0)),
    "forest_classifier": _of_frame(vn.RandomForestClassifier(n_estimators=25, oob_score=True, random_state=0), three()),
    "forest_rc": _of_classes(vn.RandomForestClassifier(n_estimators=3, combinations=2, random_state=0)),
    "forest_regressor": _of_frame(vn.RandomForestRegressor(n_estimators=3, random_state=0), amounts()),
    "extra_trees_classifier": _of_frame(vn.ExtraTreesClassifier(n_estimators=3, random_state=0)),
    "extra_trees_regressor": _of_numbers(vn.ExtraTreesRegressor(n_estimators=3, random_state=0)),
    "adaboost": _of_frame(vn.AdaBoostClassifier(n_estimators=3, random_state=0)),
    "adaboost_bayes": _of_frame(vn.AdaBoostClassifier(vn.NaiveBayesClassifier(), n_estimators=2, random_state=0)),
    "boosting_classifier": _of_frame(vn.GradientBoostingClassifier(n_estimators=3, min_samples_leaf=2), three()),
    "boosting_regressor": _of_frame(vn.GradientBoostingRegressor(n_estimators=3, min_samples_leaf=2), amounts()),
    "boosting_stopped": _of_classes(
        vn.GradientBoostingClassifier(n_estimators=8, early_stopping=True, min_samples_leaf=2, random_state=0)
    ),
    "boosting_warm": _warm,
    "forest_member": lambda: MODELS["extra_trees_classifier"]().estimators_[1],
    "additive": _of_numbers(vn.AdditiveRegressor(n_estimators=2, random_state=0)),
    "voting_classifier": _of_frame(vn.VotingClassifier(_PAIR)),
    "voting_regressor": _of_numbers(vn.VotingRegressor(_NUMBER_PAIR)),
    "stacking_classifier": _of_frame(vn.StackingClassifier(_PAIR)),
    "stacking_regressor": _of_numbers(vn.StackingRegressor(_NUMBER_PAIR)),
    "bucket": _of_frame(vn.BucketOfModels(_PAIR)),
    "output_codes": _of_frame(vn.OutputCodes(Tree(max_depth=2), random_state=0), three()),
    "one_vs_rest": _of_frame(vn.OneVsRestClassifier(Tree(max_depth=2)), three()),
    "one_vs_one": _of_frame(vn.OneVsOneClassifier(Tree(max_depth=2)), three()),
    "resampled": _of_frame(vn.Resampled(Tree(max_depth=2), random_state=0)),
    "cost_threshold": _of_frame(vn.CostThreshold(Tree(max_depth=2), costs=_COSTS)),
    "score_shares": _of_classes(ScoreShares(RidgeClassifier())),
    "forward_selection": _of_classes(vn.ForwardSelection(LogisticRegression())),
    "backward_selection": _of_numbers(vn.BackwardSelection(LinearRegression())),
    "one_hot_scaled": _fit(OneHotScaled(categorical=[False, False, True]), coded(), None),
    "frequency_codes": _fit(FrequencyCodes(categorical=[False, False, True]), coded(), None),
    "as_they_are": _fit(AsTheyAre(), coded(), None),
    "ranges": _fit(Ranges(ranges=3), numbers(), None),
    "pipeline": _of_classes(make_pipeline(StandardScaler(), LogisticRegression()), three()),
    "dummy_classifier": _of_classes(DummyClassifier(strategy="prior")),
    "dummy_regressor": _of_numbers(DummyRegressor()),
    "linear_regression": _of_numbers(LinearRegression()),
    "ridge": _of_numbers(Ridge()),
    "ridge_cv": _of_numbers(RidgeCV()),
    "ridge_classifier": _of_classes(RidgeClassifier()),
    "perceptron": _of_classes(Perceptron(), three()),
    "neural_net_classifier": _of_classes(MLPClassifier((3,), **_NET)),
    "neural_net_regressor": _of_numbers(MLPRegressor(hidden_layer_sizes=(3, 2), **_NET)),
    "svc": _of_classes(SVC(), three()),
    "svr": _of_numbers(SVR()),
    "scaled_target": _of_numbers(TransformedTargetRegressor(SVR(), transformer=StandardScaler())),
    "voting_greedy": _of_frame(vn.VotingClassifier(_PAIR, voting="greedy")),
    "one_vs_rest_votes": _of_frame(vn.OneVsRestClassifier(Tree(max_depth=1), keep_votes=True), three()),
    "calibrated": _calibrated,
    "verdict_tree": _verdict("tree", two(40), metric="cost", costs="1:5"),
    "verdict_linear": _verdict("linear", amounts(40)),
    "verdict_intervals": _verdict("linear", amounts(40)),
    "verdict_sets": _verdict("naive_bayes", three(40)),
    "verdict_blend": _verdict("blend", two(40), of=("naive_bayes", "tree"), metric="log_loss"),
    "verdict_stack": _verdict("stack", amounts(40), of=("linear", "tree")),
    "verdict_logistic": _verdict("logistic", three(40), metric="log_loss"),
}


def rows_for(model: Any) -> Any:
    """Rows that the model has not seen, as it takes them."""
    if isinstance(model, OneHotScaled | FrequencyCodes | AsTheyAre):
        return coded(12)[6:]
    return frame(12)[6:] if list(getattr(model, "feature_names_in_", ())) else numbers(12)[6:]


def said(model: Any) -> dict[str, NDArray[Any]]:
    """Everything that the model says of those rows."""
    rows, found = rows_for(model), {}
    for name in ("predict", "predict_proba", "decision_function", "transform"):
        if hasattr(model, name):
            try:
                found[name] = np.asarray(getattr(model, name)(rows))
            except (AttributeError, vn.UsageError):  # a table model of classes that gives no probabilities
                continue
    return found
