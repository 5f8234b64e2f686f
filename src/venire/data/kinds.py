"""What each column is, decided on all of its values, and the attributes it gives.

The rules, in order; the caller may overrule each of them:

* texts that mean missing (see `missing`) are missing, and so are infinite numbers;
* no value at all, or one and the same in every row: **constant**, left out;
* texts that are all numbers are **numeric**; if nine in ten are (three in four, when there are ten different numbers to
  each different word) and more than ten are different, the words count as missing, with a note; otherwise the column
  is one of words;
* 0 and 1, yes and no, t and f, …: **boolean**;
* texts that all fit one way of writing dates: **date**, turned into those parts that vary;
* whole numbers that are all different: **identifier** when the name says so (`customer_id`) or when they count the rows
  (1, 2, 3, …); left out;
* texts of which at least half are different: **text** when they are long or have several words, otherwise an
  **identifier**; both left out;
* other texts are **categorical**, other numbers **numeric**.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data import dates as calendar
from venire.data.missing import Missing
from venire.data.names import looks_like_identifier
from venire.data.numbers import Parsed, is_code, parse_numbers
from venire.data.raw import Dates, Numbers, Raw, Texts, counts_of, relabel
from venire.data.table import Column, Kind, LeftOut, Note
from venire.errors import DataError

_PAIRS = {
    frozenset(pair)
    for pair in (
        ("no", "yes"), ("n", "y"), ("false", "true"), ("f", "t"), ("0", "1"), ("off", "on"), ("nein", "ja"),
        ("non", "oui"), ("no", "si"), ("no", "sí"), ("nej", "ja"), ("nee", "ja"), (".false.", ".true."),
    )
}  # fmt: skip
_TRUE = {"yes", "y", "true", "t", "1", "on", "ja", "oui", "si", "sí", ".true."}
_MOSTLY = 0.9  # share of numbers from which on the other words of a column count as missing
_LARGELY = 0.75  # … and with few different words among many different numbers
_FEW_NUMBERS = 10  # … if there are more different numbers than this
_SELDOM = 0.5  # share of different texts from which on they hardly repeat
_TELLING = 10  # fewer rows than this say nothing about repeating
_MANY = 1000  # categories worth a note
_EXACT = 2.0**53  # whole numbers beyond this are not all representable


@dataclass(frozen=True)
class Rules:
    """What the decision depends on besides the values."""

    missing: Missing
    decimal: str = "."
    named: bool = True  # False: the names are ours and say nothing
    spare: bool = True  # False: nothing else is left, so keep what would be left out as an identifier


@dataclass(frozen=True, eq=False)
class Interpreted:
    """What became of one input column."""

    kind: Kind
    attributes: tuple[tuple[Column, NDArray[np.float64]], ...] = ()
    left_out: LeftOut | None = None
    notes: tuple[Note, ...] = ()


def interpret(name: str, raw: Raw, rules: Rules, forced: Kind | None = None) -> Interpreted:
    """Decide the kind of a column (or take the forced one) and give its attributes."""
    if forced in (Kind.IDENTIFIER, Kind.TEXT, Kind.CONSTANT):
        return _leave_out(name, forced, f"declared {forced} by the caller")
    match raw:
        case Dates():
            if forced in (Kind.NUMERIC, Kind.CATEGORICAL, Kind.BOOLEAN):
                return _Texts(name, date_texts(raw), rules).interpret(forced)
            return _dates(name, raw.values, "", ())
        case Numbers():
            return _Numbers(name, *_finite(name, raw, rules), rules).interpret(forced)
        case Texts():
            return _Texts(name, tidy(name, raw, rules.missing), rules).interpret(forced)


def tidy(name: str, texts: Texts, missing: Missing) -> Texts:
    """Strip spaces around the texts and take out those that mean missing."""
    markers = missing.texts_for(name)
    stripped = [level.strip() for level in texts.levels]
    return relabel(texts, [None if level in markers else level for level in stripped])


def is_truth_word(text: str) -> bool:
    """Is this one half of a yes-and-no pair?"""
    return any(text.lower() in pair for pair in _PAIRS)


def is_true_word(text: str) -> bool:
    """Is this the yes of such a pair?"""
    return text.lower() in _TRUE


def _finite(name: str, raw: Numbers, rules: Rules) -> tuple[NDArray[np.float64], tuple[Note, ...]]:
    values = raw.values
    added = rules.missing.added_numbers(name)
    if added:
        values = np.where(np.isin(values, added), np.nan, values)
    infinite = np.isinf(values)
    count = int(infinite.sum())
    if not count:
        return values, ()
    note = Note("infinite_values", f"{count} infinite value(s) count as missing: no learner can use them", name)
    return np.where(infinite, np.nan, values), (note,)


class _Numbers:
    """The decisions about a column of numbers."""

    def __init__(
        self, name: str, values: NDArray[np.float64], notes: tuple[Note, ...], rules: Rules, decimal: str = "."
    ) -> None:
        self.name = name
        self.values = values
        self.notes = notes
        self.rules = rules
        self.decimal = decimal
        absent = np.isnan(values)
        self.missing = int(absent.sum())
        self.present = values[~absent] if self.missing else values

    def interpret(self, forced: Kind | None) -> Interpreted:
        if forced is Kind.DATE:
            return self._as_dates()
        if forced is Kind.CATEGORICAL:
            return _Texts(self.name, number_texts(self.values), self.rules, self.notes).interpret(forced)
        if self.present.size == 0:
            return _leave_out(self.name, Kind.CONSTANT, "every value is missing", self.notes)
        low, high = float(self.present.min()), float(self.present.max())
        if forced is Kind.BOOLEAN:
            return self._boolean(low, high)
        if forced is None:
            if low == high and not self.missing:
                return _leave_out(self.name, Kind.CONSTANT, f"every row has the value {low:g}", self.notes)
            if (low, high) == (0.0, 1.0) and bool(np.isin(self.present, (0.0, 1.0)).all()):
                return self._boolean(low, high)
            if (reason := self._identifies()) is not None:
                return _leave_out(self.name, Kind.IDENTIFIER, reason, self.notes)
        column = Column(self.name, Kind.NUMERIC, missing=self.missing, decimal=self.decimal)
        return Interpreted(Kind.NUMERIC, ((column, self.values),), notes=self.notes)

    def _boolean(self, low: float, high: float) -> Interpreted:
        if not bool(np.isin(self.present, (low, high)).all()):
            raise _unfit(self.name, Kind.BOOLEAN, "it has more than two different numbers")
        labels = (_number_text(low), _number_text(high))
        codes = self.values if (low, high) == (0.0, 1.0) else np.where(
            np.isnan(self.values), np.nan, (self.values == high).astype(np.float64)
        )  # fmt: skip
        column = Column(self.name, Kind.BOOLEAN, labels, self.missing)
        return Interpreted(Kind.BOOLEAN, ((column, codes),), notes=self.notes)

    def _identifies(self) -> str | None:
        if not (self.rules.named and self.rules.spare) or self.missing or self.present.size < _TELLING:
            return None
        values = self.present
        # One look at the first few settles it for most columns of measurements.
        if (values[:1000] != np.floor(values[:1000])).any():
            return None
        steps = np.diff(values)
        if values[0] in (0.0, 1.0) and bool((steps == 1.0).all()):
            return "its values count the rows"
        if looks_like_identifier(self.name) and _all_different(values, steps):
            return "whole numbers, all different, and the name says identifier"
        return None

    def _as_dates(self) -> Interpreted:
        parsed = calendar.from_numbers(self.values)
        if parsed is None:
            raise _unfit(self.name, Kind.DATE, "its numbers are neither like 20240131 nor seconds since 1970")
        return _dates(self.name, parsed, "number", self.notes)


class _Texts:
    """The decisions about a column of texts."""

    def __init__(self, name: str, texts: Texts, rules: Rules, notes: tuple[Note, ...] = ()) -> None:
        self.name = name
        self.texts = texts
        self.rules = rules
        self.notes = notes
        self.rows = len(texts.codes)
        self.missing = int((texts.codes < 0).sum())
        self.present = self.rows - self.missing

    def interpret(self, forced: Kind | None) -> Interpreted:
        if forced is Kind.CATEGORICAL and self.present:
            return self._categorical()
        levels = self.texts.levels
        if not levels:
            return _leave_out(self.name, Kind.CONSTANT, "every value is missing", self.notes)
        if forced is Kind.BOOLEAN:
            return self._boolean_or_error()
        if forced is Kind.NUMERIC:
            return self._numeric(self._parsed(), forced)
        if forced is Kind.DATE:
            return self._as_dates()
        return self._decide()

    def _decide(self) -> Interpreted:
        levels = self.texts.levels
        if len(levels) == 1 and not self.missing:
            return _leave_out(self.name, Kind.CONSTANT, f"every row has the value {levels[0]!r}", self.notes)
        if self._is_pair():
            return self._boolean()
        without = self._without_weak_markers()
        if without.levels and calendar.looks_like_date(without.levels[0]):
            parsed = calendar.parse_dates(without.levels, day_first=self.rules.decimal == ",")
            if parsed is not None:
                return self._dated(without, parsed)
        parsed_numbers = self._parsed()
        if self._mostly_numbers(parsed_numbers):
            return self._numeric(parsed_numbers, None)
        notes = self._mixed_note(parsed_numbers)
        if self.rules.spare and self.rows >= _TELLING and len(levels) >= _SELDOM * self.present and self.present > 1:
            return self._unrepeated(notes)
        return self._categorical(notes)

    def _parsed(self) -> Parsed:
        return parse_numbers(self.texts.levels, self.rules.decimal)

    def _mostly_numbers(self, parsed: Parsed) -> bool:
        if not parsed.found.any() or is_code(self.texts.levels):
            return False
        weak = set(self.rules.missing.in_numbers)
        counts = counts_of(self.texts)
        words = ~parsed.found & np.array([level not in weak for level in self.texts.levels], dtype=bool)
        if not words.any():
            return True
        different, kinds_of_words = int(parsed.found.sum()), int(words.sum())
        numbers = int(counts[parsed.found].sum())
        share = numbers / (numbers + int(counts[words].sum()))
        if different <= _FEW_NUMBERS:
            return False
        return share >= _MOSTLY or (share >= _LARGELY and different >= _FEW_NUMBERS * kinds_of_words)

    def _numeric(self, parsed: Parsed, forced: Kind | None) -> Interpreted:
        if not parsed.found.any():
            raise _unfit(
                self.name, Kind.NUMERIC, f"none of its values is a number (the first is {self.texts.levels[0]!r})"
            )
        notes = list(self.notes)
        weak = set(self.rules.missing.in_numbers)
        words = [
            level
            for level, found in zip(self.texts.levels, parsed.found, strict=True)
            if not found and level not in weak
        ]
        if words:
            lost = int(counts_of(self.texts)[~parsed.found].sum())
            notes.append(
                Note("words_among_numbers", f"{lost} row(s) hold words among numbers ({_some(words)}); "
                     "they count as missing", self.name)
            )  # fmt: skip
        if parsed.grouped:
            notes.append(Note("thousands", "numbers are written with thousands separators", self.name))
        if parsed.units:
            notes.append(Note("units", "a currency or per cent sign was taken off the numbers", self.name))
        values = np.append(parsed.values, np.nan)[self.texts.codes]
        finite, more = _finite(self.name, Numbers(values), self.rules)
        return _Numbers(self.name, finite, (*notes, *more), self.rules, parsed.decimal).interpret(forced)

    def _mixed_note(self, parsed: Parsed) -> tuple[Note, ...]:
        notes = self.notes
        counts = counts_of(self.texts)
        if 0 < parsed.found.sum() < len(parsed.found) and counts[parsed.found].sum() >= 0.5 * self.present:
            words = [level for level, found in zip(self.texts.levels, parsed.found, strict=True) if not found]
            notes = (*notes, Note(
                "mixed_types", f"numbers and words ({_some(words)}) are mixed; the column is taken as words, "
                "use numeric= to take it as numbers", self.name,
            ))  # fmt: skip
        kept = [level for level in self.texts.levels if level in self.rules.missing.in_numbers]
        if kept:
            notes = (*notes, Note(
                "marker_kept", f"{_some(kept)} is kept as a value of its own; use missing= to count it as missing",
                self.name,
            ))  # fmt: skip
        return notes

    def _without_weak_markers(self) -> Texts:
        weak = set(self.rules.missing.in_numbers)
        if not weak.intersection(self.texts.levels):
            return self.texts
        return relabel(self.texts, [None if level in weak else level for level in self.texts.levels])

    def _is_pair(self) -> bool:
        return len(self.texts.levels) == 2 and frozenset(level.lower() for level in self.texts.levels) in _PAIRS

    def _boolean_or_error(self) -> Interpreted:
        if len(self.texts.levels) > 2:
            raise _unfit(self.name, Kind.BOOLEAN, f"it has {len(self.texts.levels)} different values")
        return self._boolean()

    def _boolean(self) -> Interpreted:
        order = sorted(
            range(len(self.texts.levels)), key=lambda i: (self.texts.levels[i].lower() in _TRUE, self.texts.levels[i])
        )
        return self._coded(Kind.BOOLEAN, order, self.notes)

    def _categorical(self, notes: tuple[Note, ...] | None = None) -> Interpreted:
        notes = self.notes if notes is None else notes
        if len(self.texts.levels) > _MANY:
            notes = (*notes, Note("many_categories", f"{len(self.texts.levels)} different values", self.name))
        return self._coded(Kind.CATEGORICAL, _natural_order(self.texts.levels), notes)

    def _coded(self, kind: Kind, order: list[int], notes: tuple[Note, ...]) -> Interpreted:
        place = np.full(len(order) + 1, np.nan)
        place[np.array(order, dtype=np.intp)] = np.arange(len(order))
        column = Column(self.name, kind, tuple(self.texts.levels[i] for i in order), self.missing)
        return Interpreted(kind, ((column, place[self.texts.codes]),), notes=notes)

    def _as_dates(self) -> Interpreted:
        texts = self._without_weak_markers()
        parsed = calendar.parse_dates(texts.levels, day_first=self.rules.decimal == ",")
        if parsed is not None:
            return self._dated(texts, parsed)
        numbers = self._parsed()
        if numbers.found.all():
            return _Numbers(
                self.name, np.append(numbers.values, np.nan)[self.texts.codes], self.notes, self.rules
            ).interpret(Kind.DATE)
        raise _unfit(
            self.name, Kind.DATE, f"no way of writing dates fits all its values (the first is {texts.levels[0]!r})"
        )

    def _dated(self, texts: Texts, parsed: calendar.ParsedDates) -> Interpreted:
        notes = self.notes
        if parsed.ambiguous:
            order = "day, then month" if parsed.format.index("%d") < parsed.format.index("%m") else "month, then day"
            notes = (*notes, Note("ambiguous_dates", f"dates are read as {order}; nothing in them tells", self.name))
        values = np.append(parsed.values, np.datetime64("NaT", "us"))[texts.codes]
        return _dates(self.name, values, parsed.format, notes)

    def _unrepeated(self, notes: tuple[Note, ...]) -> Interpreted:
        different = f"{len(self.texts.levels)} different values in {self.present} rows"
        levels = self.texts.levels
        words = sum(len(level.split()) for level in levels) / len(levels)
        length = sum(map(len, levels)) / len(levels)
        if words >= 2.5 or length > 40:
            return _leave_out(self.name, Kind.TEXT, f"free text ({different})", notes)
        return _leave_out(self.name, Kind.IDENTIFIER, f"texts that hardly repeat ({different})", notes)


def _dates(name: str, values: NDArray[np.datetime64], date_format: str, notes: tuple[Note, ...]) -> Interpreted:
    missing = int(np.isnat(values).sum())
    attributes = tuple(
        (Column(f"{name}.{part}", Kind.NUMERIC, (), missing, name, part, date_format), numbers)
        for part, numbers in calendar.varying_parts(values)
    )
    if not attributes:
        return _leave_out(name, Kind.CONSTANT, "every row has the same date, or none", notes)
    return Interpreted(Kind.DATE, attributes, notes=notes)


def number_texts(values: NDArray[np.float64]) -> Texts:
    """Numbers as texts, whole ones without a point: 20, 0.5."""
    numbers, codes = np.unique(values[~np.isnan(values)], return_inverse=True)
    placed = np.full(len(values), -1, dtype=np.int32)
    placed[~np.isnan(values)] = codes
    return Texts(placed, tuple(_number_text(float(number)) for number in numbers))


def _number_text(number: float) -> str:
    return str(int(number)) if number == int(number) and abs(number) < _EXACT else repr(number)


def date_texts(raw: Dates) -> Texts:
    """Dates as texts, midnight left out."""
    stamps, codes = np.unique(raw.values[~np.isnat(raw.values)], return_inverse=True)
    placed = np.full(len(raw.values), -1, dtype=np.int32)
    placed[~np.isnat(raw.values)] = codes
    return Texts(placed, tuple(str(stamp).removesuffix(".000000").removesuffix("T00:00:00") for stamp in stamps))


def _natural_order(levels: Sequence[str]) -> list[int]:
    """By number when all levels are numbers, otherwise by text."""
    numbers = parse_numbers(levels)
    if numbers.found.all():
        return [int(i) for i in np.lexsort((np.arange(len(levels)), numbers.values))]
    return sorted(range(len(levels)), key=lambda i: levels[i])


def _all_different(values: NDArray[np.float64], steps: NDArray[np.float64]) -> bool:
    if bool((steps > 0).all()):
        return True
    return bool((values == np.floor(values)).all()) and len(np.unique(values)) == len(values)


def _leave_out(name: str, kind: Kind, reason: str, notes: tuple[Note, ...] = ()) -> Interpreted:
    return Interpreted(kind, left_out=LeftOut(name, kind, reason), notes=notes)


def _unfit(name: str, kind: Kind, reason: str) -> DataError:
    return DataError(
        f"the column cannot be taken as {kind}: {reason}",
        code="wrong_kind",
        column=name,
        hint="leave the kind to venire, or choose another",
    )


def _some(items: Sequence[Any], most: int = 3) -> str:
    shown = ", ".join(repr(item) for item in items[:most])
    return shown if len(items) <= most else f"{shown} and {len(items) - most} more"
