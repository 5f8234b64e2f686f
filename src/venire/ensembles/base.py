"""What every ensemble and reduction shares: constraints, reading rows and targets, routing weights, deciding."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, RegressorMixin
from sklearn.utils import assert_all_finite, check_consistent_length, column_or_1d, get_tags
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted

from venire.combine.least_cost import decisive_costs
from venire.ensembles.error_classes import SeveralTargets
from venire.ensembles.members import Named, weight_params
from venire.ensembles.rows import checked, checked_weights, row_count, take_rows
from venire.errors import DataError, UsageError
from venire.metrics.predictions import least_cost
from venire.models.few_rows import fits_plainly
from venire.sklearn_private import InvalidParameterError
from venire.states.checked import FEATURES, CheckedState, Fitted
from venire.states.constraints import Sizes, require

Floats = NDArray[np.float64]


class MetaEstimator(CheckedState, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """An estimator made of others. Constructors only store; constraints are data, checked in `fit`."""

    _fitted_constraints: ClassVar[Fitted] = FEATURES
    _parameter_constraints: ClassVar[dict[str, Any]] = {}
    _routes_to_members: ClassVar[bool] = True  # False where weights are the ensemble's own tool
    _members_say: ClassVar[tuple[int, ...] | None] = (
        None  # the classes of members that do not say those of the ensemble
    )
    _takes_several_targets: ClassVar[bool] = False
    _takes_documents: ClassVar[bool] = False  # where rows are the business of members alone
    n_features_in_: int
    classes_: NDArray[Any]
    estimator: Any  # of those around one model
    class_weight: Any
    costs: Any
    _costs: Floats | None

    @classmethod
    def _check_fitted(cls, state: Mapping[str, Any], sizes: Sizes) -> None:
        if "classes_" not in state:
            return
        alone = (state.get(name) for name in ("estimator_", "best_estimator_", "final_estimator_"))
        for member in (*state.get("estimators_", ()), *(one for one in alone if one is not None)):
            spoken_of = getattr(member, "classes_", None)
            known = state["classes_"] if cls._members_say is None else cls._members_say
            require(
                spoken_of is None or bool(np.isin(spoken_of, known).all()), "has members that speak of other classes"
            )

    def _members(self) -> Named:
        """The unfitted members as given, with their names: by default the one model it is made around."""
        return [("estimator", self.estimator)]

    def _check_parameters(self) -> None:
        try:
            self._validate_params()
        except InvalidParameterError as error:
            raise UsageError(str(error), code="parameter") from error
        given = getattr(self, "estimator", None)
        if given is not None and not hasattr(given, "fit") and (isinstance(given, str) or not np.iterable(given)):
            raise UsageError(
                f"The 'estimator' parameter of {type(self).__name__} must be an object implementing 'fit'. "
                f"Got {given!r} instead.",
                code="parameter",
            )

    def _rows(self, X: Any) -> Any:
        """New rows, compared with those of `fit`."""
        if fits_plainly(self, X):
            return X
        check_is_fitted(self)
        return checked(self, X, reset=False)

    def _target(self, y: Any, X: Any) -> NDArray[Any]:
        if y is None:
            raise UsageError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        # What only can become an array need not bear numpy's functions.
        shape = y.shape if hasattr(y, "shape") else np.asarray(y).shape
        several = len(shape) == 2 and shape[1] > 1
        if several and not self._takes_several_targets:
            raise SeveralTargets(
                f"y should be a 1d array, got an array of shape {shape} instead: "
                f"{type(self).__name__} takes one target",
                code="several_targets",
                hint="fit one for each target, or see sklearn.multioutput",
            )
        target = np.asarray(y) if several else column_or_1d(y, warn=True)
        assert_all_finite(target, input_name="y")
        check_consistent_length(X, target)
        return np.asarray(target)

    def _read_classes(
        self, X: Any, y: Any, sample_weight: Any, known: NDArray[Any] | None = None
    ) -> tuple[Any, NDArray[Any], Floats | None]:
        """Rows, labels and weights (example times class weight) of a training table; sets the classes and costs.

        The classes are those of the table, unless they are `known` already.
        """
        X = checked(self, X, reset=True)
        y = self._target(y, X)
        check_classification_targets(y)
        self.classes_ = np.unique(y) if known is None else known
        if known is not None and not np.isin(y, known).all():
            strange = y[~np.isin(y, known)].tolist()[0]
            raise DataError(f"class {strange!r} is known to no member", code="unknown_class", hint="leave prefit out")
        self._costs = decisive_costs(self.costs, self.classes_)
        weights = checked_weights(sample_weight, row_count(X))
        if self.class_weight is not None:
            by_class = np.asarray(compute_sample_weight(self.class_weight, y))
            weights = by_class if weights is None else weights * by_class
        return X, y, weights

    def _codes(self, y: NDArray[Any]) -> NDArray[np.intp]:
        return np.searchsorted(self.classes_, y)

    def _decide(self, shares: Floats) -> NDArray[Any]:
        """The labels these probabilities speak for, at the least expected cost when there are costs."""
        codes = shares.argmax(axis=1) if self._costs is None else least_cost(shares, self._costs)
        return np.asarray(self.classes_[codes])

    def _read_numbers(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Floats, Floats | None]:
        """Rows, target and weights of a training table."""
        X = checked(self, X, reset=True)
        target = self._target(y, X)
        return X, np.asarray(target, dtype=np.float64), checked_weights(sample_weight, row_count(X))

    def _routed(self, sample_weight: Floats | None, params: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """The parameters of each member's `fit`.

        With metadata routing on, a member gets what it requests. Without, every member gets the weights.
        """
        given = params if sample_weight is None else {**params, "sample_weight": sample_weight}
        if get_config()["enable_metadata_routing"]:
            routed = process_routing(self, "fit", **given)
            return {name: dict(routed[name]["fit"]) for name, _ in self._members()}
        self._refuse_unrouted(params)
        return {name: weight_params(name, member, sample_weight) for name, member in self._members()}

    def _refuse_unrouted(self, params: dict[str, Any], method: str = "fit") -> None:
        """Parameters beside the weights reach members by metadata routing alone."""
        if params and not get_config()["enable_metadata_routing"]:
            raise UsageError(
                f"{type(self).__name__}.{method} got {', '.join(sorted(params))}, which it cannot hand on: "
                "this is only supported if enable_metadata_routing=True",
                hint="switch on routing: sklearn.set_config(enable_metadata_routing=True)",
            )

    def get_metadata_routing(self) -> MetadataRouter:
        """Whom metadata given to `fit` is handed on to."""
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        for name, member in self._members() if self._routes_to_members else ():
            router.add(**{name: member}, method_mapping=MethodMapping().add(caller="fit", callee="fit"))
        return router

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = [get_tags(member).input_tags for _, member in self._members()]
        tags.input_tags.sparse = all(one.sparse for one in inner)
        tags.input_tags.allow_nan = all(one.allow_nan for one in inner)
        return tags


class MetaClassifier(ClassifierMixin, MetaEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier made of others, with class weights and a cost matrix.

    Members are fitted on the labels as given, so that a member's own `class_weight={"fraud": 5}` keeps its meaning.
    """

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, NDArray[Any], Floats | None]:
        return self._read_classes(X, y, sample_weight)

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row, or with `costs` the one of least expected cost."""
        return self._decide(self.predict_proba(X))

    def shares_and_labels(self, X: Any) -> tuple[Floats, NDArray[Any]]:
        """What `predict_proba` and `predict` say, of one look at the rows."""
        shares = self.predict_proba(X)
        return shares, self._decide(shares)

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities in the order of `classes_`."""
        raise NotImplementedError


class MetaRegressor(RegressorMixin, MetaEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A regressor made of others."""

    def _read(self, X: Any, y: Any, sample_weight: Any) -> tuple[Any, Floats, Floats | None]:
        return self._read_numbers(X, y, sample_weight)


def part_of(params: dict[str, Any], rows: NDArray[np.intp] | None, total: int) -> dict[str, Any]:
    """Fit parameters for a part of the rows (None: all): what has one value a row is cut, the rest is handed on."""
    if rows is None:
        return params
    return {
        key: take_rows(np.asarray(value), rows) if np.ndim(value) and len(value) == total else value
        for key, value in params.items()
    }
