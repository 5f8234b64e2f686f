"""How the rows of different groups fare: the errors of the procedure for each value of a column."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table
from venire.errors import UsageError
from venire.inference.intervals import accuracy_interval, mean_posterior
from venire.validation.held_out import HeldOut
from venire.verdict.held_out_predictions import held_out
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.shown.class_confusion import class_of_interest

MOST_GROUPS = 20
QUARTERS = 4  # parts that a numeric column is cut into, of equal numbers of rows
MISSING = "missing"
_FEW_VALUES = 8  # a numeric column with no more is not cut


def errors_by_group(judgement: Judgement, column: str) -> dict[str, Any]:
    """The errors of the procedure on held-out rows, group by group of a column, with intervals.

    Categories come by their number of rows, numbers in their own order and missing values last; of many, the largest.
    Classes: the share that is wrong, Beta(m + ½, n − m + ½), and for two classes how many of the class of interest are
    found and how many of the others are flagged. Numbers: the mean absolute error. The intervals take the rows as
    independent and the models as they are.
    """
    table = judgement.docket.table
    held = held_out(judgement, PROCEDURE)
    groups = _groups(table, column)[held.rows]
    names, first, counts = np.unique(groups, return_index=True, return_counts=True)
    order = np.argsort(-counts, kind="stable")[:MOST_GROUPS]
    at = check_group_column(table, column)
    if not table.columns[at].categories:  # the largest of them, in the order of their numbers; missing ones are last
        values = table.X[held.rows, at].astype(np.float64)
        order = order[np.argsort(values[first[order]], kind="stable")]
    kept = [str(names[at]) for at in order]
    classes = bool(held.classes)
    interest = class_of_interest(judgement) if len(held.classes) == 2 else None
    return {
        "column": column,
        "measure": "error rate" if classes else "mean absolute error",
        "rate": classes,
        "extra": [] if interest is None else ["sensitivity", "false positive rate"],
        "groups": [_group(name, held, groups == name, interest) for name in kept],
        "left_out": len(names) - len(kept),
    }


def check_group_column(table: Table, column: str) -> int:
    """The place of a column that rows are to be grouped by; a name that is not there is refused with those that are."""
    names = [each.name for each in table.columns]
    if column not in names:
        there = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
        words = f"there is no column {column!r} to group by"
        raise UsageError(words, code="unknown_column", hint=f"there are: {there}")
    return names.index(column)


def _group(name: str, held: HeldOut, inside: NDArray[np.bool_], interest: int | None) -> dict[str, Any]:
    rows = int(inside.sum())
    low: float | None
    high: float | None
    if held.classes:
        wrong = int(held.wrong[inside].sum())
        right = accuracy_interval(rows - wrong, rows)
        error, low, high = wrong / rows, 1.0 - right.high, 1.0 - right.low
    else:
        off = np.abs(held.actual[inside].astype(np.float64) - held.predicted[inside].astype(np.float64))
        found = mean_posterior(off, 0.0).interval() if rows > 1 else None
        error = float(off.mean())
        low, high = (None, None) if found is None else (max(found.low, 0.0), found.high)
    return {"group": name, "rows": rows, "error": error, "low": low, "high": high} | {
        "extra": {} if interest is None else _rates(held, inside, interest)
    }


def _rates(held: HeldOut, inside: NDArray[np.bool_], interest: int) -> dict[str, float | None]:
    flagged, actual = held.predicted[inside] == interest, held.actual[inside] == interest
    return {
        "sensitivity": float(flagged[actual].mean()) if actual.any() else None,
        "false positive rate": float(flagged[~actual].mean()) if (~actual).any() else None,
    }


def _groups(table: Table, column: str) -> NDArray[Any]:
    """The group of every row, in words: a category, a value, or a quarter of the rows."""
    at = check_group_column(table, column)
    values, kind = table.X[:, at].astype(np.float64), table.columns[at]
    missing = np.isnan(values)
    if kind.categories:
        words_of = [str(category) for category in kind.categories]
        said = [words_of[int(value)] if not gap else MISSING for value, gap in zip(values, missing, strict=True)]
    elif len(np.unique(values[~missing])) <= _FEW_VALUES:
        said = [f"{value:g}" if not gap else MISSING for value, gap in zip(values, missing, strict=True)]
    else:
        edges = np.unique(np.quantile(values[~missing], np.linspace(0, 1, QUARTERS + 1)))
        place = np.clip(np.searchsorted(edges, values, side="left"), 1, len(edges) - 1)
        spans = [f"{low:.4g} to {high:.4g}" for low, high in pairwise(edges)]
        said = [spans[p - 1] if not gap else MISSING for p, gap in zip(place, missing, strict=True)]
    return np.array(said, dtype=object)
