"""The options that say how a table is read: every command that takes a table has them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from venire.cli.options import flag, names, text

PANEL = "Reading the table"
_FOUND_OUT = "detected"


def _columns(help: str) -> Any:
    return Annotated[list[str] | None, typer.Option(help=help, metavar="COLUMNS", rich_help_panel=PANEL)]


def _sign(help: str, metavar: str = "CHAR") -> Any:
    return Annotated[str | None, text(PANEL, help, metavar=metavar, default=_FOUND_OUT)]


_MISSING = "A text that means missing, besides NA, ?, null and the like. Can be repeated."
_OPTIONS: dict[str, Any] = {
    "drop": _columns("Leave these columns out, such as id,name."),
    "numeric": _columns("Take these columns as numbers."),
    "categorical": _columns("Take these columns as categories, such as zip."),
    "boolean": _columns("Take these columns as true or false."),
    "date": _columns("Take these columns as dates."),
    "missing": Annotated[list[str] | None, text(PANEL, _MISSING, metavar="TEXT")],
    "only_missing": Annotated[
        bool, flag(PANEL, "Only empty fields and the texts of --missing mean missing.", "--only-missing")
    ],
    "header": Annotated[
        bool | None, flag(PANEL, "Whether the first line holds the column names.", "--header/--no-header")
    ],
    "delimiter": _sign("The character between fields."),
    "quote": _sign("The character around texts; '' for none."),
    "decimal": _sign("The decimal separator: . or ,"),
    "encoding": _sign("The encoding of the file, such as utf-8, utf-16 or cp1252.", "NAME"),
    "sheet": Annotated[
        str | None,
        text(PANEL, "The sheet of an Excel workbook: its name, or its number.", metavar="NAME", default="the first"),
    ],
    "max_unpacked": Annotated[
        float | None,
        typer.Option(
            help="How many gigabytes a packed file may unpack to.",
            metavar="GB",
            show_default="1, or 100 times its size",
            rich_help_panel=PANEL,
        ),
    ],
}
_HOW_WRITTEN = ("header", "delimiter", "quote", "decimal", "encoding", "sheet", "max_unpacked")
_COLUMNS = ("drop", "numeric", "categorical", "boolean", "date")
_AS_THEY_ARE = (
    "positive", "task", "groups", "time", "weights", *_HOW_WRITTEN,
)  # fmt: skip


def reads_a_table(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options after its own; it finds them in its context (`reading`)."""
    return _with_options(command, tuple(_OPTIONS))


def reads_rows(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options that say how a file is written; what its columns are is known to the model."""
    return _with_options(command, _HOW_WRITTEN)


def how_written(given: dict[str, Any]) -> dict[str, Any]:
    """How the file is written, among the parameters of a command that reads rows."""
    return {name: given[name] for name in _HOW_WRITTEN}


def _with_options(command: Callable[..., None], names: tuple[str, ...]) -> Callable[..., None]:
    @wraps(command)
    def reads(**given: Any) -> None:
        command(**{name: value for name, value in given.items() if name not in names})

    own = signature(command, eval_str=True)
    added = [
        Parameter(
            name, Parameter.KEYWORD_ONLY, default=False if name == "only_missing" else None, annotation=_OPTIONS[name]
        )
        for name in names
    ]
    reads.__dict__["__signature__"] = own.replace(parameters=[*own.parameters.values(), *added])
    return reads


def reading(given: dict[str, Any]) -> dict[str, Any]:
    """The options of `read_table` among the parameters of a command."""
    return {
        **{name: names(given[name]) for name in _COLUMNS},
        **{name: given[name] for name in _AS_THEY_ARE},
        "missing": tuple(given["missing"] or ()) or None,
        "default_missing": not given["only_missing"],
    }
