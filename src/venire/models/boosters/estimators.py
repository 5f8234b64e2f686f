"""LightGBM, XGBoost and CatBoost as scikit-learn estimators that take categories and gaps and tell of every round.

The libraries have such classes of their own; these read frames and codes as our other learners do, are deterministic on
one thread, and give what any number of rounds says. A target of numbers is measured in units of its own spread around
its mean, because two of the libraries keep it in float32, where 10⁸ ± 1 would drown.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from venire.models.boosters.engines import ENGINES, Floats, Task, refuse_missing
from venire.models.classes import class_codes
from venire.models.input import CategoricalFeatures, Layout, read_fit, read_predict
from venire.models.tree.growth import combined_weights
from venire.sklearn_private import Interval, StrOptions


class _Booster(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What both kinds share.

    library : `"lightgbm"`, `"xgboost"` or `"catboost"`.
    min_samples_leaf : the fewest rows of a leaf, in LightGBM alone; None is its own default, 20.
    categorical_features : mask, column numbers or names of columns that hold codes 0, 1, 2, …; NaN is missing.
    params : further parameters in the library's own names, such as `{"max_depth": 4}`.
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "library": [StrOptions(set(ENGINES))],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "min_samples_leaf": [Interval(Integral, 1, None, closed="left"), None],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "params": [dict, None],
        "random_state": ["random_state"],
    }

    n_features_in_: int
    _layout: Layout

    def __init__(
        self,
        library: str = "lightgbm",
        *,
        n_estimators: int = 100,
        learning_rate: float = 0.1,
        min_samples_leaf: int | None = None,
        categorical_features: CategoricalFeatures = "from_dtype",
        params: dict[str, Any] | None = None,
        random_state: Any = None,
    ) -> None:
        self.library = library
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.min_samples_leaf = min_samples_leaf
        self.categorical_features = categorical_features
        self.params = params
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _read(self, X: Any, y: Any, *, numbers: bool) -> tuple[Floats, NDArray[Any]]:
        self._validate_params()
        refuse_missing(self.library)
        matrix, target, self._layout = read_fit(self, X, y, self.categorical_features, numeric_target=numbers)
        return np.asarray(matrix, dtype=np.float64), target

    def _train(self, X: Floats, y: NDArray[Any], weights: Floats | None, classes: int) -> None:
        task = Task(
            y,
            classes,
            weights,
            self.n_estimators,
            self.learning_rate,
            self.min_samples_leaf,
            int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max)),
            self.params or {},
        )
        self.model_ = ENGINES[self.library].train(X, self._layout.categorical, task)

    def _staged(self, X: Any, rounds: Sequence[int]) -> list[NDArray[Any]]:
        check_is_fitted(self, "model_")
        engine = ENGINES[self.library]
        matrix = np.asarray(read_predict(self, X, self._layout), dtype=np.float64)
        rows = engine.rows(matrix, self._layout.categorical)
        return [engine.outputs(self.model_, rows, each) for each in rounds]


class BoosterClassifier(ClassifierMixin, _Booster):  # type: ignore[misc]  # scikit-learn has no types
    """Classes by LightGBM, XGBoost or CatBoost."""

    __doc__ += (_Booster.__doc__ or "").partition("\n")[2]

    classes_: NDArray[Any]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost for `n_estimators` rounds."""
        matrix, target = self._read(X, y, numbers=False)
        self.classes_, codes = class_codes(target)
        weights = combined_weights(sample_weight, None, matrix, target)
        self._train(*_there(matrix, codes, weights), max(2, len(self.classes_)))
        return self

    def staged_shares(self, X: Any, rounds: Sequence[int]) -> list[Floats]:
        """Class probabilities after each of these numbers of rounds: [row, class]."""
        return [_shares(predicted)[:, : len(self.classes_)] for predicted in self._staged(X, rounds)]

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities in the order of `classes_`."""
        return self.staged_shares(X, [self.n_estimators])[0]

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row, of equals the first."""
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])


class BoosterRegressor(RegressorMixin, _Booster):  # type: ignore[misc]  # scikit-learn has no types
    """Numbers by LightGBM, XGBoost or CatBoost, to least squares."""

    __doc__ += (_Booster.__doc__ or "").partition("\n")[2]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Boost for `n_estimators` rounds."""
        matrix, target = self._read(X, y, numbers=True)
        weights = combined_weights(sample_weight, None, matrix, target)
        matrix, target, weights = _there(matrix, np.asarray(target, dtype=np.float64), weights)
        self.mean_ = float(np.average(target, weights=weights))
        self.spread_ = float(np.sqrt(np.average((target - self.mean_) ** 2, weights=weights))) or 1.0
        self._train(matrix, (target - self.mean_) / self.spread_, weights, 0)
        return self

    def staged_values(self, X: Any, rounds: Sequence[int]) -> list[Floats]:
        """What is predicted after each of these numbers of rounds: [row]."""
        return [self.mean_ + self.spread_ * predicted.astype(np.float64) for predicted in self._staged(X, rounds)]

    def predict(self, X: Any) -> Floats:
        """The predicted number of each row."""
        return self.staged_values(X, [self.n_estimators])[0]


def _there(X: Floats, y: NDArray[Any], weights: Floats | None) -> tuple[Floats, NDArray[Any], Floats | None]:
    """The rows that count for something: to cut a column into bins the libraries would count every row."""
    if weights is None or weights.all():
        return X, y, weights
    return X[weights > 0], y[weights > 0], weights[weights > 0]


def _shares(predicted: NDArray[Any]) -> Floats:
    """Probabilities of all classes in float64; a library says one of two."""
    predicted = predicted.astype(np.float64)
    return np.column_stack([1.0 - predicted, predicted]) if predicted.ndim == 1 else predicted
