"""How much a run may leave behind."""

from __future__ import annotations

from typing import Annotated

import typer

from venire.cli.amounts import size
from venire.cli.options import LIMITS

EvidenceLimit = Annotated[
    int | None,
    typer.Option(
        help="Drop old predictions until so much is kept: of other runs meanwhile, of all in the end. Such as 2GB.",
        metavar="SIZE",
        rich_help_panel=LIMITS,
        parser=size,
        show_default=False,
    ),
]
