"""Options of trials that run on a cluster."""

from __future__ import annotations

from typing import Annotated

import typer

from venire.cli.options import LIMITS, text

Cluster = Annotated[
    str | None,
    typer.Option(
        help="Run the trials on the workers of a Dask cluster: its address, or its scheduler file.",
        metavar="ADDRESS",
        envvar="VENIRE_CLUSTER",
        rich_help_panel=LIMITS,
        show_default=False,
    ),
]
Shared = Annotated[
    str | None,
    text(LIMITS, "A folder on all machines of the cluster, for the table and for what trials find.", metavar="FOLDER"),
]
