"""What has to be beaten: always the majority class (or the mean), and guessing at random by the class shares."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import assert_all_finite, check_random_state
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from venire.combine.least_cost import decisive_costs
from venire.errors import UsageError
from venire.metrics.predictions import least_cost
from venire.sklearn_private import StrOptions, check_sample_weight, num_samples
from venire.states.checked import CLASSES, FEATURES, CheckedState, Fitted
from venire.states.constraints import array, number, optional

Floats = NDArray[np.float64]


_COLUMNS: Fitted = {name: optional(check) for name, check in FEATURES.items()}  # they may be anything


class _Baseline(CheckedState, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The attributes do not matter, so they may be anything; only their number and names are remembered."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        return tags

    def _target(self, X: Any, y: Any) -> NDArray[Any]:
        self._validate_params()
        validate_data(self, X, skip_check_array=True)
        if y is None:
            raise UsageError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        check_consistent_length(X, y)
        return np.asarray(column_or_1d(y, warn=True))

    def _count(self, X: Any) -> int:
        check_is_fitted(self)
        validate_data(self, X, skip_check_array=True, reset=False)
        return int(num_samples(X))


class BaselineClassifier(ClassifierMixin, _Baseline):  # type: ignore[misc]  # scikit-learn has no types
    """Always the majority class, or random guessing by the shares of the classes.

    strategy : `"majority"` (ties go to the first class) or `"shares"`.
    class_weight, costs : as everywhere; with costs, the majority strategy says the class of least expected cost.
    random_state : of the guesses.

    The majority comes with the shares of the classes as probabilities; a guess is certain of itself. The shares are in
    `class_prior_`.

    >>> model = BaselineClassifier().fit([[0], [0], [0]], ["good", "good", "fraud"])
    >>> model.predict([[7]]).tolist(), model.predict_proba([[7]]).round(2).tolist()
    (['good'], [[0.33, 0.67]])
    """

    _fitted_constraints: ClassVar[Fitted] = {**_COLUMNS, **CLASSES, "class_prior_": array("f8", "classes", low=0)}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "strategy": [StrOptions({"majority", "shares"})],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        strategy: str = "majority",
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        random_state: Any = None,
    ) -> None:
        self.strategy = strategy
        self.class_weight = class_weight
        self.costs = costs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.no_validation = True
        tags.non_deterministic = self.strategy == "shares" and self.random_state is None
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the shares of the classes."""
        target = self._target(X, y)
        check_classification_targets(target)
        self.classes_, labels = np.unique(target, return_inverse=True)
        weights = np.ones(len(target))
        if sample_weight is not None:
            weights = check_sample_weight(sample_weight, target[:, None], dtype=np.float64, ensure_non_negative=True)
        if self.class_weight is not None:
            weights = weights * compute_sample_weight(self.class_weight, target)
        shares = np.bincount(labels, weights=weights, minlength=len(self.classes_))
        if not shares.sum() > 0:
            raise UsageError("no row has a positive weight", hint="give at least one row a weight above 0")
        self.class_prior_ = shares / shares.sum()
        self._costs = decisive_costs(self.costs, self.classes_)
        return self

    def predict_proba(self, X: Any) -> Floats:
        """The shares of the classes, whatever the row; of a guess, certainty."""
        rows = self._count(X)
        if self.strategy == "shares":
            return np.eye(len(self.classes_))[self._guesses(rows)]
        return np.tile(self.class_prior_, (rows, 1))

    def predict_log_proba(self, X: Any) -> Floats:
        """Their logarithms; minus infinity for what is impossible."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """The majority class (with costs, the cheapest), or a guess a row."""
        rows = self._count(X)
        if self.strategy == "shares":
            return np.asarray(self.classes_[self._guesses(rows)])
        code = self.class_prior_.argmax()
        if self._costs is not None:
            code = least_cost(self.class_prior_[None], self._costs)[0]
        return np.asarray(self.classes_[np.full(rows, code)])

    def _guesses(self, rows: int) -> NDArray[np.intp]:
        random = check_random_state(self.random_state)
        return np.asarray(random.choice(len(self.classes_), rows, p=self.class_prior_), dtype=np.intp)


class BaselineRegressor(RegressorMixin, _Baseline):  # type: ignore[misc]  # scikit-learn has no types
    """Always the (weighted) mean of the target.

    >>> BaselineRegressor().fit([[0], [0]], [1.0, 4.0]).predict([[5], [6]])
    array([2.5, 2.5])
    """

    _fitted_constraints: ClassVar[Fitted] = {**_COLUMNS, "mean_": number()}
    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        tags.no_validation = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the mean."""
        target = self._target(X, y).astype(np.float64)
        assert_all_finite(target, input_name="y")
        weights = None
        if sample_weight is not None:
            weights = check_sample_weight(sample_weight, target[:, None], dtype=np.float64, ensure_non_negative=True)
        self.mean_ = float(np.average(target, weights=weights))
        return self

    def predict(self, X: Any) -> Floats:
        """The mean, whatever the row."""
        return np.full(self._count(X), self.mean_)
