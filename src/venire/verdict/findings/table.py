"""Checks of the table: what about the rows could make an honest measurement mean something else than it seems.

Each check looks at a judgement and yields a sentence and advice for everything it finds. They ask for strong effects
and for proof beyond chance, so that a clean table hears nothing. A long table is looked at in rows drawn from it, and
what is found says so (`screen`).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import special

from venire.advice import Advice, Option
from venire.data.table import Column, Kind, Table
from venire.verdict.findings.columns import alone, encodes_target, group_effect
from venire.verdict.findings.row_sample import most_rows, screened, whole_values
from venire.verdict.judgement import Judgement
from venire.wording import percent, share

Said = tuple[str, str]  # what was found, and what to do about it
Floats = NDArray[np.float64]

_NAMED = 4  # columns listed by name
_FEWEST = 50  # rows below which these checks say nothing
_CHANCE = 1e-4  # for all columns together
_STRONG = 0.2  # a difference between two halves, of at most 1


def too_few_rows(case: Judgement) -> str | None:
    """Why the table cannot be looked at, if it cannot."""
    return f"fewer than {_FEWEST} rows" if case.docket.table.rows < _FEWEST else None


def looked_at(case: Judgement) -> str:
    """In how many rows these checks look, where these are not all; else empty."""
    table = case.docket.table
    return "" if table.rows <= most_rows(table) else f"looked at in some {most_rows(table):,} of {table.rows:,} rows"


def one_column_is_enough(case: Judgement) -> Iterator[Said]:
    """A single column predicts the target almost without error: known beforehand, or a consequence of it?"""
    screen = screened(case.docket.table, case.docket.plan)
    table, fold = screen.table, case.docket.plan.fold_of[0][screen.rows]
    of_what = "error" if table.target and table.target.classes else "squared error"
    enough = [(name, left) for name, left in alone(table, fold).items() if left is not None]
    for name, left in sorted(enough, key=lambda each: each[1])[:_NAMED]:
        yield (
            f"the column {name!r} alone predicts the target: {share(left)} of the {of_what} of guessing is left"
            f"{screen.note}",
            Advice(
                f"If {name!r} is not known when a prediction is needed, it gives the target away: leave it out with ",
                Option("drop", [name]),
                ".",
            ),
        )


def encoded_target(case: Judgement) -> Iterator[Said]:
    """A column whose values are means of the target: prepared with the answers of the rows that judge here."""
    table = case.docket.table
    for name in [column.name for j, column in enumerate(table.columns) if encodes_target(table, j)][:_NAMED]:
        yield (
            f"the values of {name!r} are the means of the target over the rows that have them: it looks like a column "
            "made with the answers of all rows, those judged here among them, and then no error is to be believed",
            Advice(
                "Give the column it was made from; it is encoded inside each training part. Or leave it out with ",
                Option("drop", [name]),
                ".",
            ),
        )


def grouped_rows(case: Judgement) -> str | None:
    """Why groups need not be looked for, if they need not."""
    if case.docket.plan.splitting == "grouped":
        return "the folds keep groups together already"
    return too_few_rows(case)


def hidden_groups(case: Judgement) -> Iterator[Said]:
    """Rows that share the value of a column with many values share their target, too."""
    table = _one_row_a_case(case)
    found = []
    for j, column in enumerate(table.columns):
        screen = whole_values(table, case.docket.plan, j)
        effect = None if screen is None else group_effect(screen.table, 0)
        if screen and effect and effect.p < _CHANCE / len(table.columns) and effect.share > _STRONG:
            found.append((effect.share, column.name, effect.groups, screen.note))
    for part, name, groups, note in sorted(found, reverse=True)[:_NAMED]:
        yield (
            f"rows with the same {name!r} ({groups:,} values) have similar targets "
            f"({percent(part)} of the variance){note}",
            Advice(
                f"If new rows will have new values of {name!r}, keep its values in one fold: ",
                Option("groups", name),
                ".",
            ),
        )


def _one_row_a_case(case: Judgement) -> Table:
    """The table without further copies of a row: they share all values and the target, and are no sign of groups."""
    table, cases = case.docket.table, case.docket.plan.cases
    return table if cases is None else table.take(np.sort(np.unique(cases, return_index=True)[1]))


def sorted_by_target(case: Judgement) -> str | None:
    """Why the order of the rows says nothing about time, if so."""
    table = case.docket.table
    if table.time is None and table.rows >= _FEWEST:
        y = table.y
        changes = int((np.diff(y) != 0).sum())
        if case.docket.classes and changes < 2 * case.docket.classes:
            return "the rows are sorted by the target"
        if not case.docket.classes and ((np.diff(y) >= 0).all() or (np.diff(y) <= 0).all()):
            return "the rows are sorted by the target"
    return too_few_rows(case)


def drift(case: Judgement) -> Iterator[Said]:
    """The early rows differ from the late ones, in the target or in other columns."""
    screen = screened(case.docket.table, case.docket.plan)
    table = screen.table
    order = np.arange(table.rows) if table.time is None else np.argsort(table.time, kind="stable")
    late = np.zeros(table.rows, dtype=bool)
    late[order[table.rows // 2 :]] = True
    limit = _CHANCE / (len(table.columns) + 1)
    assert table.target is not None
    target = Column(table.target.name, Kind.CATEGORICAL if case.docket.classes else Kind.NUMERIC)
    # A counter of the rows that is kept because nothing else is left rises by its nature.
    counters = {note.column for note in table.notes if note.code == "identifier_kept"}
    others = ((c, table.X[:, j]) for j, c in enumerate(table.columns) if c.source not in counters)
    compared = [(target, table.y.astype(np.float64)), *others]
    moved = []
    for column, values in compared:
        strength, p = _moved(column, values, late)
        if p < limit and strength > _STRONG:
            moved.append((strength, column.name))
    if not moved:
        return
    named = ", ".join(repr(name) for _, name in sorted(moved, reverse=True)[:_NAMED])
    more = f" and {len(moved) - _NAMED} more" if len(moved) > _NAMED else ""
    what = "later rows" if table.time is not None else "rows further down the table"
    message = f"{what} differ from the earlier ones in {named}{more}{screen.note}"
    if table.time is not None:
        yield message, "On later rows the error may be higher than these folds show. Look at the error fold by fold."
    else:
        yield (
            message,
            Advice(
                "If the rows are in time order, new rows will differ as well: name the time column with ",
                Option("time"),
                ".",
            ),
        )


def _apart(one: Floats, other: Floats) -> float:
    """The largest gap between two distributions (Kolmogorov and Smirnov).

    >>> _apart(np.array([1.0, 2.0, 3.0]), np.array([2.0, 3.0, 4.0, 5.0]))
    0.5
    """
    every = np.concatenate([one, other])
    below = [np.searchsorted(np.sort(part), every, side="right") / len(part) for part in (one, other)]
    return float(np.abs(below[0] - below[1]).max())


def _by_chance(one: Floats, other: Floats) -> float:
    """How likely two samples of one distribution are as far apart."""
    from scipy.stats import ks_2samp  # takes longer to import than everything here; few tables ask for it

    return float(ks_2samp(one, other, method="asymp").pvalue)


def _moved(column: Column, values: Floats, late: NDArray[np.bool_]) -> tuple[float, float]:
    """How much two halves differ (0 to 1), and how likely that is by chance; gaps count as a value of their own."""
    known = ~np.isnan(values)
    if column.kind is Kind.NUMERIC:
        early, then = values[known & ~late], values[known & late]
        if len(early) < 10 or len(then) < 10:
            return 0.0, 1.0
        apart = _apart(early, then)
        return apart, _by_chance(early, then) if apart > _STRONG else 1.0
    codes = np.where(known, values, -1.0)
    _, place = np.unique(codes, return_inverse=True)
    counts = np.zeros((2, int(place.max()) + 1))
    np.add.at(counts, (late.astype(np.intp), place), 1.0)
    if counts.shape[1] < 2:
        return 0.0, 1.0
    expected = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / counts.sum()
    square = float((np.square(counts - expected) / expected).sum())
    return float(np.sqrt(square / counts.sum())), float(special.chdtrc(counts.shape[1] - 1, square))
