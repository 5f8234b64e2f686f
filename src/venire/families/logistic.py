"""Logistic regression: every C of the path in one go, each to the optimum (`logistic_path`).

The optimum is unique, so where a trial starts does not matter to what is found but for the last bits; and since those
must not depend on rows that are left out, it starts from its own rows alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table
from venire.families.logistic_path import NotSolved, answers, solve_path
from venire.validation.family import Cost, Setting
from venire.validation.generic import Fit, GenericFamily, Lesson, Predicted
from venire.validation.plan import Plan

Floats = NDArray[np.float64]
_MOST_COEFFICIENTS = 1000  # beyond, second derivatives are larger than the table, and scikit-learn's lbfgs does better
_OTHERS = 3.0  # one fit by scikit-learn against one of ours
_ELSEWHERE = Lock()


class LogisticFamily(GenericFamily):
    """The path is C. Tables of many columns and classes are left to scikit-learn's lbfgs, one fit a setting."""

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
