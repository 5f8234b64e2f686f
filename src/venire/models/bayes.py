"""Naive Bayes for mixed tables: categorical, numeric and count columns in one model.

Given the class, columns are taken as independent. A categorical column is a table of shares with Laplace correction, a
numeric one a Gaussian, and all count columns together one multinomial. What is missing, and what was never seen, is
left out of the product.
"""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_consistent_length, column_or_1d
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted

from venire.combine.costs import decisive_costs, least_cost
from venire.errors import DataError, UsageError
from venire.models.bayes_model import BayesModel, logs
from venire.models.bayes_sums import Columns, Floats, Sums
from venire.models.bayes_view import Explanation, Term
from venire.models.input import (
    CategoricalFeatures,
    Layout,
    column_mask,
    highest_codes,
    read_fit,
    read_predict,
    widened,
)
from venire.models.tree_growth import thread_count


class NaiveBayesClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Naive Bayes for categorical, numeric and count columns in one model.

    alpha : Laplace correction of the categorical shares and of the multinomial: (n + α) / (N + α · categories).
    priors : class probabilities; learned from the weights of the classes when None.
    var_smoothing : this share of the largest variance of any numeric column is added to all variances.
    weights_in : `"all"`, or `"priors"`: example and class weights count in the priors alone.
    categorical_features : mask, column numbers or names of columns that hold codes 0, 1, 2, … (NaN or negative is
        missing); columns of a frame that are categories or strings by type are always included.
    count_features : the same for columns of counts (words).
    min_categories : the least number of categories of code columns, for those that no row shows.
    class_weight : a dict, or `"balanced"`; multiplies the example weights.
    costs : a matrix [actual][predicted]; `predict` then gives the class of least expected cost.

    Incomes of a thousand people, none of them low; with α = 1 no probability is zero:

    >>> import pandas as pd
    >>> income = pd.Categorical(["medium"] * 990 + ["high"] * 10, categories=["low", "medium", "high"])
    >>> X, y = pd.DataFrame({"income": income}), ["customer"] * 1000
    >>> model = NaiveBayesClassifier(alpha=1.0).fit(X, y)
    >>> shares = model.category_shares("income")["customer"]
    >>> shares["high"] == 11 / 1003, shares["low"] == 1 / 1003
    (True, True)
    """

    _parameter_constraints: ClassVar[dict[str, list[Any]]] = {
        "alpha": [Interval(Real, 0, None, closed="left")],
        "priors": ["array-like", None],
        "var_smoothing": [Interval(Real, 0, None, closed="left")],
        "weights_in": [StrOptions({"all", "priors"})],
        "categorical_features": ["array-like", StrOptions({"from_dtype"}), None],
        "count_features": ["array-like", None],
        "min_categories": ["array-like", Interval(Integral, 1, None, closed="left"), None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
        "n_jobs": [Integral, None],
    }

    classes_: NDArray[Any]
    n_features_in_: int

    def __init__(
        self,
        *,
        alpha: float = 1.0,
        priors: ArrayLike | None = None,
        var_smoothing: float = 1e-9,
        weights_in: str = "all",
        categorical_features: CategoricalFeatures = "from_dtype",
        count_features: Sequence[int] | Sequence[str] | NDArray[Any] | None = None,
        min_categories: int | Sequence[int] | None = None,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.alpha = alpha
        self.priors = priors
        self.var_smoothing = var_smoothing
        self.weights_in = weights_in
        self.categorical_features = categorical_features
        self.count_features = count_features
        self.min_categories = min_categories
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from these rows alone."""
        self._validate_params()
        matrix, y = self._read_first(X, y)
        self.classes_, labels = class_codes(y)
        self._costs = decisive_costs(self.costs, self.classes_)
        self._sums = Sums.empty(self._columns(), len(self.classes_))
        self._absorb(matrix, y, labels, sample_weight, threads=thread_count(self.n_jobs))
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Learn from more rows. The model is the one that `fit` makes of all rows together, in whatever batches.

        The first call needs `classes`, unless the rows of the first batch show them all.
        """
        self._validate_params()
        if isinstance(self.class_weight, str):
            raise UsageError(
                'class_weight="balanced" needs all rows at once, and partial_fit sees them in parts',
                hint="give the weights of the classes as a dict",
            )
        if not hasattr(self, "_model"):
            matrix, y = self._read_first(X, y)
            _check_partial_fit_first_call(self, np.unique(y) if classes is None else classes)
            self._costs = decisive_costs(self.costs, self.classes_)
            self._sums = Sums.empty(self._columns(), len(self.classes_))
        else:
            _check_partial_fit_first_call(self, classes)
            self._widen(widened(self._layout, X))
            matrix = read_predict(self, X, self._layout)
            y = column_or_1d(y, warn=True)
            check_consistent_length(matrix, y)
        labels = np.searchsorted(self.classes_, y).clip(max=len(self.classes_) - 1).astype(np.int32)
        unknown = np.unique(y[self.classes_[labels] != y])
        if unknown.size:
            raise DataError(f"the target labels {unknown.tolist()} in y do not exist in the initial classes")
        self._absorb(matrix, y, labels, sample_weight, threads=thread_count(self.n_jobs))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row (ties go to the first), or with `costs` the one of least expected cost."""
        check_is_fitted(self, "_model")
        if self._costs is not None:
            return np.asarray(self.classes_[least_cost(self.predict_proba(X), self._costs)])
        joint = self.predict_joint_log_proba(X)
        two = joint.shape[1] == 2  # a comparison is much faster than argmax along so short an axis
        return np.asarray(self.classes_[(joint[:, 1] > joint[:, 0]).view(np.int8) if two else joint.argmax(axis=1)])

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities in the order of `classes_`."""
        joint = self.predict_joint_log_proba(X)
        if joint.shape[1] == 2:
            return _two_shares(joint)
        joint -= joint.max(axis=1, keepdims=True)
        np.exp(joint, out=joint)
        joint /= joint.sum(axis=1, keepdims=True)
        return joint

    def predict_log_proba(self, X: Any) -> Floats:
        """Logarithms of the class probabilities, exact where the probabilities themselves vanish."""
        logs = self.predict_joint_log_proba(X)
        logs -= logs.max(axis=1, keepdims=True)
        logs -= np.log(np.exp(logs).sum(axis=1, keepdims=True))
        return logs

    def predict_joint_log_proba(self, X: Any) -> Floats:
        """log P(class) + log P(row | class), without normalising: [row, class]."""
        check_is_fitted(self, "_model")
        matrix = read_predict(self, X, self._layout)
        self._check_counts(matrix)
        try:
            return self._model.joint(matrix, thread_count(self.n_jobs))
        except ValueError:
            highest_codes(matrix, self._layout.categorical)  # says which column, and what it holds
            raise

    def category_shares(self, column: int | str) -> dict[Any, dict[Any, float]]:
        """P(category | class) of one categorical column, by class and then by category."""
        check_is_fitted(self, "_model")
        number = self._number(column)
        if number not in self._sums.columns.categorical:
            raise UsageError(f"column {column!r} is not categorical", hint="category_shares is for categorical columns")
        shares = self._model.shares[int(np.flatnonzero(self._sums.columns.categorical == number)[0])]
        names = self._layout.categories.get(number, tuple(range(len(shares))))
        return {
            label: dict(zip(names, shares[:, c].tolist(), strict=True))
            for c, label in enumerate(self.classes_.tolist())
        }

    def explain(self, row: Any, *, favoured: Any = None, against: Any = None) -> Explanation:
        """Why this row is of class `favoured` (the likeliest) rather than `against` (the likeliest of the others).

        Takes a table of one row, or the row's values in order.
        """
        check_is_fitted(self, "_model")
        if len(self.classes_) < 2:
            raise UsageError(f"there is only one class, {self.classes_[0]!r}, and nothing to tell it from")
        table = row if hasattr(row, "shape") and len(row.shape) == 2 else np.asarray(row).reshape(1, -1)
        if table.shape[0] != 1:
            raise UsageError(f"explain takes one row, and got {table.shape[0]}", hint="give table[i : i + 1]")
        joint = self.predict_joint_log_proba(table)[0]
        one, other = self._pair(joint, favoured, against)
        values = read_predict(self, table, self._layout)[0]
        found = self._model.attributes(values)
        prior = logs(self._model.prior)
        terms = tuple(
            Term(name, self._shown(j, values[j]), float(found[j, one] - found[j, other]))
            for j, name in enumerate(self._names())
        )
        labels = self.classes_.tolist()
        return Explanation(labels[one], labels[other], float(prior[one] - prior[other]), terms)

    # Learning

    def _read_first(self, X: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        matrix, target, self._layout = read_fit(
            self, X, y, self.categorical_features, numeric_target=False, declared=True, check_codes=False
        )
        return matrix, target

    def _columns(self) -> Columns:
        categorical = self._layout.categorical
        counted = column_mask(self, self.count_features, self.n_features_in_, "count_features")
        both = np.flatnonzero(categorical & counted)
        if both.size:
            raise UsageError(f"column {both[0]} is both categorical and a count", hint="name it in one of the two")
        kinds = (~categorical & ~counted, categorical, counted)
        return Columns(*(np.flatnonzero(kind).astype(np.uint32) for kind in kinds))

    def _widen(self, layout: Layout) -> None:
        """Make room for categories that a later batch brings, in the order of all of them."""
        position_of = {int(j): position for position, j in enumerate(self._sums.columns.categorical)}
        places, counts = {}, {}
        for j, known in layout.categories.items():
            before = self._layout.categories[j]
            if known != before:
                place = {category: code for code, category in enumerate(known)}
                places[position_of[j]] = np.array([place[category] for category in before], dtype=np.intp)
                counts[position_of[j]] = len(known)
        self._sums = self._sums.with_moved(places, counts)
        self._layout = layout

    def _absorb(
        self, matrix: NDArray[Any], y: NDArray[Any], labels: NDArray[np.int32], sample_weight: Any, threads: int
    ) -> None:
        weights = None
        if sample_weight is not None:
            weights = _batch_weights(sample_weight, matrix)
        if self.class_weight is not None:
            by_class = np.asarray(compute_sample_weight(self.class_weight, y), dtype=np.float64)
            weights = by_class if weights is None else weights * by_class
        self._check_counts(matrix)
        sums = self._sums.with_categories(self._category_counts(matrix))
        self._sums = sums.add(matrix, labels, weights, weights if self.weights_in == "all" else None, threads)
        if not self._sums.class_weight.sum() > 0:
            raise DataError(
                "no row has a positive weight: sample weights must contain at least one non-zero number",
                hint="give at least one row a weight above 0",
            )
        self._learn()

    def _check_counts(self, matrix: NDArray[Any]) -> None:
        counted = self._sums.columns.counted
        if len(counted) and (matrix[:, counted] < 0).any():
            wrong = next(j for j in counted if (matrix[:, j] < 0).any())
            raise DataError(
                f"column {wrong} holds counts, and {np.nanmin(matrix[:, wrong])} is negative",
                code="negative_count",
                hint="leave the column out of count_features, or mend the value",
            )

    def _category_counts(self, matrix: NDArray[Any]) -> NDArray[np.int64]:
        chosen = self._sums.columns.categorical
        counts = highest_codes(matrix, self._layout.categorical) + 1
        for position, j in enumerate(chosen):
            counts[position] = max(counts[position], len(self._layout.categories.get(int(j), ())))
        if self.min_categories is None:
            return counts
        least = np.asarray(self.min_categories)
        if least.ndim and least.shape != (self.n_features_in_,):
            raise UsageError(
                f"min_categories has shape {least.shape}, and there are {self.n_features_in_} columns",
                hint="give one number, or one a column",
            )
        return np.asarray(np.maximum(counts, least if least.ndim == 0 else least[chosen]))

    def _learn(self) -> None:
        self._model = model = BayesModel.learned(self._sums, self._given_priors(), self.alpha, self.var_smoothing)
        self.class_count_ = self._sums.class_weight
        self.class_prior_ = model.prior
        self.epsilon_ = model.epsilon
        self.theta_ = model.mean + model.origin
        self.var_ = model.variance
        self.category_shares_ = model.shares
        self.count_shares_ = model.rates

    def _given_priors(self) -> Floats | None:
        if self.priors is None:
            return None
        priors = np.asarray(self.priors, dtype=np.float64)
        if priors.shape != self.classes_.shape:
            raise UsageError(f"there are {priors.size} priors and {len(self.classes_)} classes")
        if (priors < 0).any():
            raise UsageError(f"priors are not negative, and one is {priors.min():g}")
        if not np.isclose(priors.sum(), 1.0):
            raise UsageError(f"the priors sum to {priors.sum():g}, and should sum to 1")
        return priors

    # Looking

    def _pair(self, joint: Floats, favoured: Any, against: Any) -> tuple[int, int]:
        order = np.argsort(-joint, kind="stable").tolist()
        codes = {label: code for code, label in enumerate(self.classes_.tolist())}
        for label in (favoured, against):
            if label is not None and label not in codes:
                raise UsageError(f"there is no class {label!r}", hint=f"classes: {', '.join(map(str, codes))}")
        other = None if against is None else codes[against]
        one = codes[favoured] if favoured is not None else next(c for c in order if c != other)
        other = next(c for c in order if c != one) if other is None else other
        if one == other:
            raise UsageError(f"class {favoured!r} is to be told from itself", hint="name two different classes")
        return one, other

    def _shown(self, j: int, value: Any) -> Any:
        if value != value:
            return None
        if j in self._layout.categories:
            return self._layout.categories[j][int(value)]
        return int(value) if self._layout.categorical[j] else value.item()

    def _names(self) -> list[str]:
        known = getattr(self, "feature_names_in_", None)
        return [f"x{j}" for j in range(self.n_features_in_)] if known is None else [str(name) for name in known]

    def _number(self, column: int | str) -> int:
        if isinstance(column, str):
            return int(np.flatnonzero(column_mask(self, [column], self.n_features_in_, "column"))[0])
        return column


def class_codes(y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int32]]:
    """The classes in order, and the code of each row; whole numbers in a narrow range are counted, not sorted.

    >>> class_codes(np.array([7, 5, 7]))
    (array([5, 7]), array([1, 0, 1], dtype=int32))
    """
    if y.dtype.kind in "iu" and y.size:
        low, high = int(y.min()), int(y.max())
        if high - low < 1 << 16:
            shifted = (y - y.dtype.type(low)).astype(np.intp)
            seen = np.bincount(shifted) > 0
            codes = (np.cumsum(seen) - 1).astype(np.int32)
            return np.flatnonzero(seen).astype(y.dtype) + y.dtype.type(low), codes[shifted]
    check_classification_targets(y)
    classes, labels = np.unique(y, return_inverse=True)
    return classes, np.ascontiguousarray(labels, dtype=np.int32)


def _two_shares(joint: Floats) -> Floats:
    """The shares of two classes, each exact however small, written over the logarithms."""
    odds = joint[:, 1] - joint[:, 0]
    expit(odds, out=joint[:, 1])
    np.negative(odds, out=odds)
    expit(odds, out=joint[:, 0])
    return joint


def _batch_weights(sample_weight: Any, matrix: NDArray[Any]) -> Floats:
    """Checked weights. A batch may weigh nothing, as long as not all of them do."""
    given = np.asarray(sample_weight)
    if given.shape == (len(matrix),) and given.dtype.kind in "biuf" and not given.any():
        return np.zeros(len(matrix))
    return np.asarray(_check_sample_weight(sample_weight, matrix, dtype=np.float64, ensure_non_negative=True))
