"""Carrying out a validation: progress while it runs, then what came of it, or one document."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any

from venire.cli.comparing import Request
from venire.cli.exit_codes import INTERRUPTED, in_options, print_json
from venire.errors import UsageError
from venire.report.terminal.progress import Progress, Shown

if TYPE_CHECKING:
    from venire.validation.trials.family import Family
    from venire.validation.ways import Way

_COMMON = ("metric", "costs", "seed", "jobs", "budget", "cluster", "shared")


def carry_out(request: Request) -> int:
    """Validate, and print what came of it; the exit code."""
    began = monotonic()  # a budget counts from here: whoever waits does not care what for
    asked = dict(request.options)
    way: Way = asked.pop("way")
    with Progress(quiet=request.quiet) as progress:
        from venire.metrics.scores import is_score
        from venire.report.document.validation import document_of  # a second of imports, after the first sign of life
        from venire.validation.evidence.runs import Runs
        from venire.validation.subject import as_table
        from venire.validation.trials.effort import check_seed

        check_seed(asked["seed"])
        family = _family(asked.pop("model"))
        common = {name: asked.pop(name) for name in _COMMON}
        progress.note("reading the table")
        table = as_table(request.source(), asked.pop("target"), **asked)
        progress.note(f"validating {family.name} by {way.by} on {table.rows:,} rows")
        tick = Shown(progress, score=is_score(common.get("metric")))
        running: dict[str, Any] = {"home": Runs.default().home, "began": began, "tick": tick}
        found = _validated(way, family, table, {**common, **running})
        progress.note(f"checked for leaks: {found.certificate.status}")
        document = in_options(document_of(found, way, table, common["seed"], monotonic() - began))
    if request.as_json:
        print_json(document)
    else:
        from venire.report.terminal import validation as validation_text
        from venire.report.terminal.console import make_console

        validation_text.show(document, make_console())
    return INTERRUPTED if found.stopped == "interrupted" else 0


def _family(name: str | None) -> Family:
    """The one family asked for."""
    from venire.families.bucket import COMBINATIONS, default_bucket
    from venire.families.requested import asked_families

    if name is None:
        raise UsageError(
            "which model is to be validated?",
            code="no_models",
            hint=f"name it with --model; there are {', '.join(family.name for family in default_bucket())}",
        )
    if name in COMBINATIONS:
        raise UsageError(
            f"{name!r} combines several models, and only one model can be validated at a time",
            code="unknown_model",
            hint=f"validate it with its members: venire compare --models tree,forest,{name}",
        )
    (family,), _ = asked_families([name])
    return family


def _validated(way: Way, family: Family, table: Any, common: dict[str, Any]) -> Any:
    try:
        return way.validate(family, table, **common)
    except UsageError as error:
        if error.code == "too_many_trials":  # its hint speaks of functions
            error.hint = "use --inner-folds 5, or --by folds, or --layers 1 if there is nothing to choose"
        raise
