"""What bagging of classes and of numbers share: drawing, fitting, averaging, and what is said of rows left out.

Each member has a seed of its own, from which its rows, its columns and its own randomness follow; so the number of jobs
does not matter, and the first ten members of a hundred are the ten of a fit with ten.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.metadata_routing import MetadataRouter
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from venire.ensembles.bagging.draw import MOST_SEED, Draw, Rows, sample_size
from venire.ensembles.bagging.metadata import handed_on, mapping
from venire.ensembles.base import MetaEstimator, part_of
from venire.ensembles.members import Named, named, seeded
from venire.ensembles.rows import row_count, take_columns, take_rows
from venire.errors import UsageError, VenireWarning
from venire.sklearn_private import Interval
from venire.states.checked import Fitted
from venire.states.constraints import array, learner, maybe, number, optional, record, sequence

Floats = NDArray[np.float64]

CONSTRAINTS: dict[str, Any] = {
    "estimator": "no_validation",  # one, several or none: looked at by `named`
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "max_samples": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, None, closed="neither"), None],
    "max_features": [Interval(Integral, 1, None, closed="left"), Interval(Real, 0, 1, closed="right")],
    "bootstrap": ["boolean"],
    "bootstrap_features": ["boolean"],
    "oob_score": ["boolean"],
    "n_jobs": [Integral, None],
    "random_state": ["random_state"],
    "warm_start": ["boolean"],
    "verbose": ["verbose"],
}
_OUT_OF_BAG = ("oob_score_", "oob_count_", "oob_prediction_", "oob_decision_function_")


BAGGED: Fitted = {
    "_draw": record(Draw, shares=maybe(array("f8", None, low=0))),
    "_seeds": array("i8", None, low=0),
    "estimators_": sequence(learner, "members"),
    "estimators_features_": sequence(maybe(array("i8", None, low=0, below="features")), "members"),
    "oob_count_": optional(array("i8", "rows", low=0)),
    "oob_score_": optional(number(finite=False)),
}


class BaggingBase(MetaEstimator):
    """Members fitted on random parts of the rows and columns, and their average."""

    estimators_: list[Any]
    estimators_features_: list[Rows | None]
    _draw: Draw
    _seeds: NDArray[np.int64]
    _fit_one: ClassVar[Callable[..., Any]]
    _callers: ClassVar[tuple[str, ...]] = ("predict",)  # the methods that hand metadata on to members
    estimator: Any
    n_estimators: int
    max_samples: float | None
    max_features: float
    bootstrap: bool
    bootstrap_features: bool
    oob_score: bool
    n_jobs: int | None
    random_state: Any
    warm_start: bool
    verbose: int

    def __len__(self) -> int:
        return len(self.estimators_)

    def __getitem__(self, place: int) -> Any:
        return self.estimators_[place]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.estimators_)

    @property
    def estimator_(self) -> Any:
        """The learner that members are copies of; the first, where several take turns."""
        check_is_fitted(self)
        return self._members()[0][1]

    def _default(self) -> Any:
        raise NotImplementedError

    def _say(self, member: Any, X: Any, **metadata: Any) -> Floats:
        """What one member says of rows, [row, output]."""
        raise NotImplementedError

    @property
    def _crisp(self) -> bool:
        """Whether members are asked for labels alone."""
        return False

    def _members(self) -> Named:
        if self.estimator is None:
            return [("estimator", self._default())]
        if hasattr(self.estimator, "fit"):
            return [("estimator", self.estimator)]
        return named(self.estimator)

    @property
    def estimators_samples_(self) -> list[Rows]:
        """The rows each member was fitted on, drawn again from its seed."""
        return [self._draw.rows_of(seed) for seed in self._seeds.tolist()]

    @property
    def left_out_(self) -> list[Rows]:
        """The rows each member has not seen."""
        return [self._draw.left_out_by(seed) for seed in self._seeds.tolist()]

    def _fit_members(self, X: Any, y: NDArray[Any], weights: Floats | None, params: dict[str, Any]) -> Floats | None:
        """Fit all members; returns the sum of what was said of rows left out, with a last column that counts."""
        done = self._members_before()
        for name in _OUT_OF_BAG:
            self.__dict__.pop(name, None)
        self._draw = self._drawing(X, weights)
        routed = self._routed(None if self.bootstrap else weights, params)
        members = self._members()
        seeds = check_random_state(self.random_state).randint(MOST_SEED, size=self.n_estimators)
        self._seeds = np.concatenate([self._seeds, seeds[done:]]) if done else seeds
        if not done:
            self.estimators_, self.estimators_features_ = [], []
        jobs = (
            delayed(self._fit_at)(seed, *members[t % len(members)], X, y, routed)
            for t, seed in enumerate(self._seeds.tolist())
            if t >= done
        )
        left_out_sums: Floats | None = None
        for seed, (member, predicted) in zip(
            self._seeds.tolist()[done:], Parallel(n_jobs=self.n_jobs, return_as="generator")(jobs), strict=True
        ):
            self.estimators_.append(member)
            columns = self._draw.columns_of(seed)
            self.estimators_features_.append(np.arange(self._draw.columns) if columns is None else columns)
            if predicted is not None:
                left_out_sums = (
                    np.zeros((row_count(X), predicted.shape[1] + 1)) if left_out_sums is None else left_out_sums
                )
                left_out = self._draw.left_out_by(seed)
                left_out_sums[left_out, :-1] += predicted
                left_out_sums[left_out, -1] += 1
        return left_out_sums

    def _members_before(self) -> int:
        """How many members of the last fit are kept."""
        done = len(self.estimators_) if self.warm_start and hasattr(self, "estimators_") else 0
        if self.warm_start and self.oob_score:
            raise UsageError("Out of bag estimate only available if warm_start=False")
        if done > self.n_estimators:
            raise UsageError(
                f"n_estimators={self.n_estimators} must be larger or equal to len(estimators_)={done} "
                "when warm_start==True"
            )
        if done == self.n_estimators:
            message = "Warm-start fitting without increasing n_estimators does not fit new members."
            warnings.warn(message, VenireWarning, stacklevel=4)
        return done

    def _fit_at(
        self, seed: int, name: str, member: Any, X: Any, y: NDArray[Any], routed: dict[str, dict[str, Any]]
    ) -> tuple[Any, Floats | None]:
        rows, columns = self._draw.rows_of(seed), self._draw.columns_of(seed)
        everything = not self._draw.replace and len(rows) == self._draw.rows
        params = routed[name] if everything else part_of(routed[name], rows, len(y))
        part = take_columns(X if everything else take_rows(X, rows), columns)
        fitted = type(self)._fit_one(name, seeded(member, seed), part, y[rows], params)
        if not self.oob_score:
            return fitted, None
        left_out = self._draw.left_out_by(seed)
        if not len(left_out):
            return fitted, None
        return fitted, self._say(fitted, take_columns(take_rows(X, left_out), columns))

    def _drawing(self, X: Any, weights: Floats | None) -> Draw:
        rows, columns = row_count(X), self.n_features_in_
        sample = sample_size(self.max_samples, rows)
        if not self.bootstrap and sample > rows:
            raise UsageError(
                f"max_samples={self.max_samples} asks for {sample} of {rows} rows without replacement",
                hint="draw with replacement (bootstrap=True), or at most all rows",
            )
        if self.oob_score and not self.bootstrap and sample == rows:
            raise UsageError(
                "oob_score=True needs rows that a member has not seen, and every member sees all of them",
                hint="draw with replacement (bootstrap=True), or fewer rows (max_samples=0.632)",
            )
        whole = isinstance(self.max_features, Integral)
        features = int(self.max_features) if whole else max(1, int(self.max_features * columns))
        if features > columns:
            raise UsageError(f"max_features={self.max_features}, and the table has {columns} columns")
        shares = weights / weights.sum() if weights is not None and self.bootstrap else None
        return Draw(rows, columns, sample, features, self.bootstrap, self.bootstrap_features, shares)

    def get_metadata_routing(self) -> MetadataRouter:
        """Whom metadata given to `fit`, and to the methods that predict, is handed on to."""
        router = MetadataRouter(owner=type(self).__name__).add_self_request(self)
        for name, member in self._members():
            router.add(**{name: member}, method_mapping=mapping(self._callers, member, crisp=self._crisp))
        return router

    def _asked(self, X: Any, caller: str, params: dict[str, Any]) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
        """The members, the columns of these rows that each looks at, and the metadata that it is given."""
        self._refuse_unrouted(params, caller)
        X = self._rows(X)
        given = handed_on(self, self.estimators_, self._members(), caller, params, crisp=self._crisp)
        parts = (take_columns(X, columns) for columns in self._chosen_columns())
        return zip(self.estimators_, parts, given, strict=True)

    def _staged(self, X: Any, caller: str = "predict", params: dict[str, Any] | None = None) -> Iterator[Floats]:
        """What the members say, in order, one after the other."""
        asked = self._asked(X, caller, params or {})
        jobs = (delayed(self._say)(member, part, **metadata) for member, part, metadata in asked)
        yield from Parallel(n_jobs=self.n_jobs, return_as="generator")(jobs)

    def _chosen_columns(self) -> list[Rows | None]:
        """The columns of each member; None where it has all of them, in order."""
        if not self._draw.replace_features and self._draw.features == self._draw.columns:
            return [None] * len(self.estimators_)
        return list(self.estimators_features_)

    def _average(self, X: Any, caller: str = "predict", params: dict[str, Any] | None = None) -> Floats:
        total: Floats | None = None
        for predicted in self._staged(X, caller, params):
            total = predicted if total is None else total + predicted
        assert total is not None  # there is at least one member
        return total / len(self.estimators_)

    def _staged_average(self, X: Any) -> Iterator[Floats]:
        total: Floats | None = None
        for count, predicted in enumerate(self._staged(X), start=1):
            total = predicted if total is None else total + predicted
            yield total / count

    def round_outputs(self, X: Any) -> Floats:
        """What every single member says, [member, row, output]: probabilities (or votes) by class, or a number."""
        return np.stack(list(self._staged(X)))

    def _left_out_average(self, left_out_sums: Floats | None, rows: int) -> tuple[Floats, NDArray[np.bool_]]:
        """The average of what was said of each row while it was left out, NaN where it never was."""
        counts = np.zeros(rows) if left_out_sums is None else left_out_sums[:, -1]
        self.oob_count_ = counts.astype(np.intp)
        known = counts > 0
        if not known.all():
            message = (
                "Some inputs do not have OOB scores. This probably means too few estimators were used to compute any "
                f"reliable oob estimates. {int((~known).sum())} of {rows} rows were left out by no member and have no "
                "out-of-bag estimate"
            )
            warnings.warn(f"{message}; more members (n_estimators) leave out more", VenireWarning, stacklevel=4)
        outputs = 1 if left_out_sums is None else left_out_sums.shape[1] - 1
        average = np.full((rows, outputs), np.nan)
        if left_out_sums is not None:
            average[known] = left_out_sums[known, :-1] / counts[known, None]
        return average, known
