"""Which rows are copies of one case, and which are alike by chance.

A copy in the test part of a row in the training part makes any model look good that remembers rows. So copies go into
the same fold. But on a table of few discrete columns different cases have equal rows by nature, and new cases will have
them as well: to keep these together would hide from the training part what it may know, and the error would be too
high. Two rules tell them apart.

**Multiples.** Where the rows of a class (or of the whole table) come in multiples of g ≥ 2 throughout, the table was
multiplied. Every g rows are one case, and what the table was before is known exactly.

**Chance.** For a row and a column j, count the other rows that

                              have its value of j    have another
    agree in all the rest              m                   A
    differ in the rest                 B                   D

If j had nothing to do with the rest, m would be about A·B / D. The largest such figure over the columns is how many
rows like this one chance brings about. A column that is continuous has B = 0 where it is j and makes A = 0 where it is
not: then equal rows are copies. Where chance explains at least one other row, the training part would know the pattern
anyway, copied or not. In between, rows of about equal chance are counted together: are there more equal rows than
three times what chance explains? Three, because columns that belong together agree more often than independent ones.

A single pattern that many rows have, where other rows of its class have none (a measurement of nothing, all values
missing), is part of the population: new rows will have it, so it is no copy either.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from venire.data.store.stored_matrix import columns_at
from venire.data.table import Table
from venire.errors import UsageError

Floats = NDArray[np.float64]
Keys = NDArray[np.uint64]
Counts = NDArray[np.intp]
Cases = NDArray[np.int32]
Duplicates = Literal["together", "apart"]

_FEWEST_PATTERNS = 20  # whose counts have a common divisor by chance in fewer than one of a million tables
_TIMES = 3.0  # what chance explains
_LEVELS = (0.0, 1 / 64, 1 / 16, 1 / 4, 1.0)  # of chance, between which rows are counted together
_MANY = 10  # equal rows
_ROWS_OF_AN_ATOM, _SHARE_OF_AN_ATOM = 50, 0.01  # at least: a value of its own, such as a measurement of nothing
_WORTH_SAYING = 0.01  # of the rows, alike by nature
_FAR_ABOVE = 10.0  # times as many equal rows as the other rows of its class have
_SAMPLE = 20_000  # rows that stand for all where a share is enough
_MOST_VALUES = 3_000_000  # rows × columns that are sorted
_FEWEST_COLUMNS = 6
_CHUNK = 1 << 15  # rows that are hashed at a time: they stay in the cache
_FACTORS = (0x9E3779B97F4A7C15, 0xD1B54A32D192ED03)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


def check_duplicates(duplicates: str) -> Duplicates:
    """What is to be done with copied rows, or an error that says what can be."""
    for known in get_args(Duplicates):
        if duplicates == known:
            return known  # type: ignore[no-any-return]  # one of the two words
    raise UsageError(
        f"duplicates must be 'together' or 'apart', not {duplicates!r}",
        code="bad_duplicates",
        hint="'together' keeps copies of a row in one fold; 'apart' treats them as any other rows",
    )


def row_keys(columns: Sequence[NDArray[Any]], rows: int) -> Keys:
    """A number for each row, equal for rows that are equal in all columns: the sum of what its values are hashed to."""
    total = np.zeros(rows, dtype=np.uint64)
    for begin in range(0, rows, _CHUNK):
        piece = slice(begin, begin + _CHUNK)
        for j, values in enumerate(columns):
            total[piece] += hashed(values[piece], j)
    return total


def hashed(values: NDArray[Any], j: int) -> Keys:
    """The values of column j as evenly spread numbers; all gaps are one value, and so are 0 and −0."""
    odd, shift = (np.uint64((j + 1) * factor % 2**64 | 1) for factor in _FACTORS)
    number = values + 0.0
    if np.isnan(number.min(initial=0.0)):
        number[np.isnan(number)] = np.nan  # there are many ways to write a gap
    bits: Keys = number.view(np.uint64)
    bits *= odd
    bits += shift
    bits ^= bits >> np.uint64(29)
    bits *= _MIX
    bits ^= bits >> np.uint64(32)
    bits *= odd
    return bits


@dataclass(frozen=True, eq=False)
class EqualRows:
    """The rows that equal another one in all columns and the target: copies of it, or alike by nature."""

    cases: Cases | None  # for every row the number of its case, equal for copies of one row; None where there are none
    natural: int = 0  # rows that equal one of another case


def copies(table: Table) -> Cases | None:
    """For every row the number of its case, equal for copies of one row; None where no row is a copy of another.

    >>> from venire.data.read import read_table
    >>> X, y = np.random.default_rng(0).normal(size=(60, 2)), np.arange(60) % 2
    >>> print(copies(read_table((X, y))))
    None
    >>> found = copies(read_table((np.vstack([X, X]), np.concatenate([y, y]))))
    >>> bool((found[:60] == found[60:]).all()), len(np.unique(found))
    (True, 60)
    """
    return equal_rows(table).cases


def equal_rows(table: Table) -> EqualRows:
    """Which rows are copies of one another, and how many are alike by nature."""
    columns = list(table.X.T)
    every = columns if table.target is None else [*columns, table.y]
    keys = row_keys(every, table.rows)
    ordered = np.sort(keys)
    if not (ordered[1:] == ordered[:-1]).any():
        return EqualRows(None)
    order = np.argsort(keys, kind="stable")
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    size = np.diff(begins, append=table.rows)
    of_class = table.y[order[begins]] if table.target is not None and table.target.classes else None
    cases = size // _multiple(size, of_class)  # of each pattern: how many there were before the table was multiplied
    rank = np.arange(table.rows) - np.repeat(begins, size)
    apart = cases.copy()
    several = cases > 1
    if several.any():
        kept = np.sort(order[rank < np.repeat(cases, size)])
        natural = _by_chance(table, kept, np.searchsorted(kept, order[begins[several]]))
        apart[several] = np.where(natural, cases[several], 1)
    alike = int(size[apart > 1].sum())
    if (apart == size).all():
        return EqualRows(None, alike)
    number = np.empty(table.rows, dtype=np.int32)
    number[order] = np.repeat(np.cumsum(apart) - apart, size) + rank % np.repeat(apart, size)
    return EqualRows(number, alike)


def kept_together(table: Table, cases: Cases | None) -> Cases | None:
    """The cases whose rows have to share a fold: none where groups or a time decide, or copies may lie apart."""
    free = table.duplicates == "together" and table.groups is None and table.time is None
    return cases if free else None


def described_copies(table: Table, equal: EqualRows, apart: bool) -> tuple[str, ...]:
    """What a plan says about equal rows: how many there are, and whether copies of one row are in different parts."""
    said = [] if equal.cases is None else [_copied(table, equal.cases, apart)]
    if equal.natural >= _WORTH_SAYING * table.rows:
        said.append(
            f"{equal.natural:,} of {table.rows:,} rows equal another row by nature, because their columns have few "
            "values; they are split like any other rows"
        )
    return tuple(said)


def _copied(table: Table, cases: Cases, apart: bool) -> str:
    copied = int((np.bincount(cases)[cases] > 1).sum())
    how_many = f"{copied:,} of {table.rows:,} rows are copies of one another"
    if not apart:
        return f"{how_many}; copies are kept in one fold"
    by = "groups decide" if table.groups is not None else "the time decides" if table.time is not None else "as asked"
    return f"{how_many}; copies are in different folds: {by}"


def _multiple(size: Counts, of_class: NDArray[np.int32] | None) -> Counts:
    """For every pattern: the number that all rows of its class come in multiples of."""
    if of_class is None:
        of_class = np.zeros(len(size), dtype=np.int32)
    found = np.ones(int(of_class.max()) + 1, dtype=np.intp)
    for code in np.flatnonzero(np.bincount(of_class) >= _FEWEST_PATTERNS):
        found[code] = np.gcd.reduce(size[of_class == code])
    return np.asarray(found[of_class])


def _by_chance(table: Table, rows: Counts, asked: Counts) -> NDArray[np.bool_]:
    """Whether chance explains that other rows have the same columns, for those of the `rows` that are asked about."""
    everything = len(rows) == table.rows
    columns = list(table.X.T) if everything else columns_at(table.X, rows)
    columns = [values for values in columns if (np.asarray(values) != values[0]).any()]
    if not columns:  # rows that have nothing but one value in common say nothing of who copied whom
        return np.ones(len(asked), dtype=bool)
    if len(columns) == 1 and table.target is not None:
        columns.append(table.y[rows])  # one column has no rest to be compared with but the target
    total = row_keys(columns, len(rows))
    ordered = np.sort(total)
    some = np.arange(0, len(rows), max(1, len(rows) // _SAMPLE))
    same_of_some = _counted(ordered, total[some])
    if _crowded(table, rows[some], same_of_some):
        return np.ones(len(asked), dtype=bool)
    same = _counted(ordered, total[asked])
    once = some[same_of_some == 1]
    chance = _chance(columns, total, np.concatenate([asked, once]), np.concatenate([same, np.ones(len(once), np.intp)]))
    natural = _explained(chance[: len(asked)], same, chance[len(asked) :], len(rows) / len(some))
    of_class = np.zeros(len(rows), np.int32) if table.target is None or not table.target.classes else table.y[rows]
    for at in np.flatnonzero(~natural & (same >= max(_ROWS_OF_AN_ATOM, _SHARE_OF_AN_ATOM * len(rows)))):
        alike = (of_class[some] == of_class[asked[at]]) & (total[some] != total[asked[at]])
        natural[at] = alike.any() and same[at] > _FAR_ABOVE * np.median(same_of_some[alike])
    return natural


def _crowded(table: Table, rows: Counts, same: Counts) -> bool:
    """Whether most rows of every class have many equals: patterns are few, and nothing is a copy."""
    if table.target is None or not table.target.classes:
        return bool(np.quantile(same, 0.25) >= _MANY)
    y = table.y[rows]
    return all(np.quantile(same[y == code], 0.25) >= _MANY for code in np.unique(y))


def _chance(columns: list[Floats], total: Keys, asked: Counts, same: Counts) -> Floats:
    """How many other rows with the pattern of each row asked about chance would bring about."""
    rows = len(total)
    step = max(1, rows // _SAMPLE)
    found = np.zeros(len(asked))
    for j in _telling(columns, max(_FEWEST_COLUMNS, _MOST_VALUES // rows)):
        values = hashed(np.asarray(columns[j]), j)
        rest = total - values
        A = _counted(np.sort(rest), rest[asked]) - same
        seen = _counted(np.sort(values[::step]), values[asked])
        B = seen - same if step == 1 else np.maximum(seen - 1, 0) * step - same  # less the row itself, if it was drawn
        B = np.maximum(B, 0)
        np.maximum(found, A * B / np.maximum(rows - same - A - B, 1), out=found)
    return found


def _telling(columns: list[Floats], most: int) -> list[int]:
    """The columns in which two rows agree about as often as not; the others say less about chance."""
    if len(columns) <= most:
        return list(range(len(columns)))

    def evenness(j: int) -> float:
        _, size = np.unique(columns[j][:: max(1, len(columns[j]) // _SAMPLE)], return_counts=True)
        agree = float(np.square(size / size.sum()).sum())
        return agree * (1 - agree)

    return sorted(range(len(columns)), key=evenness, reverse=True)[:most]


def _counted(ordered: Keys, wanted: Keys) -> Counts:
    """How often each wanted key is among the ordered ones; looked up in order, which is far quicker than at random."""
    order = np.argsort(wanted)
    keys = wanted[order]
    found = np.empty(len(wanted), dtype=np.intp)
    found[order] = np.searchsorted(ordered, keys, "right") - np.searchsorted(ordered, keys)
    return found


def _explained(chance: Floats, same: Counts, of_single: Floats, step: float) -> NDArray[np.bool_]:
    """Whether chance explains the rows equal to each row asked about; one in `step` rows without equals is known."""
    levels = len(_LEVELS) + 1
    level = np.searchsorted(_LEVELS, chance)
    found = np.bincount(level, weights=same * (same - 1.0), minlength=levels)
    alone = np.bincount(np.searchsorted(_LEVELS, of_single), weights=of_single, minlength=levels)
    expected = np.bincount(level, weights=same * chance, minlength=levels) + step * alone
    natural = found <= _TIMES * expected
    natural[-1] = True  # the training part would know the pattern anyway
    return np.asarray(natural[level])
