"""Logistic regression: every C of the path in one go, each to the optimum (`logistic_path`).

The optimum is unique, so where a trial starts does not matter to what is found but for the last bits; and since those
must not depend on rows that are left out, it starts from its own rows alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from threading import Lock, local
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table
from venire.families.logistic_path import NotSolved, answers, solve_path
from venire.validation.family import Cancel, Cost, Setting
from venire.validation.generic import Fit, GenericFamily, Lesson, Predicted, Prepared
from venire.validation.plan import Plan, Trial

Floats = NDArray[np.float64]
_MOST_COEFFICIENTS = 1000  # beyond, second derivatives are larger than the table, and scikit-learn's lbfgs does better
_OTHERS = 3.0  # one fit by scikit-learn against one of ours
_ELSEWHERE = Lock()
_AT_ONCE = 1 << 15  # numbers encoded together: they stay in the cache


class Desk(local):
    """Memory that a thread fills for one trial after the other: to ask for it anew costs more than to fill it."""

    def __init__(self) -> None:
        self._numbers = np.empty(0)

    def encoded(self, encoder: Any, X: Floats, rows: NDArray[np.intp]) -> Floats:
        """These rows as the encoder gives them, until the thread's next trial."""
        step = max(1, _AT_ONCE // max(1, X.shape[1]))
        first = encoder.transform(X[rows[:step]])
        needed = len(rows) * first.shape[1]
        if len(self._numbers) < needed:
            self._numbers = np.empty(needed)
        given = self._numbers[:needed].reshape(len(rows), first.shape[1])
        given[:step] = first
        for at in range(step, len(rows), step):
            given[at : at + step] = encoder.transform(X[rows[at : at + step]])
        return given


@dataclass(frozen=True, eq=False)
class OnDesks(Prepared):
    """Nothing but memory is shared, and that within a thread."""

    desk: Desk = field(default_factory=Desk)


class LogisticFamily(GenericFamily):
    """The path is C. Tables of many columns and classes are left to scikit-learn's lbfgs, one fit a setting."""

    def prepare(self, table: Table, plan: Plan) -> OnDesks:
        """Resolve the path once."""
        return OnDesks(table, plan, self.path(table))

    def learn(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> Iterator[Fit]:
        """As any family does, but for where the encoded training part is kept."""
        assert isinstance(prepared, OnDesks)
        table, plan = prepared.table, prepared.plan
        train = plan.train_rows(trial)
        encoder = self._encoder(table).fit(table.X[train])
        inside = prepared.desk.encoded(encoder, table.X, train)
        outside = encoder.transform(table.X[plan.test_rows(trial)])
        parts = [outside, inside] if plan.is_outer(trial) else [outside]
        weights = None if table.weights is None else table.weights[train]
        seed = trial.seed(plan.seed, self.name)
        return self.fit_path(Lesson(table, prepared.settings, inside, table.y[train], parts, seed, cancel, weights))

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """Solve for all penalties, then all rows of all settings are one product."""
        classes, codes = np.unique(lesson.y, return_inverse=True)
        if not self._small(lesson.table):
            return super().fit_path(lesson)
        penalties = np.array([1.0 / float(setting.params["C"]) for setting in lesson.settings])
        order = np.argsort(-penalties, kind="stable")
        try:
            solved = solve_path(lesson.X, codes, len(classes), lesson.weights, penalties[order].tolist(), lesson.cancel)
        except NotSolved:
            return self._elsewhere(lesson)
        back = np.argsort(order, kind="stable")
        coefficients = np.stack([solved[place] for place in back])
        return _said(classes, coefficients, lesson.parts)

    def _elsewhere(self, lesson: Lesson) -> Iterator[Fit]:
        """By scikit-learn, one trial at a time: it swaps the filters of warnings, which are the whole process's."""
        with _ELSEWHERE:
            yield from super().fit_path(lesson)

    def in_threads(self, table: Table) -> bool:
        """The path is the core's; a wide table is scikit-learn's."""
        return self._small(table)

    def _small(self, table: Table) -> bool:
        assert table.target is not None
        outputs = 1 if len(table.target.classes) <= 2 else len(table.target.classes)
        return outputs * self._encoded_columns(table) <= _MOST_COEFFICIENTS

    def _estimator(self, table: Table, setting: Setting, seed: int) -> Any:
        estimator = super()._estimator(table, setting, seed)
        return estimator if self._small(table) else estimator.set_params(solver="lbfgs", tol=1e-6, max_iter=10_000)

    def cost(self, table: Table, plan: Plan) -> Cost:
        """The path costs about two fits; of a wide table, one a setting."""
        plain = super().cost(table, plan)
        settings = len(self.path(table))
        if self._small(table):
            return plain
        return replace(plain, seconds=_OTHERS * plain.seconds * settings / self._fits(settings))

    def _fits(self, settings: int) -> float:
        return 0.8 + 0.06 * settings


def _said(classes: NDArray[Any], coefficients: Floats, parts: list[Floats]) -> Iterator[Fit]:
    """For each setting, probabilities and classes of every part; coefficients are [setting, output, 1 + column]."""
    said = []
    for part in parts:
        shares, likeliest = answers(coefficients, part)
        said.append((shares, classes[likeliest]))
    for s in range(len(coefficients)):
        yield [(classes, Predicted(shares[s], labels[s])) for shares, labels in said]
