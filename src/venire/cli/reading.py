"""The options that say how a table is read: every command that takes a table has them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from inspect import Parameter, signature
from typing import Annotated, Any

import typer

from venire.cli.options import Groups, Positive, TaskName, TimeColumn, Weights, flag, names, text

PANEL = "Reading the table"
_FOUND_OUT = "detected"


def _columns(help: str) -> Any:
    return Annotated[list[str] | None, typer.Option(help=help, metavar="COLUMNS", rich_help_panel=PANEL)]


def _sign(help: str, metavar: str = "CHAR") -> Any:
    return Annotated[str | None, text(PANEL, help, metavar=metavar, default=_FOUND_OUT)]


_MISSING = "A text that means missing, besides NA, ?, null and the like. Can be repeated."
# Beside the target, and before whatever else is asked of the rows: `_placed` puts them there.
_OF_THE_TARGET: dict[str, Any] = {"positive": Positive, "task": TaskName}
_OF_THE_ROWS: dict[str, Any] = {"groups": Groups, "time": TimeColumn, "weights": Weights}
_READING: dict[str, Any] = {
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
    "memory": Annotated[
        float | None,
        typer.Option(
            help="How many gigabytes the numbers of the table may take in memory; a larger one stays on disk.",
            metavar="GB",
            show_default="a quarter of what there is",
            rich_help_panel=PANEL,
        ),
    ],
}
_HOW_WRITTEN = ("header", "delimiter", "quote", "decimal", "encoding", "sheet", "max_unpacked")
_COLUMNS = ("drop", "numeric", "categorical", "boolean", "date")
_AS_THEY_ARE = (*_OF_THE_TARGET, *_OF_THE_ROWS, *_HOW_WRITTEN, "memory")


def reads_a_table(command: Callable[..., None]) -> Callable[..., None]:
    """The command with these options among its own; it finds them in its context (`reading`)."""
    return _with_options(command, {**_OF_THE_TARGET, **_OF_THE_ROWS, **_READING})


def reads_rows(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options that say how a file is written; what its columns are is known to the model."""
    return _with_options(command, {name: _READING[name] for name in _HOW_WRITTEN})


def how_written(given: dict[str, Any]) -> dict[str, Any]:
    """How the file is written, among the parameters of a command that reads rows."""
    return {name: given[name] for name in _HOW_WRITTEN}


def _with_options(command: Callable[..., None], added: dict[str, Any]) -> Callable[..., None]:
    @wraps(command)
    def reads(**given: Any) -> None:
        command(**{name: value for name, value in given.items() if name not in added})

    own = signature(command, eval_str=True)
    reads.__dict__["__signature__"] = own.replace(parameters=_placed([*own.parameters.values()], added))
    return reads


def _placed(own: list[Parameter], added: dict[str, Any]) -> list[Parameter]:
    """The parameters in the order of the help: what is said of the target after it, what is said of the rows before
    how they are split or what is printed, and how the table is read at the end.
    """
    known = [each.name for each in own]
    places = {name: known.index("target") + 1 for name in _OF_THE_TARGET if name in added}
    split = known.index("stratified" if "stratified" in known else "as_json")
    places |= {name: split for name in _OF_THE_ROWS if name in added}
    found = list(own)
    for name in reversed(added):
        default = False if name == "only_missing" else None
        option = Parameter(name, Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=added[name])
        found.insert(places.get(name, len(own)), option)
    return found


def reading(given: dict[str, Any]) -> dict[str, Any]:
    """The options of `read_table` among the parameters of a command."""
    return {
        **{name: names(given[name]) for name in _COLUMNS},
        **{name: given[name] for name in _AS_THEY_ARE},
        "missing": tuple(given["missing"] or ()) or None,
        "default_missing": not given["only_missing"],
    }
