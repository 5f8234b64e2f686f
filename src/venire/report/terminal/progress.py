"""Progress on stderr: a live line on a terminal, a plain line now and then elsewhere, nothing when quiet."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import TYPE_CHECKING, Protocol, Self

from rich.console import Console
from rich.progress import BarColumn, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.progress import Progress as Display
from rich.text import Text

from venire.report.sentences.numbers import amount, finite
from venire.report.terminal.console import encodable, make_console, printable
from venire.wording import count, duration

if TYPE_CHECKING:
    from venire.validation.trials.effort import Tick  # half a second of imports, and only a type

_SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Shows that work goes on, how far it is, and what leads so far.

    It says something as soon as it is entered, because reading a large table takes a while before the number
    of trials is known.

    >>> with Progress(quiet=True) as progress:
    ...     progress.start(2)
    ...     progress.advance("tree", 1, 2, ("tree", 0.25), left=3.0)
    """

    def __init__(
        self,
        console: Console | None = None,
        *,
        quiet: bool = False,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._console = console or make_console(stderr=True)
        self._quiet = quiet
        self._clock = clock
        self._live = not quiet and self._console.is_terminal and not self._console.is_dumb_terminal
        self._display: Display | None = None
        self._last_line = clock()
        self._final = ""

    def __enter__(self) -> Self:
        self.note("getting ready")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()

    def start(self, total: int) -> None:
        """The number of trials is known."""
        self._last_line = self._clock()
        if self._live:
            display = self._open()
            display.reset(
                display.task_ids[0], total=total, description="starting", counter=f"0 of {total}", leader="", over=None
            )
        else:
            self._line(count(total, "trial") + " to run" if total else "every trial is kept from an earlier run")

    def advance(
        self, family: str, done: int, total: int, best: tuple[str, float] | None = None, *, left: float | None = None
    ) -> None:
        """`done` of `total` trials are finished, the last of them by `family`; `best` leads so far.

        `left` is about how many seconds it all takes from now on.
        """
        leader = f"best so far {best[0]} {amount(best[1])}" if best and finite(best[1]) is not None else ""
        if self._live:
            display = self._open()
            display.update(
                display.task_ids[0],
                completed=done,
                total=total,
                description=self._safe(family),
                counter=f"{done} of {total}",
                leader=self._safe(leader),
                over=None if left is None else self._clock() + left,
            )
        elif 0 < total <= done:
            self._final = self._state(
                done, total, None, leader
            )  # said when no more can come: the leader may still change
        elif total and self._clock() - self._last_line >= _SECONDS_BETWEEN_LINES:
            self._line(self._state(done, total, left, leader))

    def note(self, text: str) -> None:
        """Something worth a line of its own, or the name of the stage before trials start."""
        if self._live and self._display is not None and self._display.tasks[0].total is not None:
            self._display.console.print(self._safe(text), markup=False, highlight=False)
        elif self._live:
            display = self._open()
            display.update(display.task_ids[0], description=self._safe(text), refresh=True)
        else:
            self._line(text)

    def stop(self) -> None:
        """Clears the live line; can be called more than once."""
        if self._final:
            self._line("")
        if self._display is not None:
            self._display.stop()
            self._display = None

    def _open(self) -> Display:
        if self._display is None:
            utf8 = self._console.encoding.startswith("utf")
            self._display = Display(
                SpinnerColumn("dots" if utf8 else "line"),
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=20),
                TextColumn("{task.fields[counter]}", markup=False),
                _Left(self._clock),
                TextColumn("{task.fields[leader]}", markup=False),
                console=self._console,
                transient=True,
            )
            self._display.add_task("", total=None, leader="", counter="", over=None)
            self._display.start()
        return self._display

    def _state(self, done: int, total: int, left: float | None, leader: str) -> str:
        return "; ".join(filter(None, (f"{done} of {count(total, 'trial')}", _left(left), leader)))

    def _line(self, text: str) -> None:
        if self._quiet:
            return
        lines = [text]
        if self._final:
            lines, self._final = [self._final, text], ""
        self._last_line = self._clock()
        self._console.file.writelines(f"venire: {self._safe(line)}\n" for line in lines if line)
        self._console.file.flush()

    def _safe(self, text: str) -> str:
        return encodable(printable(text), self._console.encoding)


class Watched(Protocol):
    """What shows progress: this, or a display of a notebook."""

    def start(self, total: int) -> None:
        """The number of trials is known."""

    def advance(
        self, family: str, done: int, total: int, best: tuple[str, float] | None = None, *, left: float | None = None
    ) -> None:
        """So many of them are finished."""

    def note(self, text: str) -> None:
        """Something worth saying once."""


class Shown:
    """Turns the ticks of a run into a display of progress."""

    def __init__(self, progress: Watched, *, score: bool) -> None:
        self._progress = progress
        self._score = score  # what is asked for is a score: higher is better, and losses stay inside
        self._started = False

    def __call__(self, tick: Tick) -> None:
        """One step."""
        if not self._started:
            self._progress.start(tick.total)
            self._started = True
            if tick.workers:
                dashboard = f", which Dask shows at {tick.dashboard}" if tick.dashboard else ""
                self._progress.note(f"trials run on {count(tick.workers, 'worker')} of a cluster{dashboard}")
        best = tick.best and (tick.best[0], 1.0 - tick.best[1] if self._score else tick.best[1])
        family = f"{tick.family} on {count(tick.workers, 'worker')}" if tick.workers else tick.family
        self._progress.advance(family, tick.done, tick.total, best, left=tick.left)


class _Left(ProgressColumn):
    """The time left, counted down between two steps; nothing once it is up."""

    def __init__(self, clock: Callable[[], float]) -> None:
        super().__init__()
        self._now = clock

    def render(self, task: Task) -> Text:
        over = task.fields["over"]
        return Text("" if over is None else _left(over - self._now()))


def _left(seconds: float | None) -> str:
    return "" if seconds is None or seconds < 1.0 else f"about {duration(float(f'{seconds:.2g}'))} left"
