"""Screens: rows drawn for checks that need not see them all, so that looking at a table stays quick however long it is.

These checks ask for strong effects, which some ten thousand rows show as well as millions do. What is drawn depends on
the seed alone. A draw has to leave together what a check compares: single rows for one column's say, whole values where
rows that agree in a value are compared.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Kind, Table
from venire.validation.plans.plan import Plan
from venire.verdict.findings.columns import is_measurement

Rows = NDArray[np.intp]

MOST_ROWS = 20_000
_MOST_CELLS = 2e6  # rows × columns: a wide table is looked at in fewer rows,
_FEWEST = 5_000  # but never in fewer than this
_PIECES = 20  # runs of neighbouring values that are drawn
_FEW_VALUES = 20  # of thousands of rows: too few to mark groups of 50


@dataclass(frozen=True, eq=False)
class Screen:
    """A table that is looked at in some of its rows."""

    table: Table
    rows: Rows  # of the table, ascending
    of: int

    @property
    def note(self) -> str:
        """What to say with a finding, so that nobody takes the rows looked at for all; empty where they are all."""
        return "" if len(self.rows) == self.of else f" (in {len(self.rows):,} rows drawn from {self.of:,})"


def most_rows(table: Table) -> int:
    """How many rows of a table are looked at.

    Up to 2,000,000 values, and between 5,000 and 20,000 rows.
    """
    return int(min(MOST_ROWS, max(_FEWEST, _MOST_CELLS / max(1, len(table.columns)))))


def screened(table: Table, plan: Plan) -> Screen:
    """Rows drawn one by one; all of them where they are few."""
    rows = _drawn(table.rows, most_rows(table), plan.seed)
    return Screen(_of_rows(table, rows), rows, table.rows)


def whole_values(table: Table, plan: Plan, j: int) -> Screen | None:
    """Column `j` alone, in rows drawn by its values; None where it is a measurement or has few values in many rows.

    Values are drawn in runs of neighbours, each with all of its rows: groups stay whole, and values that have an order
    keep the values next to them.
    """
    column = replace(table, columns=(table.columns[j],), X=table.X[:, j : j + 1], _digest=[])
    most = most_rows(table)
    if table.rows <= most:
        return Screen(column, np.arange(table.rows), table.rows)
    values = table.X[:, j]
    some = values[_drawn(table.rows, most, plan.seed)]
    some = some[~np.isnan(some)]
    if len(np.unique(some)) < _FEW_VALUES:
        return None
    if table.columns[j].kind is Kind.NUMERIC and is_measurement(some):
        return None
    pieces = int(np.ceil(_PIECES * table.rows / most))
    edges = np.unique(np.quantile(some, np.linspace(0, 1, pieces + 1)[1:-1], method="higher"))
    piece = np.searchsorted(edges, values, side="right")
    piece[np.isnan(values)] = len(edges) + 1
    rows = np.flatnonzero(_chosen(np.bincount(piece, minlength=len(edges) + 2), most, plan.seed)[piece])
    return Screen(_of_rows(column, rows), rows, table.rows)


def _drawn(rows: int, most: int, seed: int) -> Rows:
    if rows <= most:
        return np.arange(rows)
    return np.sort(np.random.default_rng(seed).choice(rows, most, replace=False, shuffle=False))


def _chosen(sizes: Rows, most: int, seed: int) -> NDArray[np.bool_]:
    """Pieces in random order, as long as they fit; the last one has the gaps and is none."""
    chosen, room = np.zeros(len(sizes), dtype=bool), most
    for at in np.random.default_rng(seed).permutation(len(sizes) - 1):
        if sizes[at] <= room:
            chosen[at] = True
            room -= int(sizes[at])
    return chosen


def _of_rows(table: Table, rows: Rows) -> Table:
    if len(rows) == table.rows:
        return table
    cut = table.with_values(np.asfortranarray(table.X[rows]), table.y[rows])
    return replace(cut, groups=_at(rows, table.groups), time=_at(rows, table.time), weights=_at(rows, table.weights))


def _at(rows: Rows, values: NDArray[Any] | None) -> NDArray[Any] | None:
    return None if values is None else values[rows]
