"""One decision tree: grown once a trial, every pruning level read off it.

A level c is a share of the root's impurity, so that the same path means the same thing for any target and every
training part resolves it by its own rows: c = 0 is the full tree, c ≥ 1 the root alone. Cutting at c equals
refitting with `ccp_alpha = c · impurity(root)`.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline

from venire.data.table import Table
from venire.validation.family import Cancel, Setting
from venire.validation.generic import Fit, GenericFamily, Predicted, Prepared


def pruning_levels(table: Table) -> tuple[Setting, ...]:
    """Twenty levels, from a tree of a few leaves to the full one."""
    levels = [*np.geomspace(0.1, 1e-4, 19).tolist(), 0.0]
    return tuple(Setting(f"c = {c:.2g}", {"level": c}) for c in levels)


class TreeFamily(GenericFamily):
    """The path is the pruning level."""

    def fit_path(
        self,
        prepared: Prepared,
        X: NDArray[np.float64],
        y: NDArray[Any],
        parts: list[NDArray[np.float64]],
        seed: int,
        cancel: Cancel,
    ) -> Iterator[Fit]:
        """Grow once; a row's prediction at a level is that of the first node on its way that the level collapses."""
        cancel()
        fitted = self._estimator(prepared.table, Setting("full"), seed).fit(X, y)
        classes = np.asarray(getattr(fitted, "classes_", []))
        collapse = collapse_levels(fitted.tree_)
        leaves = [fitted.apply(part) for part in parts]
        for setting in prepared.settings:
            stop = _stopping_nodes(fitted.tree_, collapse, float(setting.params["level"]) * fitted.tree_.impurity[0])
            yield [(classes, _values(fitted, stop[leaf])) for leaf in leaves]

    def pipeline(self, table: Table, setting: Setting, seed: int) -> Pipeline:
        """The plain definition; the level is resolved on the rows it is fitted on."""
        tree = self._estimator(table, Setting("full"), seed)
        root = tree.set_params(max_depth=1).fit(np.zeros((table.rows, 1)), table.y).tree_.impurity[0]
        tree.set_params(max_depth=None, ccp_alpha=float(setting.params["level"]) * root)
        return make_pipeline(self._encoder(table), tree)

    def _fits(self, settings: int) -> float:
        return 1.0


def collapse_levels(tree: Any) -> NDArray[np.float64]:
    """For every node the α at which cost-complexity pruning turns it into a leaf (∞ for a leaf): weakest link first.

    A heap of weakest links with stale entries skipped; cutting a node changes only its ancestors.
    """
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    risk = (tree.impurity * tree.weighted_n_node_samples / tree.weighted_n_node_samples[0]).tolist()
    count = tree.node_count
    parent, leaves, below = [-1] * count, [1] * count, list(risk)
    inner = [node for node in range(count) if left[node] >= 0]
    for node in reversed(inner):  # children have larger numbers than their parent
        a, b = left[node], right[node]
        parent[a] = parent[b] = node
        leaves[node] = leaves[a] + leaves[b]
        below[node] = below[a] + below[b]
    version = [0] * count
    heap = [((risk[node] - below[node]) / (leaves[node] - 1), node, 0) for node in inner]
    heapq.heapify(heap)
    level = np.full(count, np.inf)
    reached = 0.0
    while heap:
        gain, node, made = heapq.heappop(heap)
        if made != version[node] or level[node] < np.inf:
            continue
        reached = max(reached, gain)
        _collapse(node, left, right, level, reached)
        lost_leaves, lost_risk = leaves[node] - 1, risk[node] - below[node]
        node = parent[node]
        while node >= 0:
            leaves[node] -= lost_leaves
            below[node] += lost_risk
            version[node] += 1
            if leaves[node] > 1:
                heapq.heappush(heap, ((risk[node] - below[node]) / (leaves[node] - 1), node, version[node]))
            node = parent[node]
    return level


def _collapse(node: int, left: list[int], right: list[int], level: NDArray[np.float64], reached: float) -> None:
    """A node and all below it become one leaf."""
    stack = [node]
    while stack:
        top = stack.pop()
        if left[top] >= 0 and level[top] == np.inf:
            level[top] = reached
            stack += [left[top], right[top]]


def _stopping_nodes(tree: Any, collapse: NDArray[np.float64], alpha: float) -> NDArray[np.intp]:
    """For every node, where a row that would reach it stops at this α."""
    stop = np.arange(tree.node_count)
    layer = np.array([0])
    while len(layer):
        layer = layer[tree.children_left[layer] >= 0]
        ended = (stop[layer] != layer) | (collapse[layer] <= alpha)
        for children in (tree.children_left[layer], tree.children_right[layer]):
            stop[children[ended]] = stop[layer[ended]]
        layer = np.concatenate([tree.children_left[layer], tree.children_right[layer]])
    return stop


def _values(fitted: Any, nodes: NDArray[np.intp]) -> Predicted:
    value = fitted.tree_.value[nodes, 0, :]
    if not hasattr(fitted, "classes_"):
        return Predicted(value, None)
    shares = value / value.sum(axis=1, keepdims=True)
    return Predicted(shares, fitted.classes_[shares.argmax(axis=1)])
