"""AdaBoost's trees from the compiled core: bins and codes are made once and serve every round.

Taken for our own decision tree without class weights of its own; any other member is fitted by itself, round by round.
Both ways give the same trees where every column has no more distinct values than bins. Otherwise the bins here are cut
once, by the weights of the first round. Plain trees of two classes and numeric columns grow by gradient statistics,
which is quicker and comes to the same splits; others grow as every decision tree does.
"""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import AdaRounds, Bins, Forest
from venire.ensembles.members import seeded
from venire.models.input import read_fit
from venire.models.tree import DecisionTreeClassifier
from venire.models.tree_growth import NO_LIMIT, Growth, Problem, draw_seed, shared_settings, thread_count

Floats = NDArray[np.float64]

# What the rounds by gradient statistics do not know must be at its default.
_PLAIN: dict[str, Any] = {
    "criterion": "gini",
    "splitter": "best",
    "min_samples_split": 2,
    "min_weight_fraction_leaf": 0.0,
    "max_features": None,
    "min_impurity_decrease": 0.0,
    "ccp_alpha": 0.0,
}


class TreeRounds:
    """Trees on one set of bins, each for weights of its own. `problem.weights` are those of the first round."""

    def __init__(
        self, member: DecisionTreeClassifier, bins: Bins, problem: Problem, categorical: NDArray[np.bool_]
    ) -> None:
        self._member, self._bins, self._problem = member, bins, problem
        assert problem.labels is not None  # boosted are classes
        weights = problem.weights
        self._rows = np.arange(bins.rows) if weights is None else np.flatnonzero(weights > 0)
        self._rounds: AdaRounds | None = None
        if problem.classes == 2 and not categorical.any() and _is_plain(member):
            self._rounds = AdaRounds.of(
                bins,
                np.asarray(problem.labels, dtype=np.uint8),
                max_depth=NO_LIMIT if member.max_depth is None else int(member.max_depth),
                max_leaf_nodes=NO_LIMIT if member.max_leaf_nodes is None else int(member.max_leaf_nodes),
                min_samples_leaf=float(member.min_samples_leaf),
                threads=thread_count(member.n_jobs),
            )
        self._growth = Growth(**shared_settings(seeded(member, 0), len(self._rows), len(categorical)))
        self._random = member.splitter != "best" or member.max_features is not None

    def grow(self, weights: Floats, seed: int) -> tuple[Forest, NDArray[np.bool_]]:
        """The tree for these weights of the rows, and which rows it gets wrong."""
        if self._rounds is not None:
            return self._rounds.round(weights)
        growth = self._growth
        if self._random:
            growth = replace(growth, seed=draw_seed(seeded(self._member, seed).random_state))
        tree = growth.grow(self._bins, None, replace(self._problem, weights=weights))
        assert self._problem.labels is not None
        wrong = np.zeros(self._bins.rows, dtype=bool)
        shares = tree.average_coded(self._bins, self._rows, [1], votes=False, threads=growth.threads)[0]
        wrong[self._rows] = shares.argmax(axis=1) != self._problem.labels[self._rows]
        return tree, wrong


class NativeTrees:
    """Decision trees for one table as estimators, each for weights of its own."""

    def __init__(self, member: DecisionTreeClassifier, X: Any, y: NDArray[Any], weights: Floats) -> None:
        self._pattern = seeded(member, 0)
        self._pattern._validate_params()
        matrix, y, self._pattern._layout = read_fit(
            self._pattern, X, y, member.categorical_features, numeric_target=False
        )
        problem = self._pattern._problem(y, matrix, weights, None)
        mask = self._pattern._layout.categorical
        threads = thread_count(member.n_jobs)
        bins = Bins.of(matrix, mask, problem.weights, max_bins=member.max_bins, threads=threads)
        self._rounds = TreeRounds(member, bins, problem, mask)

    def fit(self, weights: Floats, seed: int) -> tuple[DecisionTreeClassifier, NDArray[np.bool_]]:
        """The tree for these weights, and which rows it gets wrong."""
        tree = copy.copy(self._pattern)
        tree._forest, wrong = self._rounds.grow(np.ascontiguousarray(weights, dtype=np.float64), seed)
        return tree, wrong


def _is_plain(member: DecisionTreeClassifier) -> bool:
    plain = all(getattr(member, name) == value for name, value in _PLAIN.items())
    return plain and isinstance(member.min_samples_leaf, int)


def serves(member: Any) -> bool:
    """Whether the core grows this member on shared bins."""
    return type(member) is DecisionTreeClassifier and member.class_weight is None


def native_trees(member: Any, X: Any, y: NDArray[Any], weights: Floats) -> NativeTrees | None:
    """The rounds of the core for this member, where they serve it."""
    return NativeTrees(member, X, y, weights) if serves(member) else None
