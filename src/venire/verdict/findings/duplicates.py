"""Checks of rows that repeat one another: copies, equal columns with another target, and rows that hardly differ.

What is a copy and what is alike by chance is decided in `venire.validation.plans.copies`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from venire.advice import Advice, Option
from venire.data.store.stored_matrix import without_column
from venire.data.table import Kind, Table
from venire.validation.plans.copies import copies, hashed, row_keys
from venire.verdict.findings.row_sample import most_rows
from venire.verdict.judgement import Judgement
from venire.wording import percent, share

Said = tuple[str, str]  # what was found, and what to do about it
Floats = NDArray[np.float64]

_WORTH_SAYING = 0.01  # of the rows
_MOST_OF_THEM = 0.5
_FEWEST = 50  # rows below which nothing is said of rows that hardly differ
_MOST_VALUES = 2e7  # rows × columns in which rows are looked for that differ in one column
_ASKED, _FEWEST_ASKED = 200, 40  # rows whose nearest neighbours are looked for
_MOST_STEPS = 5e7  # of that search: rows asked about × rows × columns
_FURTHER = 10  # neighbours: the first is held against this one
_NEAR = 0.05  # of its distance


def repeated_rows(case: Judgement) -> Iterator[Said]:
    """Rows that repeat other rows, wholly or almost."""
    yield from _copied(case)
    table = case.docket.table
    yield from _same_columns_another_target(table)
    if table.rows >= _FEWEST and _copied_rows(case) <= _MOST_OF_THEM * table.rows:
        yield from _almost_copied(table, np.random.default_rng([case.docket.plan.seed, 0xC0B1]))


def _copied_rows(case: Judgement) -> int:
    cases = case.docket.plan.cases
    return 0 if cases is None else int((np.bincount(cases)[cases] > 1).sum())


def _copied(case: Judgement) -> Iterator[Said]:
    plan, rows = case.docket.plan, case.docket.table.rows
    if plan.cases is None:
        return
    size, copied = np.bincount(plan.cases), _copied_rows(case)
    if copied < _WORTH_SAYING * rows:
        return
    found = (
        f"{copied:,} of {rows:,} rows ({share(copied / rows)}) are copies of one another ({len(size):,} different rows)"
    )
    apart = int(plan.copies_apart().sum())
    if not apart:
        yield (
            f"{found}; all copies of a row are in one fold",
            Advice(
                "The error is that of rows without a copy in training. If equal rows are different cases, use ",
                Option("duplicates", "apart"),
                "; if not, remove the copies.",
            ),
        )
        return
    yield (
        f"{found}; {apart:,} of them have a copy in another fold",
        Advice("Models may have seen the answer. Remove the copies, or make sure that copies share a group or a time.")
        if case.docket.table.duplicates == "together"
        else Advice(
            "Models may have seen the answer. Unless equal rows are different cases, leave out ",
            Option("duplicates", "apart"),
            ".",
        ),
    )


def _same_columns_another_target(table: Table) -> Iterator[Said]:
    """Rows no model can all predict right, because they do not differ in any column."""
    keys = row_keys(list(table.X.T), table.rows)
    order = np.argsort(keys, kind="stable")
    begins = np.flatnonzero(np.diff(keys[order], prepend=~keys[order[:1]]))
    if len(begins) == table.rows:
        return
    pattern = np.empty(table.rows, dtype=np.intp)
    pattern[order] = np.repeat(np.arange(len(begins)), np.diff(begins, append=table.rows))
    low, high = np.full(len(begins), np.inf), np.full(len(begins), -np.inf)
    np.minimum.at(low, pattern, table.y)
    np.maximum.at(high, pattern, table.y)
    mixed = low < high
    rows = int(mixed[pattern].sum())
    if rows < _WORTH_SAYING * table.rows:
        return
    assert table.target is not None
    if table.target.classes:
        yield from _classes_mixed(table, pattern, mixed, rows)
    elif copies(replace(table, target=None, _digest=[])) is not None:
        yield (
            f"{rows:,} of {table.rows:,} rows ({share(rows / table.rows)}) have the same columns as another row and "
            "another target",
            Advice(
                "If they are measurements of one case, keep them in one fold: name the case with ",
                Option("groups"),
                ".",
            ),
        )


def _classes_mixed(table: Table, pattern: NDArray[np.intp], mixed: NDArray[np.bool_], rows: int) -> Iterator[Said]:
    assert table.target is not None
    inside = mixed[pattern]
    _, place = np.unique(pattern[inside], return_inverse=True)
    counts = np.zeros((int(place.max()) + 1, len(table.target.classes)), dtype=np.intp)
    np.add.at(counts, (place, table.y[inside]), 1)
    wrong = int((counts.sum(axis=1) - counts.max(axis=1)).sum())
    if wrong >= _WORTH_SAYING * table.rows:
        yield (
            f"{rows:,} of {table.rows:,} rows ({share(rows / table.rows)}) have the same columns as a row of another "
            f"class: whatever a model predicts, it is wrong on at least {wrong:,} of them",
            "More columns could tell them apart. If they are one case with different labels, correct the labels.",
        )


def _almost_copied(table: Table, rng: np.random.Generator) -> Iterator[Said]:
    """Most rows equal another one but for a single column, or for a little noise."""
    advice = Advice(
        "If they are variants of one case, models have seen the answer: name the column that marks the case with ",
        Option("groups"),
        ", or keep one row of each case.",
    )
    looked_at = len(table.columns) if 1 < len(table.columns) <= _MOST_VALUES / table.rows else 0
    keys = row_keys([*table.X.T, table.y], table.rows) if looked_at else np.empty(0, np.uint64)
    for j, column in enumerate(table.columns[:looked_at]):
        part = _copied_without(table, j, keys - hashed(table.X[:, j], j))
        if part > _MOST_OF_THEM:
            yield f"{percent(part)} of the rows equal another row in everything but {column.name!r}", advice
            return
    part = _hardly_different(table, rng)
    if part > _MOST_OF_THEM:
        yield f"{percent(part)} of the rows hardly differ from another row: they may be copies with noise", advice


def _copied_without(table: Table, j: int, keys: NDArray[np.uint64]) -> float:
    """The share of rows that would be copies if the table had no column j; 0 where it is a half at most.

    `keys` are equal for rows that are equal in everything else.
    """
    # All rows of a key are looked at or none, so that a sample knows about copies.
    step = np.uint64(max(1, table.rows // most_rows(table)))
    sample = keys[keys % step == 0]
    _, size = np.unique(sample, return_counts=True)
    if size[size > 1].sum() <= _MOST_OF_THEM * len(sample):
        return 0.0
    kept = tuple(column for k, column in enumerate(table.columns) if k != j)
    cases = copies(replace(table, X=without_column(table.X, j), columns=kept, _digest=[]))
    return 0.0 if cases is None else float((np.bincount(cases)[cases] > 1).mean())


def _hardly_different(table: Table, rng: np.random.Generator) -> float:
    """The share of rows with a neighbour far nearer than neighbours are, in numbers of two columns or more."""
    numeric = [j for j, column in enumerate(table.columns) if column.kind is Kind.NUMERIC]
    if len(numeric) < 2 or table.rows <= 2 * _FURTHER:
        return 0.0
    asked = int(min(_ASKED, table.rows, _MOST_STEPS / (table.rows * len(table.columns))))
    if asked < _FEWEST_ASKED:
        return 0.0
    numbers = np.empty((len(numeric), table.rows))
    for at, j in enumerate(numeric):
        values = table.X[:, j]
        spread = float(np.nanstd(values)) or 1.0
        numbers[at] = np.nan_to_num((values - np.nanmean(values)) / spread)
    codes = np.nan_to_num(np.delete(table.X, numeric, axis=1).T, nan=-1.0)
    near = 0
    for row in rng.choice(table.rows, asked, replace=False):
        square = np.square(numbers - numbers[:, row, None]).sum(axis=0) + (codes != codes[:, row, None]).sum(axis=0)
        square[row] = np.inf
        square.partition((0, _FURTHER - 1))
        near += bool(0 < square[0] < _NEAR**2 * square[_FURTHER - 1])
    return near / asked
