"""A fitted tree as scikit-learn's arrays: what programs that draw, explain or translate trees read.

The arrays are made when they are asked for, from what the compiled core keeps. They are copies, and read-only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.utils.validation import check_array

from venire._core import Forest
from venire.errors import UsageError
from venire.models.sparse import by_rows
from venire.models.tree.targets import parted

Floats = NDArray[np.float64]
Numbers = NDArray[np.intp]

LEAF: Final = -1  # the child of a leaf, by scikit-learn's convention
UNDEFINED: Final = -2  # the column and the threshold of a leaf, likewise


@dataclass(frozen=True, slots=True, eq=False)
class TreeArrays:
    """A binary tree with thresholds, under the names of `sklearn.tree` (`tree_`). Node 0 is the root.

    A row goes left where `x[feature] <= threshold`; without a value it goes left where `missing_go_to_left` is 1.

    Attributes
    ----------
    n_features, n_outputs, n_classes, max_depth
        The number of columns, of targets, of the classes of each (1 for numbers), the longest way to a leaf.
    children_left, children_right, feature, threshold, missing_go_to_left
        The questions, [node]; −1 and −2 mark leaves.
    value
        What each node predicts, [node, target, class]: shares of the classes, or the number.
    statistics
        Rows, weight and impurity of the nodes; None for the trees of a large forest, which do not keep them.

    Examples
    --------
    >>> from venire import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]).tree_
    >>> tree.children_left.tolist(), tree.threshold.tolist(), tree.n_node_samples.tolist()
    ([1, -1, -1], [2.5, -2.0, -2.0], [4, 2, 2])
    """

    n_features: int
    n_outputs: int
    n_classes: Numbers
    max_depth: int
    children_left: Numbers
    children_right: Numbers
    feature: Numbers
    threshold: Floats
    missing_go_to_left: NDArray[np.uint8]
    value: Floats
    statistics: tuple[NDArray[np.int64], Floats, Floats] | None = None

    @property
    def node_count(self) -> int:
        """The number of nodes."""
        return len(self.children_left)

    @property
    def n_leaves(self) -> int:
        """The number of leaves."""
        return int((self.children_left == LEAF).sum())

    @property
    def max_n_classes(self) -> int:
        """The number of classes; 1 for numbers."""
        return int(self.n_classes.max())

    @property
    def capacity(self) -> int:
        """The number of nodes there is room for: that of the nodes."""
        return self.node_count

    @property
    def n_node_samples(self) -> NDArray[np.int64]:
        """How many training rows reached each node."""
        counts: NDArray[np.int64] = self._statistic(0)
        return counts

    @property
    def weighted_n_node_samples(self) -> Floats:
        """Their weight."""
        weights: Floats = self._statistic(1)
        return weights

    @property
    def impurity(self) -> Floats:
        """How mixed they were, by the criterion of the tree."""
        impurities: Floats = self._statistic(2)
        return impurities

    def _statistic(self, which: int) -> Any:
        if self.statistics is None:
            raise UsageError(
                "the trees of a large forest do not keep the rows, weights and impurities of their nodes",
                code="no_statistics",
                hint="forest.with_node_statistics(X, y), with the data of fit, is the same forest with them",
            )
        return self.statistics[which]

    def apply(self, X: Any) -> Numbers:
        """The number of the leaf in which each row ends."""
        scalars = [np.float32, np.float64]
        return by_rows(
            check_array(X, dtype=scalars, accept_sparse="csr", ensure_all_finite="allow-nan"), self._walk, axis=0
        )

    def _walk(self, matrix: NDArray[Any]) -> Numbers:
        at = np.zeros(len(matrix), dtype=np.intp)
        walking = np.arange(len(matrix)) if self.node_count > 1 else np.empty(0, dtype=np.intp)
        while walking.size:
            node = at[walking]
            seen = matrix[walking, self.feature[node]]
            left = np.where(np.isnan(seen), self.missing_go_to_left[node] == 1, seen <= self.threshold[node])
            at[walking] = np.where(left, self.children_left[node], self.children_right[node])
            walking = walking[self.children_left[at[walking]] != LEAF]
        return at

    def predict(self, X: Any) -> Floats:
        """What the leaf of each row says: [row, class], or [row, 1] for numbers; of several targets, of each."""
        said = np.asarray(self.value[self.apply(X)])
        return said[:, 0] if self.n_outputs == 1 else said

    def decision_path(self, X: Any) -> csr_matrix:
        """Which nodes each row passes, [row, node], 1 where it does."""
        parents = np.full(self.node_count, LEAF, dtype=np.intp)
        inner = np.flatnonzero(self.children_left != LEAF)
        parents[self.children_left[inner]] = parents[self.children_right[inner]] = inner
        return paths_up(self.apply(X), parents)

    def compute_feature_importances(self, normalize: bool = True) -> Floats:
        """The decrease of impurity that each column brought, as shares of the whole or of the weight."""
        weighed = self.weighted_n_node_samples * self.impurity
        inner = np.flatnonzero(self.children_left != LEAF)
        decrease = weighed[inner] - weighed[self.children_left[inner]] - weighed[self.children_right[inner]]
        found = np.bincount(self.feature[inner], weights=decrease, minlength=self.n_features)
        found = found / self.weighted_n_node_samples[0]
        total = found.sum()
        return np.asarray(found / total if normalize and total > 0 else found)


def paths_up(leaves: NDArray[Any], parents: Numbers) -> csr_matrix:
    """The nodes between the root and the leaf of each row: [row, node], 1 where it passes."""
    at = np.asarray(leaves, dtype=np.intp)
    rows, nodes = [np.arange(len(at))], [at]
    while True:
        above = parents[nodes[-1]]
        going_on = above != LEAF
        if not going_on.any():
            break
        rows.append(rows[-1][going_on])
        nodes.append(above[going_on])
    every = np.concatenate(rows), np.concatenate(nodes)
    ones = np.ones(len(every[0]), dtype=np.int64)
    return csr_matrix((ones, every), shape=(len(at), len(parents)))


def parents_of(forest: Forest, tree: int) -> Numbers:
    """The parent of each node of any tree, −1 for the root."""
    described = forest.describe(tree)
    parents = np.full(len(described), LEAF, dtype=np.intp)
    for number, node in enumerate(described):
        if node["branch"] != "leaf":
            parents[node["child"] : node["child"] + node["children"]] = number
    return parents


def read_arrays(forest: Forest, tree: int, columns: int, widths: Sequence[int] | None = None) -> TreeArrays:
    """The arrays of one tree; an error where it asks what a threshold cannot say."""
    nodes = forest.describe(tree)
    _refuse_other_questions(nodes)
    inner = np.array([node["branch"] != "leaf" for node in nodes])
    first = np.array([node["child"] for node in nodes], dtype=np.intp)
    values = _values(nodes, widths)
    kept = "rows" in nodes[0]
    return TreeArrays(
        n_features=columns,
        n_outputs=values.shape[1],
        n_classes=_fixed(np.array([values.shape[2]] if widths is None else widths, dtype=np.intp)),
        max_depth=forest.sizes(tree)[2],
        children_left=_fixed(np.where(inner, first, LEAF)),
        children_right=_fixed(np.where(inner, first + 1, LEAF)),
        feature=_fixed(np.array([node.get("feature", UNDEFINED) for node in nodes], dtype=np.intp)),
        threshold=_fixed(np.array([node.get("threshold", UNDEFINED) for node in nodes], dtype=np.float64)),
        missing_go_to_left=_fixed(np.array([node.get("missing_left", False) for node in nodes], dtype=np.uint8)),
        value=_fixed(values),
        statistics=_statistics(nodes) if kept else None,
    )


def _refuse_other_questions(nodes: list[dict[str, Any]]) -> None:
    for number, node in enumerate(nodes):
        if node["branch"] not in ("leaf", "threshold"):
            asked = "a sum of columns" if node["branch"] == "oblique" else f"the categories of column {node['feature']}"
            raise UsageError(
                f"tree_ holds thresholds of single columns, and node {number} asks about {asked}",
                code="no_threshold",
                hint="nodes_, rules() and export_text() of a tree show such questions; for tree_, "
                "encode categories as numbers (OneHotEncoder) and leave out combinations",
            )


def _values(nodes: list[dict[str, Any]], widths: Sequence[int] | None) -> Floats:
    """[node, target, class]; of inner nodes that keep none, NaN: no row ends there. Targets of fewer classes have 0."""
    leaf = next(node["value"] for node in nodes if "value" in node)
    nothing = [np.nan] * len(leaf)
    flat = np.array([node.get("value", nothing) for node in nodes], dtype=np.float64)
    if widths is None:
        return flat[:, None, :]
    values = np.zeros((len(nodes), len(widths), max(widths)))
    for target, part in enumerate(parted(flat, widths)):
        values[:, target, : part.shape[1]] = part
    return values


def _statistics(nodes: list[dict[str, Any]]) -> tuple[NDArray[np.int64], Floats, Floats]:
    rows = np.array([node["rows"] for node in nodes], dtype=np.int64)
    weight, impurity = (np.array([node[name] for node in nodes]) for name in ("weight", "impurity"))
    return _fixed(rows), _fixed(weight), _fixed(impurity)


def _fixed(array: NDArray[Any]) -> NDArray[Any]:
    array.setflags(write=False)
    return array
