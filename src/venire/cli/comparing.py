"""Carrying out a comparison: progress while it runs, the verdict when it is done, and the exit code."""

from __future__ import annotations

import shlex
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Literal

from venire.cli.exit_codes import INTERRUPTED, SOME_FAILED, in_options, print_json
from venire.cli.plots import asked_plot, check_place, plot_file, plot_of, read_plot
from venire.errors import UsageError, VenireError, VenireWarning
from venire.lean_imports import scikit_learn_alone
from venire.report.page.file_names import refuse_other_formats
from venire.report.terminal.progress import Progress, Shown
from venire.wording import duration, size

if TYPE_CHECKING:
    from venire.flow import Verdict
    from venire.report.charts.figure import Figure
    from venire.validation.evidence.limit import Bounding
    from venire.validation.trials.effort import Tick


EXPLANATIONS: dict[str, bool | Literal["all"]] = {"auto": True, "all": "all", "none": False}  # of the report


@dataclass(frozen=True)
class Request:
    """What was asked for on the command line."""

    source: Callable[[], Any]  # called after the first sign of life, because even naming a table can take imports
    options: dict[str, Any]
    report: Path | None
    as_json: bool
    quiet: bool
    save: Path | None = None
    worst_rows: int = 0  # listed in the report
    explain: str = "auto"  # a key of `EXPLANATIONS`
    by: str | None = None  # a column whose groups the report lists
    shown: tuple[str, ...] = ()  # further pictures of the report
    plots: tuple[str, ...] = ()  # pictures to save, NAME=FILE
    evidence_limit: int | None = None  # bytes that all evidence may take


def carry_out(request: Request) -> int:
    """Compare, print, write the report; the exit code says whether all went well."""
    began = monotonic()  # a budget counts from here: whoever waits does not care what for
    _check(request)
    unwritten: VenireError | None = None
    with Progress(quiet=request.quiet) as progress:
        scikit_learn_alone()
        from venire.flow import compare  # a second of imports, after the first sign of life
        from venire.metrics.scores import is_score
        from venire.validation.trials.reasons import Stopped

        progress.note("reading the table")
        tick: Callable[[Tick], None] = Shown(progress, score=is_score(request.options.get("metric")))
        bounding = None
        if request.evidence_limit is not None:
            from venire.validation.evidence.limit import Bounding

            tick = bounding = Bounding(request.evidence_limit, tick)
        fit = request.save is not None
        plots = [read_plot(one) for one in request.plots]
        shown = [asked_plot(one) for one in request.shown]
        verdict = compare(request.source(), fit=fit, by=request.by, began=began, tick=tick, **request.options)
        if request.report is not None:
            try:
                _write(verdict, request, [plot_of(verdict, one) for one in shown], progress)
                _say_if_late(progress, verdict, monotonic() - began)
            except VenireError as error:
                unwritten = error
        for plot in plots if unwritten is None else ():
            try:
                plot_of(verdict, plot.plot).save(plot.file)
            except VenireError as error:
                unwritten = error
        saved: list[str] = []
        if request.save is not None and verdict.ran.stopped is not Stopped.INTERRUPTED:
            progress.note("writing the model, which was fitted on all rows")
            try:
                saved = saved_notes(verdict, request.save)
            except VenireError as error:
                unwritten = unwritten or error
    if unwritten is None or not request.as_json:  # with --json there is one document, and that is the error
        _print(verdict, request, written=unwritten is None)
        if not request.as_json:
            _say(saved)
    if bounding is not None:
        _bound(bounding, quiet=request.quiet)
    if unwritten is not None:
        raise unwritten
    if verdict.ran.stopped is Stopped.INTERRUPTED:
        return INTERRUPTED
    return SOME_FAILED if verdict.ran.failed else 0


def _bound(bounding: Bounding, *, quiet: bool) -> None:
    """Drop what evidence is too much, now that nothing of this run looks at it any more, and tell."""
    from venire.report.terminal.console import make_console

    bounded = bounding.end()
    if not quiet:
        make_console(stderr=True).file.write(f"venire: {bounded}\n")


def _check(request: Request) -> None:
    """Refuse what cannot be done, now and not after ten minutes of work."""
    if request.worst_rows and request.report is None:
        raise UsageError("--worst-rows lists rows in the report, and there is none", hint="add --report FILE")
    if request.explain not in EXPLANATIONS:
        raise UsageError(
            f"there is no {request.explain!r} for --explain", code="bad_option", hint=f"use {', '.join(EXPLANATIONS)}"
        )
    if request.explain != "auto" and request.report is None:
        raise UsageError("--explain says what the report explains, and there is none", hint="add --report FILE")
    if request.by is not None and request.report is None:
        raise UsageError("--by lists groups in the report, and there is none", hint="add --report FILE")
    if request.shown and request.report is None:
        raise UsageError("--plot draws pictures in the report, and there is none", hint="add --report FILE")
    for one in request.plots:
        plot_file(one)
    if request.worst_rows < 0:
        raise UsageError(f"--worst-rows must be 0 or more, not {request.worst_rows}", code="bad_rows")
    if request.report is not None:
        check_place(request.report)
        refuse_other_formats(request.report)
    if request.save is not None:
        check_place(request.save, what="model", example="m.venire")


def _say_if_late(progress: Progress, verdict: Verdict, seconds: float) -> None:
    """A verdict that is over its budget says so itself; one that was in time may still have got its page too late."""
    timing = verdict.to_dict()["timing"]
    budget = timing["budget"]
    if budget is not None and timing["seconds"] <= budget < seconds:
        progress.note(
            f"the report was ready {duration(seconds - budget)} after the budget of {duration(budget)} was over"
        )


def saved_notes(verdict: Verdict, path: Path) -> list[str]:
    """Write the chosen model, and say in lines what a user should know of the file."""
    from venire.report.terminal.console import short_path

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", VenireWarning)
        verdict.save(path)
    notes = [f"note: {each.message}" for each in caught if issubclass(each.category, VenireWarning)]
    shown = short_path(path)
    takes = size(path.stat().st_size)
    return [f"Model: {shown} ({takes}); `venire model {shlex.quote(shown)}` says what is in it", *notes]


def _say(lines: list[str]) -> None:
    from venire.report.terminal.console import Plain, make_console, words

    console = make_console()
    for line in lines:
        console.print(Plain(words(line, console)))


def _print(verdict: Verdict, request: Request, *, written: bool) -> None:
    from venire.report.terminal import verdict as text
    from venire.report.terminal.console import make_console

    document = in_options(verdict.to_dict())
    if request.as_json:
        print_json(document)
    else:
        text.leaderboard(document, make_console(), report=str(request.report) if request.report and written else None)


def _write(verdict: Verdict, request: Request, plots: list[Figure], progress: Progress) -> None:
    from venire.report.page import html

    assert request.report is not None
    progress.note("explaining the choice")
    pictures = verdict.report_pictures(
        explanations=EXPLANATIONS[request.explain], worst_rows=request.worst_rows, plots=plots
    )
    progress.note("writing the report")
    html.write(in_options(verdict.to_dict()), pictures, request.report)
