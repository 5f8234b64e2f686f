"""The options that say what the report of a comparison explains."""

from __future__ import annotations

from typing import Annotated

from venire.cli.options import OUTPUT, text

Explain = Annotated[
    str,
    text(
        OUTPUT,
        "What the report explains. auto: the columns, and Shapley values and the learning curve where they take at "
        "most a tenth of the time; all: both in any case, also after the budget; none: nothing.",
        "--explain",
        metavar="WHAT",
    ),
]
