"""What trial files held when they were read: a verdict asks for the same predictions many times over.

Small files are read whole, once, and kept until there are enough of them; those of a large table stay on disk, and are
read setting by setting.
"""

from __future__ import annotations

import threading

_MOST_BYTES = 64 << 20  # of all that is kept
_MOST_OF_ONE = 1 << 20  # of a file: more is read in parts, as one setting of many is wanted


class ReadContents:
    """The bytes of some files, each by its path and by what tells it from another of that name.

    >>> contents = ReadContents()
    >>> contents.keep("a.trial", (1, 2), b"predictions")
    >>> contents.of("a.trial", (1, 2)), contents.of("a.trial", (1, 3))
    (b'predictions', None)
    """

    def __init__(self, most: int = _MOST_BYTES) -> None:
        self._most, self._bytes = most, 0
        self._found: dict[tuple[str, tuple[int, ...]], bytes] = {}
        self._counting = threading.Lock()

    def __reduce__(self) -> tuple[type[ReadContents], tuple[int]]:
        """A copy in another process starts empty."""
        return type(self), (self._most,)

    def of(self, path: str, identity: tuple[int, ...]) -> bytes | None:
        """What was read of a file, if it was kept."""
        return self._found.get((path, identity))

    def takes(self, size: int) -> bool:
        """Whether there is room for a file of this size, and it is worth it."""
        return size <= _MOST_OF_ONE and self._bytes + size <= self._most

    def keep(self, path: str, identity: tuple[int, ...], content: bytes) -> None:
        """Remember what a file held."""
        with self._counting:
            if (path, identity) not in self._found:
                self._found[path, identity] = content
                self._bytes += len(content)
