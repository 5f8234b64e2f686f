"""Every error venire raises on purpose. A message names the thing, what was found, and the way out."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final, Literal, TypedDict

from venire.advice import Part, parts_of

SCHEMA_VERSION: Final = 2
TRACEBACK: Final = "VENIRE_TRACEBACK"  # set in the environment: show what is otherwise kept off the screen


class ErrorFacts(TypedDict):
    """What went wrong, where, and what to do about it."""

    code: str
    message: str
    file: str | None
    line: int | None
    column: str | None
    hint: str | None
    hint_parts: list[Part] | None


class ErrorDocument(TypedDict):
    """What a command prints with `--json` when it fails."""

    schema_version: Literal[2]
    error: ErrorFacts


class VenireError(Exception):
    """Base of all errors venire raises on purpose.

    Parameters
    ----------
    message
        A sentence: what is wrong, and what was found.
    code
        A short name for programs; that of the class by default.
    file, line, column
        Where it is wrong.
    hint
        The way out.

    Examples
    --------
    >>> error = DataError("row 3 has 4 fields, the header has 5", code="ragged_row", file="a.csv", line=3)
    >>> str(error)
    'a.csv, line 3: row 3 has 4 fields, the header has 5'
    >>> error.to_dict()["error"]["code"]
    'ragged_row'
    """

    exit_code = 1
    default_code = "failed"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        file: str | None = None,
        line: int | None = None,
        column: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.file = file
        self.line = line
        self.column = column
        self.hint = hint

    def __str__(self) -> str:
        place = [self.file] if self.file else []
        if self.line is not None:
            place.append(f"line {self.line}")
        if self.column is not None:
            place.append(f"column {self.column!r}")
        return f"{', '.join(place)}: {self.message}" if place else self.message

    def to_dict(self) -> ErrorDocument:
        """The error document that `--json` prints; there, the hint speaks of options and not of arguments."""
        return {
            "schema_version": SCHEMA_VERSION,
            "error": {
                "code": self.code,
                "message": self.message,
                "file": self.file,
                "line": self.line,
                "column": self.column,
                "hint": None if self.hint is None else str(self.hint),
                "hint_parts": None if self.hint is None else parts_of(self.hint),
            },
        }


class UsageError(VenireError, ValueError):
    """What was asked for makes no sense, whatever the data (exit code 2).

    Parameters
    ----------
    message, code, file, line, column, hint
        As of `VenireError`.

    Examples
    --------
    >>> raise UsageError("folds must be at least 2; got 1", code="folds")
    Traceback (most recent call last):
    venire.errors.UsageError: folds must be at least 2; got 1
    """

    exit_code = 2
    default_code = "usage"


class DataError(VenireError, ValueError):
    """The table cannot be read or cannot carry the task (exit code 3).

    Parameters
    ----------
    message, code, file, line, column, hint
        As of `VenireError`.

    Examples
    --------
    >>> raise DataError("every target is missing", hint="name another column")
    Traceback (most recent call last):
    venire.errors.DataError: every target is missing
    """

    exit_code = 3
    default_code = "bad_data"


class ModelFormatError(VenireError, ValueError):
    """A stored model cannot be read: it is not there, damaged, made by hand, or of another version (exit code 3).

    Parameters
    ----------
    message, code, file, line, column, hint
        As of `VenireError`.

    Examples
    --------
    >>> raise ModelFormatError("it ends after 12 bytes", file="m.venire")
    Traceback (most recent call last):
    venire.errors.ModelFormatError: m.venire: it ends after 12 bytes
    """

    exit_code = 3
    default_code = "bad_model"


class VenireWarning(UserWarning):
    """Something worth knowing that does not stop the work.

    Examples
    --------
    >>> issubclass(VenireWarning, UserWarning)
    True
    """


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """How a message about an unknown name ends: with the known one most like it, if any is.

    >>> did_you_mean("forrest", ["tree", "forest"])
    "; did you mean 'forest'?"
    >>> did_you_mean("jury", ["tree", "forest"])
    ''
    """
    near = difflib.get_close_matches(name, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else ""
