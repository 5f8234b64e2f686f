"""New rows in the shape of a known table, part by part, so that memory does not grow with their number."""

from __future__ import annotations

from collections.abc import Collection, Generator, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from venire.data.columns.names import brief, near
from venire.data.columns.raw import Facts, Raw, Source
from venire.data.conform import EXAMPLES, Conformed, Conforming, Lost, same_markers
from venire.data.readers.blocks import BLOCK_BYTES
from venire.data.readers.in_chunks import open_chunks
from venire.data.readers.sniff import Given
from venire.data.readers.sources import Options
from venire.data.table import Column, Kind, Reading, Target
from venire.errors import DataError


@dataclass(frozen=True)
class Asked:
    """What is wanted of new rows: the columns of a known table, its target perhaps, and columns to hand through.

    Columns that are not there are an error, or with `fill_absent` missing in every row; None: no way out to name.
    """

    columns: Sequence[Column]
    target: Target | None = None
    reading: Reading | None = None
    keep: Sequence[str] = ()
    fill_absent: bool | None = None


@dataclass(frozen=True)
class Written:
    """How a text file is written, as of `read_table`; everything left alone is found out."""

    given: Given = field(default_factory=Given)
    encoding: str | None = None
    max_unpacked: float | None = None
    sheet: str | int | None = None


@dataclass(frozen=True, eq=False)
class Part:
    """Some rows: as a matrix, and the columns that are handed through as they are."""

    rows: Conformed
    kept: dict[str, Raw]


def streamed(
    source: Any, asked: Asked, written: Written | None = None, *, block_bytes: int = BLOCK_BYTES
) -> Generator[Part, None, None]:
    """The rows of anything `read_table` takes, in order and part by part; one part is in memory at a time."""
    how = written or Written()
    options = Options(same_markers(asked.reading), how.given, how.encoding, how.max_unpacked, how.sheet)
    as_text = {column.source for column in asked.columns if column.kind is Kind.CATEGORICAL}
    if asked.target is not None and asked.target.classes:
        as_text.add(asked.target.name)
    as_text |= {*asked.keep}  # of a text file every sign is kept: 007 stays 007
    with open_chunks(source, options, as_text, block_bytes=block_bytes) as chunks:
        for chunk in chunks:
            twice = _Twice(chunk, asked.keep)
            conforming = Conforming(twice, asked.columns, options.missing, fill_absent=asked.fill_absent)
            name = None if asked.target is None else asked.target.name
            rows = conforming.read(asked.target, name)
            yield Part(rows, {name: twice.kept(name) for name in asked.keep})


class _Twice:
    """A source whose columns of some names can be asked for once more: a source hands a column out once."""

    def __init__(self, source: Source, names: Collection[str]) -> None:
        self._source = source
        self._kept: dict[str, Raw] = {}
        for name in names:
            if name not in source.facts.names:
                alike = near(name, source.facts.names)
                raise DataError(
                    f"there is no column {brief(name)} to keep",
                    code="missing_column",
                    file=source.facts.source if source.facts.reading.files else None,
                    column=name,
                    hint=f"is it {alike[0]!r}?" if alike else "keep columns that the table has",
                )
            self._kept[name] = source.column(name)

    @property
    def facts(self) -> Facts:
        """Those of the source."""
        return self._source.facts

    def column(self, name: str) -> Raw:
        """The values of one column."""
        return self._kept[name] if name in self._kept else self._source.column(name)

    def kept(self, name: str) -> Raw:
        """The values of one of those columns, once more."""
        return self._kept[name]

    def close(self) -> None:
        """The source is its opener's to close."""
        self._kept.clear()


def added_up(parts: Iterable[Lost]) -> tuple[Lost, ...]:
    """What was lost in several parts of a table, each column and kind once.

    >>> [lost.rows for lost in added_up([Lost("unknown_category", "a", 2, ("x",)), Lost("unknown_category", "a", 3)])]
    [5]
    """
    found: dict[tuple[str, str], Lost] = {}
    for lost in parts:
        before = found.get((lost.code, lost.column), replace(lost, rows=0, examples=()))
        examples = tuple(dict.fromkeys((*before.examples, *lost.examples)))[: EXAMPLES + 1]
        found[lost.code, lost.column] = replace(lost, rows=before.rows + lost.rows, examples=examples)
    return tuple(found.values())
