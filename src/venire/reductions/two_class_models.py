"""What both ways of making two-class problems of many classes share: parameters, fitting in turn, votes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn import get_config
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing
from sklearn.utils.metaestimators import available_if

from venire.combine.least_cost import decisive_costs
from venire.ensembles.base import MetaClassifier, part_of
from venire.ensembles.rows import checked, take_rows
from venire.errors import DataError
from venire.reductions.votes import Votes
from venire.sklearn_private import StrOptions
from venire.states.checked import CLASSES, FEATURES, Fitted
from venire.states.constraints import array, learner, optional, record, sequence

Floats = NDArray[np.float64]


def _learns_in_parts(model: Any) -> bool:
    getattr(model.estimator, "partial_fit")  # noqa: B009  # its AttributeError is the reason that is reported
    return True


class TwoClassModels(MetaClassifier):
    """A classifier made of models that each tell two sets of classes apart."""

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        **CLASSES,
        "estimators_": sequence(learner),
        "votes_": optional(record(Votes, **dict.fromkeys(("crisp", "weighted"), array("f8", "rows", "classes")))),
    }
    _members_say: ClassVar[tuple[int, ...] | None] = (0, 1)
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": "no_validation",
        "voting": [StrOptions({"crisp", "weighted"})],
        "keep_votes": ["boolean"],
        "class_weight": [dict, StrOptions({"balanced"}), None],
        "costs": ["array-like", None],
        "n_jobs": [Integral, None],
    }
    _words: ClassVar[str]  # what it is called in a message
    _part_words: ClassVar[str]  # of classes that `partial_fit` was not given

    estimator: Any
    voting: str
    keep_votes: bool
    n_jobs: int | None
    estimators_: list[Any]
    votes_: Votes

    def _fit_models(self, X: Any, codes: NDArray[np.intp], params: dict[str, Any]) -> Iterable[Any]:
        """The models, fitted on the rows that each of them needs."""
        raise NotImplementedError

    def votes(self, X: Any) -> Votes:
        """The crisp and the weighted votes for every class."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any, sample_weight: Any = None, **fit_params: Any) -> Self:
        """Fit the models."""
        self._check_parameters()
        X, y, weights = self._read(X, y, sample_weight)
        if len(self.classes_) < 2:
            raise DataError(
                f"{self._words} cannot be fitted when only one class is present: it needs at least two classes",
                code="one_class",
                hint="is the target the right column?",
            )
        params = self._routed(weights, fit_params)["estimator"]
        self.estimators_ = list(self._fit_models(X, self._codes(y), params))
        if self.keep_votes:
            self.votes_ = self.votes(X)
        return self

    @available_if(_learns_in_parts)  # type: ignore[untyped-decorator]  # scikit-learn has no types
    def partial_fit(self, X: Any, y: Any, classes: Any = None, **fit_params: Any) -> Self:
        """Go on with the `partial_fit` of every model. The first call needs all classes, in `classes` or in `y`."""
        self._check_parameters()
        first = not hasattr(self, "estimators_")
        X = checked(self, X, reset=first)
        y = self._target(y, X)
        if first:
            self.classes_ = np.unique(y if classes is None else classes)
            self._costs = decisive_costs(self.costs, self.classes_)
            self.estimators_ = [clone(self.estimator) for _ in range(self._model_count())]
        if not np.isin(y, self.classes_).all():
            raise DataError(
                f"Mini-batch contains {np.unique(y)} while {self._part_words} be subset of {self.classes_}",
                code="unknown_class",
                hint="name all classes in the first call of partial_fit",
            )
        params = self._routed_parts(fit_params)
        for model, (rows, target) in zip(self.estimators_, self._parts(self._codes(y)), strict=True):
            if len(target):
                part = X if rows is None else take_rows(X, rows)
                model.partial_fit(part, target, classes=np.array([0, 1]), **part_of(params, rows, len(y)))
        return self

    def _routed_parts(self, params: dict[str, Any]) -> dict[str, Any]:
        if get_config()["enable_metadata_routing"]:
            return dict(process_routing(self, "partial_fit", **params)["estimator"]["partial_fit"])
        self._refuse_unrouted({name: value for name, value in params.items() if name != "sample_weight"})
        return params

    def _model_count(self) -> int:
        """How many models these classes need."""
        raise NotImplementedError

    def _parts(self, codes: NDArray[np.intp]) -> Iterator[tuple[NDArray[np.intp] | None, NDArray[np.intp]]]:
        """The rows of each model (None: all) and its target of zeros and ones."""
        raise NotImplementedError

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    def get_metadata_routing(self) -> MetadataRouter:
        """Whom metadata given to `fit` and `partial_fit` is handed on to."""
        mapping = MethodMapping().add(caller="fit", callee="fit").add(caller="partial_fit", callee="partial_fit")
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=mapping)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = get_tags(self.estimator).input_tags.pairwise
        return tags

    def decision_function(self, X: Any) -> Floats:
        """The votes that decide; with two classes, those of the second less those of the first."""
        return self.votes(X).margin(crisp=self.voting == "crisp")
