"""One row straight into the matrix of a model: the way of nearly every request, much shorter than the usual one.

It knows the plain cases only: every column is there, numbers are numbers within the range of the training rows, and
categories are written as they were in training. Anything else is left to the usual way, which counts what does not fit.
Which code a category has was asked of the usual way, so that both agree.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.columns.missing import Missing
from venire.data.columns.numbers import EXACT, LARGEST
from venire.data.conform import same_markers
from venire.data.table import Column, Kind
from venire.ensembles.table_model import TableModel
from venire.use.account import ranges_of

Floats = NDArray[np.float64]
Codes = Mapping[tuple[type, Any], float]  # by type, too: 1, 1.0 and true are one key of a dict otherwise
_NAN = float("nan")


class RowEncoder:
    """Encodes records of plain Python values. `coded` is the usual way, asked for single columns."""

    def __init__(self, model: TableModel, coded: Callable[[Column, list[Any]], Floats]) -> None:
        missing, ranges = same_markers(model.reading_), ranges_of(model)
        self._dates = any(column.part for column in model.columns_)
        self._columns = [
            (column.source, *_bounds(column, missing, ranges.get(j)), _codes(column, coded))
            for j, column in enumerate(model.columns_)
            if not self._dates
        ]

    def row(self, record: Mapping[str, Any]) -> Floats | None:
        """The row as a matrix of one row; None where it needs the usual way."""
        if self._dates:
            return None
        row: list[float] = []
        for name, low, high, markers, codes in self._columns:
            value = record.get(name, row)  # the list itself is no value: the column is not there
            if value is None:
                row.append(_NAN)
                continue
            kind = type(value)
            if codes is not None:
                code = codes.get((kind, value)) if kind in _HASHABLE else None
                if code is None:
                    return None
                row.append(code)
            elif (kind is float or kind is int) and low <= value <= high and value not in markers:
                row.append(value)
            else:
                return None
        return np.array([row], dtype=np.float64)


_HASHABLE = (str, bool, int)
_DIGITS = 15  # of whole numbers that are doubles


def _bounds(
    column: Column, missing: Missing, known: tuple[float, float] | None
) -> tuple[float, float, frozenset[float]]:
    most = min(LARGEST, EXACT)
    low, high = known or (-most, most)
    return max(low, -most), min(high, most), frozenset(missing.added_numbers(column.source))


def _codes(column: Column, coded: Callable[[Column, list[Any]], Floats]) -> Codes | None:
    if column.kind is Kind.NUMERIC:
        return None
    texts = list(column.categories)
    whole = [int(text) for text in texts if text.isascii() and text.isdecimal() and len(text) <= _DIGITS]
    truths = [False, True] if column.kind is Kind.BOOLEAN else []
    found: dict[tuple[type, Any], float] = {}
    for values in (texts, whole, truths):  # apart: a column of several types would be read as texts
        if values:
            codes = coded(column, values).tolist()
            found.update({(type(value), value): code for value, code in zip(values, codes, strict=True)})
    return {key: code for key, code in found.items() if code == code}  # what means missing has no code
