"""Bagging and forests on the compiled core."""

from __future__ import annotations

from collections.abc import Iterator

from venire.data.table import Table
from venire.families.tree import read_path
from venire.validation.generic import Fit, GenericFamily, Lesson


class GrowingFamily(GenericFamily):
    """The path is the number of trees: the first T of one forest are the forest of T trees."""

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """Grow the largest forest once and read the smaller ones off it."""
        lesson.cancel()
        fitted = self._estimator(lesson.table, lesson.settings[-1], lesson.seed).fit(lesson.X, lesson.y, lesson.weights)
        counts = [int(setting.params["n_estimators"]) for setting in lesson.settings]
        said = [read_path(fitted, part, counts) for part in lesson.parts]
        for fit in zip(*said, strict=True):
            yield list(fit)

    def _fits(self, settings: int) -> float:
        return 1.0


class CombiningFamily(GenericFamily):
    """Forest-RC: splits on random linear combinations, so it needs numbers to combine."""

    def unable(self, table: Table) -> str | None:
        """Two numeric columns are the least that can be combined."""
        numeric = int((~table.categorical).sum())
        if numeric < 2:
            return f"combines numeric columns, and the table has {numeric or 'none'}"
        return super().unable(table)
