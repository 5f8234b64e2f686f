"""New rows in the shape of a table that was read before, so that a fitted model can predict on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.advice import Advice, Option
from venire.data.columns import dates as calendar
from venire.data.columns.matrix import Matrix
from venire.data.columns.missing import Missing
from venire.data.columns.names import brief, near
from venire.data.columns.notes import merged
from venire.data.columns.numbers import parse_numbers
from venire.data.columns.numeric import number_texts, usable
from venire.data.columns.raw import Dates, Numbers, Raw, Source, Texts, counts_of
from venire.data.columns.text import date_texts, is_true_word, is_truth_word, tidy
from venire.data.readers.sniff import Given
from venire.data.readers.sources import Options, open_source
from venire.data.table import Column, Kind, Note, Reading, Target, Task
from venire.errors import DataError
from venire.wording import count


@dataclass(frozen=True, slots=True)
class Lost:
    """Values of one column that make no sense there, and count as missing.

    Attributes
    ----------
    code
        What is wrong with them, a stable word such as `unknown_category`.
    column
        Of the input.
    rows
        How many rows have one.
    examples
        A few of them, where they are texts.

    Examples
    --------
    >>> Lost("unknown_category", "colour", 2, ("green",)).message
    "2 rows with values not seen in training ('green'); they are missing"
    """

    code: str
    column: str
    rows: int
    examples: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """In words."""
        shown = ", ".join(map(brief, self.examples[:EXAMPLES])) + (" …" if len(self.examples) > EXAMPLES else "")
        return _LOST_WORDS[self.code].format(
            rows=count(self.rows, "row"), values=count(self.rows, "value"), shown=shown
        )


_FILLED = ("take those that are not there for missing with ", Option("fill_missing_columns"))
EXAMPLES = 3  # shown; one more is kept, to say that there are more
_LOST_WORDS = {
    "unreadable_dates": "{values} unlike the dates of the training rows; they are missing",
    "unusable_numbers": "{values} infinite or too large to compute with; they are missing",
    "words_among_numbers": "{rows} with words where numbers belong; they are missing",
    "unknown_category": "{rows} with values not seen in training ({shown}); they are missing",
}


@dataclass(frozen=True, eq=False)
class Conformed:
    """New rows with the attributes of a known table.

    Attributes
    ----------
    X
        The rows, with the attributes of the known table.
    y
        Class codes (−1: missing or unknown class) or numbers (NaN: missing).
    notes
        What the user should know about the reading.
    source
        In words.
    lost
        What the notes say of values that count as missing, as data.
    absent
        Columns of the known table that are not there and count as missing.

    Examples
    --------
    >>> import numpy as np
    >>> conform(np.array([[1.5], [2.0]]), (Column("x0", Kind.NUMERIC),)).X.ravel()
    array([1.5, 2. ])
    """

    X: NDArray[np.float64]
    y: NDArray[Any] | None = None  # class codes (−1: missing or unknown class) or numbers (NaN: missing)
    notes: tuple[Note, ...] = ()
    source: str = ""
    lost: tuple[Lost, ...] = ()
    absent: tuple[str, ...] = ()


def conform(
    source: Any,
    columns: Sequence[Column],
    *,
    target: Target | None = None,
    reading: Reading | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    comment: str | None = None,
    max_unpacked: float | None = None,
    sheet: str | int | None = None,
) -> Conformed:
    """Read new rows as the attributes of a table read before.

    Extra columns are ignored; a column that is not there is an error. Categories that were not there are missing, and
    so are words among numbers; both are counted in a note.

    Parameters
    ----------
    source
        Anything `read_table` takes.
    columns
        The attributes of the known table.
    target
        Its target, to have the true values in `y`.
    reading
        How it was read, to have the same texts mean missing.
    delimiter, quote, decimal, encoding, header, comment
        How a text file is written. Default: found out.
    max_unpacked, sheet
        As of `read_table`.

    Returns
    -------
    Conformed
        The rows as a matrix.

    Examples
    --------
    >>> known = (Column("size", Kind.NUMERIC), Column("colour", Kind.CATEGORICAL, ("blue", "red")))
    >>> import numpy as np
    >>> new = conform(np.array([[1.5, "red"], [2, "green"]], dtype=object), known)
    >>> new.X.tolist(), new.notes[0].code
    ([[1.5, 1.0], [2.0, nan]], 'unknown_category')
    """
    given = Given(delimiter, quote, decimal, header, comment)
    options = Options(same_markers(reading), given, encoding, max_unpacked, sheet)
    as_text = {column.source for column in columns if column.kind is Kind.CATEGORICAL}
    parts = {} if target is None else {"target": target.name}
    with open_source(source, options, parts, as_text) as (opened, names):
        return Conforming(opened, columns, options.missing).read(target, names.get("target"))


def same_markers(reading: Reading | None) -> Missing:
    """The texts that meant missing when a table was read."""
    if reading is None or not reading.missing:
        return Missing()
    return Missing(reading.missing, reading.missing_in_numbers, dict(reading.missing_by_column))


class Conforming:
    """Fills the matrix attribute by attribute; the parts of a date share one look at it.

    Columns that are not there are an error, or with `fill_absent` missing in every row, as long as one is there; the
    error names that way out, unless it is None: not to be had.
    """

    def __init__(
        self, source: Source, columns: Sequence[Column], missing: Missing, *, fill_absent: bool | None = None
    ) -> None:
        self.source = source
        self.columns = columns
        self.missing = missing
        self.fill_absent = fill_absent
        self.notes = list(source.facts.notes)
        self.lost: list[Lost] = []

    def read(self, target: Target | None, target_name: str | None) -> Conformed:
        """The matrix, the true values if asked for, and the notes."""
        facts = self.source.facts
        y = self._target(target, target_name) if target is not None and target_name is not None else None
        called = self._input_names(target_name)
        matrix = Matrix(facts.rows, len(self.columns))
        dates: dict[str, Raw] = {}  # the parts of a date need not stand side by side
        for column in self.columns:
            if column.source not in called:
                matrix.append(np.full(facts.rows, np.nan))
                continue
            raw = dates.get(column.source) or self._dated(column, self.source.column(called[column.source]))
            if column.part:
                dates[column.source] = raw
            matrix.append(self._values(column, raw))
        absent = tuple(dict.fromkeys(column.source for column in self.columns if column.source not in called))
        return Conformed(matrix.values(), y, merged(self.notes), facts.source, tuple(self.lost), absent)

    def _input_names(self, target_name: str | None) -> dict[str, str]:
        """Which input column each attribute is read from: by name, or by place in an array without names."""
        wanted = list(dict.fromkeys(column.source for column in self.columns))
        there = [name for name in self.source.facts.names if name != target_name]
        absent = [name for name in wanted if name not in there]
        if not absent:
            return {name: name for name in wanted}
        if not self.source.facts.named and len(there) == len(wanted):
            return dict(zip(wanted, there, strict=True))
        if self.fill_absent and len(absent) < len(wanted):
            return {name: name for name in wanted if name not in absent}
        alike = near(absent[0], [name for name in there if name not in wanted])  # the others have their place
        shown = ", ".join(map(brief, absent[:5])) + (f" and {len(absent) - 5} more" if len(absent) > 5 else "")
        raise DataError(
            f"the rows lack {count(len(absent), 'column')} the model was trained on: {shown}",
            code="missing_column",
            file=self.source.facts.source if self.source.facts.reading.files else None,
            column=absent[0],
            hint=self._way_out(alike[:1], some=len(absent) < len(wanted)),
        )

    def _way_out(self, alike: Sequence[str], *, some: bool) -> str:
        """What to do about columns that are not there: `alike` is what the first of them may be called."""
        named = f"is it {alike[0]!r}?" if alike else "give the columns the names they had in training"
        if self.fill_absent is None or not some:
            return named
        return Advice(named, " Or " if alike else ", or ", *_FILLED)

    def _dated(self, column: Column, raw: Raw) -> Raw:
        """The dates behind the parts of a date; everything else as it is."""
        if not column.part or isinstance(raw, Dates):
            return raw
        if isinstance(raw, Numbers):
            found = calendar.from_numbers(raw.values)
            values = np.full(len(raw.values), np.datetime64("NaT", "us")) if found is None else found
            absent = int(np.isnan(raw.values).sum())
        else:
            texts = tidy(column.source, raw, self.missing)
            values = self._parsed_dates(column, texts)
            absent = int((texts.codes < 0).sum())
        lost = int(np.isnat(values).sum()) - absent
        if lost:
            self._lose("unreadable_dates", lost, column)
        return Dates(values)

    def _parsed_dates(self, column: Column, texts: Texts) -> NDArray[np.datetime64]:
        if column.date_format == "number":
            numbers = np.append(parse_numbers(texts.levels).values, np.nan)[texts.codes]
            found = calendar.from_numbers(numbers)
            return np.full(len(numbers), np.datetime64("NaT", "us")) if found is None else found
        parsed = calendar.parse_dates_as(texts.levels, column.date_format)
        return np.append(parsed, np.datetime64("NaT", "us"))[texts.codes]

    def _values(self, column: Column, raw: Raw) -> NDArray[np.float64]:
        if column.part and isinstance(raw, Dates):
            return calendar.part_of(raw.values, column.part)
        if column.kind is Kind.NUMERIC:
            return self._numbers(column, raw)
        return self._codes(column, raw)

    def _numbers(self, column: Column, raw: Raw) -> NDArray[np.float64]:
        if isinstance(raw, Dates):
            raise DataError(
                "this column held numbers in training and now holds dates",
                code="wrong_kind",
                column=column.name,
                hint="give it as it was",
            )
        if isinstance(raw, Numbers):
            values = raw.values
        else:
            texts = tidy(column.source, raw, self.missing)
            parsed = parse_numbers(texts.levels, column.decimal)
            weak = set(self.missing.in_numbers)
            words = ~parsed.found & np.array([level not in weak for level in texts.levels], dtype=bool)
            if words.any():
                lost = int(counts_of(texts)[words].sum())
                self._lose("words_among_numbers", lost, column)
            values = np.append(parsed.values, np.nan)[texts.codes]
        markers = self.missing.added_numbers(column.source)
        if markers:
            values = np.where(np.isin(values, markers), np.nan, values)
        found, notes = usable(column.source, values)
        if notes:
            unusable = int((np.isnan(found) & ~np.isnan(values)).sum())
            self.lost.append(Lost("unusable_numbers", column.source, unusable))
            self.notes.extend(notes)
        return found

    def _codes(self, column: Column, raw: Raw) -> NDArray[np.float64]:
        texts = tidy(column.source, _as_texts(raw), self.missing)
        places = _places(texts.levels, column.categories, column.kind is Kind.BOOLEAN)
        unknown = np.isnan(places)
        if unknown.any():
            count = int(counts_of(texts)[unknown].sum())
            new = [level for level, gone in zip(texts.levels, unknown, strict=True) if gone]
            self._lose("unknown_category", count, column, tuple(new[: EXAMPLES + 1]))
        return np.append(places, np.nan)[texts.codes]

    def _target(self, target: Target, name: str) -> NDArray[Any]:
        facts = self.source.facts
        if name not in facts.names:
            raise DataError(f"the rows have no target {name!r}", code="unknown_target", column=name,
                            hint="give it the name it had in training; to predict, it need not be there")  # fmt: skip
        raw = self.source.column(name)
        if target.task is Task.REGRESSION:
            return self._numbers(Column(name, Kind.NUMERIC), raw)
        truth = all(isinstance(label, bool) for label in target.classes)
        column = Column(name, Kind.BOOLEAN if truth else Kind.CATEGORICAL, target.labels)
        codes = self._codes(column, raw)
        return np.where(np.isnan(codes), -1, codes).astype(np.int32)

    def _lose(self, code: str, rows: int, column: Column, examples: tuple[str, ...] = ()) -> None:
        lost = Lost(code, column.source, rows, examples)
        self.lost.append(lost)
        self.notes.append(Note(code, lost.message, column.source))


def _as_texts(raw: Raw) -> Texts:
    if isinstance(raw, Numbers):
        return number_texts(raw.values)
    return date_texts(raw) if isinstance(raw, Dates) else raw


def _places(levels: Sequence[str], categories: Sequence[str], boolean: bool) -> NDArray[np.float64]:
    """The code of each level; NaN when it is unknown. 1.0 is 1, and yes is true where both are truth values."""
    known = {category: code for code, category in enumerate(categories)}
    places = np.array([known.get(level, np.nan) for level in levels], dtype=np.float64)
    open_places = np.flatnonzero(np.isnan(places))
    if open_places.size == 0:
        return places
    by_number = {
        number: code for code, number in enumerate(parse_numbers(categories).values.tolist()) if number == number
    }
    for i in open_places.tolist():
        number = parse_numbers([levels[i]]).values[0]
        if number in by_number:
            places[i] = by_number[number]
        elif boolean and is_truth_word(levels[i]) and all(map(is_truth_word, categories)):
            wanted = is_true_word(levels[i])
            matches = [code for code, category in enumerate(categories) if is_true_word(category) == wanted]
            places[i] = matches[0] if matches else np.nan
    return places
