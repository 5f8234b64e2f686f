"""How many folds a budget pays for, and of how many rows: by the table and the seconds given, never by a clock.

K folds cost K (K + 1) / 2 trials, 55 for ten, 15 for five, 6 for three. A short budget is better spent on several
families with fewer folds than on one with ten, so K goes down until the trials of all recipes of boosting, which most
often weigh most, take a part of it. The number of jobs has no say: it may change nothing but the time.

Where not even three folds of the plain recipe fit, no family worth having would finish. Rows are then drawn at random:
what is learned from some of the rows is better than what a line or the baseline makes of all of them.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from venire.data.table import Table, Task
from venire.families import fit_seconds
from venire.validation.plans.folds import FOLDS_BY_ROWS, folds_by_rows

Recipe = Callable[[int, int, int], float]

_SHARE = 0.5  # of a budget in core-seconds, for all trials of all recipes of boosting
_FEWEST_ROWS = 5_000  # that are always looked at, if there are as many
_FEWEST_FOLDS = FOLDS_BY_ROWS[-1][0]
_RECIPES = (fit_seconds.boosting, fit_seconds.boosting_small, fit_seconds.boosting_slow)


def folds_within(table: Table, budget: float | None) -> int | None:
    """The number of folds for a table under a budget; None, which leaves it to the rows, where rows are grouped.

    In time order and of few groups or different rows other limits hold, which the plan knows.
    """
    if budget is None or table.time is not None or table.groups is not None:
        return None
    by_rows = folds_by_rows(table.rows)
    choices = [folds for folds, _ in FOLDS_BY_ROWS if folds <= by_rows]
    return next((k for k in choices if _seconds(table, table.rows, k, _RECIPES) <= _SHARE * budget), choices[-1])


def rows_within(table: Table, budget: float | None) -> int:
    """Of how many rows three folds of the plain recipe of boosting take half of a budget; all, most often.

    Rows in time order, in groups or with weights are all kept: which of them stand for the others is not for us to say.
    """
    whole = table.time is not None or table.groups is not None or table.weights is not None
    if budget is None or whole or table.rows <= _FEWEST_ROWS:
        return table.rows

    def fits(rows: int) -> bool:
        return _seconds(table, rows, _FEWEST_FOLDS, _RECIPES[:1]) <= _SHARE * budget

    if fits(table.rows):
        return table.rows
    enough, too_many = _FEWEST_ROWS, table.rows
    while too_many - enough > 1:
        middle = (enough + too_many) // 2
        enough, too_many = (middle, too_many) if fits(middle) else (enough, middle)
    return enough


def drawn_within(table: Table, budget: float | None, seed: int) -> tuple[Table, tuple[str, ...]]:
    """The rows that a budget pays for, in their order, and what is to be said of it; the table itself, most often.

    Of a class with few rows a share is drawn like that of any other, but no class is left without a row.
    """
    rows = rows_within(table, budget)
    if rows == table.rows:
        return table, ()
    order = np.random.default_rng([seed, 0xD3A]).permutation(table.rows)
    drawn = order[:rows]
    if table.target is not None and table.target.task is Task.CLASSIFICATION:
        lacking = np.setdiff1d(table.y, table.y[drawn])
        rest = order[rows:]
        drawn = np.concatenate([drawn, *(rest[table.y[rest] == code][:1] for code in lacking)])
    said = f"{len(drawn):,} of {table.rows:,} rows, drawn at random, are what {budget:g} seconds pay for"
    return table.take(np.sort(drawn)), (f"{said}: trials and the model that is handed over know no others",)


def _seconds(table: Table, rows: int, folds: int, recipes: tuple[Recipe, ...]) -> float:
    """Core-seconds of all trials of some recipes of boosting with so many rows in so many folds."""
    assert table.target is not None
    classes = len(table.target.classes) if table.target.task is Task.CLASSIFICATION else 1
    trained_on = rows * max(1, folds - 2) // folds
    columns = max(1, len(table.columns))
    return folds * (folds + 1) / 2 * sum(recipe(trained_on, columns, classes) for recipe in recipes)
