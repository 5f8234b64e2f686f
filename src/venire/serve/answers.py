"""Predictions as plain data, and what did not fit the model as warnings."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.report.document.shapes.use import InputFacts
from venire.use.text_fields import guarded

Arrays = Mapping[str, NDArray[Any]]


def plain(values: NDArray[Any]) -> list[Any]:
    """Values that JSON has: what is no number is null."""
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        return [value if np.isfinite(value) else None for value in values.tolist()]
    found: list[Any] = values.tolist()
    return found


def records(columns: Arrays) -> list[dict[str, Any]]:
    """An object for each row."""
    names = list(columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*map(plain, columns.values()), strict=True)]


def csv_bytes(columns: Arrays) -> bytes:
    """As CSV; a text that a spreadsheet program might run has ' before it, as in files of `venire predict`."""
    into = io.StringIO()
    lines = csv.writer(into, lineterminator="\n")
    lines.writerow(map(guarded, columns))
    for row in zip(*map(plain, columns.values()), strict=True):
        lines.writerow([guarded(cell) if isinstance(cell, str) else cell for cell in row])
    return into.getvalue().encode()


def warnings_of(facts: InputFacts | None) -> list[dict[str, Any]]:
    """What did not fit: columns that are not there, values that make no sense, and values beyond the range."""
    if facts is None:
        return []
    rows = facts["rows"]
    return [
        *(
            {
                "code": "missing_column",
                "column": name,
                "rows": rows,
                "message": "the column is not there; it is missing",
            }
            for name in facts["missing_columns"]
        ),
        *(
            {"code": lost["code"], "column": lost["column"], "rows": lost["rows"], "message": lost["message"]}
            for lost in facts["lost"]
        ),
        *(
            {
                "code": "out_of_range",
                "column": beyond["column"],
                "rows": beyond["rows"],
                "message": "outside of the range of the training rows, {:.6g} to {:.6g}; used as it is".format(
                    *beyond["training"]
                ),
            }
            for beyond in facts["out_of_range"]
        ),
    ]
