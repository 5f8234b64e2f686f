"""AdaBoost's trees from the compiled core: bins and codes are made once and serve every round.

Taken for our own decision tree without class weights of its own; any other member is fitted by itself, round by round.
Both ways give the same trees where every column has no more distinct values than bins. Otherwise the bins here are cut
once, by the weights of the first round. Two kinds of plain trees on numeric columns have a quicker way: of two classes
by gradient statistics, which comes to the same splits, and stumps of many classes by sums of whole classes, which gives
the same stumps. Their rounds can be left to the core altogether (`TreeRounds.boosting`). Others grow as every decision
tree does.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import AdaBoosting, AdaMembers, Bins, Forest
from venire.ensembles.members import seeded
from venire.models.input import read_fit
from venire.models.tree.estimators import DecisionTreeClassifier
from venire.models.tree.growth import NO_LIMIT, Growth, Problem, draw_seed, shared_settings, thread_count

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
        self._members = None if categorical.any() or not _is_plain(member) else _members(member, bins, problem)
        self._columns = len(categorical)

    @cached_property
    def _growth(self) -> Growth:
        return Growth(**shared_settings(seeded(self._member, 0), len(self._rows), self._columns))

    def grow(self, weights: Floats, seed: int) -> tuple[Forest, NDArray[np.bool_]]:
        """The tree for these weights of the rows, and which rows it gets wrong."""
        if self._members is not None:
            return self._members.grow(weights)
        growth, member = self._growth, self._member
        if member.splitter != "best" or member.max_features is not None:  # it draws
            growth = replace(growth, seed=draw_seed(seeded(member, seed).random_state))
        tree = growth.grow(self._bins, None, replace(self._problem, weights=weights))
        assert self._problem.labels is not None
        wrong = np.zeros(self._bins.rows, dtype=bool)
        shares = tree.average_coded(self._bins, self._rows, [1], votes=False, threads=growth.threads)[0]
        wrong[self._rows] = shares.argmax(axis=1) != self._problem.labels[self._rows]
        return tree, wrong

    def boosting(
        self, rows: NDArray[np.intp], weights: Floats, total: float, *, algorithm: str, when_weak: str
    ) -> AdaBoosting | None:
        """All rounds in the core, where they can be; `weights` are those of `rows`, one each, and sum to one."""
        if self._members is None:
            return None
        return AdaBoosting.of(
            self._members, rows, weights, total=total, samme=algorithm == "SAMME", when_weak=when_weak
        )


class NativeTrees:
    """Decision trees for one table as estimators, each for weights of its own."""

    def __init__(self, member: DecisionTreeClassifier, X: Any, y: NDArray[Any], weights: Floats) -> None:
        self._member, self._pattern = member, seeded(member, 0)
        self._pattern._validate_params()
        matrix, y, self._pattern._layout = read_fit(
            self._pattern, X, y, member.categorical_features, numeric_target=False, sparse=True
        )
        problem = self._pattern._problem(y, matrix, weights, None)
        mask = self._pattern._layout.categorical
        self._rounds = TreeRounds(member, self._pattern._bins(matrix, problem), problem, mask)

    def fit(self, weights: Floats, seed: int) -> tuple[DecisionTreeClassifier, NDArray[np.bool_]]:
        """The tree for these weights, and which rows it gets wrong."""
        tree = DecisionTreeClassifier()
        tree.__dict__.update(vars(self._pattern))
        tree.random_state = seeded(self._member, seed).random_state
        tree._forest, wrong = self._rounds.grow(np.ascontiguousarray(weights, dtype=np.float64), seed)
        return tree, wrong


def _members(member: DecisionTreeClassifier, bins: Bins, problem: Problem) -> AdaMembers | None:
    """The quick way to grow a plain member, if there is one."""
    assert problem.labels is not None
    threads = thread_count(member.n_jobs)
    if problem.classes != 2:
        stump = member.max_depth == 1 and member.max_leaf_nodes is None and member.min_samples_leaf == 1
        return AdaMembers.stumps(bins, problem.labels, classes=problem.classes, threads=threads) if stump else None
    return AdaMembers.two_classes(
        bins,
        problem.labels,
        max_depth=NO_LIMIT if member.max_depth is None else int(member.max_depth),
        max_leaf_nodes=NO_LIMIT if member.max_leaf_nodes is None else int(member.max_leaf_nodes),
        min_samples_leaf=float(member.min_samples_leaf),
        threads=threads,
    )


def _is_plain(member: DecisionTreeClassifier) -> bool:
    plain = all(getattr(member, name) == value for name, value in _PLAIN.items())
    return plain and isinstance(member.min_samples_leaf, int)


def serves(member: Any) -> bool:
    """Whether the core grows this member on shared bins."""
    return type(member) is DecisionTreeClassifier and member.class_weight is None


def native_trees(member: Any, X: Any, y: NDArray[Any], weights: Floats) -> NativeTrees | None:
    """The rounds of the core for this member, where they serve it."""
    return NativeTrees(member, X, y, weights) if serves(member) else None
