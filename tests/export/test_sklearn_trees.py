"""Our trees in scikit-learn's classes: programs that read those read ours."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.tree
from sklearn.base import clone
from sklearn.datasets import make_classification, make_regression
from sklearn.inspection import partial_dependence

from venire import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    ExtraTreesRegressor,
    KNeighborsClassifier,
    RandomForestClassifier,
    RandomForestRegressor,
    UsageError,
)
from venire.export import to_sklearn_trees


def classes():
    x, y = make_classification(200, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
    return x.astype(np.float32), np.array(["a", "b", "c"])[y]


def numbers():
    x, y = make_regression(200, 5, random_state=0)
    return x.astype(np.float32), y


@pytest.mark.parametrize("criterion", ["gini", "entropy", "gain_ratio", "error"])
def test_a_tree_predicts_the_same_in_their_class(criterion):
    x, y = classes()
    ours = DecisionTreeClassifier(criterion=criterion, max_depth=5).fit(x, y)
    theirs = to_sklearn_trees(ours)
    assert type(theirs) is sklearn.tree.DecisionTreeClassifier
    assert np.array_equal(theirs.predict_proba(x), ours.predict_proba(x))
    assert np.array_equal(theirs.predict(x), ours.predict(x))
    assert np.array_equal(theirs.apply(x), ours.apply(x))
    assert theirs.get_n_leaves() == ours.get_n_leaves()
    assert theirs.get_params()["max_depth"] == 5


@pytest.mark.parametrize(
    ("kind", "name", "data"),
    [
        (RandomForestClassifier, "RandomForestClassifier", classes),
        (RandomForestRegressor, "RandomForestRegressor", numbers),
        (ExtraTreesRegressor, "ExtraTreesRegressor", numbers),
    ],
)
def test_a_forest_predicts_the_same_in_their_class(kind, name, data):
    x, y = data()
    ours = kind(n_estimators=7, max_features="log2+1", random_state=0).fit(x, y)
    theirs = to_sklearn_trees(ours)
    assert type(theirs) is getattr(sklearn.ensemble, name)
    assert theirs.predict(x) == pytest.approx(ours.predict(x)) if data is numbers else True
    assert list(theirs.predict(x)) == list(ours.predict(x)) if data is classes else True


def test_export_text_shows_our_cuts():
    x, y = classes()
    ours = DecisionTreeClassifier(max_depth=2).fit(x, y)
    text = sklearn.tree.export_text(to_sklearn_trees(ours), decimals=6)
    for threshold in ours.tree_.threshold[ours.tree_.feature >= 0]:
        assert f"<= {threshold:.6f}" in text
    assert sklearn.tree.export_graphviz(to_sklearn_trees(ours)).count("samples = ") == ours.tree_.node_count


def test_plot_tree_draws_every_node():
    pytest.importorskip("matplotlib").use("Agg")
    x, y = classes()
    ours = DecisionTreeClassifier(max_depth=3).fit(x, y)
    drawn = sklearn.tree.plot_tree(to_sklearn_trees(ours))
    texts = [each.get_text() for each in drawn]
    assert sum("samples = " in text for text in texts) == ours.tree_.node_count


@pytest.mark.filterwarnings("ignore")  # of packages that are not ours
@pytest.mark.parametrize(
    ("model", "data", "outputs"),
    [
        (DecisionTreeClassifier(max_depth=4), classes, "predict_proba"),
        (DecisionTreeRegressor(max_depth=4), numbers, "predict"),
        (RandomForestClassifier(n_estimators=5, max_depth=4, random_state=0), classes, "predict_proba"),
        (ExtraTreesRegressor(n_estimators=5, max_depth=4, random_state=0), numbers, "predict"),
    ],
    ids=["tree", "regression tree", "forest", "extra-trees"],
)
def test_shap_explains_trees_and_forests(model, data, outputs):
    shap = pytest.importorskip("shap")
    x, y = data()
    ours = clone(model).fit(x, y)
    explainer = shap.TreeExplainer(to_sklearn_trees(ours))
    values = np.asarray(explainer.shap_values(x[:20]))
    assert values.sum(axis=1) + explainer.expected_value == pytest.approx(getattr(ours, outputs)(x[:20]), abs=1e-6)


def test_what_was_made_is_kept_and_copied_as_theirs():
    x, y = classes()
    x[::7, 1] = np.nan
    ours = DecisionTreeClassifier(max_depth=5).fit(x, y)
    theirs = pickle.loads(pickle.dumps(to_sklearn_trees(ours)))  # noqa: S301  # our own bytes
    assert type(theirs.tree_) is type(sklearn.tree.DecisionTreeClassifier().fit([[0.0]], [0]).tree_)
    for name in ("children_left", "children_right", "feature", "threshold", "missing_go_to_left", "value"):
        assert np.array_equal(getattr(theirs.tree_, name), getattr(ours.tree_, name))
    for name in ("n_node_samples", "weighted_n_node_samples", "impurity", "max_depth", "n_leaves"):
        assert np.array_equal(getattr(theirs.tree_, name), getattr(ours.tree_, name))
    assert np.array_equal(theirs.predict_proba(x), ours.predict_proba(x))
    assert theirs.feature_importances_ == pytest.approx(ours.feature_importances_)


@pytest.mark.filterwarnings("ignore")  # of packages that are not ours
def test_treelite_predicts_the_same():
    treelite = pytest.importorskip("treelite")
    x, y = classes()
    ours = RandomForestClassifier(n_estimators=5, random_state=0).fit(x, y).with_node_statistics(x, y)
    model = treelite.sklearn.import_model(to_sklearn_trees(ours))
    assert treelite.gtil.predict(model, x).reshape(len(x), -1) == pytest.approx(ours.predict_proba(x), abs=1e-6)


@pytest.mark.filterwarnings("ignore")  # of packages that are not ours
def test_skl2onnx_predicts_the_same():
    skl2onnx, onnxruntime = pytest.importorskip("skl2onnx"), pytest.importorskip("onnxruntime")
    x, y = numbers()
    ours = RandomForestRegressor(n_estimators=5, max_depth=5, random_state=0).fit(x, y)
    graph = skl2onnx.to_onnx(to_sklearn_trees(ours), x[:1])
    session = onnxruntime.InferenceSession(graph.SerializeToString(), providers=["CPUExecutionProvider"])
    assert session.run(None, {"X": x})[0][:, 0] == pytest.approx(ours.predict(x), rel=1e-4, abs=1e-3)


@pytest.mark.filterwarnings("ignore")  # of packages that are not ours
def test_dtreeviz_follows_a_row():
    dtreeviz = pytest.importorskip("dtreeviz")
    x, y = classes()
    codes = np.unique(y, return_inverse=True)[1]
    ours = DecisionTreeClassifier(max_depth=3).fit(x, codes)
    shown = dtreeviz.model(
        to_sklearn_trees(ours),
        X_train=x,
        y_train=codes,
        feature_names=list("pqrst"),
        target_name="y",
        class_names=["a", "b", "c"],
    )
    first = int(ours.tree_.feature[0])
    assert "pqrst"[first] in shown.explain_prediction_path(x[0])


def test_what_their_classes_cannot_say_is_refused():
    x, y = classes()
    costly = DecisionTreeClassifier(costs=[[0, 1, 2], [1, 0, 1], [5, 1, 0]]).fit(x, y)
    with pytest.raises(UsageError, match="neither costs nor hard votes"):
        to_sklearn_trees(costly)
    with pytest.raises(UsageError, match="neither costs nor hard votes"):
        to_sklearn_trees(RandomForestClassifier(n_estimators=2, voting="hard").fit(x, y))
    with pytest.raises(UsageError, match="got KNeighborsClassifier"):
        to_sklearn_trees(KNeighborsClassifier().fit(x, y))


def test_our_trees_are_not_taken_for_theirs():
    x, y = numbers()
    ours = DecisionTreeRegressor(max_depth=3).fit(x, y)
    assert not isinstance(ours, sklearn.tree.DecisionTreeRegressor)
    assert partial_dependence(ours, x, [0])["average"].shape[0] == 1
