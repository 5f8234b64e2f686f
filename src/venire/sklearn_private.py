"""What venire takes from scikit-learn's private modules, all of it, so that a change there is mended here.

None of these has a public counterpart. Beside the names below, our estimators state their `_parameter_constraints` and
call `_validate_params`, as those of scikit-learn do. `tests/test_sklearn_private.py` says what we rely on, and CI runs
it with the oldest and the newest scikit-learn that is allowed.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.svm import SVC, SVR
from sklearn.tree._tree import Tree
from sklearn.utils._param_validation import HasMethods, Interval, InvalidParameterError, RealNotInt, StrOptions
from sklearn.utils.metaestimators import _BaseComposition as Composition
from sklearn.utils.multiclass import _check_partial_fit_first_call as check_partial_fit_first_call
from sklearn.utils.validation import _check_sample_weight as check_sample_weight
from sklearn.utils.validation import _num_samples as num_samples


def kernel_heights(machine: Any, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """`decision_function` of an `SVC` with "ovo", for checked rows: its own checks take longer than a row."""
    _check_vectors(machine)
    heights = machine._dense_decision_function(X)
    return np.asarray(-heights.ravel() if len(machine.classes_) == 2 else heights)


def kernel_numbers(machine: Any, X: NDArray[np.float64]) -> NDArray[np.float64]:
    """`predict` of an `SVR`, for rows that were checked."""
    _check_vectors(machine)
    return np.asarray(machine._dense_predict(np.ascontiguousarray(X, dtype=np.float64)))


class QuietSVC(SVC):  # type: ignore[misc]  # scikit-learn has no types
    """A machine that `n_iter_` alone tells to be unfinished: filters of warnings belong to all threads."""

    def _warn_from_fit_status(self) -> None:
        pass


class QuietSVR(SVR):  # type: ignore[misc]  # scikit-learn has no types
    """The same for numbers."""

    def _warn_from_fit_status(self) -> None:
        pass


def _check_vectors(machine: Any) -> None:
    # libsvm would read beyond its memory (CVE-2020-28975).
    counts = machine._n_support  # of an SVR, its own number twice
    if int(counts.sum() if hasattr(machine, "classes_") else counts[0]) != len(machine.support_vectors_):
        raise ValueError(f"the support vectors of {type(machine).__name__} were altered")


def compiled_tree(arrays: Any, kept: Any) -> Any:
    """scikit-learn's compiled tree of the arrays of ours, made as one is that was pickled.

    `kept` are rows, weights and impurities of the nodes, which scikit-learn's tree always has.
    """
    tree = Tree(arrays.n_features, np.array(arrays.n_classes, dtype=np.intp), arrays.n_outputs)
    rows, weights, impurities = kept
    found = {
        "left_child": arrays.children_left,
        "right_child": arrays.children_right,
        "feature": arrays.feature,
        "threshold": arrays.threshold,
        "impurity": impurities,
        "n_node_samples": rows,
        "weighted_n_node_samples": weights,
        "missing_go_to_left": arrays.missing_go_to_left,
    }
    nodes = np.zeros(arrays.node_count, dtype=tree.__getstate__()["nodes"].dtype)
    for name, values in found.items():
        nodes[name] = values
    values = np.array(arrays.value, dtype=np.float64, order="C")
    shape = {"max_depth": arrays.max_depth, "node_count": arrays.node_count}
    tree.__setstate__({**shape, "nodes": nodes, "values": values})
    return tree


# What model files keep of estimators of scikit-learn beside their public attributes: predicting reads these.
STORED: Mapping[str, tuple[str, ...]] = {
    "DummyClassifier": ("_strategy",),
    "MLPClassifier": ("_label_binarizer",),
    "RidgeClassifier": ("_label_binarizer",),
    "SVC": ("_n_support", "_dual_coef_", "_intercept_", "_probA", "_probB", "_gamma", "_num_iter"),
    "SVR": ("_n_support", "_dual_coef_", "_intercept_", "_probA", "_probB", "_gamma", "_num_iter"),
    "TransformedTargetRegressor": ("_training_dim",),
}

__all__ = [
    "STORED",
    "Composition",
    "HasMethods",
    "Interval",
    "InvalidParameterError",
    "QuietSVC",
    "QuietSVR",
    "RealNotInt",
    "StrOptions",
    "check_partial_fit_first_call",
    "check_sample_weight",
    "compiled_tree",
    "kernel_heights",
    "kernel_numbers",
    "num_samples",
]
