"""Carrying out a comparison: progress while it runs, the verdict when it is done, and the exit code."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venire.report.progress import Progress

if TYPE_CHECKING:
    from venire.flow import Verdict
    from venire.validation.run import Tick

OK, SOME_FAILED, INTERRUPTED = 0, 4, 130


@dataclass(frozen=True)
class Request:
    """What was asked for on the command line."""

    source: Any
    options: dict[str, Any]
    report: Path | None
    as_json: bool
    quiet: bool


def carry_out(request: Request) -> int:
    """Compare, print, write the report; the exit code says whether all went well."""
    with Progress(quiet=request.quiet) as progress:
        from venire.flow import compare  # a second of imports, after the first sign of life

        progress.note("reading the table")
        verdict = compare(request.source, tick=_Shown(progress), **request.options)
        if request.report is not None:
            progress.note("writing the report")
            verdict.report(request.report)
    _print(verdict, request)
    if verdict.ran.stopped == "interrupted":
        return INTERRUPTED
    return SOME_FAILED if verdict.ran.failed else OK


class _Shown:
    """Turns the ticks of a run into the progress display."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._started = False

    def __call__(self, tick: Tick) -> None:
        if not self._started:
            self._progress.start(tick.total)
            self._started = True
        self._progress.advance(tick.family, tick.done, tick.total, tick.best)


def _print(verdict: Verdict, request: Request) -> None:
    from venire.report import text
    from venire.report.terminal import make_console

    document = verdict.to_dict()
    if request.as_json:
        sys.stdout.write(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False) + "\n")
    else:
        text.leaderboard(document, make_console(), report=str(request.report) if request.report else None)
