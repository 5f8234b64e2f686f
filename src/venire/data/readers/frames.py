"""Frames (pandas, polars, Arrow, … through narwhals) and plain arrays as sources."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from importlib.util import find_spec
from typing import Any, Literal

import narwhals.stable.v1 as nw
import numpy as np
from narwhals.stable.v1.dependencies import is_pandas_dataframe

from venire.data.columns.missing import Missing
from venire.data.columns.numbers import EXACT
from venire.data.columns.raw import Dates, Facts, Numbers, Raw, Texts, encode_texts
from venire.data.table import Note, Reading
from venire.errors import DataError, UsageError

Library = Literal["pandas", "polars", "pyarrow"]  # whose frames are given back
LIBRARIES: tuple[Library, ...] = ("pandas", "polars", "pyarrow")


class FrameSource:
    """Columns held in memory, each in whatever form its owner gave it."""

    def __init__(self, columns: dict[str, Any], facts: Facts) -> None:
        self._columns = columns
        self._facts = facts

    @property
    def facts(self) -> Facts:
        """Names, rows and where it came from."""
        return self._facts

    def column(self, name: str) -> Raw:
        """The values of one column."""
        return raw_of(self._columns.pop(name))

    def close(self) -> None:
        """Let go of the frame."""
        self._columns.clear()


def is_frame(source: object) -> bool:
    """Is this something narwhals knows as a frame?"""
    return isinstance(_wrapped(source), nw.DataFrame | nw.LazyFrame)


def _wrapped(source: Any) -> Any:
    if is_pandas_dataframe(source):  # only pandas lets names repeat; narwhals would refuse them in its own words
        _refuse_duplicates([str(name) for name in source.columns])
    return nw.from_native(source, pass_through=True)


def library_of(source: Any) -> Library | None:
    """The library whose frame this is (or X is, beside y), if it is one that frames can be given back in.

    >>> import polars
    >>> library_of(polars.DataFrame({"a": [1]})), library_of("table.csv")
    ('polars', None)
    """
    given = source[0] if isinstance(source, tuple) and source else source
    frame = nw.from_native(given, pass_through=True)
    if not isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return None
    name = nw.get_native_namespace(frame).__name__
    return next((library for library in LIBRARIES if library == name), None)


def installed_library() -> Library:
    """The first library of frames that is there."""
    for name in LIBRARIES:
        if find_spec(name) is not None:
            return name
    known = ", ".join(LIBRARIES)
    raise UsageError("there is no library to make a frame with", code="no_frames", hint=f"install one of {known}")


def read_frame(source: Any, missing: Missing) -> FrameSource:
    """A source over a frame."""
    frame = _wrapped(source)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    names, notes = _named([str(name) for name in frame.columns])
    columns: dict[str, Any] = {name: frame.get_column(held) for name, held in zip(names, frame.columns, strict=True)}
    return _source(columns, len(frame), "frame", notes, missing, named=True)


def read_array(X: Any, missing: Missing) -> FrameSource:
    """A source over a two-dimensional array; its columns are called x0, x1, …"""
    if hasattr(X, "toarray"):
        raise UsageError("X is a sparse matrix", hint="venire works on dense tables: give X.toarray()")
    array = as_array(X, "X")
    if array.ndim != 2:
        raise UsageError(
            f"X must have two dimensions (rows, columns), this one has shape {array.shape}",
            hint="a single column is X.reshape(-1, 1)",
        )
    columns: dict[str, Any] = {f"x{j}": array[:, j] for j in range(array.shape[1])}
    return _source(columns, array.shape[0], "arrays", [], missing, named=False)


def _source(
    columns: dict[str, Any], rows: int, form: str, notes: list[Note], missing: Missing, named: bool
) -> FrameSource:
    if rows == 0:
        raise DataError("the table has no rows", code="header_only", hint="check what was handed over")
    reading = Reading(
        format=form,
        missing=missing.everywhere,
        missing_in_numbers=missing.in_numbers,
        missing_by_column=missing.listed,
    )
    dates = sum(isinstance(held, nw.Series) and held.dtype in (nw.Datetime, nw.Date) for held in columns.values())
    return FrameSource(columns, Facts(tuple(columns), rows, reading, form, tuple(notes), named, dates))


def raw_of(held: Any) -> Raw:
    """The values of a series (of narwhals) or of an array of one dimension."""
    return _from_series(held) if isinstance(held, nw.Series) else _from_array(np.asarray(held))


def as_array(given: Any, what: str) -> np.ndarray[Any, Any]:
    """An array of whatever was given; lists of different lengths are an error that names what they were given as."""
    try:
        return np.asarray(given)
    except ValueError:
        raise UsageError(
            f"{what} has rows of different lengths", code="ragged_row", hint="give every row the same number of values"
        ) from None


def _refuse_duplicates(names: Sequence[str]) -> None:
    for name, count in Counter(names).items():
        if count > 1:
            raise DataError(
                f"the frame has the column {name!r} {count} times",
                code="duplicate_header",
                column=name,
                hint="give every column its own name",
            )


def _named(names: Sequence[str]) -> tuple[list[str], list[Note]]:
    _refuse_duplicates(names)
    called, notes = [], []
    for j, name in enumerate(names):
        if not name.strip():
            name = f"column_{j + 1}"
            notes.append(Note("empty_name", f"column {j + 1} has no name; it was called {name!r}", name))
        called.append(name)
    return called, notes


def _from_series(series: nw.Series[Any]) -> Raw:
    dtype = series.dtype
    if dtype.is_numeric():
        values = _floats(series)
        return _texts(series.to_list()) if dtype.is_integer() and _too_long(values) else Numbers(values, _type(dtype))
    if dtype in (nw.Datetime, nw.Date):
        if isinstance(dtype, nw.Datetime) and dtype.time_zone is not None:
            series = series.dt.convert_time_zone("UTC").dt.replace_time_zone(None)
        return Dates(np.asarray(series.to_numpy()).astype("datetime64[us]"))
    if dtype == nw.Duration:
        return _seconds(np.asarray(series.to_numpy()))
    values = series.to_list()
    if dtype in (nw.String, nw.Categorical, nw.Enum):
        return replace(_texts(values), categorical=dtype != nw.String)
    return _from_objects(values)


def _type(dtype: Any) -> str:
    """Numpy's name for the type of a series: that of narwhals, in small letters, where numpy has such a type."""
    name = str(dtype).lower()
    return name if name in np.sctypeDict else ""


def _too_long(values: Any) -> bool:
    """Whether whole numbers are so large that doubles would run them together."""
    return bool((np.abs(values) > EXACT).any())


def _floats(series: nw.Series[Any]) -> Any:
    if series.null_count() == 0:
        return np.asarray(series.to_numpy(), dtype=np.float64)
    values = np.asarray(series.cast(nw.Float64).to_numpy(), dtype=np.float64)
    return np.where(series.is_null().to_numpy(), np.nan, values)


def _from_array(array: np.ndarray[Any, Any]) -> Raw:
    if array.dtype.kind in "iuf":
        values = array.astype(np.float64)
        return (
            _texts(array.tolist())
            if array.dtype.kind != "f" and _too_long(values)
            else Numbers(values, array.dtype.name)
        )
    if array.dtype.kind == "M":
        return Dates(array.astype("datetime64[us]"))
    if array.dtype.kind == "m":
        return _seconds(array)
    return _from_objects(array.tolist())


def _seconds(lengths: np.ndarray[Any, Any]) -> Numbers:
    """Lengths of time are numbers, and a length that is not a time a gap."""
    spent = lengths.astype("timedelta64[us]")
    return Numbers(np.where(np.isnat(spent), np.nan, spent.astype(np.float64) / 1e6))


def _from_objects(values: list[Any]) -> Raw:
    """Python objects: numbers when all are, otherwise their texts."""
    if all(_absent(value) or _is_number(value) for value in values):
        numbers = np.array([np.nan if _absent(value) else float(value) for value in values])
        whole = not any(isinstance(value, float | np.floating) for value in values if not _absent(value))
        return _texts(values) if whole and _too_long(numbers) else Numbers(numbers, "int64" if whole else "float64")
    if all(_absent(value) or isinstance(value, date | np.datetime64) for value in values):
        return Dates(np.array([_moment(value) for value in values], dtype="datetime64[us]"))
    return _texts(values)


def _texts(values: Sequence[Any]) -> Texts:
    """The texts of Python objects, and the objects behind them where all are truth values, or all are numbers."""
    texts = encode_texts((None if _absent(value) else str(value) for value in values), len(values), typed=True)
    return replace(texts, meant=_meant(values))


def _meant(values: Sequence[Any]) -> Mapping[str, Any]:
    first = next((value for value in values if not _absent(value)), None)
    for kind in ((bool, np.bool_), (int, np.integer), (float, np.floating)):
        if isinstance(first, kind):
            same = all(_absent(value) or _is_a(value, kind) for value in values)
            return {str(value): value for value in values if not _absent(value)} if same else {}
    return {}


def _is_a(value: object, kind: tuple[type, ...]) -> bool:
    return isinstance(value, kind) and (bool in kind or not isinstance(value, bool))


def _moment(value: Any) -> Any:
    if _absent(value):
        return None
    if isinstance(value, datetime) and value.tzinfo is not None:
        return value.astimezone(UTC).replace(tzinfo=None)
    return value


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)


def _absent(value: object) -> bool:
    """None, NaN, NaT and pandas' NA: the values that do not equal themselves, or refuse to say."""
    if value is None:
        return True
    try:
        return bool(value != value)
    except TypeError:
        return True
