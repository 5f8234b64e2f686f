"""A bucket of models: try them all on rows they have not seen, keep the best, train it on everything."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.parallel import Parallel, delayed

from venire.combine.least_cost import cost_matrix
from venire.data.table import Task
from venire.ensembles.base import part_of
from venire.ensembles.held_out import Pair, Parts, parts_of
from venire.ensembles.members import fit_classifier, fit_member, probabilities, speaking_of, values
from venire.ensembles.named import NamedMembers
from venire.ensembles.rows import take_rows
from venire.errors import DataError, UsageError
from venire.metrics.predictions import Output, Predictions
from venire.metrics.scores import Metric, default_metric, metric
from venire.sklearn_private import StrOptions
from venire.states.checked import CLASSES, FEATURES, Fitted
from venire.states.constraints import learner, number, optional, record, sequence, text

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class BucketRow:
    """One model of the bucket and what it lost on the held-out rows."""

    name: str
    error: float  # the mean over the parts; NaN when the model failed or has not what the metric needs
    errors: tuple[float, ...]  # one a part
    reason: str = ""  # why there is no error
    chosen: bool = False


def _all_have(method: str) -> Callable[[Any], bool]:
    return lambda bucket: all(hasattr(member, method) for _, member in bucket._members())


class BucketOfModels(NamedMembers):
    """Pick the model with the least loss on held-out rows, and train it again on everything.

    The mean loss over the parts decides, and of equals the first in the list. A model that fails on some part is out,
    and `table_` says why; it is an error only if none is left. The figure of the winner is what was minimised, so it is
    too good: for an honest one, validate this estimator itself.

    Parameters
    ----------
    estimators
        All classifiers or all regressors (or pairs with names); this estimator is what they are.
    cv
        A number of folds, a share to hold out, or a splitter.
    metric
        One of venire's, by default `error` (`cost` where there are `costs`) or `rmse`.
    class_weight
        A dict of weights by class, or `"balanced"`; multiplies the example weights.
    costs
        A matrix `[actual][predicted]`; `predict` then gives the class of least expected cost.
    n_jobs
        How many models are fitted at once; it changes nothing but the time.
    random_state
        Of the held-out rows.

    Attributes
    ----------
    table_
        One row per model, in the order given.
    best_name_, best_estimator_
        What was chosen.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X, y = load_iris(return_X_y=True)
    >>> bucket = BucketOfModels([("majority", DummyClassifier()), ("bayes", GaussianNB())]).fit(X, y)
    >>> [(row.name, round(row.error, 2), row.chosen) for row in bucket.table_]
    [('majority', 0.67, False), ('bayes', 0.05, True)]
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        **{name: optional(check) for name, check in CLASSES.items()},  # of classifiers only
        "table_": sequence(record(BucketRow, errors=sequence(number(finite=False), kind=tuple)), kind=tuple),
        "best_name_": text(),
        "best_estimator_": learner,
    }
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimators": "no_validation",  # looked at by `named`
        "cv": "no_validation",  # looked at by `parts_of`
        "metric": [str, None],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
        "n_jobs": [Integral, None],
        "random_state": ["random_state"],
    }

    table_: tuple[BucketRow, ...]
    best_name_: str
    best_estimator_: Any

    def __init__(
        self,
        estimators: Any,
        *,
        cv: Any = 5,
        metric: str | None = None,
        class_weight: Any = None,
        costs: ArrayLike | None = None,
        n_jobs: int | None = None,
        random_state: Any = 0,
    ) -> None:
        self.estimators = estimators
        self.cv = cv
        self.metric = metric
        self.class_weight = class_weight
        self.costs = costs
        self.n_jobs = n_jobs
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        of_first = get_tags(self._members()[0][1])
        tags.estimator_type = of_first.estimator_type
        tags.classifier_tags = of_first.classifier_tags
        tags.regressor_tags = of_first.regressor_tags
        tags.target_tags.required = True
        # A model that cannot take gaps drops out, and the others stay.
        tags.input_tags.allow_nan = any(get_tags(member).input_tags.allow_nan for _, member in self._members())
        return tags

    def _task(self) -> Task:
        members = self._members()
        for task, test in ((Task.CLASSIFICATION, is_classifier), (Task.REGRESSION, is_regressor)):
            if all(test(member) for _, member in members):
                return task
        kinds = ", ".join(f"{name} ({type(member).__name__})" for name, member in members)
        raise UsageError(f"a bucket holds classifiers or regressors, not both or neither: {kinds}")

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Try all models, keep the best."""
        self._check_parameters()
        task = self._task()
        classes = task is Task.CLASSIFICATION
        X, y, weights = (self._read_classes if classes else self._read_numbers)(X, y, sample_weight)
        params = self._routed(weights, fit_params)
        judge = self._judge(task)
        parts = parts_of(self.cv, X, y, classes=classes, random_state=self.random_state)
        rows = self._tried(X, y, parts, params, judge, weights)
        errors = np.array([row.error for row in rows])
        if np.isnan(errors).all():
            raise DataError(
                f"none of the models has a figure: {'; '.join(f'{row.name}: {row.reason}' for row in rows)}",
                code="member_failed",
                hint="choose another metric, or models that can take this table",
            )
        best = int(np.nanargmin(errors))
        self.table_ = tuple(
            BucketRow(row.name, row.error, row.errors, row.reason, chosen=m == best) for m, row in enumerate(rows)
        )
        self.best_name_, member = self._members()[best]
        self.best_estimator_ = self._fit_one()(self.best_name_, clone(member), X, y, params[self.best_name_])
        return self

    def _fit_one(self) -> Callable[..., Any]:
        return fit_classifier if is_classifier(self) else fit_member

    def _judge(self, task: Task) -> Metric:
        name = default_metric(task) if self.metric is None else self.metric
        if self.costs is None:
            return metric(name, task)
        costs = cost_matrix(self.costs, self.classes_)
        return metric("cost" if self.metric is None else name, task, costs=costs)

    def _tried(
        self,
        X: Any,
        y: NDArray[Any],
        parts: Parts,
        params: dict[str, dict[str, Any]],
        judge: Metric,
        weights: Floats | None,
    ) -> list[BucketRow]:
        jobs = (
            delayed(self._try)(name, clone(member), X, y, pair, params[name], judge, weights)
            for name, member in self._members()
            for pair in parts.pairs
        )
        found = list(Parallel(n_jobs=self.n_jobs)(jobs))
        count = len(parts.pairs)
        return [_row(name, found[m * count : (m + 1) * count]) for m, (name, _) in enumerate(self._members())]

    def _try(
        self,
        name: str,
        member: Any,
        X: Any,
        y: NDArray[Any],
        pair: Pair,
        params: dict[str, Any],
        judge: Metric,
        weights: Floats | None,
    ) -> float | str:
        """The loss on one part, or why there is none."""
        train, test = pair
        try:
            fitted = self._fit_one()(name, member, take_rows(X, train), y[train], part_of(params, train, len(y)))
            with speaking_of(name, member, f"predict {len(test)} held-out rows"):
                predicted = self._predicted(fitted, take_rows(X, test))
        except DataError as error:
            return error.message
        truth = np.searchsorted(self.classes_, y[test]) if judge.task is Task.CLASSIFICATION else y[test]
        loss = judge.loss(truth, predicted, None if weights is None else weights[test])
        return (
            loss if judge.accepts(predicted.output) else f"gives {predicted.output.value}, and {judge.name} needs more"
        )

    def _predicted(self, member: Any, X: Any) -> Predictions:
        if not hasattr(self, "classes_"):
            return Predictions(None, values(member, X), Output.VALUES)
        labels = np.searchsorted(self.classes_, np.asarray(self._labels(member, X))).astype(np.int32)
        if not hasattr(member, "predict_proba"):
            return Predictions(labels, None, Output.LABELS)
        return Predictions(labels, probabilities(member, X, self.classes_), Output.PROBABILITIES)

    def _labels(self, member: Any, X: Any) -> NDArray[Any]:
        if not hasattr(self, "classes_") or self._costs is None:
            return np.asarray(member.predict(X))
        return self._decide(probabilities(member, X, self.classes_))

    def predict(self, X: Any) -> NDArray[Any]:
        """What the chosen model predicts; with `costs`, its class of least expected cost."""
        X = self._rows(X)
        return self._labels(self.best_estimator_, X)

    @available_if(_all_have("predict_proba"))  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def predict_proba(self, X: Any) -> Floats:
        """The class probabilities of the chosen model."""
        X = self._rows(X)
        return probabilities(self.best_estimator_, X, self.classes_)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Accuracy, or R² for numbers."""
        judge = accuracy_score if is_classifier(self) else r2_score
        return float(judge(y, self.predict(X), sample_weight=sample_weight))


def _row(name: str, found: list[float | str]) -> BucketRow:
    reasons = [one for one in found if isinstance(one, str)]
    if reasons:
        return BucketRow(name, float("nan"), (), reasons[0])
    errors = tuple(float(one) for one in found)
    known = [error for error in errors if not np.isnan(error)]
    if not known:
        return BucketRow(name, float("nan"), errors, "the metric is not defined on any part")
    return BucketRow(name, float(np.mean(known)), errors)
