"""Column names: those that look like an identifier, and the ones nearest to a name that is not there."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from venire.errors import DataError

_IDENTIFIER = re.compile(
    r"(?:^|.*[\s_.\-])(?:id|ids|uid|pid|uuid|guid|index|idx|rownum|rowid|row|row_number|rownames|rn|key|serial"
    r"|number|no|nr|num|order|instant|record|unnamed: ?\d+)$",
    re.IGNORECASE,
)
_CAMEL = re.compile(r".*[a-z]I[dD]$")  # customerID, PassengerId


def looks_like_identifier(name: str) -> bool:
    """Does the name say that the column numbers the rows?

    >>> [looks_like_identifier(name) for name in ("PassengerId", "PID", "row_id", "paid", "price")]
    [True, True, True, False, False]
    """
    return name == "" or _IDENTIFIER.match(name) is not None or _CAMEL.match(name) is not None


def brief(value: object, most: int = 60) -> str:
    """A value in quotes as a message shows it: the beginning, if it is long.

    >>> brief("red"), brief("abcdefgh" * 20, most=10)
    ("'red'", "'abcdefgh…")
    """
    shown = repr(value if not isinstance(value, str) else value[: 2 * most])
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"


def near(name: str, names: Iterable[str], most: int = 3) -> list[str]:
    """The names most like this one, ignoring case."""
    by_lower = {known.lower(): known for known in names}
    close = difflib.get_close_matches(name.lower(), by_lower, n=most, cutoff=0.5)
    return [by_lower[lower] for lower in close]


def alike_but_for_case(names: Iterable[str]) -> list[str]:
    """The first names that differ in nothing but capitals, which is mostly a slip of the pen.

    >>> alike_but_for_case(["No", "Yes", "yes"]), alike_but_for_case(["No", "Yes"])
    (['Yes', 'yes'], [])
    """
    together: dict[str, list[str]] = {}
    for name in names:
        together.setdefault(name.lower(), []).append(name)
    return next((several for several in together.values() if len(several) > 1), [])


def require(name: str, names: Sequence[str], what: str, code: str, file: str | None = None) -> None:
    """Raise a DataError that lists near names when the column is not there."""
    if name in names:
        return
    alike = near(name, names)
    shown = ", ".join(brief(known) for known in (alike or list(names)[:10]))
    more = "" if alike or len(names) <= 10 else f" and {len(names) - 10} more"
    raise DataError(
        f"there is no column {brief(name)} to use as {what}; "
        + (f"did you mean {shown}?" if alike else f"the columns are {shown}{more}"),
        code=code,
        file=file,
        column=name,
        hint="names are matched exactly, including case and spaces",
    )
