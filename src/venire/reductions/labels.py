"""Several labels a row at once: an indicator of zeros and ones, a column a label, as one two-class problem each."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils.multiclass import type_of_target

from venire.ensembles.error_classes import SeveralTargets
from venire.ensembles.two_class import says_one
from venire.models.sparse import is_sparse

Floats = NDArray[np.float64]


def is_indicator(y: Any) -> bool:
    """Is this target an indicator of labels?

    >>> is_indicator(np.array([[0, 1], [1, 1]])), is_indicator(np.array([0, 1, 1]))
    (True, False)
    """
    if y is None:
        return False
    values = y if is_sparse(y) else np.asarray(y)  # y may be of a kind that numpy's functions do not take
    if values.ndim < 2:
        return False
    kind = type_of_target(values, input_name="y")
    if kind.endswith("multioutput"):
        raise SeveralTargets(
            f"Multioutput target data is not supported with label binarization: y is {kind}",
            code="several_targets",
            hint="fit one for each target, or see sklearn.multioutput",
        )
    return bool(kind == "multilabel-indicator")


def label_columns(y: Any) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """A named target of zeros and ones for every label; warns of labels that all rows have, or none."""
    by_label: Any = y.tocsc() if is_sparse(y) else np.asarray(y)
    for label in range(by_label.shape[1]):
        column: Any = by_label[:, [label]]
        found = (column.toarray() if is_sparse(column) else column).ravel() > 0
        if found.all() or not found.any():
            name = f"{label}" if found.all() else f"not {label}"
            warnings.warn(f"Label {name} is present in all training examples.", UserWarning, stacklevel=4)
        yield f"label {label}", found.astype(np.intp)


def indicator(sure: Floats, *, sparse: bool) -> Any:
    """The labels that are likelier than not, [row, label]."""
    found = (sure > 0.5).astype(np.intp)
    return csr_matrix(found) if sparse else found


def label_decision(member: Any, X: Any) -> Floats:
    """The decision value of a member; above 0 the row has its label."""
    if len(getattr(member, "classes_", (0, 1))) == 1:
        return np.full(X.shape[0], float(member.classes_[0]))
    if hasattr(member, "decision_function"):
        return np.asarray(member.decision_function(X), dtype=np.float64).ravel()
    return says_one(member, X) - 0.5
