"""Ensembles whose members carry names: parameters by name, and fitting all members on all rows."""

from __future__ import annotations

import sys
from collections.abc import Callable
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.exceptions import NotFittedError
from sklearn.utils import Bunch
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from venire.ensembles.base import MetaEstimator
from venire.ensembles.error_classes import NotFittedMember
from venire.ensembles.members import DROPPED, Named, named
from venire.errors import UsageError
from venire.sklearn_private import Composition


class NamedMembers(MetaEstimator, Composition):  # type: ignore[misc]  # scikit-learn has no types
    """An ensemble with a parameter `estimators`; `tree__max_depth` reaches into the member called `tree`."""

    estimators: Any
    n_jobs: int | None
    estimators_: list[Any]
    _members_are: ClassVar[str | None] = None  # what every member must be, and what its opposite is refused for

    def _members(self) -> Named:
        return named(self.estimators)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters, those of the members under their names."""
        found: dict[str, Any] = self._get_params("estimators", deep=deep)
        return found

    def set_params(self, **params: Any) -> Self:
        """Set parameters; `set_params(tree=other)` replaces a member."""
        self._set_params("estimators", **params)
        return self

    @property
    def named_estimators(self) -> Bunch:
        """The members as given, by their names; also those that are dropped."""
        return Bunch(**dict(named(self.estimators, dropped=True)))

    @property
    def named_estimators_(self) -> Bunch:
        """The fitted members by their names, and `"drop"` for those that are dropped."""
        fitted = dict(zip((name for name, _ in self._members()), self.estimators_, strict=True))
        return Bunch(**{name: fitted.get(name, DROPPED) for name, _ in named(self.estimators, dropped=True)})

    def _check_parameters(self) -> None:
        super()._check_parameters()
        taken = sorted({name for name, _ in self._members()} & set(self.get_params(deep=False)))
        if taken:
            raise UsageError(
                f"Estimator names conflict with constructor arguments: {taken!r}", hint="call these members otherwise"
            )
        for _, member in self._members():
            if isinstance(member, type):
                raise UsageError(
                    f"Expected an estimator instance ({member.__name__}()), got estimator class instead "
                    f"({member.__name__})."
                )
            if self._members_are is not None and (is_regressor if self._members_are == "classifier" else is_classifier)(
                member
            ):
                raise UsageError(
                    f"The estimator {type(member).__name__} should be a {self._members_are}.",
                    hint=f"a {self._members_are} has the same job as the ensemble",
                )

    def _keep(self, fitted: list[Any]) -> None:
        self.estimators_ = fitted

    def _given_fitted(self) -> list[Any]:
        """The members as they came, which must be fitted."""
        for name, member in self._members():
            try:
                check_is_fitted(member)
            except NotFittedError as error:
                raise NotFittedMember(
                    f"member {name!r} ({type(member).__name__}) is not fitted", hint="fit it first, or leave prefit out"
                ) from error
        return [member for _, member in self._members()]

    def _classes_of_fitted(self) -> NDArray[Any]:
        """The classes that members which came fitted know; they may be more than the rows at hand show."""
        return np.unique(np.concatenate([member.classes_ for member in self._given_fitted()]))

    def _fit_all(
        self,
        X: Any,
        y: NDArray[Any],
        params: dict[str, dict[str, Any]],
        fit: Callable[..., Any],
        saying: str | None = None,
    ) -> list[Any]:
        members = self._members()
        places = [None if saying is None else f"[{saying}] ({i + 1} of {len(members)})" for i in range(len(members))]
        jobs = (
            delayed(_fit_timed)(place, fit, name, clone(member), X, y, params[name])
            for place, (name, member) in zip(places, members, strict=True)
        )
        return list(Parallel(n_jobs=self.n_jobs)(jobs))


def _fit_timed(place: str | None, fit: Callable[..., Any], name: str, *rest: Any) -> Any:
    began = perf_counter()
    fitted = fit(name, *rest)
    if place is not None:
        sys.stdout.write(f"{place} Processing {name}, total={perf_counter() - began:6.1f}s\n")
    return fitted
