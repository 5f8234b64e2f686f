"""The decisions about a column of texts; the rules are in `kinds`."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from venire.advice import Advice, Option
from venire.data.columns import dates as calendar
from venire.data.columns.interpreted import TELLING_ROWS, Interpreted, Rules, dated, leave_out, some, unfit
from venire.data.columns.missing import Missing
from venire.data.columns.names import alike_but_for_case, brief
from venire.data.columns.numbers import Parsed, is_code, parse_numbers
from venire.data.columns.numeric import NumberColumn, finite
from venire.data.columns.raw import Dates, Numbers, Texts, counts_of, relabel
from venire.data.table import Column, Kind, Note
from venire.wording import count

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
SELDOM = 0.5  # share of different texts from which on they hardly repeat
_MANY = 1000  # categories worth a note


def tidy(name: str, texts: Texts, missing: Missing) -> Texts:
    """Strip spaces around the texts and take out those that mean missing."""
    markers = missing.texts_for(name)
    stripped = [level.strip() for level in texts.levels]
    if stripped == list(texts.levels) and markers.isdisjoint(stripped):
        return texts
    return relabel(texts, [None if level in markers else level for level in stripped])


def is_truth_pair(one: str, other: str) -> bool:
    """Are these the two halves of a yes-and-no pair?

    >>> is_truth_pair("yes", "no"), is_truth_pair("yes", "maybe")
    (True, False)
    """
    return frozenset((one.lower(), other.lower())) in _PAIRS


def is_truth_word(text: str) -> bool:
    """Is this one half of a yes-and-no pair?"""
    return any(text.lower() in pair for pair in _PAIRS)


def is_true_word(text: str) -> bool:
    """Is this the yes of such a pair?"""
    return text.lower() in _TRUE


class TextColumn:
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
        """Decide the kind, or take the forced one."""
        if forced is Kind.CATEGORICAL and self.present:
            return self._categorical()
        levels = self.texts.levels
        if not levels:
            return leave_out(self.name, Kind.CONSTANT, "every value is missing", self.notes)
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
            return leave_out(self.name, Kind.CONSTANT, f"every row has the value {brief(levels[0])}", self.notes)
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
        if self.rules.spare and self.rows >= TELLING_ROWS and len(levels) >= SELDOM * self.present and self.present > 1:
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
            raise unfit(
                self.name, Kind.NUMERIC, f"none of its values is a number (the first is {brief(self.texts.levels[0])})"
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
                Note("words_among_numbers", f"{count(lost, 'row')} with words among numbers ({some(words)}); "
                     "they count as missing", self.name)
            )  # fmt: skip
        if parsed.grouped:
            notes.append(Note("thousands", "numbers are written with thousands separators", self.name))
        if parsed.units:
            notes.append(Note("units", "a currency or per cent sign was taken off the numbers", self.name))
        values = np.append(parsed.values, np.nan)[self.texts.codes]
        values, more = finite(self.name, Numbers(values), self.rules)
        return NumberColumn(self.name, values, (*notes, *more), self.rules, parsed.decimal).interpret(forced)

    def _mixed_note(self, parsed: Parsed) -> tuple[Note, ...]:
        notes = self.notes
        counts = counts_of(self.texts)
        if 0 < parsed.found.sum() < len(parsed.found) and counts[parsed.found].sum() >= 0.5 * self.present:
            words = [level for level, found in zip(self.texts.levels, parsed.found, strict=True) if not found]
            notes = (*notes, Note(
                "mixed_types", Advice(f"numbers and words ({some(words)}) are mixed; the column is taken as words, ",
                "use ", Option("numeric"), " to take it as numbers"), self.name,
            ))  # fmt: skip
        kept = [level for level in self.texts.levels if level in self.rules.missing.in_numbers]
        if kept:
            notes = (*notes, Note(
                "marker_kept", Advice(f"{some(kept)} is kept as a value of its own; use ", Option("missing"),
                " to count it as missing"), self.name,
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
            raise unfit(self.name, Kind.BOOLEAN, f"it has {len(self.texts.levels)} different values")
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
        if alike := alike_but_for_case(self.texts.levels):
            kept = f"{' and '.join(map(brief, alike))} differ in capitals only, and are kept apart"
            notes = (*notes, Note("alike_but_for_case", kept, self.name))
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
            return NumberColumn(
                self.name, np.append(numbers.values, np.nan)[self.texts.codes], self.notes, self.rules
            ).interpret(Kind.DATE)
        raise unfit(
            self.name, Kind.DATE, f"no way of writing dates fits all its values (the first is {brief(texts.levels[0])})"
        )

    def _dated(self, texts: Texts, parsed: calendar.ParsedDates) -> Interpreted:
        notes = self.notes
        if parsed.ambiguous:
            order = "day, then month" if parsed.format.index("%d") < parsed.format.index("%m") else "month, then day"
            notes = (*notes, Note("ambiguous_dates", f"dates are read as {order}; nothing in them tells", self.name))
        values = np.append(parsed.values, np.datetime64("NaT", "us"))[texts.codes]
        return dated(self.name, values, parsed.format, notes)

    def _unrepeated(self, notes: tuple[Note, ...]) -> Interpreted:
        levels = self.texts.levels
        words, characters = sum(len(level.split()) for level in levels), sum(map(len, levels))
        return unrepeated_texts(self.name, len(levels), self.present, words, characters, notes)


def unrepeated_texts(
    name: str, levels: int, present: int, words: int, characters: int, notes: tuple[Note, ...] = ()
) -> Interpreted:
    """Texts that hardly repeat, left out; `words` and `characters` are those of all different ones."""
    different = f"{levels} different values in {present} rows"
    if words / levels >= 2.5 or characters / levels > 40:
        return leave_out(name, Kind.TEXT, f"free text ({different})", notes)
    return leave_out(name, Kind.IDENTIFIER, f"texts that hardly repeat ({different})", notes)


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
