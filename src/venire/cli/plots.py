"""Where files go: places that can be written, and pictures saved by name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from venire.errors import UsageError, VenireError

if TYPE_CHECKING:
    from venire.flow import Verdict
    from venire.report.charts.figure import Figure

FORMATS = (".svg", ".png", ".pdf", ".html", ".json")


def check_place(path: Path, *, what: str = "report", example: str = "verdict.html") -> None:
    """Refuse a place where no file can be written, before any work is done for it."""
    folder = path.parent
    fault: type[VenireError] = UsageError
    if str(path) == "-":
        problem, hint = f"a {what} is a file, and is not written to the output", f"give a name such as {example}"
    elif path.is_dir():
        problem, hint = "this is a folder, not a file", f"give a file in it, such as {path / example}"
    elif path.exists() and not path.is_file():
        fault, problem, hint = VenireError, "this is a device or a pipe, not a file", f"give a name such as {example}"
    elif not folder.is_dir():
        problem, hint = f"there is no folder {str(folder)!r} to write the {what} into", "make it, or choose another"
    elif not os.access(folder, os.W_OK):
        problem, hint = f"the folder {str(folder)!r} may not be written", "choose another, or change its permissions"
    else:
        return
    raise fault(problem, code="cannot_write", file=str(path), hint=hint)


def plot_file(given: str) -> tuple[str, Path]:
    """The name and the file of `NAME=FILE`, checked before any work is done for it.

    >>> plot_file("roc=roc.svg")
    ('roc', PosixPath('roc.svg'))
    """
    name, equals, file = given.partition("=")
    if not (name and equals and file):
        raise UsageError(f"{given!r} names no picture and file", code="bad_plot", hint="give both, as roc=roc.svg")
    path = Path(file)
    if path.suffix.lower() not in FORMATS:
        raise UsageError(
            f"a picture is not saved as {path.suffix or 'a file without an ending'}",
            code="bad_plot",
            file=file,
            hint=f"end the name with {', '.join(FORMATS)}",
        )
    check_place(path, what="picture", example="roc.svg")
    return name, path


def plot_of(verdict: Verdict, name: str) -> Figure:
    """A picture of a verdict by its name, of those that need no further word."""
    there = [one for one in dir(verdict.plot) if one not in ("dependence", "difference", "boundary")]
    if name not in there:
        raise UsageError(
            f"there is no picture {name!r} of this verdict",
            code="no_picture",
            hint=f"choose one of: {', '.join(there)}",
        )
    drawn: Figure = getattr(verdict.plot, name)()
    return drawn
