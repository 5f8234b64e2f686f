"""What a fuzzer is guided by: the lines of our Python and the edges of our compiled core that no file reached before.

Lines are watched by a trace function that leaves a function alone once all its lines were reached, so that watching
costs less and less. Edges are there in a build with VENIRE_EDGES (`make fuzz`, `edges.cpp`); any other has none.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

import venire
from venire import _core

_OURS = str(Path(venire.__file__).parent)


class Reached:
    """All that was reached so far, and what the last file added."""

    def __init__(self, known: Iterable[str] = ()) -> None:
        self._known = set(known)
        self._fresh: set[str] = set()
        self._missing: dict[int, set[int]] = {}
        self._codes: list[CodeType] = []  # kept, so that no other gets the place that stands for one of them
        self._map, self._anew = _edges()
        self._taken = np.zeros_like(self._map)
        for place in self._places("edge"):
            self._taken[place] = 1

    @contextmanager
    def watched(self) -> Iterator[set[str]]:
        """Watch what runs here; the set is filled at the end with what nothing reached before."""
        found: set[str] = set()
        self._fresh = set()
        self._anew()
        before = sys.gettrace()
        sys.settrace(self._call)
        try:
            yield found
        finally:
            sys.settrace(before)
            new = np.flatnonzero(self._map > self._taken)
            self._taken[new] = 1
            found |= self._fresh | {f"edge:{place}" for place in new}
            self._known |= found

    @property
    def lines(self) -> int:
        """How many lines of Python were reached."""
        return len(self._known) - self.edges

    @property
    def edges(self) -> int:
        """How many edges of the compiled core were taken."""
        return int(self._taken.sum())

    def _places(self, kind: str) -> list[int]:
        return [int(each.rpartition(":")[2]) for each in self._known if each.startswith(f"{kind}:")]

    def _call(self, frame: FrameType, event: str, arg: Any) -> Any:
        code = frame.f_code
        missing = self._missing.get(id(code))
        if missing is None:
            self._codes.append(code)
            missing = self._missing[id(code)] = self._open_lines(code)
        return self._line if missing else None

    def _line(self, frame: FrameType, event: str, arg: Any) -> Any:
        missing = self._missing[id(frame.f_code)]
        if event == "line" and frame.f_lineno in missing:
            missing.discard(frame.f_lineno)
            self._fresh.add(_place(frame.f_code, frame.f_lineno))
        return self._line if missing else None

    def _open_lines(self, code: CodeType) -> set[int]:
        if not code.co_filename.startswith(_OURS):
            return set()
        lines = {line for _, _, line in code.co_lines() if line is not None and line != code.co_firstlineno}
        return {line for line in lines if _place(code, line) not in self._known}


def _place(code: CodeType, line: int) -> str:
    return f"{code.co_filename[len(_OURS) + 1 :]}:{line}"


def _edges() -> tuple[NDArray[np.uint8], Any]:
    """The map of the core's edges, one for each that was taken, and how a path begins; empty in a plain build."""
    library = ctypes.CDLL(_core.__file__)
    if not hasattr(library, "venire_edges"):
        return np.zeros(0, dtype=np.uint8), lambda: None
    library.venire_edges.restype = ctypes.POINTER(ctypes.c_uint8)
    library.venire_edge_places.restype = ctypes.c_size_t
    return np.ctypeslib.as_array(library.venire_edges(), (library.venire_edge_places(),)), library.venire_edges_anew
