"""The options by which runs are deleted: one by one, or those that are too old or too large."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

import typer

from venire.cli.amounts import age, size
from venire.cli.options import flag, text
from venire.errors import UsageError

DELETING = "Deleting"  # the group of `--help`

Delete = Annotated[
    list[str] | None,
    text(DELETING, "Delete this run, and its evidence that no other run uses.", "--delete", metavar="RUN"),
]
Prune = Annotated[bool, flag(DELETING, "Delete evidence that no run uses, and runs by age or size.", "--prune")]
OlderThan = Annotated[
    timedelta | None,
    typer.Option(
        help="With --prune: runs that were last run before, such as 30d or 12h.",
        metavar="TIME",
        rich_help_panel=DELETING,
        parser=age,
        show_default=False,
    ),
]
LargerThan = Annotated[
    int | None,
    typer.Option(
        help="With --prune: the oldest runs until all that is kept is no larger, such as 2GB or 500MB.",
        metavar="SIZE",
        rich_help_panel=DELETING,
        parser=size,
        show_default=False,
    ),
]


def check(delete: list[str] | None, prune: bool, older_than: timedelta | None, larger_than: int | None) -> None:
    """Refuse options of deleting that do not go together."""
    if delete and prune:
        raise UsageError("--delete and --prune are two ways of deleting", hint="use one after the other")
    if not prune and (older_than is not None or larger_than is not None):
        raise UsageError("--older-than and --larger-than go with --prune", hint="add --prune to delete such runs")
