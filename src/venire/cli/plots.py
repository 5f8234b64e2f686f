"""Where files go: places that can be written, and pictures saved by name."""

from __future__ import annotations

import inspect
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venire.errors import UsageError, VenireError

if TYPE_CHECKING:
    from venire.flow import Verdict
    from venire.report.charts.figure import Figure

FORMATS = (".svg", ".png", ".pdf", ".html", ".json")


@dataclass(frozen=True)
class AskedPlot:
    """A picture: its name, and the words it is asked for with, such as names of models."""

    name: str
    words: tuple[str, ...]


@dataclass(frozen=True)
class SavedPlot:
    """A picture to save, and the file."""

    plot: AskedPlot
    file: Path


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


def check_picture(path: Path, *, example: str = "picture.svg", code: str = "unknown_format") -> Path:
    """Refuse a place where no file can be written, and a format that pictures are not written in."""
    check_place(path, what="picture", example=example)
    if path.suffix.lower() not in FORMATS:
        raise UsageError(
            f"a picture cannot be written as {path.suffix or 'a file without an ending'!r}",
            code=code,
            file=str(path),
            hint=f"let the name end in one of {', '.join(FORMATS)}",
        )
    return path


def plot_file(given: str) -> tuple[str, Path]:
    """The name and the file of `NAME=FILE` or `NAME:WORDS=FILE`, checked before any work is done for it.

    >>> plot_file("roc=roc.svg")
    ('roc', PosixPath('roc.svg'))
    """
    name, equals, file = given.partition("=")
    if not (name and equals and file):
        raise UsageError(f"{given!r} names no picture and file", code="bad_plot", hint="give both, as roc=roc.svg")
    return name, check_picture(Path(file), example="roc.svg", code="bad_plot")


def read_plot(given: str) -> SavedPlot:
    """What is to be saved, and where.

    >>> read_plot("difference:svm,tree=two.svg").plot
    AskedPlot(name='difference', words=('svm', 'tree'))
    """
    asked, file = plot_file(given)
    return SavedPlot(asked_plot(asked, f"={file.name}"), file)


def asked_plot(asked: str, then: str = "") -> AskedPlot:
    """What is to be drawn, refused where there is no such picture or its words are too many or too few.

    >>> asked_plot("roc:svm")
    AskedPlot(name='roc', words=('svm',))
    """
    from venire.flow.drawing.plot import Plot

    name, colon, words = asked.partition(":")
    ways = {one: way for one, way in inspect.getmembers(Plot, inspect.isfunction) if not one.startswith("_")}
    if name not in ways:
        raise _no_picture(name, list(ways))
    found = tuple(filter(None, words.split(","))) if colon else ()
    try:
        inspect.signature(ways[name]).bind(None, *found)
    except TypeError:
        raise UsageError(
            f"the picture {name!r} is not asked for with {len(found)} words",
            code="bad_plot",
            hint=f"write {_usage(name, ways[name])}{then}",
        ) from None
    return AskedPlot(name, found)


def _usage(name: str, way: Any) -> str:
    """How a picture is asked for, with the words that it takes: `boundary:across,up[,model]`."""
    _, *taken = inspect.signature(way).parameters.values()
    needed = [one.name for one in taken if one.default is one.empty and one.kind is not one.VAR_POSITIONAL]
    free = [one.name for one in taken if one.name not in needed]
    first = ":" + ",".join(needed) if needed else ""
    return name + first + ("" if not free else f"[{',' if needed else ':'}{','.join(free)}]")


def plot_of(verdict: Verdict, plot: AskedPlot) -> Figure:
    """A picture of a verdict; one that this verdict cannot have is refused by the picture itself."""
    drawn: Figure = getattr(verdict.plot, plot.name)(*plot.words)
    return drawn


def kept_plot(plot: AskedPlot, document: Any, pictures: Any) -> Figure:
    """A picture from what a run left, without its table: no models other than those drawn, and nothing fitted."""
    from venire.flow.drawing.plot import pairwise_figure
    from venire.report.charts.catalogue import available
    from venire.report.page.explanation_panels import explanation_figures
    from venire.report.page.panels import figure

    explained = explanation_figures(document, pictures)
    if plot.words:
        raise UsageError(
            f"a kept run has {plot.name!r} only as its report draws it, not for {', '.join(plot.words)}",
            code="no_picture",
            hint="run `venire compare` again with --save-plot; nothing is trained twice",
        )
    if plot.name in explained:
        return explained[plot.name]
    if plot.name == "pairwise":
        return pairwise_figure(document)
    there = available(document, pictures)
    if plot.name not in there:
        raise _no_picture(plot.name, [*dict.fromkeys([*there, *explained, "pairwise"])])
    return figure(plot.name, document, pictures)


def _no_picture(name: str, there: list[str]) -> UsageError:
    words = f"there is no picture {name!r}"
    return UsageError(words, code="no_picture", hint=f"choose one of: {', '.join(there)}")
