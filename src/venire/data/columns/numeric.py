"""The decisions about a column of numbers; the rules are in `kinds`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from venire.data.columns import dates as calendar
from venire.data.columns.interpreted import TELLING_ROWS, Interpreted, Rules, dated, leave_out, unfit
from venire.data.columns.names import looks_like_identifier
from venire.data.columns.numbers import LARGEST, number_text
from venire.data.columns.raw import Numbers, Texts
from venire.data.table import Column, Kind, Note
from venire.wording import count


def finite(
    name: str, raw: Numbers, rules: Rules, most: float = LARGEST
) -> tuple[NDArray[np.float64], tuple[Note, ...]]:
    """The numbers with the caller's markers, infinite values and those too large to be squared turned into NaN."""
    values = raw.values
    added = rules.missing.added_numbers(name)
    if added:
        values = np.where(np.isin(values, added), np.nan, values)
    return usable(name, values, most)


def usable(
    name: str, values: NDArray[np.float64], most: float = LARGEST
) -> tuple[NDArray[np.float64], tuple[Note, ...]]:
    """The numbers that a learner can use, NaN in place of the others, and how many these are."""
    beyond = np.abs(values) > most
    if not beyond.any():
        return values, ()
    infinite = int(np.isinf(values).sum())
    huge = int(beyond.sum()) - infinite
    notes = []
    if infinite:
        said = f"{count(infinite, 'infinite value')} taken as missing: no learner can use them"
        notes.append(Note("infinite_values", said, name))
    if huge:
        said = f"{count(huge, 'value')} beyond ±{most:g} taken as missing: sums of their squares overflow"
        notes.append(Note("huge_values", said, name))
    return np.where(beyond, np.nan, values), tuple(notes)


class NumberColumn:
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
        """Decide the kind, or take the forced one."""
        if forced is Kind.DATE:
            return self._as_dates()
        if self.present.size == 0:
            beyond = {"huge_values", "infinite_values"} & {note.code for note in self.notes}
            said = "every value is missing, or too large to be counted with" if beyond else "every value is missing"
            return leave_out(self.name, Kind.CONSTANT, said, self.notes)
        low, high = float(self.present.min()), float(self.present.max())
        if forced is Kind.BOOLEAN:
            return self._boolean(low, high)
        if forced is None:
            if low == high and not self.missing:
                return leave_out(self.name, Kind.CONSTANT, f"every row has the value {low:g}", self.notes)
            if (low, high) == (0.0, 1.0) and bool(np.isin(self.present, (0.0, 1.0)).all()):
                return self._boolean(low, high)
            if (reason := self._identifies()) is not None:
                return leave_out(self.name, Kind.IDENTIFIER, reason, self.notes)
        column = Column(self.name, Kind.NUMERIC, missing=self.missing, decimal=self.decimal)
        return Interpreted(Kind.NUMERIC, ((column, self.values),), notes=self.notes)

    def _boolean(self, low: float, high: float) -> Interpreted:
        if not bool(np.isin(self.present, (low, high)).all()):
            raise unfit(self.name, Kind.BOOLEAN, "it has more than two different numbers")
        labels = (number_text(low), number_text(high))
        codes = self.values if (low, high) == (0.0, 1.0) else np.where(
            np.isnan(self.values), np.nan, (self.values == high).astype(np.float64)
        )  # fmt: skip
        column = Column(self.name, Kind.BOOLEAN, labels, self.missing)
        return Interpreted(Kind.BOOLEAN, ((column, codes),), notes=self.notes)

    def _identifies(self) -> str | None:
        if not (self.rules.named and self.rules.spare) or self.missing or self.present.size < TELLING_ROWS:
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
            raise unfit(self.name, Kind.DATE, "its numbers are neither like 20240131 nor seconds since 1970")
        return dated(self.name, parsed, "number", self.notes)


def number_texts(values: NDArray[np.float64]) -> Texts:
    """Numbers as texts, whole ones without a point: 20, 0.5."""
    numbers, codes = np.unique(values[~np.isnan(values)], return_inverse=True)
    placed = np.full(len(values), -1, dtype=np.int32)
    placed[~np.isnan(values)] = codes
    return Texts(placed, tuple(number_text(float(number)) for number in numbers))


def _all_different(values: NDArray[np.float64], steps: NDArray[np.float64]) -> bool:
    if bool((steps > 0).all()):
        return True
    return bool((values == np.floor(values)).all()) and len(np.unique(values)) == len(values)
