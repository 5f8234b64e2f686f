"""AdaBoost's trees from the compiled core: bins, codes and row lists are made once and serve every round.

Taken for two classes, numeric columns, and our own decision tree with the settings below; any other member is
fitted by itself, round by round. Both ways give the same trees where every column has no more distinct values than
bins. Otherwise the bins here are cut once, by the weights of the first round.
"""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import AdaRounds, Bins
from venire.ensembles.members import seeded
from venire.models.input import read_fit
from venire.models.tree import DecisionTreeClassifier
from venire.models.tree_growth import NO_LIMIT, thread_count

Floats = NDArray[np.float64]

# What the core's rounds do not know must be at its default.
_PLAIN: dict[str, Any] = {
    "criterion": "gini",
    "splitter": "best",
    "min_samples_split": 2,
    "min_weight_fraction_leaf": 0.0,
    "max_features": None,
    "min_impurity_decrease": 0.0,
    "class_weight": None,
    "ccp_alpha": 0.0,
}


class NativeTrees:
    """Decision trees for two classes on one table, each for weights of its own."""

    def __init__(self, member: DecisionTreeClassifier, X: Any, y: NDArray[Any], weights: Floats) -> None:
        self._pattern = seeded(member, 0)
        self._pattern._validate_params()
        matrix, y, self._pattern._layout = read_fit(
            self._pattern, X, y, member.categorical_features, numeric_target=False
        )
        problem = self._pattern._problem(y, matrix, weights, None)
        self.serves = problem.classes == 2 and not self._pattern._layout.categorical.any()
        if not self.serves:
            return
        threads = thread_count(member.n_jobs)
        mask = self._pattern._layout.categorical
        bins = Bins.of(matrix, mask, problem.weights, max_bins=member.max_bins, threads=threads)
        self._rounds = AdaRounds.of(
            bins,
            np.asarray(problem.labels, dtype=np.uint8),
            max_depth=NO_LIMIT if member.max_depth is None else int(member.max_depth),
            max_leaf_nodes=NO_LIMIT if member.max_leaf_nodes is None else int(member.max_leaf_nodes),
            min_samples_leaf=float(member.min_samples_leaf),
            threads=threads,
        )

    def fit(self, weights: Floats) -> tuple[DecisionTreeClassifier, NDArray[np.bool_]]:
        """The tree for these weights, and which rows it gets wrong."""
        tree = copy.copy(self._pattern)
        tree._forest, wrong = self._rounds.round(np.ascontiguousarray(weights, dtype=np.float64))
        return tree, wrong


def native_trees(member: Any, X: Any, y: NDArray[Any], weights: Floats) -> NativeTrees | None:
    """The rounds of the core for this member, where they serve it."""
    if type(member) is not DecisionTreeClassifier:
        return None
    settings = member.get_params(deep=False)
    plain = all(settings[name] == value for name, value in _PLAIN.items())
    if not plain or not isinstance(settings["min_samples_leaf"], int):
        return None
    trees = NativeTrees(member, X, y, weights)
    return trees if trees.serves else None
