"""Values given beside a table, one a row (its target, groups, times or weights), as further columns of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import narwhals.stable.v1 as nw
import numpy as np
from narwhals.stable.v1.dependencies import is_pandas_dataframe, is_pandas_series

from venire.data.columns.missing import Missing
from venire.data.columns.raw import Dates, Facts, Glancing, Raw, Seldom, Source, Texts
from venire.data.readers.frames import as_array, is_frame, raw_of
from venire.data.table import Note
from venire.errors import DataError, UsageError


@dataclass(frozen=True, eq=False)
class Values:
    """Values for one part of the table, with the name they are to have, if any."""

    held: Any
    what: str  # as the caller knows them: y, groups, …
    name: str | None = None


def is_values(given: object) -> bool:
    """Is this one value a row, rather than the name of a column?"""
    return is_frame(given) or (isinstance(given, Iterable) and not isinstance(given, str | bytes))


class Beside:
    """A source with further columns."""

    def __init__(self, source: Source, index: Any = None) -> None:
        self._source = source
        self._facts = source.facts
        self._index = index  # the labels of the table's rows, where it is a frame of pandas
        self._held: dict[str, Raw] = {}  # added, or looked at already: a source hands a column out once

    @property
    def facts(self) -> Facts:
        """Those of the source, with the added columns."""
        return self._facts

    def column(self, name: str) -> Raw:
        """The values of one column."""
        return self._held.pop(name) if name in self._held else self._source.column(name)

    def glance(self, name: str, missing: Missing) -> Seldom | Dates | None:
        """What the table can tell of a column without its texts."""
        if name in self._held or not isinstance(self._source, Glancing):
            return None
        return self._source.glance(name, missing)

    def release(self, name: str) -> None:
        """Let go of a column that was glanced at."""
        if isinstance(self._source, Glancing):
            self._source.release(name)

    def close(self) -> None:
        """Let go of the values; the source is its opener's to close."""
        self._held.clear()

    def add(self, values: Values, part: str) -> str:
        """Add a column, or know it again as one of the table; and its name."""
        raw, own = self._read(values)
        name = values.name or own or part
        if name in self._facts.names:
            self._held[name] = self.column(name)
            if _same(raw, self._held[name]):
                return name
            name = self._another(name, values)
        self._held[name] = raw
        self._facts = replace(self._facts, names=(*self._facts.names, name))
        return name

    def _read(self, values: Values) -> tuple[Raw, str | None]:
        """The values, and the name their owner gave them."""
        held = _as_column(values.held, values.what)
        if len(held) != self._facts.rows:
            raise DataError(
                f"the table has {self._facts.rows} rows, and {values.what} has {len(held)} values",
                code="lengths_differ",
                hint="give one value a row, or the name of a column",
            )
        if _in_another_order(row_labels(values.held), self._index):
            said = f"the index of {values.what} has the labels of the table's rows in another order; values go by place"
            self._facts = replace(self._facts, notes=(*self._facts.notes, Note("index_order", said)))
        named = isinstance(held, nw.Series) and held.name not in (None, "")
        return raw_of(held), str(held.name) if named else None

    def _another(self, name: str, values: Values) -> str:
        """A name that is free: the table has a column of this one, with other values."""
        if values.name is not None:
            raise UsageError(f"X has a column {name!r} already", hint="choose another name for the target")
        free = name
        while free in self._facts.names:
            free += "_"
        if self._facts.named:
            said = f"the table has a column {name!r} with other values, which stays; {values.what} is called {free!r}"
            self._facts = replace(self._facts, notes=(*self._facts.notes, Note("same_name", said, free)))
        return free


def with_values(source: Source, parts: Mapping[str, Any], index: Any = None) -> tuple[Source, dict[str, str]]:
    """The source with a column for every part that came as values, and the name of the column that plays each part.

    Values go by their place, whatever index they carry; where it has the table's labels (`index`) in another order, a
    note says so.
    """
    beside = Beside(source, index)
    names = {part: _name(beside, part, given) for part, given in parts.items() if given is not None}
    return beside, names


def row_labels(given: Any) -> Any:
    """The index of a frame or series of pandas, which is the only library whose rows have labels."""
    return given.index if is_pandas_dataframe(given) or is_pandas_series(given) else None


def _in_another_order(one: Any, other: Any) -> bool:
    if one is None or other is None or one.equals(other) or not (one.is_unique and other.is_unique):
        return False
    return len(one) == len(other) and bool(one.isin(other).all())


def _name(beside: Beside, part: str, given: Any) -> str:
    if isinstance(given, Values):
        return beside.add(given, part)
    return beside.add(Values(given, part), part) if is_values(given) else str(given)


def _as_column(given: Any, what: str) -> Any:
    """A series as it is, also as the only column of a frame; all else as an array of one dimension."""
    series = nw.from_native(given, allow_series=True, pass_through=True)
    if is_frame(given):
        series = series.collect() if isinstance(series, nw.LazyFrame) else series
        if len(series.columns) == 1:
            return series.get_column(series.columns[0])
    if isinstance(series, nw.Series):
        return series
    array = as_array(given, what)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise UsageError(
            f"{what} must have one dimension, this one has shape {array.shape}", hint="give one value a row"
        )
    return array


def _same(one: Raw, other: Raw) -> bool:
    if isinstance(one, Texts) or isinstance(other, Texts):
        return isinstance(one, Texts) and isinstance(other, Texts) and _written(one) == _written(other)
    return type(one) is type(other) and np.array_equal(one.values, other.values, equal_nan=True)


def _written(texts: Texts) -> list[str | None]:
    levels = (*texts.levels, None)
    return [levels[code] for code in texts.codes.tolist()]
