"""What forests for numbers share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import RegressorMixin
from sklearn.metrics import r2_score

from venire._core import Bins
from venire.ensembles.forest.base import GROWN, ForestBase
from venire.ensembles.forest.rows_and_targets import refuse_sparse_target, warn_of_unseen
from venire.models.few_rows import require_fitted
from venire.models.input import read_fit
from venire.models.tree.base import TreeEnsembleBase, number_problem
from venire.models.tree.growth import Problem
from venire.models.tree.targets import one_target
from venire.states.checked import Fitted


class ForestRegressorBase(RegressorMixin, ForestBase):  # type: ignore[misc]  # scikit-learn has no types
    """Forests for numbers: means over trees."""

    _fitted_constraints: ClassVar[Fitted] = {**TreeEnsembleBase._fitted_constraints, **GROWN}

    def _problem_of(self, y: NDArray[Any], matrix: NDArray[Any], sample_weight: Any) -> Problem:
        return number_problem(self, y, matrix, sample_weight)

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Grow the forest on the rows of X and their targets."""
        self._validate_params()
        refuse_sparse_target(y)
        matrix, y, self._layout = read_fit(
            self, X, y, self.categorical_features, numeric_target=True, several=True, sparse=True
        )
        self._grow(matrix, self._problem_of(one_target(y), matrix, sample_weight))
        return self

    def _look_out_of_bag(self, bins: Bins, matrix: NDArray[Any], problem: Problem) -> None:
        predicted = self._out_of_bag(bins, matrix, problem, votes=False)
        self.oob_prediction_ = self._one_or_all(predicted)
        seen = warn_of_unseen(~np.isnan(predicted[:, 0]))
        score = self.oob_score if callable(self.oob_score) else r2_score
        assert problem.y is not None  # a regressor's problem has numbers
        truth = self._one_or_all(problem.y.reshape(len(predicted), -1))
        self.oob_score_ = float(score(truth[seen], self.oob_prediction_[seen]))

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The mean of the trees' predictions."""
        require_fitted(self, "_forest")
        return self._one_or_all(self._average(X, [self._forest.trees])[0])

    def predict_path(self, X: Any, n_trees: Sequence[int] | None = None) -> NDArray[np.float64]:
        """Means of the first 1, 2, … trees (or the given numbers of trees): [number, row]."""
        return self._one_or_all(self._average(X, self._counts(n_trees)))
