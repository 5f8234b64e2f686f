"""Support vector machines: one kernel matrix a trial and kernel serves every C of the path.

Scaling and γ are the training part's own, so that no entry of a kernel matrix is the same in two trials; within a trial
the matrix is computed once by matrix products, where libsvm would compute its entries again for every C. And where no
multiplier reaches its bound C, the solution is that of every larger C too. Equal to one fit a setting up to the
solver's own tolerance.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, SVR

from venire.data.table import Table
from venire.validation.family import Cost
from venire.validation.generic import Fit, GenericFamily, Lesson, Predicted, fit_and_predict
from venire.validation.plan import Plan

Floats = NDArray[np.float64]
_MOST_ROWS = 4000  # of a training part: its kernel matrix takes 128 MB


class KernelFamily(GenericFamily):
    """The path is kernel and C."""

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """Compute each kernel once, and fit only where C makes a difference."""
        kernels: dict[tuple[str, Any], list[Floats]] = {}
        solved: dict[tuple[str, Any], _Free] = {}
        for setting in lesson.settings:
            lesson.cancel()
            estimator = self._estimator(lesson.table, setting, lesson.seed)
            machine = estimator.regressor if isinstance(estimator, TransformedTargetRegressor) else estimator
            if len(lesson.X) > _MOST_ROWS or not _known(machine) or not _all_heard(lesson):
                yield fit_and_predict(estimator, lesson)
                continue
            key = (machine.kernel, machine.gamma)
            if key not in kernels:
                kernels.clear()  # the path goes kernel by kernel, and a matrix is large
                kernels[key] = _kernels(machine, lesson)
            before = solved.get(key)
            if before is None or machine.C < before.C:
                fit, free = _fit(estimator, machine, kernels[key], lesson)
                if free:
                    solved[key] = _Free(machine.C, fit)
            else:
                fit = before.fit
            yield fit

    def cost(self, table: Table, plan: Plan) -> Cost:
        """The generic cost, and the kernel matrix."""
        plain = super().cost(table, plan)
        rows = min(table.rows, _MOST_ROWS)
        return Cost(plain.seconds, plain.bytes + 2.0 * 8 * rows * rows, plain.guess)


@dataclass(frozen=True, eq=False)
class _Free:
    """A fit none of whose multipliers is at its bound."""

    C: float
    fit: Fit


def _known(machine: Any) -> bool:
    return type(machine) in (SVC, SVR) and machine.kernel in ("linear", "rbf")


def _all_heard(lesson: Lesson) -> bool:
    """Whether every class has a row that weighs something; if not, what to say is left to the estimator."""
    heard = _heard(lesson)
    return len(heard) > 0 and (
        lesson.y.dtype.kind == "f" or np.array_equal(np.unique(lesson.y[heard]), np.unique(lesson.y))
    )


def _heard(lesson: Lesson) -> NDArray[np.intp]:
    """Rows of positive weight: libsvm leaves out the others, but not from a kernel matrix."""
    return np.flatnonzero(np.ones(len(lesson.X)) if lesson.weights is None else lesson.weights)


def _kernels(machine: Any, lesson: Lesson) -> list[Floats]:
    """Between the training rows that count, and from every part to them."""
    heard = lesson.X[_heard(lesson)]
    if machine.kernel == "linear":
        return [heard @ heard.T, *(part @ heard.T for part in lesson.parts)]
    gamma = machine.gamma
    if isinstance(gamma, str):
        spread = lesson.X.var() if gamma == "scale" else 1.0
        gamma = 1.0 / (heard.shape[1] * spread) if spread > 0 else 1.0
    inside = rbf_kernel(heard, gamma=gamma)
    shared = len(heard) == len(lesson.X)
    return [
        inside,
        *(inside if shared and part is lesson.X else rbf_kernel(part, heard, gamma=gamma) for part in lesson.parts),
    ]


def _fit(estimator: Any, machine: Any, kernels: list[Floats], lesson: Lesson) -> tuple[Fit, bool]:
    """One fit on a kernel matrix; and whether a larger C would change nothing."""
    inside, *parts = kernels
    heard = _heard(lesson)
    weights = None if lesson.weights is None else lesson.weights[heard]
    fitted = clone(machine).set_params(kernel="precomputed")
    if isinstance(machine, SVC):
        fitted.set_params(decision_function_shape="ovo").fit(inside, lesson.y[heard], weights)
        said = [(fitted.classes_, _decided(fitted.decision_function(part), fitted.classes_)) for part in parts]
        return said, _free(fitted, weights)
    scaler = None if estimator is machine else clone(estimator.transformer).fit(lesson.y[:, None])
    y = lesson.y if scaler is None else scaler.transform(lesson.y[:, None])[:, 0]
    fitted.fit(inside, y[heard], weights)
    values = [fitted.predict(part)[:, None] for part in parts]
    values = values if scaler is None else [scaler.inverse_transform(value) for value in values]
    return [(np.empty(0), Predicted(value, None)) for value in values], _free(fitted, weights)


def _free(fitted: Any, weights: Floats | None) -> bool:
    bound = fitted.C if weights is None else fitted.C * weights[fitted.support_]
    return bool((np.abs(fitted.dual_coef_) < bound * (1.0 - 1e-9)).all())


def _decided(pairs: Floats, classes: NDArray[Any]) -> Predicted:
    """From the decisions of all pairs of classes, as scikit-learn does: votes, with confidence between votes."""
    if len(classes) == 2:
        return Predicted(np.stack([-pairs, pairs], axis=1), classes[(pairs > 0).astype(np.intp)])
    votes, confidence = np.zeros((2, len(pairs), len(classes)))
    for column, (one, other) in enumerate(combinations(range(len(classes)), 2)):
        score = pairs[:, column]
        confidence[:, one] += score
        confidence[:, other] -= score
        votes[np.arange(len(pairs)), np.where(score > 0, one, other)] += 1
    outputs = votes + confidence / (3.0 * (np.abs(confidence) + 1.0))
    return Predicted(outputs, classes[votes.argmax(axis=1)])
