"""Forward and backward selection of attributes by cross-validated error, around any estimator.

The error of the chosen subset is the lowest of many, so it is too good. For an honest figure validate the selection
itself, with the choice inside every training part: `venire.select` does, and so does any cross-validation around these
estimators.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, is_classifier, is_regressor
from sklearn.feature_selection import SelectorMixin
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import assert_all_finite, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from venire.combine.least_cost import cost_matrix
from venire.data.table import Task
from venire.ensembles.base import MetaEstimator
from venire.ensembles.held_out import parts_of
from venire.ensembles.members import probabilities
from venire.ensembles.rows import checked
from venire.errors import UsageError
from venire.metrics.scores import Metric, default_metric, metric
from venire.models.input import column_names
from venire.selection.engine import Search
from venire.selection.parts import Examples, Part, columns_taken, taken
from venire.selection.plain import fit_columns
from venire.selection.search import SelectionStep, Walk, named_steps
from venire.sklearn_private import Interval, StrOptions
from venire.states.checked import CLASSES, FEATURES, Fitted
from venire.states.constraints import array, learner, maybe, number, of_type, optional, record, sequence, text, whole

Floats = NDArray[np.float64]


def _inner_has(method: str) -> Callable[[Any], bool]:
    return lambda selection: hasattr(selection.estimator, method)


_STEP = record(
    SelectionStep,
    attributes=sequence(text(), kind=tuple),
    changed=maybe(text()),
    errors=sequence(number(finite=False), kind=tuple),
)


class _Selection(SelectorMixin, MetaEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """What forward and backward share; they differ in where they start."""

    _forward: ClassVar[bool]
    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        **{name: optional(check) for name, check in CLASSES.items()},  # of classifiers only
        "path_": sequence(_STEP, kind=tuple),
        "n_subsets_": whole(),
        "attributes_": sequence(text(), kind=tuple),
        "support_": array("?", None),
        "encoder_": maybe(of_type(BaseEstimator)),
        "_columns": array("i8", None, low=0),
        "estimator_": learner,
    }
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": "no_validation",
        "attributes": ["array-like", None],
        "encoder": "no_validation",
        "cv": "no_validation",  # looked at by `parts_of`
        "metric": [str, None],
        "whole_path": ["boolean"],
        "n_attributes": [Interval(Integral, 0, None, closed="left"), None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    path_: tuple[SelectionStep, ...]
    support_: NDArray[np.bool_]
    attributes_: tuple[str, ...]
    n_subsets_: int
    estimator_: Any
    encoder_: Any

    def __init__(
        self,
        estimator: Any,
        *,
        attributes: ArrayLike | None = None,
        encoder: Any = None,
        cv: Any = 5,
        metric: str | None = None,
        whole_path: bool = False,
        n_attributes: int | None = None,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.estimator = estimator
        self.attributes = attributes
        self.encoder = encoder
        self.cv = cv
        self.metric = metric
        self.whole_path = whole_path
        self.n_attributes = n_attributes
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.estimator_type = inner.estimator_type
        tags.classifier_tags = inner.classifier_tags
        tags.regressor_tags = inner.regressor_tags
        if tags.classifier_tags is not None:
            tags.classifier_tags.multi_label = False
        tags.target_tags.required = True
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = inner.input_tags.allow_nan or self.encoder is not None
        return tags

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Walk the path, choose a subset, and fit the estimator on it with all rows."""
        self._check_parameters()
        classes = self._task() is Task.CLASSIFICATION
        X, y, weights = (self._read_classes if classes else self._read_numbers)(X, y, sample_weight)
        self._refuse_gaps(X)
        params = self._routed(weights, fit_params)["estimator"]
        labels, attribute_of = self._labels_of_columns()
        codes = self._codes(y) if classes else y
        examples = Examples(X, y, codes, params, weights, attribute_of, self.encoder)
        pairs = parts_of(self.cv, X, y, classes=classes, random_state=self.random_state).pairs
        judge = self._judge()
        whole = examples.whole()
        known = self.classes_ if classes else None
        search = Search(self.estimator, judge, known, self._costs if classes else None, self.n_jobs)
        found = search.walk(
            [examples.parted(*pair) for pair in pairs],
            whole,
            forward=self._forward,
            whole_path=self.whole_path,
            wanted=self.n_attributes,
        )
        self._keep(found, labels, attribute_of, examples, whole)
        return self

    def _keep(
        self, found: Walk, labels: tuple[str, ...], attribute_of: NDArray[np.intp], examples: Examples, whole: Part
    ) -> None:
        chosen = found.steps[found.chosen].attributes
        self.path_ = named_steps(found, labels)
        self.n_subsets_ = found.subsets
        self.attributes_ = tuple(labels[a] for a in chosen)
        self.support_ = np.isin(attribute_of, chosen)
        self.encoder_ = None if self.encoder is None else examples.encoded()
        self._columns = taken(whole.columns, chosen)
        self.estimator_ = fit_columns(self.estimator, whole, self._columns, classes=hasattr(self, "classes_"))

    def _task(self) -> Task:
        if is_classifier(self.estimator):
            return Task.CLASSIFICATION
        if is_regressor(self.estimator):
            return Task.REGRESSION
        raise UsageError(
            f"{type(self.estimator).__name__} is neither a classifier nor a regressor",
            hint="attributes are selected by what an estimator predicts with them",
        )

    def _judge(self) -> Metric:
        task = self._task()
        name = default_metric(task) if self.metric is None else self.metric
        if self.costs is None:
            return metric(name, task)
        costs = cost_matrix(self.costs, self.classes_)
        return metric("cost" if self.metric is None else name, task, costs=costs)

    def _labels_of_columns(self) -> tuple[tuple[str, ...], NDArray[np.intp]]:
        """The attributes in the order of their first column, and the attribute of every column."""
        if self.attributes is None:
            return tuple(column_names(self)), np.arange(self.n_features_in_)
        of_columns = [str(label) for label in np.asarray(self.attributes).tolist()]
        if len(of_columns) != self.n_features_in_:
            raise UsageError(
                f"attributes has {len(of_columns)} labels, and X has {self.n_features_in_} columns",
                hint="give one label a column; columns with the same label move together",
            )
        labels = tuple(dict.fromkeys(of_columns))
        return labels, np.array([labels.index(label) for label in of_columns], dtype=np.intp)

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self)
        return self.support_

    def _refuse_gaps(self, X: Any) -> None:
        """Gaps are refused in every column, because which of them the estimator sees depends on the choice."""
        if isinstance(X, np.ndarray) and not get_tags(self).input_tags.allow_nan:
            assert_all_finite(X, input_name="X", estimator_name=type(self).__name__)

    def _chosen_columns(self, X: Any) -> Any:
        """New rows as the fitted estimator takes them."""
        check_is_fitted(self)
        X = checked(self, X, reset=False)
        self._refuse_gaps(X)
        if self.encoder_ is not None:
            X = self.encoder_.transform(X)
        return columns_taken(X, self._columns)

    def predict(self, X: Any) -> NDArray[Any]:
        """What the estimator says by the chosen attributes; with `costs`, its class of least expected cost."""
        rows = self._chosen_columns(X)
        if not hasattr(self, "classes_") or self._costs is None:
            return np.asarray(self.estimator_.predict(rows))
        return self._decide(probabilities(self.estimator_, rows, self.classes_))

    @available_if(_inner_has("predict_proba"))  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def predict_proba(self, X: Any) -> Floats:
        """The estimator's class probabilities by the chosen attributes."""
        rows = self._chosen_columns(X)
        return probabilities(self.estimator_, rows, self.classes_)

    @available_if(_inner_has("decision_function"))  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def decision_function(self, X: Any) -> Floats:
        """The estimator's decision values by the chosen attributes; without any, the class shares decide."""
        rows = self._chosen_columns(X)
        if hasattr(self.estimator_, "decision_function"):
            return np.asarray(self.estimator_.decision_function(rows))
        shares = probabilities(self.estimator_, rows, self.classes_)
        return shares[:, 1] - shares[:, 0] if len(self.classes_) == 2 else shares

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy, or R² for numbers."""
        judge = accuracy_score if is_classifier(self) else r2_score
        return float(judge(y, self.predict(X), sample_weight=sample_weight))


class ForwardSelection(_Selection):
    """Start without attributes and add the one that lowers the cross-validated error most, while one does.

    Parameters
    ----------
    estimator
        Any classifier or regressor. Least squares (`LinearRegression`, `Ridge`, `RidgeClassifier`) is searched
        without a fit a subset, to the same figures.
    attributes
        One label a column; columns with the same label are one attribute and move together, such as the columns of
        one category each that stand for one attribute. By default every column is its own.
    encoder
        A transformer that is fitted on every training part alone, and whose `origins_` say which column each of its
        columns comes from, such as `venire.data.encode.OneHotScaled`; they move together.
    cv
        A number of folds, a share to hold out, or a splitter.
    metric
        One of venire's, by default `error` (`cost` where there are `costs`) or `rmse`.
    whole_path
        Go on to the end, also where no attribute helps.
    n_attributes
        Choose the subset of this size on the path, instead of the one with the lowest error.
    class_weight
        A dict of weights by class, or `"balanced"`; multiplies the example weights.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.
    n_jobs
        How many fits run at once; it changes nothing but the time.
    random_state
        Of the folds.

    Attributes
    ----------
    path_
        Every step, with its cross-validated and its training error; the one that did not help comes last.
    attributes_, support_
        What was chosen: names, and a mask over the columns.
    n_subsets_
        How many subsets were looked at: of M attributes no more than 1 + M(M+1)/2.
    estimator_
        The estimator on the chosen attributes and all rows; without any, the mean or the class shares.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from venire import NaiveBayesClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> selection = ForwardSelection(NaiveBayesClassifier()).fit(X, y)
    >>> [(step.changed, round(step.error, 3), step.chosen) for step in selection.path_]
    [(None, 0.667, False), ('x3', 0.04, True), ('x0', 0.04, False)]
    >>> selection.n_subsets_, selection.transform(X).shape
    (8, (150, 1))
    """

    _forward = True


class BackwardSelection(_Selection):
    """Start with all attributes and take away the one whose loss hurts least, while the error does not rise.

    Parameters
    ----------
    estimator, attributes, encoder, cv, metric, whole_path, n_attributes
        As of `ForwardSelection`.
    class_weight, costs, n_jobs, random_state
        As of `ForwardSelection`.

    Attributes
    ----------
    path_, attributes_, support_, n_subsets_, estimator_
        As of `ForwardSelection`.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selection = BackwardSelection(LinearRegression(), cv=10).fit(X, y)
    >>> selection.attributes_
    ('sex', 'bmi', 'bp', 's1', 's2', 's5')
    """

    _forward = False
