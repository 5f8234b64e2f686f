"""Additive regression: stage after stage, a learner is fitted to what the stages before left unexplained."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from venire.ensembles.bagging.draw import MOST_SEED
from venire.ensembles.base import MetaRegressor
from venire.ensembles.members import Named, fit_member, seeded, values, weight_params
from venire.ensembles.rows import row_count
from venire.models.tree.estimators import DecisionTreeRegressor
from venire.sklearn_private import Interval
from venire.states.checked import FEATURES, Fitted
from venire.states.constraints import array, learner, number, optional, sequence

Floats = NDArray[np.float64]


class AdditiveRegressor(MetaRegressor):
    """Stagewise fitting of residuals over any regressor: gradient boosting for squared loss, to be looked at.

    The first stage is the mean. Each stage after it fits a copy of `estimator` to the residuals and adds
    `learning_rate` times its predictions. It ends after `n_estimators` stages, or when nothing is left to explain.

    Parameters
    ----------
    estimator
        Any regressor, by default a tree of depth three.
    n_estimators
        The most stages after the mean.
    learning_rate
        What each stage counts for.
    keep_residuals
        Keep `residuals_`.
    random_state
        A seed or a random generator; None for another result each time.

    Attributes
    ----------
    residuals_
        What each stage was fitted to and, last, what remained, `[stage, row]`.
    training_errors_
        The root mean squared residual before each stage and after the last.

    Examples
    --------
    >>> from venire.data.generators import linear_sinusoid
    >>> X, y = linear_sinusoid(200, np.random.default_rng(0))
    >>> model = AdditiveRegressor(n_estimators=20, learning_rate=0.5, random_state=0).fit(X, y)
    >>> model.residuals_.shape, model.training_errors_[[0, 1, -1]].round(2)
    ((21, 200), array([3.43, 1.8 , 0.14]))
    """

    _fitted_constraints: ClassVar[Fitted] = {
        **FEATURES,
        "start_": number(),
        "estimators_": sequence(learner),
        "training_errors_": array("f8", None),
        "residuals_": optional(array("f8", None, None)),
    }
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "estimator": "no_validation",
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "learning_rate": [Interval(Real, 0, None, closed="neither")],
        "keep_residuals": ["boolean"],
        "random_state": ["random_state"],
    }
    _routes_to_members: ClassVar[bool] = False

    estimators_: list[Any]
    residuals_: Floats

    def __init__(
        self,
        estimator: Any = None,
        n_estimators: int = 100,
        *,
        learning_rate: float = 1.0,
        keep_residuals: bool = True,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_estimators = n_estimators
        self.learning_rate = learning_rate
        self.keep_residuals = keep_residuals
        self.random_state = random_state

    def _members(self) -> Named:
        return [("estimator", DecisionTreeRegressor(max_depth=3) if self.estimator is None else self.estimator)]

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit stage after stage."""
        self._check_parameters()
        X, y, weights = self._read(X, y, sample_weight)
        ((name, member),) = self._members()
        params = weight_params(name, member, weights)
        self.start_ = float(np.average(y, weights=weights))
        left = y - self.start_
        self.estimators_, kept, errors = [], [left], [_size(left, weights)]
        for seed in check_random_state(self.random_state).randint(MOST_SEED, size=self.n_estimators).tolist():
            if errors[-1] == 0:
                break
            fitted = fit_member(name, seeded(member, seed), X, left, params)
            self.estimators_.append(fitted)
            left = left - self.learning_rate * values(fitted, X)[:, 0]
            errors.append(_size(left, weights))
            if self.keep_residuals:
                kept.append(left)
        self.training_errors_ = np.array(errors)
        if self.keep_residuals:
            self.residuals_ = np.array(kept)
        return self

    def staged_predict(self, X: Any) -> Iterator[Floats]:
        """The predictions after 1, 2, … stages beyond the mean."""
        X = self._rows(X)
        total = np.full(row_count(X), self.start_)
        for member in self.estimators_:
            total = total + self.learning_rate * values(member, X)[:, 0]
            yield total

    def predict(self, X: Any) -> Floats:
        """The sum of all stages."""
        total = np.full(row_count(self._rows(X)), self.start_)
        for total in self.staged_predict(X):  # noqa: B007  # only the last one counts
            pass
        return total

    def round_outputs(self, X: Any) -> Floats:
        """What every single stage adds before the learning rate, [stage, row, 1]."""
        X = self._rows(X)
        return np.stack([values(member, X) for member in self.estimators_])


def _size(left: Floats, weights: Floats | None) -> float:
    return float(np.sqrt(np.average(np.square(left), weights=weights)))
