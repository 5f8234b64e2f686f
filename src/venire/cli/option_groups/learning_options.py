"""The options of the tutorial."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from venire.cli.options import OUTPUT, flag, text

LessonName = Annotated[
    str | None,
    typer.Argument(
        help="The name or number of a lesson; --list has them.", metavar="LESSON", show_default="all, in their order"
    ),
]
Listed = Annotated[bool, flag(OUTPUT, "List the lessons.", "--list")]
Notebooks = Annotated[
    Path | None,
    text(OUTPUT, "Write the lessons as notebooks into this folder.", "--notebooks", metavar="FOLDER"),
]
