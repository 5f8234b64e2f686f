"""Carrying out a fit: one model, its error by cross-validation, and the model file."""

from __future__ import annotations

from time import monotonic

from venire.cli.comparing import Request, saved_notes
from venire.cli.exit_codes import INTERRUPTED, print_json
from venire.cli.plots import check_place
from venire.errors import UsageError
from venire.report.terminal.progress import Progress, Shown


def carry_out(request: Request) -> int:
    """Validate, fit, save, and print what is in the file; the exit code."""
    began = monotonic()  # a budget counts from here: whoever waits does not care what for
    if request.save is None:
        raise UsageError(
            "where is the model to be written?", code="no_file", hint="name a file, such as --save m.venire"
        )
    check_place(request.save, what="model", example="m.venire")
    with Progress(quiet=request.quiet) as progress:
        from venire.flow.one_model import fit_one  # a second of imports, after the first sign of life
        from venire.metrics.scores import is_score
        from venire.persist import describe_model
        from venire.validation.trials.reasons import Stopped

        progress.note("reading the table")
        tick = Shown(progress, score=is_score(request.options.get("metric")))
        verdict = fit_one(request.source(), began=began, tick=tick, **request.options)
        if verdict.ran.stopped is Stopped.INTERRUPTED:
            return INTERRUPTED
        progress.note("fitting it on all rows")
        notes = saved_notes(verdict, request.save)
    facts = describe_model(request.save)
    if request.as_json:
        print_json(facts)
        return 0
    from venire.report.terminal import model_file
    from venire.report.terminal.console import make_console

    model_file.show(facts, make_console(), notes=notes[1:])
    return 0
