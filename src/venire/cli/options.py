"""The options that several commands share."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from venire.errors import UsageError

Source = Annotated[
    list[str],
    typer.Argument(metavar="TABLE...", help="A file or several: CSV, TSV, JSON lines or Parquet, also .gz and .zst."),
]
Target = Annotated[str | None, typer.Option("--target", "-t", help="The column to predict.")]
Positive = Annotated[str | None, typer.Option(help="The class of interest, with two classes.")]
TaskName = Annotated[str | None, typer.Option("--task", help="classification or regression, where it is not obvious.")]
Groups = Annotated[str | None, typer.Option(help="A column whose equal values stay together.")]
TimeColumn = Annotated[str | None, typer.Option("--time", help="A column that orders the rows in time.")]
Drop = Annotated[list[str] | None, typer.Option(help="Leave this column out. Can be repeated, or a,b,c.")]
Numeric = Annotated[list[str] | None, typer.Option(help="Read this column as numbers.")]
Categorical = Annotated[list[str] | None, typer.Option(help="Read this column as categories.")]
Boolean = Annotated[list[str] | None, typer.Option(help="Read this column as yes or no.")]
Date = Annotated[list[str] | None, typer.Option(help="Read this column as dates.")]
Missing = Annotated[list[str] | None, typer.Option(help="Another text that means missing.")]
Delimiter = Annotated[str | None, typer.Option(help="What separates fields, where it is not obvious.")]
Decimal = Annotated[str | None, typer.Option(help="The decimal sign: . or ,")]
Encoding = Annotated[str | None, typer.Option(help="utf-8, utf-16, cp1252, …")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document on stdout, errors too.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on stderr.")]


def names(given: list[str] | None) -> tuple[str, ...]:
    """Several options, each a name or names with commas between.

    >>> names(["a,b", "c"])
    ('a', 'b', 'c')
    """
    return tuple(part.strip() for text in given or () for part in text.split(",") if part.strip())


def one_or_many(source: list[str]) -> Any:
    """A single table as it is, several as a list."""
    return source[0] if len(source) == 1 else source


def seconds(budget: str) -> float | None:
    """A budget: `none`, seconds, or a number with s, m or h.

    >>> seconds("none"), seconds("90"), seconds("10m")
    (None, 90.0, 600.0)
    """
    text = budget.strip().lower()
    if text == "none":
        return None
    unit = {"s": 1.0, "m": 60.0, "h": 3600.0}.get(text[-1:], 0.0)
    try:
        amount = float(text[:-1]) * unit if unit else float(text)
    except ValueError:
        amount = -1.0
    if not 0 < amount < float("inf"):
        raise UsageError(
            f"{budget!r} is no budget", code="bad_budget", hint="give seconds, 10m, 2h, or none for no limit"
        )
    return amount
