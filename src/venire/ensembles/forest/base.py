"""What all forests share: growing, extending, looking out of the bag, and reading predictions off.

Every tree has its own stream of random numbers, so a forest's bytes depend on the seed alone: not on the number of
threads, and not on whether its trees came in one fit or in several (`warm_start`).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar, Final, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, hstack
from sklearn.metrics import accuracy_score
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_is_fitted

from venire._core import Bins, in_bag
from venire.ensembles.forest.rows_and_targets import drawn_again, refuse_sparse_target, sample_size, warn_of_unseen
from venire.ensembles.forest.single_trees import SingleTrees, unfitted_tree
from venire.errors import DataError, UsageError, VenireWarning
from venire.models.few_rows import require_fitted
from venire.models.input import read_fit
from venire.models.sparse import is_sparse
from venire.models.tree.arrays import parents_of, paths_up
from venire.models.tree.base import TREE_CLASSES, TREE_CONSTRAINTS, ClassesMixin, TreeEnsembleBase, logarithms
from venire.models.tree.growth import Growth, Problem, shared_settings, thread_count
from venire.models.tree.targets import one_target, parted
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import Fitted
from venire.states.constraints import array, either, maybe, number, optional, record, whole

FOREST_CONSTRAINTS: dict[str, list[Any]] = {
    **TREE_CONSTRAINTS,
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "bootstrap": ["boolean", StrOptions({"balanced"})],
    "max_samples": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0.0, None, closed="neither"), None],
    "oob_score": ["boolean", callable],
    "constant_columns": [StrOptions({"count", "skip"})],
    "combinations": [Interval(Integral, 2, None, closed="left"), None],
    "warm_start": ["boolean"],
    "verbose": ["verbose"],
}


GROWN: Fitted = {
    "_growth": record(Growth),
    "_drawn_from": optional(maybe(whole(low=1))),
    "oob_score_": optional(number(finite=False)),
    "oob_decision_function_": optional(
        either(array("f8", "rows", "classes", gaps=True), array("f8", "rows", None, None, gaps=True))
    ),
    "oob_prediction_": optional(either(array("f8", "rows", gaps=True), array("f8", "rows", None, gaps=True))),
}


# Up to so many rows times trees, nodes keep their rows, weights and impurities, which doubles the size of a forest.
SMALL: Final = 100_000


class ForestBase(TreeEnsembleBase):
    """Growing, extending and looking out of the bag."""

    _growth: Growth
    _random_cuts: ClassVar[bool] = False
    _takes_several: ClassVar[bool] = True
    n_estimators: int
    bootstrap: bool | str
    max_samples: int | float | None
    oob_score: Any
    combinations: int | None
    warm_start: bool
    _drawn_from: int | None = None  # the number of rows, where samples follow from it alone

    @property
    def n_trees_(self) -> int:
        """The number of trees grown."""
        check_is_fitted(self, "_forest")
        return self._forest.trees

    @property
    def estimators_(self) -> SingleTrees:
        """The trees, each a fitted `DecisionTreeClassifier` or `DecisionTreeRegressor` that is made when it is read."""
        check_is_fitted(self, "_forest")
        return SingleTrees(self)

    @property
    def estimators_samples_(self) -> list[NDArray[np.int32]]:
        """The rows that each tree was grown on, ascending, each as often as it was drawn."""
        check_is_fitted(self, "_forest")
        return drawn_again(self)

    @property
    def estimator(self) -> Any:
        """A tree with the settings of the trees, not fitted."""
        return unfitted_tree(self, None)

    @property
    def estimator_(self) -> Any:
        """The same of a fitted forest."""
        check_is_fitted(self, "_forest")
        return self.estimator

    def __len__(self) -> int:
        return self.n_trees_

    def __getitem__(self, place: int) -> Any:
        return self.estimators_[place]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    def decision_path(self, X: Any) -> tuple[csr_matrix, NDArray[np.int64]]:
        """Which nodes each row passes, [row, node] with the nodes of all trees, and where each tree's begin."""
        leaves = self.apply(X)
        trees = range(leaves.shape[1])
        paths = [paths_up(leaves[:, tree], parents_of(self._forest, tree)) for tree in trees]
        starts = np.cumsum([0, *(path.shape[1] for path in paths)])
        return hstack(paths).tocsr(), starts

    def with_node_statistics(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """The same forest, whose trees also keep the rows, weights and impurities of their nodes (`tree_`).

        Forests of more than 100,000 rows times trees leave these out, as they would double their size. Give the data
        of the last `fit`: the trees are grown again from the same seeds.
        """
        check_is_fitted(self, "_forest")
        matrix = self._read(X)
        other = copy(self)
        problem = other._problem_of(np.asarray(y), matrix, sample_weight)
        growth = replace(self._growth, keep_stats=True).with_trees(0, self._forest.trees)
        grown = growth.grow(self._bins(matrix, problem), matrix, problem)
        mine, again = self._forest.to_arrays(), grown.to_arrays()
        if not all(np.array_equal(mine[name], again[name]) for name in ("edges", "node_start", "nodes")):
            raise DataError(
                "on these rows another forest grows",
                code="other_data",
                hint="give the data and weights of the last fit",
            )
        other._forest = grown
        return other

    def _sampling(self) -> str:
        if self.bootstrap == "balanced":
            return "balanced"
        if self.bootstrap:
            return "bootstrap"
        return "all" if self.max_samples is None else "without_replacement"

    def _settings(self, rows: int, columns: int, problem: Problem) -> Growth:
        if self.oob_score and self._sampling() == "all":
            raise UsageError(
                "Out of bag estimation only available if bootstrap=True: oob_score needs rows that a tree did not see",
                hint="set bootstrap=True, or max_samples",
            )
        settings = shared_settings(self, rows, columns)
        settings["random_cuts"] = self._random_cuts
        return Growth(
            **settings,
            combined=0 if self.combinations is None else int(self.combinations),
            sampling=self._sampling(),
            draws=sample_size(self, rows, problem),
            count=self.n_estimators,
            keep_stats=rows * self.n_estimators <= SMALL,
        )

    def _grow(self, matrix: NDArray[Any], problem: Problem) -> None:
        if self.combinations is not None and self._layout.categorical.all():
            raise DataError(
                "combinations need numeric columns, and all columns are categorical", code="no_numeric_columns"
            )
        if self.combinations is not None and is_sparse(matrix):
            raise DataError("combinations are of dense columns, and the matrix is sparse", code="sparse")
        growth = self._settings(matrix.shape[0], matrix.shape[1], problem)
        bins = self._bins(matrix, problem)
        done = self._forest.trees if self.warm_start and hasattr(self, "_forest") else 0
        if done > self.n_estimators:
            raise UsageError(f"n_estimators={self.n_estimators} is below the {done} trees grown before (warm_start)")
        alike = growth.sampling != "balanced" and (problem.weights is None or bool((problem.weights > 0).all()))
        self._drawn_from = matrix.shape[0] if alike else None
        if done == 0:
            self._growth = growth
            self._forest = growth.grow(bins, matrix, problem)
        elif done == self.n_estimators:
            message = "Warm-start fitting without increasing n_estimators does not fit new trees."
            warnings.warn(message, VenireWarning, stacklevel=3)
        else:
            # The trees of a warm start go on where the first fit's stream of seeds stopped.
            kept = self._growth.keep_stats
            self._growth = growth = replace(growth, seed=self._growth.seed, keep_stats=kept)
            more = growth.with_trees(done, self.n_estimators - done).grow(bins, matrix, problem)
            try:
                self._forest.extend(more)
            except ValueError as error:
                raise DataError(
                    f"warm_start: {error}", code="other_data", hint="fit again without warm_start"
                ) from None
        if self.oob_score:
            self._look_out_of_bag(bins, matrix, problem)

    def _out_of_bag(self, bins: Bins, matrix: NDArray[Any], problem: Problem, *, votes: bool) -> NDArray[np.float64]:
        return self._forest.out_of_bag(
            bins,
            matrix if self._growth.combined else None,
            **problem.as_arguments(),
            **self._growth.sampling_arguments(),
            votes=votes,
            threads=thread_count(self.n_jobs),
        )

    def _look_out_of_bag(self, bins: Bins, matrix: NDArray[Any], problem: Problem) -> None:
        raise NotImplementedError

    def _counts(self, n_trees: Sequence[int] | None) -> list[int]:
        check_is_fitted(self, "_forest")
        if n_trees is None:
            return list(range(1, self._forest.trees + 1))
        counts = [int(count) for count in n_trees]
        ascending = all(a < b for a, b in zip([0, *counts], counts, strict=False))
        if not counts or not ascending or counts[-1] > self._forest.trees:
            raise UsageError(f"n_trees must ascend within 1..{self._forest.trees}; got {counts}")
        return counts

    def rows_in_bag(self, X: Any, y: Any, sample_weight: Any = None) -> NDArray[np.bool_]:
        """Which of the training rows each tree saw: [tree, row]. Give the data of the last `fit`."""
        check_is_fitted(self, "_forest")
        matrix = self._read(X)
        problem = self._problem_of(np.asarray(y), matrix, sample_weight)
        drawn = in_bag(
            self._bins(matrix, problem),
            **problem.as_arguments(),
            **self._growth.sampling_arguments(),
            count=self._forest.trees,
        )
        return drawn.astype(bool)

    def _problem_of(self, y: NDArray[Any], matrix: NDArray[Any], sample_weight: Any) -> Problem:
        raise NotImplementedError


class ForestClassifierBase(ClassesMixin, ForestBase):
    """Forests for classes: shares averaged over trees, or votes."""

    _fitted_constraints: ClassVar[Fitted] = {**TREE_CLASSES, **GROWN}

    voting: str
    class_weight: Any

    def _problem_of(self, y: NDArray[Any], matrix: NDArray[Any], sample_weight: Any) -> Problem:
        return self._problem(y, matrix, sample_weight, self.class_weight)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest on the rows of X and their classes."""
        self._validate_params()
        refuse_sparse_target(y)
        if self.warm_start and isinstance(self.class_weight, str):
            warnings.warn(
                'class_weight presets "balanced" or "balanced_subsample" are not recommended for warm_start if the '
                "fitted data differs from the full dataset: they are of the rows at hand",
                VenireWarning,
                stacklevel=2,
            )
        matrix, y, self._layout = read_fit(
            self, X, y, self.categorical_features, numeric_target=False, several=True, sparse=True
        )
        self._grow(matrix, self._problem_of(one_target(y), matrix, sample_weight))
        return self

    def _look_out_of_bag(self, bins: Bins, matrix: NDArray[Any], problem: Problem) -> None:
        shares = self._out_of_bag(bins, matrix, problem, votes=self.voting == "hard")
        seen = warn_of_unseen(~np.isnan(shares[:, 0]))
        score = self.oob_score if callable(self.oob_score) else accuracy_score
        if problem.joint:
            assert problem.y is not None  # indicators of the classes
            parts = parted(shares, self.n_classes_)
            alike = len({part.shape for part in parts}) == 1
            self.oob_decision_function_ = np.stack(parts, axis=-1) if alike else shares
            truth = self._labels(problem.y.reshape(len(shares), -1))
            if not callable(self.oob_score) and type_of_target(truth) == "multiclass-multioutput":
                raise DataError(
                    "The type of target cannot be used to compute OOB estimates: several targets of several classes",
                    code="several_targets",
                    hint="give oob_score a function of (y, prediction)",
                )
            self.oob_score_ = float(score(truth[seen], self._labels(shares[seen])))
            return
        self.oob_decision_function_ = shares
        assert problem.labels is not None  # a classifier's problem has labels
        self.oob_score_ = float(score(self.classes_[problem.labels[seen]], self._labels(shares[seen])))

    def _shares(self, X: Any) -> NDArray[np.float64]:
        require_fitted(self, "_forest")
        return np.asarray(self._average(X, [self._forest.trees], votes=self.voting == "hard")[0])

    def predict_proba(self, X: Any) -> Any:
        """The mean of the trees' shares, or with `voting="hard"` the share of the votes.

        Of several targets, a list with the shares of each.
        """
        return self._by_target(self._shares(X))

    def predict_log_proba(self, X: Any) -> Any:
        """The logarithms of the shares; minus infinity for a class no tree has seen there."""
        return logarithms(self.predict_proba(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class with the largest share (ties go to the first), or with `costs` the one of least expected cost."""
        return self._labels(self._shares(X))

    def shares_and_labels(self, X: Any) -> tuple[Any, NDArray[Any]]:
        """What `predict_proba` and `predict` say, of one look at the rows."""
        shares = self._shares(X)
        return self._by_target(shares), self._labels(shares)

    def predict_proba_path(self, X: Any, n_trees: Sequence[int] | None = None) -> Any:
        """Shares of the first 1, 2, … trees (or the given numbers of trees): [number, row, class]."""
        return self._by_target(self._average(X, self._counts(n_trees), votes=self.voting == "hard"))

    def predict_path(self, X: Any, n_trees: Sequence[int] | None = None) -> NDArray[Any]:
        """Classes by the first 1, 2, … trees (or the given numbers of trees): [number, row]."""
        return self._labels(self._average(X, self._counts(n_trees), votes=self.voting == "hard"))
