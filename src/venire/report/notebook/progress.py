"""How far a run is, in the output of a notebook's cell: one display that is replaced, and empty at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from html import escape
from importlib import import_module
from types import TracebackType
from typing import Any, Self

from venire.report.sentences.numbers import amount, finite
from venire.report.terminal.console import printable
from venire.wording import duration

_SECONDS_BETWEEN = 0.2  # a front end draws slower than trials can end


def in_notebook() -> bool:
    """Whether the code runs in a notebook's kernel; IPython in a terminal has none. Imports nothing."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


class NotebookProgress:
    """Shows how far it is and what leads so far, in place; nothing is left when it is over."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._handle: Any = None
        self._last = -_SECONDS_BETWEEN

    def __enter__(self) -> Self:
        self.note("reading the table")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._show("")

    def note(self, text: str) -> None:
        """The name of the stage before trials start."""
        self._show(f"venire: {escape(printable(text))} …")

    def start(self, total: int) -> None:
        """The number of trials is known."""
        self._show(_shown("starting", 0, total, "", None))

    def advance(
        self, family: str, done: int, total: int, best: tuple[str, float] | None = None, *, left: float | None = None
    ) -> None:
        """`done` of `total` trials are finished; not every step is shown, but the last one is."""
        now = self._clock()
        if now - self._last < _SECONDS_BETWEEN and done < total:
            return
        self._last = now
        leader = f"best so far {best[0]} {amount(best[1])}" if best and finite(best[1]) is not None else ""
        self._show(_shown(family, done, total, leader, left))

    def _show(self, html: str) -> None:
        shell = import_module("IPython.display")  # is there: a kernel runs
        if self._handle is None:
            self._handle = shell.display(shell.HTML(html), display_id=True)
        else:
            self._handle.update(shell.HTML(html))


def _shown(family: str, done: int, total: int, leader: str, left: float | None) -> str:
    waits = "" if left is None or left < 1.0 else f"about {duration(float(f'{left:.2g}'))} left"
    words = " · ".join(filter(None, (f"{done:,} of {total:,} trials", printable(family), waits, printable(leader))))
    return f'<progress max="{max(total, 1)}" value="{done}" style="width:14em"></progress> {escape(words)}'
