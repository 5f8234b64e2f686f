"""Delimited results: how texts are guarded and quoted, and which columns need no database to be written."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.rows_as_text import Coded, Plain, Words, quoted

DELIMITERS = {"csv": ",", "tsv": "\t"}
FORMULA = "=+-@\t\r"  # a spreadsheet program may run a text that begins so
_TRUTHS = np.array([False, True])


def guarded(text: str) -> str:
    """A text that no spreadsheet program takes for a formula: where it might, with ' before it; numbers stay.

    >>> guarded("=1+1"), guarded("-1.5"), guarded("plain")
    ("'=1+1", '-1.5', 'plain')
    """
    if not text.startswith(tuple(FORMULA)):
        return text
    with suppress(ValueError):
        float(text)
        return text
    return f"'{text}"


def header_of(names: Sequence[str], form: str) -> bytes:
    r"""The line of names.

    >>> header_of(["predicted", "=a,b"], "csv")
    b'predicted,"\'=a,b"\n'
    """
    delimiter = DELIMITERS[form]
    return (delimiter.join(quoted(guarded(name), delimiter) for name in names) + "\n").encode()


def plain_columns(columns: Mapping[str, NDArray[Any] | Coded], form: str) -> list[Plain] | None:
    """The columns as the core writes them; None where one is of another kind, or the format is."""
    if form not in DELIMITERS:
        return None
    found: list[Plain] = []
    for values in columns.values():
        if isinstance(values, Coded):
            found.append(Words(values.codes, [_word(value, DELIMITERS[form]) for value in values.values.tolist()]))
        elif type(values) is not np.ndarray:  # a masked array has gaps
            return None
        elif values.dtype == np.bool_:
            found.append(Words(values.astype(np.int32), [_word(truth, DELIMITERS[form]) for truth in _TRUTHS.tolist()]))
        elif values.dtype in (np.float64, np.int64):
            found.append(values)
        else:
            return None
    return found


def _word(value: Any, delimiter: str) -> str:
    """A class label or a truth value as a field."""
    if isinstance(value, str):
        return quoted(guarded(value), delimiter)
    return str(value).lower() if isinstance(value, bool) else str(value)
