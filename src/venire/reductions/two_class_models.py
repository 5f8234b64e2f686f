"""What both ways of making two-class problems of many classes share: parameters, fitting in turn, votes."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from venire.ensembles.base import MetaClassifier
from venire.ensembles.members import Named
from venire.errors import DataError
from venire.reductions.votes import Votes
from venire.sklearn_private import StrOptions
from venire.states.checked import CLASSES, FEATURES, Fitted
from venire.states.constraints import array, learner, optional, record, sequence

Floats = NDArray[np.float64]


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

    estimator: Any
    voting: str
    keep_votes: bool
    n_jobs: int | None
    estimators_: list[Any]
    votes_: Votes

    def _members(self) -> Named:
        return [("estimator", self.estimator)]

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
            raise DataError(f"{self._words} needs at least two classes, and there is one class", code="one_class")
        params = self._routed(weights, fit_params)["estimator"]
        self.estimators_ = list(self._fit_models(X, self._codes(y), params))
        if self.keep_votes:
            self.votes_ = self.votes(X)
        return self

    def decision_function(self, X: Any) -> Floats:
        """The votes that decide; with two classes, those of the second less those of the first."""
        return self.votes(X).margin(crisp=self.voting == "crisp")
