"""Keep the account of a wide table readable: what is said of many columns alike is said once."""

from __future__ import annotations

from collections.abc import Iterable

from venire.advice import Advice
from venire.data.table import Note

_APART = 2  # up to so many columns get a note each
_NAMED = 5


def merged(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Join the notes that say the same kind of thing about several columns.

    >>> notes = [Note("units", "a sign was taken off", name) for name in ("a", "b", "c")]
    >>> merged(notes)[0].message
    "3 columns ('a', 'b', 'c'): a sign was taken off"
    """
    by_code: dict[str, list[Note]] = {}
    for note in notes:
        by_code.setdefault(note.code, []).append(note)
    return tuple(note for same in by_code.values() for note in (same if len(same) <= _APART else _join(same)))


def _join(same: list[Note]) -> list[Note]:
    about = [note for note in same if note.column is not None]
    others = [note for note in same if note.column is None]
    if len(about) <= _APART:
        return same
    names = ", ".join(repr(note.column) for note in about[:_NAMED])
    more = f" and {len(about) - _NAMED} more" if len(about) > _NAMED else ""
    alike = all(note.message == about[0].message for note in about)
    said = about[0].message if alike else Advice("in the first: ", about[0].message)
    joined = Note(about[0].code, Advice(f"{len(about)} columns ({names}{more}){': ' if alike else ', '}", said))
    return [*others, joined]
