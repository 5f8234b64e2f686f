"""Who is shown how far a comparison is: a notebook, a terminal, or nobody."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import ParamSpec, TypeVar

from venire.metrics.scores import is_score
from venire.report.notebook.progress import NotebookProgress, in_notebook
from venire.report.terminal.progress import Progress, Shown
from venire.validation.trials.effort import Tick, unwatched

Given = ParamSpec("Given")
Found = TypeVar("Found")


def shows_progress(run: Callable[Given, Found]) -> Callable[Given, Found]:
    """A function with the arguments `progress`, `tick` and `metric`, which is given a tick where somebody watches."""

    @wraps(run)
    def shown(*args: Given.args, **options: Given.kwargs) -> Found:
        if options.get("tick", unwatched) is not unwatched or not options.get("progress", True):
            return run(*args, **options)
        with watched(options.get("metric")) as tick:
            options["tick"] = tick
            return run(*args, **options)

    return shown


@contextmanager
def watched(metric: object) -> Iterator[Callable[[Tick], None]]:
    """Who hears of every step: the cell of a notebook, or the terminal that stderr is.

    Where stderr is a file or a pipe nothing is written to it: a program's log is its own.
    """
    if in_notebook():
        with NotebookProgress() as in_cell:
            yield Shown(in_cell, score=isinstance(metric, str) and is_score(metric))
    elif sys.stderr is not None and sys.stderr.isatty():
        with Progress() as on_terminal:
            on_terminal.note("reading the table")
            yield Shown(on_terminal, score=isinstance(metric, str) and is_score(metric))
    else:
        yield unwatched
