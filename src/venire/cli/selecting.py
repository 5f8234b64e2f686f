"""Carrying out a selection of columns: progress while it runs, then the path, or one document."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from venire.cli.comparing import Request
from venire.cli.exit_codes import INTERRUPTED, in_options, print_json
from venire.cli.plots import check_picture
from venire.report.terminal.progress import Progress, Shown

if TYPE_CHECKING:
    from venire.selection.document import SelectionDocument


def carry_out(request: Request) -> int:
    """Select, print the path, write the picture; the exit code."""
    began = monotonic()  # a budget counts from here: whoever waits does not care what for
    if request.report is not None:
        check_picture(request.report)
    with Progress(quiet=request.quiet) as progress:
        from venire.metrics.scores import is_score
        from venire.selection.select import select  # a second of imports, after the first sign of life
        from venire.validation.evidence.runs import Runs

        progress.note("reading the table")
        tick = Shown(progress, score=is_score(request.options.get("metric")))
        running: dict[str, Any] = {"home": Runs.default().home, "began": began, "tick": tick}
        selected = select(request.source(), **running, **request.options)
        progress.note(f"checked for leaks: {selected.certificate.status}")
        document = in_options(selected.to_dict())
    if request.report is not None:
        _write(document, request.report)
    if request.as_json:
        print_json(document)
    else:
        _print(document, request.report)
    return INTERRUPTED if selected.stopped == "interrupted" else 0


def _write(document: SelectionDocument, path: Path) -> None:
    from venire.report.charts.selection import picture

    # A page brings its own drawing library along, so that it opens offline.
    picture(document).save(str(path), inline=path.suffix.lower() == ".html")


def _print(document: SelectionDocument, written: Path | None) -> None:
    from venire.report.terminal import selection
    from venire.report.terminal.console import Plain, make_console, words

    console = make_console()
    selection.path(document, console)
    if written is not None:
        console.print(Plain(words(f"Picture: {written}", console)))
