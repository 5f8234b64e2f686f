"""Where a table came from, for pages that travel: the name of the file, not the path on somebody's machine."""

from __future__ import annotations

import re
from typing import Any

_PLACE = re.compile(r"^(?:[a-z][a-z0-9+.-]*://|[A-Za-z]:[\\/]|[\\/~.])|[^\s][\\/][^\s]", re.IGNORECASE)


def file_words(source: Any) -> str:
    """The source without its folders; words that are no path stay as they are.

    >>> file_words("/data/ann/loans.csv"), file_words("banknotes (ships with venire)")
    ('loans.csv', 'banknotes (ships with venire)')
    >>> file_words("https://example.org/a/loans.csv?v=2"), file_words(r"C:\\data\\my loans.csv")
    ('loans.csv', 'my loans.csv')
    >>> file_words("a/jan.csv, a/feb.csv"), file_words("data/2024/")
    ('jan.csv, feb.csv', '2024')
    """
    return ", ".join(_last(part) for part in str(source).split(", "))


def _last(part: str) -> str:
    if not _PLACE.search(part):
        return part
    bare = part.split("?")[0].split("#")[0] if "://" in part else part
    names = [name for name in re.split(r"[\\/]", bare) if name]
    return names[-1] if names else part
