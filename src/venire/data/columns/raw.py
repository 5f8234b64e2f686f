"""Columns as they leave a source, before anything is decided about them: numbers, texts or dates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from venire.data.columns.missing import Missing
from venire.data.table import Note, Reading


@dataclass(frozen=True, eq=False)
class Numbers:
    """Numbers; NaN is missing."""

    values: NDArray[np.float64]
    type: str = ""  # numpy's name of the type the source gives them; a text file gives none

    def take(self, rows: NDArray[np.bool_]) -> Numbers:
        """Only these rows."""
        return replace(self, values=self.values[rows])


@dataclass(frozen=True, eq=False)
class Texts:
    """Texts by number: `levels[code]`; code −1 is missing. Everything is decided on the distinct levels."""

    codes: NDArray[np.int32]
    levels: Sequence[str]
    typed: bool = False  # the source itself says these are texts (a Parquet string column), not just a CSV field
    categorical: bool = False  # the source itself says these are categories
    meant: Mapping[str, Any] = field(default_factory=dict)  # the value behind each level, where that is no text

    def take(self, rows: NDArray[np.bool_]) -> Texts:
        """Only these rows, and only the levels they hold."""
        return _used(replace(self, codes=self.codes[rows]))


@dataclass(frozen=True, eq=False)
class Dates:
    """Points in time (datetime64[us]); NaT is missing."""

    values: NDArray[np.datetime64]

    def take(self, rows: NDArray[np.bool_]) -> Dates:
        """Only these rows."""
        return Dates(self.values[rows])


@dataclass(frozen=True, eq=False)
class Seldom:
    """Texts that hardly repeat, of which none is a number or a date: counted where they are, and not fetched."""

    rows: int
    present: int
    levels: int  # different ones
    words: int  # of all different texts together
    characters: int
    texts: Callable[[], Texts]  # themselves, as long as nothing was let go

    def take(self, rows: NDArray[np.bool_]) -> Texts:
        """Only these rows."""
        return self.texts().take(rows)


Raw: TypeAlias = Numbers | Texts | Dates


@dataclass(frozen=True)
class Facts:
    """What a source says of itself."""

    names: tuple[str, ...]
    rows: int
    reading: Reading
    source: str
    notes: tuple[Note, ...] = ()
    named: bool = True  # False when the names are ours (an array), so that they mean nothing
    dates_expected: int = field(default=0)  # a guess, to make room for their parts


class Source(Protocol):
    """Where columns come from. A column may be asked for once: what was handed out is released."""

    @property
    def facts(self) -> Facts:
        """Names, rows and how it was read."""
        ...

    def column(self, name: str) -> Raw:
        """The values of one column."""
        ...

    def close(self) -> None:
        """Release what is left."""
        ...


@runtime_checkable
class Glancing(Protocol):
    """A source that can tell of some columns what they are without handing their texts over."""

    def glance(self, name: str, missing: Missing) -> Seldom | Dates | None:
        """Texts that all are points in time, or that hardly repeat; None: ask for the column."""
        ...

    def release(self, name: str) -> None:
        """Let go of a column that was glanced at: nobody will ask for its texts."""
        ...


def encode_texts(values: Iterable[Any], rows: int, *, typed: bool = False) -> Texts:
    """Number the distinct texts of a column; None is missing.

    >>> encode_texts(["b", None, "a", "b"], 4).codes.tolist()
    [0, -1, 1, 0]
    """
    listed = values if isinstance(values, list) else list(values)
    distinct = dict.fromkeys(listed)
    distinct.pop(None, None)
    levels = tuple(distinct)
    number: dict[str | None, int] = dict(zip(levels, range(len(levels)), strict=True))  # no loop of Python's own
    number[None] = -1
    return Texts(np.fromiter(map(number.__getitem__, listed), np.int32, rows), levels, typed)


def relabel(texts: Texts, new: Sequence[str | None]) -> Texts:
    """Give every level a new text (None: missing); levels that become equal are merged.

    >>> relabel(Texts(np.array([0, 1, 2], dtype=np.int32), (" a", "a", "?")), ["a", "a", None]).codes.tolist()
    [0, 0, -1]
    """
    seen: dict[str | None, int] = {None: -1}
    renumber = np.array([seen.setdefault(text, len(seen) - 1) for text in (*new, None)], dtype=np.int32)
    del seen[None]
    levels = tuple(level for level in seen if level is not None)
    return _used(replace(texts, codes=renumber[texts.codes], levels=levels))


def counts_of(texts: Texts) -> NDArray[np.int64]:
    """How many rows hold each level."""
    return np.bincount(texts.codes + 1, minlength=len(texts.levels) + 1)[1:]


def _used(texts: Texts) -> Texts:
    """Drop the levels that no row holds."""
    used = counts_of(texts) > 0
    if used.all():
        return texts
    renumber = np.full(len(texts.levels) + 1, -1, dtype=np.int32)
    renumber[:-1][used] = np.arange(int(used.sum()), dtype=np.int32)
    kept = tuple(level for level, is_used in zip(texts.levels, used, strict=True) if is_used)
    return replace(texts, codes=renumber[texts.codes], levels=kept)
