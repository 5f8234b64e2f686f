"""The options of the commands that use a model file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from venire.cli.options import OUTPUT, VALIDATION, flag, share, text

MODEL = "The predictions"
_SHARE = "such as 0.9."

ModelToUse = Annotated[
    Path, typer.Argument(help="A model file of a comparison, such as m.venire.", metavar="MODEL", show_default=False)
]
Rows = Annotated[
    list[str],
    typer.Argument(
        metavar="TABLE...",
        help="The rows: a file, several files with the same columns, a folder of them, or a quoted pattern; "
        "- reads from a pipe.",
    ),
]
Output = Annotated[
    Path | None,
    text(
        OUTPUT,
        "Write the table here: .csv, .tsv, .jsonl, .json (also .gz, .zst), .parquet or .xlsx.",
        "--output",
        "-o",
        metavar="FILE",
        default="to the output, as CSV",
    ),
]
Interval = Annotated[
    float | None,
    typer.Option(
        help=f"For numbers, an interval for every row that holds the truth in this share of rows, {_SHARE}",
        metavar="SHARE",
        rich_help_panel=MODEL,
        show_default=False,
        parser=share,
    ),
]
Sets = Annotated[
    float | None,
    typer.Option(
        help=f"For classes, a set for every row that has the true class in this share of rows, {_SHARE}",
        metavar="SHARE",
        rich_help_panel=MODEL,
        show_default=False,
        parser=share,
    ),
]
Keep = Annotated[
    list[str] | None, text(OUTPUT, "Columns of the table to hand through, such as id,name.", metavar="COLUMNS")
]
FillAbsent = Annotated[
    bool,
    flag(MODEL, "Columns that the table lacks count as missing, instead of being an error.", "--fill-missing-columns"),
]
Plot = Annotated[
    Path | None, text(OUTPUT, "Draw the values here: .svg, .png, .html or .pdf.", "--plot", metavar="FILE")
]
ExplainedClass = Annotated[
    str | None,
    text(
        MODEL,
        "The class whose probability is explained.",
        "--class",
        metavar="CLASS",
        default="the positive one; of several, the one predicted most",
    ),
]
Background = Annotated[
    Path | None,
    text(
        MODEL,
        "Rows that stand for what is usual, such as the training table.",
        "--background",
        metavar="FILE",
        default="the rows themselves",
    ),
]
TestFile = Annotated[
    Path | None,
    text(
        VALIDATION,
        "Try every model on the rows of this file in the end. They have no part in training or in any choice.",
        "--test",
        metavar="FILE",
    ),
]
