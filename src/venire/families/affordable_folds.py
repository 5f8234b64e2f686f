"""How many folds a budget pays for: by the rows and the seconds that were given, never by a clock.

K folds cost K (K + 1) / 2 trials, 55 for ten, 15 for five, 6 for three. A short budget is better spent on several
families with fewer folds than on one with ten, so K goes down until the trials of all recipes of boosting, which most
often weigh most, take a part of it. The number of jobs has no say: it may change nothing but the time.
"""

from __future__ import annotations

from venire.data.table import Table, Task
from venire.families import fit_seconds
from venire.validation.plans.folds import FOLDS_BY_ROWS, folds_by_rows

_SHARE = 0.5  # of a budget in core-seconds, for all trials of all recipes of boosting
_RECIPES = (fit_seconds.boosting, fit_seconds.boosting_small, fit_seconds.boosting_slow)


def folds_within(table: Table, budget: float | None) -> int | None:
    """The number of folds for a table under a budget; None, which leaves it to the rows, where rows are grouped.

    In time order and of few groups or different rows other limits hold, which the plan knows.
    """
    if budget is None or table.time is not None or table.groups is not None:
        return None
    by_rows = folds_by_rows(table.rows)
    choices = [folds for folds, _ in FOLDS_BY_ROWS if folds <= by_rows]
    return next((folds for folds in choices if _boosting(table, folds) <= _SHARE * budget), choices[-1])


def _boosting(table: Table, folds: int) -> float:
    """Core-seconds of all trials of the recipes of boosting with so many folds."""
    assert table.target is not None
    classes = len(table.target.classes) if table.target.task is Task.CLASSIFICATION else 1
    rows = table.rows * max(1, folds - 2) // folds
    columns = max(1, len(table.columns))
    return folds * (folds + 1) / 2 * sum(recipe(rows, columns, classes) for recipe in _RECIPES)
