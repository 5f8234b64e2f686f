"""Our trees and forests as objects of scikit-learn's own classes, for programs that ask for these classes.

`sklearn.tree.plot_tree`, shap, treelite and others look at the class before they look at `tree_`. What they get is that
class, with the public attributes that its `fit` leaves behind; `tree_` is scikit-learn's compiled tree, or holds our
arrays where rows, weights and impurities of nodes were not kept (decision 38).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from venire.ensembles.forest.base import ForestBase, ForestClassifierBase
from venire.ensembles.forest.estimators import ExtraTreesClassifier, ExtraTreesRegressor
from venire.errors import UsageError
from venire.models.tree.arrays import TreeArrays
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from venire.sklearn_private import compiled_tree

_CRITERIA = {"variance": "squared_error", "absolute": "absolute_error", "gain_ratio": "entropy", "error": "gini"}


def to_sklearn_trees(model: Any) -> Any:
    """A fitted tree or forest as scikit-learn's own class, which predicts by the same nodes.

    For `plot_tree`, `export_text`, `shap.TreeExplainer`, `treelite`, `skl2onnx` or `dtreeviz`. One thing differs:
    scikit-learn rounds rows to single precision before it asks a tree.

    Parameters
    ----------
    model
        A fitted `DecisionTreeClassifier`, `DecisionTreeRegressor`, `RandomForest…` or `ExtraTrees…`, without splits by
        categories or combinations, costs and hard votes. shap and plots need a forest's `with_node_statistics`.

    Returns
    -------
    sklearn.tree.DecisionTreeClassifier or its like
        With `tree_` (or `estimators_`) and everything else that a fit leaves behind.

    Examples
    --------
    >>> from sklearn.tree import export_text
    >>> from venire import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> print(export_text(to_sklearn_trees(tree), feature_names=["size"], decimals=1), end="")
    |--- size <= 2.5
    |   |--- class: a
    |--- size >  2.5
    |   |--- class: b
    """
    if not isinstance(model, DecisionTreeClassifier | DecisionTreeRegressor | ForestBase):
        raise UsageError(
            f"to_sklearn_trees takes a tree or a forest of venire; got {type(model).__name__}",
            hint="venire.export.to_sklearn has any model of a verdict as a pipeline",
        )
    model._refuse_several("to_sklearn_trees")
    if getattr(model, "costs", None) is not None or getattr(model, "voting", "soft") == "hard":
        raise UsageError(
            "scikit-learn's trees know neither costs nor hard votes",
            code="no_such_trees",
            hint="fit without them, or keep the model as it is",
        )
    if isinstance(model, ForestBase):
        return _forest(model)
    return _tree(model, model.tree_)


def _tree(model: Any, arrays: TreeArrays) -> Any:
    from sklearn import tree as theirs  # few need it

    classes = hasattr(model, "classes_")
    made = (theirs.DecisionTreeClassifier if classes else theirs.DecisionTreeRegressor)()
    made.set_params(**_parameters(model, made))
    _leave_behind(made, model)
    made.tree_ = arrays if arrays.statistics is None else compiled_tree(arrays, arrays.statistics)
    made.max_features_ = model.n_features_in_
    return made


def _forest(model: ForestBase) -> Any:
    from sklearn import ensemble as theirs  # few need it

    extra = isinstance(model, ExtraTreesClassifier | ExtraTreesRegressor)
    kind = "Classifier" if isinstance(model, ForestClassifierBase) else "Regressor"
    made = getattr(theirs, f"{'ExtraTrees' if extra else 'RandomForest'}{kind}")()
    made.set_params(**{**_parameters(model, made), "n_estimators": model.n_trees_, "bootstrap": bool(model.bootstrap)})
    _leave_behind(made, model)
    made.estimators_ = [_tree(member, member.tree_) for member in model.estimators_]
    made.estimator_ = type(made.estimators_[0])()
    if kind == "Classifier":  # a forest's trees speak of classes by their numbers
        for member in made.estimators_:
            member.classes_ = np.arange(model.n_classes_, dtype=np.float64)
    return made


def _parameters(model: Any, made: Any) -> dict[str, Any]:
    """What both call the same, but for seeds: nothing random is left."""
    given, known = model.get_params(deep=False), made.get_params(deep=False)
    shared = {name: given[name] for name in known if name in given and name not in ("random_state", "oob_score")}
    shared["criterion"] = _CRITERIA.get(given["criterion"], given["criterion"])
    for name in ("splitter", "max_features", "max_samples", "bootstrap"):
        if name in shared and not _theirs(name, shared[name]):
            del shared[name]
    return shared


def _theirs(name: str, value: Any) -> bool:
    """Whether scikit-learn has this value, too."""
    if name == "splitter":
        return isinstance(value, str)
    return bool(value != ("log2+1" if name == "max_features" else "balanced"))


def _leave_behind(made: Any, model: Any) -> None:
    made.n_features_in_, made.n_outputs_ = model.n_features_in_, 1
    if hasattr(model, "feature_names_in_"):
        made.feature_names_in_ = model.feature_names_in_
    if hasattr(model, "classes_"):
        made.classes_, made.n_classes_ = model.classes_, model.n_classes_
