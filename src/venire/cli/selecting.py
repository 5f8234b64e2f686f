"""Carrying out a selection of columns: progress while it runs, then the path, or one document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from venire.cli.comparing import Request, check_place
from venire.cli.exit_codes import in_options, print_json
from venire.errors import UsageError
from venire.report.terminal.progress import Progress

_PICTURES = (".html", ".png", ".svg", ".pdf")


def carry_out(request: Request) -> int:
    """Select, print the path, write the picture; the exit code."""
    if request.report is not None:
        _check_picture(request.report)
    with Progress(quiet=request.quiet) as progress:
        from venire.selection.select import select  # a second of imports, after the first sign of life

        progress.note("reading the table")
        selected = select(request.source(), tick=_Noted(progress), **request.options)
    document = in_options(selected.to_dict())
    if request.report is not None:
        _write(document, request.report)
    if request.as_json:
        print_json(document)
    else:
        _print(document, request.report)
    return 0


class _Noted:
    """Turns the steps of a selection into notes on the progress line."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def __call__(self, done: int, total: int) -> None:
        where = "on all rows" if done == 0 else f"without fold {done} of {total - 1}"
        self._progress.note(f"selecting {where}")


def _check_picture(path: Path) -> None:
    check_place(path)
    if path.suffix.lower() not in _PICTURES:
        raise UsageError(
            f"a picture cannot be written as {path.suffix or 'a file without an ending'!r}",
            code="cannot_write",
            file=str(path),
            hint=f"let the name end in one of {', '.join(_PICTURES)}",
        )


def _write(document: dict[str, Any], path: Path) -> None:
    from venire.report.charts.selection import picture

    # A page brings its own drawing library along, so that it opens offline.
    picture(document).save(str(path), inline=path.suffix.lower() == ".html")


def _print(document: dict[str, Any], written: Path | None) -> None:
    from venire.report.terminal import selection
    from venire.report.terminal.console import Plain, make_console, words

    console = make_console()
    selection.path(document, console)
    if written is not None:
        console.print(Plain(words(f"Picture: {written}", console)))
