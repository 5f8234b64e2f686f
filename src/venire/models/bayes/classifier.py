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
from sklearn.utils.validation import check_is_fitted

from venire.combine.least_cost import decisive_costs
from venire.errors import UsageError
from venire.metrics.predictions import least_cost
from venire.models.bayes.input import (
    batch_weights,
    category_counts,
    check_counts,
    checked_priors,
    columns_by_kind,
    with_more_categories,
)
from venire.models.bayes.model import BayesModel
from venire.models.bayes.sums import Columns, Floats, Moments, Sums
from venire.models.bayes.view import Explanation, explained, told_apart
from venire.models.classes import class_codes, known_codes
from venire.models.few_rows import require_fitted
from venire.models.input import (
    LAYOUT,
    CategoricalFeatures,
    Layout,
    column_mask,
    column_names,
    highest_codes,
    read_fit,
    read_predict,
    widened,
)
from venire.models.sparse import is_sparse
from venire.models.tree.growth import thread_count
from venire.sklearn_private import Interval, StrOptions, check_partial_fit_first_call
from venire.states.checked import CLASSES, FEATURES, CheckedState, Fitted
from venire.states.constraints import array, number, record, sequence

_SUMS = record(
    Sums,
    columns=record(
        Columns,
        numeric=array("u4", "numeric", below="features"),
        categorical=array("u4", "categorical", below="features"),
        counted=array("u4", "counted", below="features"),
    ),
    class_weight=array("f8", "classes", low=0),
    origin=array("f8", "numeric", gaps=True),
    moments=record(Moments, **dict.fromkeys(("weight", "mean", "squares"), array("f8", "classes", "numeric"))),
    tables=sequence(array("f8", None, "classes", low=0), "categorical", tuple),
    counted=array("f8", "classes", "counted"),
)
_SHARES = sequence(array("f8", None, "classes", low=0), "categorical", tuple)
_RATES = array("f8", "classes", "counted")
_MODEL = record(
    BayesModel,
    sums=_SUMS,
    prior=array("f8", "classes", low=0),
    mean=array("f8", "classes", "numeric"),
    variance=array("f8", "classes", "numeric", low=0),
    shares=_SHARES,
    rates=_RATES,
)


class NaiveBayesClassifier(CheckedState, ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Naive Bayes for categorical, numeric and count columns in one model.

    Parameters
    ----------
    alpha
        Laplace correction of the categorical shares and of the multinomial: (n + α) / (N + α · categories).
    priors
        Class probabilities; learned from the weights of the classes when None.
    var_smoothing
        This share of the largest variance of any numeric column is added to all variances.
    weights_in
        `"all"`, or `"priors"`: example and class weights count in the priors alone.
    categorical_features
        Mask, column numbers or names of columns that hold codes 0, 1, 2, … (NaN or negative is missing); columns of
        a frame that are categories or strings by type are always included.
    count_features
        The same for columns of counts (words).
    min_categories
        The least number of categories of code columns, for those that no row shows.
    class_weight
        A dict, or `"balanced"`; multiplies the example weights.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.
    n_jobs
        Threads. They change nothing but the time.

    Examples
    --------
    Incomes of a thousand people, none of them low; with α = 1 no probability is zero:

    >>> import pandas as pd
    >>> income = pd.Categorical(["medium"] * 990 + ["high"] * 10, categories=["low", "medium", "high"])
    >>> X, y = pd.DataFrame({"income": income}), ["customer"] * 1000
    >>> model = NaiveBayesClassifier(alpha=1.0).fit(X, y)
    >>> shares = model.category_shares("income")["customer"]
    >>> shares["high"] == 11 / 1003, shares["low"] == 1 / 1003
    (True, True)
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        **CLASSES,
        "_layout": LAYOUT,
        "_sums": _SUMS,
        "_model": _MODEL,
        "class_count_": array("f8", "classes"),
        "class_prior_": array("f8", "classes", low=0),
        "epsilon_": number(0),
        "theta_": array("f8", "classes", None, gaps=True),
        "var_": array("f8", "classes", None, gaps=True),
        "category_shares_": _SHARES,
        "count_shares_": _RATES,
    }
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
    _layout: Layout
    _sums: Sums

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
        tags.input_tags.allow_nan = tags.input_tags.sparse = True
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn from these rows alone."""
        self._validate_params()
        matrix, y = self._read_first(X, y)
        self.classes_, labels = class_codes(y)
        self._begin()
        self._absorb(matrix, y, labels, sample_weight)
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
            check_partial_fit_first_call(self, np.unique(y) if classes is None else classes)
            self._begin()
        else:
            check_partial_fit_first_call(self, classes)
            layout = widened(self._layout, X)
            self._sums = with_more_categories(self._sums, self._layout, layout)
            self._layout = layout
            matrix = read_predict(self, X, self._layout, sparse=True)
            y = column_or_1d(y, warn=True)
            check_consistent_length(matrix, y)
        self._absorb(matrix, y, known_codes(self.classes_, y), sample_weight)
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row (ties go to the first), or with `costs` the one of least expected cost."""
        require_fitted(self, "_model")
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
        require_fitted(self, "_model")
        matrix = read_predict(self, X, self._layout, sparse=True)
        check_counts(matrix, self._sums.columns.counted)
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
        labels = self.classes_.tolist()
        pair = told_apart(labels, self.predict_joint_log_proba(table)[0], favoured, against)
        known: Any = read_predict(self, table, self._layout, sparse=True)
        values = (known.toarray() if is_sparse(known) else known)[0]
        return explained(self._model, values, self._layout, column_names(self), labels, pair)

    def _read_first(self, X: Any, y: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        matrix, target, self._layout = read_fit(
            self, X, y, self.categorical_features, numeric_target=False, declared=True, check_codes=False, sparse=True
        )
        return matrix, target

    def _begin(self) -> None:
        """No rows yet, of classes that are known."""
        self._costs = decisive_costs(self.costs, self.classes_)
        counted = column_mask(self, self.count_features, self.n_features_in_, "count_features")
        self._sums = Sums.empty(columns_by_kind(self._layout.categorical, counted), len(self.classes_))

    def _absorb(self, matrix: NDArray[Any], y: NDArray[Any], labels: NDArray[np.int32], sample_weight: Any) -> None:
        threads = thread_count(self.n_jobs)
        weights = batch_weights(sample_weight, self.class_weight, matrix, y)
        check_counts(matrix, self._sums.columns.counted)
        sums = self._sums.with_categories(category_counts(matrix, self._layout, self.min_categories))
        self._sums = sums.add(matrix, labels, weights, weights if self.weights_in == "all" else None, threads)
        self._sums.refuse_no_weight()
        self._learn()

    def _learn(self) -> None:
        priors = checked_priors(self.priors, len(self.classes_))
        self._model = model = BayesModel.learned(self._sums, priors, self.alpha, self.var_smoothing)
        self.class_count_ = self._sums.class_weight
        self.class_prior_ = model.prior
        self.epsilon_ = model.epsilon
        self.theta_ = model.mean + model.origin
        self.var_ = model.variance
        self.category_shares_ = model.shares
        self.count_shares_ = model.rates

    def _number(self, column: int | str) -> int:
        if isinstance(column, str):
            return int(np.flatnonzero(column_mask(self, [column], self.n_features_in_, "column"))[0])
        return column


def _two_shares(joint: Floats) -> Floats:
    """The shares of two classes, each exact however small, written over the logarithms."""
    odds = joint[:, 1] - joint[:, 0]
    expit(odds, out=joint[:, 1])
    np.negative(odds, out=odds)
    expit(odds, out=joint[:, 0])
    return joint
