"""Support vector machines: one kernel matrix a trial serves every C of the path, and every C starts where the last was.

Scaling and γ are the training part's own, so that no entry of a kernel matrix is the same in two trials; within a trial
the matrix is computed once by matrix products, where libsvm would compute its entries again for every C. Linear
machines that libsvm does not solve soon go on from the plane of the last C (`models.support_lines`). And where no
multiplier reaches its bound C, the solution is that of every larger C too. Equal to one fit a setting up to the
solver's own tolerance.

Settings with landmarks, which the path of a large table has, are a fit each. With more training rows than the machines'
`max_rows` as many are drawn, with the trial's seed, and every setting is a fit of its own.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.svm import SVC, SVR

from venire.data.table import Table
from venire.families import fit_seconds as costs
from venire.models.svm.linear import Lines, at_bound, class_lines, number_line, products
from venire.models.svm.machines import KERNEL_MACHINE, SupportVectorClassifier, votes
from venire.validation.plans.plan import Plan
from venire.validation.trials.family import Cost, Setting
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.lesson import Lesson
from venire.validation.trials.outcomes import Fit, Predicted, fit_and_predict, predictions_of

Floats = NDArray[np.float64]
_MOST_ROWS = 8000  # of a training part: its kernel matrix takes 512 MB


class KernelFamily(GenericFamily):
    """The path is kernel and C."""

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """Kernel by kernel, and in each from the smallest C to the largest, if that is the path's order."""
        task = _Task.of(lesson)
        linear, curved = _Linear(), _Curved()
        for setting in lesson.settings:
            lesson.cancel()
            estimator = self._estimator(lesson.table, setting, lesson.seed)
            machine = estimator.regressor if isinstance(estimator, TransformedTargetRegressor) else estimator
            if task is None or _alone(machine, len(task.X)):
                yield _fitted_alone(estimator, lesson)
                continue
            scaler = None if estimator is machine else clone(estimator.transformer).fit(task.y[:, None])
            solve = linear if machine.kernel == "linear" else curved
            yield task.predicted(solve.heights(task, machine, scaler), scaler)

    def in_brief(self, table: Table) -> KernelFamily:
        """One machine of every kernel: the others do the same with the rows."""
        firsts: dict[str, Setting] = {}
        for setting in self.path(table):
            firsts.setdefault(setting.shown.get("", ""), setting)
        return self.with_path(tuple(firsts.values()))

    def definition(self) -> str:
        """The generic one, and up to how many rows products of matrices compare them: they round in their own way."""
        return f"{super().definition()}\nkernel matrix of at most {_MOST_ROWS} rows"

    def cost(self, table: Table, plan: Plan) -> Cost:
        """The generic cost, and the kernel matrix; of a large table that of machines on landmarks."""
        plain = super().cost(table, plan)
        if table.rows > costs.MOST_WITH_KERNEL:
            rows = table.rows * max(1, plan.folds - 2) // plan.folds
            classes = 0 if table.target is None else len(table.target.classes)
            one = costs.svm_by_landmarks(rows, self._encoded_columns(table), classes)
            return Cost(one * len(self.path(table)) * len(plan.trials), plain.bytes, plain.guess)
        rows = min(table.rows, _MOST_ROWS)
        return Cost(plain.seconds, plain.bytes + 2.0 * 8 * rows * rows, plain.guess)


def _alone(machine: Any, rows: int) -> bool:
    """Whether a machine of so many rows is fitted on its own: a matrix would be too large, or some rows are drawn."""
    most = getattr(machine, "max_rows", None)
    drawn = most is not None and rows > most
    near = getattr(machine, "landmarks", None) is not None
    return drawn or (machine.kernel != "linear" and (near or rows > _MOST_ROWS))


def _fitted_alone(estimator: Any, lesson: Lesson) -> Fit:
    """A fit of its own; of two classes the side of the plane says the class, and rows are compared with it once."""
    if not isinstance(estimator, SupportVectorClassifier):
        return fit_and_predict(estimator, lesson)
    estimator.fit(lesson.X, lesson.y, lesson.weights)
    if len(estimator.classes_) > 2:
        return predictions_of(estimator, lesson)
    predicted = [votes(estimator.decision_function(part)[:, None], 2) for part in lesson.parts]
    return [(estimator.classes_, Predicted(outputs, estimator.classes_[winners])) for outputs, winners in predicted]


@dataclass(frozen=True, eq=False)
class _Task:
    """Rows that weigh anything, their targets (codes 0, 1, … of the classes that occur), and the parts to tell of."""

    X: Floats
    y: NDArray[Any]
    weights: Floats | None
    parts: list[Floats]
    classes: NDArray[Any]

    @classmethod
    def of(cls, lesson: Lesson) -> _Task | None:
        """None where no two classes weigh anything: what to say of that is left to the estimator."""
        counted = np.arange(len(lesson.X)) if lesson.weights is None else np.flatnonzero(lesson.weights)
        weights = None if lesson.weights is None else lesson.weights[counted]
        classes, y = np.empty(0), lesson.y[counted]
        if y.dtype.kind != "f":
            classes, y = np.unique(y, return_inverse=True)
        if not len(counted) or (y.dtype.kind != "f" and len(classes) < 2):
            return None
        X = lesson.X if len(counted) == len(lesson.X) else lesson.X[counted]
        return cls(X, y, weights, lesson.parts, classes)

    def scaled(self, scaler: Any) -> NDArray[Any]:
        return self.y if scaler is None else np.asarray(scaler.transform(self.y[:, None])[:, 0])

    def predicted(self, heights: list[Floats], scaler: Any) -> Fit:
        """What the heights of the parts say."""
        if not len(self.classes):
            values = heights if scaler is None else [scaler.inverse_transform(each) for each in heights]
            return [(np.empty(0), Predicted(value, None)) for value in values]
        predicted = [votes(each, len(self.classes)) for each in heights]
        return [(self.classes, Predicted(outputs, self.classes[winners])) for outputs, winners in predicted]


class _Linear:
    """The machines of one trial without a kernel."""

    def __init__(self) -> None:
        self._gram: Floats | None = None
        self._last: Lines | None = None

    def heights(self, task: _Task, machine: Any, scaler: Any) -> list[Floats]:
        """[row, pair] of every part."""
        if self._last is None or machine.C < self._last.C:
            self._gram, self._last = products(task.X) if self._gram is None else self._gram, None
        given = (task.weights, self._gram, self._last)
        if isinstance(machine, SupportVectorClassifier):
            self._last = class_lines(task.X, task.y, machine.C, *given)
        else:
            self._last = number_line(task.X, task.scaled(scaler), machine.C, machine.epsilon, *given)
        return [self._last.heights(part) for part in task.parts]


class _Curved:
    """The machines of one trial with one kernel after the other."""

    def __init__(self) -> None:
        self._gamma: Any = None
        self._kernels: list[Floats] = []
        self._free: tuple[float, list[Floats]] | None = None  # a C that binds no row, and the heights under it

    def heights(self, task: _Task, machine: Any, scaler: Any) -> list[Floats]:
        """[row, pair] of every part."""
        if not self._kernels or machine.gamma != self._gamma:
            self._gamma, self._kernels, self._free = machine.gamma, _kernels(task, machine.gamma), None
        if self._free is not None and self._free[0] <= machine.C:
            return self._free[1]
        inside, *parts = self._kernels
        classes = isinstance(machine, SupportVectorClassifier)
        shared = {"C": machine.C, "kernel": "precomputed", **KERNEL_MACHINE}
        solver = SVC(decision_function_shape="ovo", **shared) if classes else SVR(epsilon=machine.epsilon, **shared)
        solver.fit(inside, task.scaled(scaler), task.weights)
        ask = solver.decision_function if classes else solver.predict
        heights = [np.asarray(ask(part)).reshape(len(part), -1) for part in parts]
        if not at_bound(solver, machine.C, task.weights):
            self._free = machine.C, heights
        return heights


def _kernels(task: _Task, gamma: Any) -> list[Floats]:
    """Between the training rows, and from every part to them."""
    if isinstance(gamma, str):
        spread = float(task.X.var()) if gamma == "scale" else 1.0
        gamma = 1.0 / (task.X.shape[1] * spread) if spread > 0 else 1.0
    inside = rbf_kernel(task.X, gamma=gamma)
    parts = (inside if part is task.X else rbf_kernel(part, task.X, gamma=gamma) for part in task.parts)
    return [inside, *parts]
