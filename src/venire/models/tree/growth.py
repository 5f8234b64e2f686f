"""Settings in scikit-learn's words, and the one call that grows trees in the compiled core."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state, compute_sample_weight

from venire._core import Bins, Edges, Forest
from venire.data.store.stored_matrix import is_stored
from venire.errors import UsageError
from venire.models.sparse import is_sparse
from venire.sklearn_private import check_sample_weight

NO_LIMIT = 2**32 - 1
# From so many rows a class on, the sums of the large nodes take less room than the codes of all rows.
STREAMED_ROWS = 32_768
# scikit-learn's words for the criteria we name after the textbook.
# Friedman's gain, w·w'(m − m')²/(w + w'), is the decrease of variance; it differs only for several targets.
ALIASES = {
    "log_loss": "entropy",
    "squared_error": "variance",
    "friedman_mse": "variance",
    "absolute_error": "absolute",
}


@dataclass(frozen=True, slots=True)
class TreeStream:
    """The random numbers of one tree of a forest; as `random_state`, it grows that tree again from the same rows."""

    seed: int
    tree: int


@dataclass(frozen=True, slots=True)
class Problem:
    """The target as the core takes it: class codes, or numbers; and the weights of the rows (None: all 1)."""

    classes: int
    labels: NDArray[np.int32] | None
    y: NDArray[np.float64] | None
    weights: NDArray[np.float64] | None
    targets: int = 1  # columns of y, one row after the other
    joint: int = 0  # how many targets share the trees; 0 for the usual one

    def as_arguments(self) -> dict[str, Any]:
        """Keyword arguments of the core that draws rows: of several targets, the first stands for all."""
        y = self.y if self.y is None or self.targets == 1 else np.ascontiguousarray(self.y[:: self.targets])
        return {"classes": self.classes, "labels": self.labels, "y": y, "weights": self.weights}

    def to_grow(self) -> dict[str, Any]:
        """Keyword arguments of the core that grows trees."""
        one = {"classes": self.classes, "labels": self.labels, "y": self.y, "weights": self.weights}
        return {**one, "targets": self.targets, "joint": self.joint} if self.joint else one


@dataclass(frozen=True, slots=True)
class Growth:
    """Everything a call of the core needs besides the data, resolved to plain numbers."""

    criterion: str
    max_depth: int = NO_LIMIT
    min_samples_split: int = 2
    min_samples_leaf: int = 1
    min_weight_fraction_leaf: float = 0.0
    max_features: int = NO_LIMIT
    skip_constant: bool = False
    max_leaf_nodes: int = NO_LIMIT
    min_impurity_decrease: float = 0.0
    ccp_alpha: float = 0.0
    multiway: bool = False
    random_cuts: bool = False
    among_best: int = 1
    combined: int = 0
    sampling: str = "all"
    draws: int = 0
    seed: int = 0
    first: int = 0
    count: int = 1
    keep_stats: bool = True
    threads: int = 1

    def with_trees(self, first: int, count: int) -> Growth:
        """The same settings for trees `first` … `first + count − 1`."""
        return replace(self, first=first, count=count)

    def streams(self, matrix: NDArray[Any], problem: Problem) -> bool:
        """Can one tree grow from edges and the matrix, without the codes of all rows, and does that save memory?"""
        if is_sparse(matrix) or is_stored(matrix):
            return False
        rows, columns = matrix.shape
        plain = self.among_best == 1 and not self.random_cuts and self.max_leaf_nodes == NO_LIMIT
        every = self.max_features >= columns and problem.classes > 0 and problem.weights is None
        return plain and every and rows >= STREAMED_ROWS * problem.classes

    def grow(self, bins: Bins | Edges, matrix: NDArray[Any] | None, problem: Problem) -> Forest:
        """Grow the trees. The matrix is needed for combinations, and with edges."""
        settings = {name: getattr(self, name) for name in self.__dataclass_fields__}
        needed = self.combined > 0 or isinstance(bins, Edges)
        if needed and is_stored(matrix):
            matrix = np.asarray(matrix)
        return Forest.grow(bins, matrix if needed else None, **problem.to_grow(), **settings)

    def sampling_arguments(self) -> dict[str, Any]:
        """What it takes to draw the samples of these trees again."""
        return {"sampling": self.sampling, "draws": self.draws, "seed": self.seed}


def shared_settings(estimator: Any, rows: int, columns: int) -> dict[str, Any]:
    """The settings that trees and forests have in common, with fractions turned into numbers of rows and columns."""
    splitter = getattr(estimator, "splitter", "best")
    seed, first = first_stream(estimator.random_state)
    return {
        "criterion": ALIASES.get(estimator.criterion, estimator.criterion),
        "max_depth": NO_LIMIT if estimator.max_depth is None else min(int(estimator.max_depth), NO_LIMIT),
        "min_samples_split": max(2, _rows(estimator.min_samples_split, rows)),
        "min_samples_leaf": _rows(estimator.min_samples_leaf, rows),
        "min_weight_fraction_leaf": float(estimator.min_weight_fraction_leaf),
        "max_features": resolve_max_features(estimator.max_features, columns),
        "skip_constant": getattr(estimator, "constant_columns", "count") == "skip",
        "max_leaf_nodes": NO_LIMIT
        if estimator.max_leaf_nodes is None
        else min(int(estimator.max_leaf_nodes), NO_LIMIT),
        "min_impurity_decrease": float(estimator.min_impurity_decrease),
        "ccp_alpha": float(estimator.ccp_alpha),
        "multiway": estimator.categorical == "multiway",
        "random_cuts": splitter == "random",
        "among_best": int(splitter) if isinstance(splitter, Integral) else 1,
        "seed": seed,
        "first": first,
        "threads": thread_count(estimator.n_jobs),
    }


def resolve_max_features(wish: Any, columns: int) -> int:
    """The number q of columns to look at per node.

    >>> [resolve_max_features(q, 30) for q in ("log2+1", "sqrt", "log2", 0.5, 7, None)]
    [5, 5, 4, 15, 7, 30]
    """
    if wish is None:
        return columns
    if isinstance(wish, str):
        by_name = {
            "log2+1": int(math.log2(columns)) + 1,
            "sqrt": int(math.sqrt(columns)),
            "log2": int(math.log2(columns)),
        }
        return min(columns, max(1, by_name[wish]))
    if isinstance(wish, Integral):
        return min(columns, int(wish))
    return max(1, int(wish * columns))


def _rows(wish: Any, rows: int) -> int:
    return int(wish) if isinstance(wish, Integral) else math.ceil(wish * rows)


def thread_count(n_jobs: int | None) -> int:
    """scikit-learn's rule: None is 1, −1 is all processors this process may use, −2 all but one."""
    if n_jobs is None:
        return 1
    if n_jobs == 0:
        raise UsageError("n_jobs is 0: give a positive number, or -1 for all processors")
    if n_jobs > 0:
        return int(n_jobs)
    from venire.validation.jobs import job_count  # which loads all of validation, for those who ask for all cores

    return max(1, job_count(None) + 1 + int(n_jobs))


def first_stream(random_state: Any) -> tuple[int, int]:
    """The seed of the trees, and the number of the first."""
    if isinstance(random_state, TreeStream):
        return random_state.seed, random_state.tree
    return draw_seed(random_state), 0


def draw_seed(random_state: Any) -> int:
    """One 63-bit seed from whatever scikit-learn accepts as a random state."""
    return int(check_random_state(random_state).randint(0, np.iinfo(np.int64).max, dtype=np.int64))


def combined_weights(
    sample_weight: Any, class_weight: Any, matrix: NDArray[Any], y: NDArray[Any]
) -> NDArray[np.float64] | None:
    """Example weights times class weights; None when every row counts 1."""
    weights = None
    if sample_weight is not None:
        weights = check_sample_weight(sample_weight, matrix, dtype=np.float64, ensure_non_negative=True)
    if class_weight is not None:
        class_weight = "balanced" if class_weight == "balanced_subsample" else class_weight
        per_row = compute_sample_weight(class_weight, y)
        weights = per_row if weights is None else weights * per_row
    return None if weights is None else np.ascontiguousarray(weights, dtype=np.float64)
