"""The command that opens the studio: parse, say the address, and keep it open until a signal."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from venire.cli.exit_codes import INTERRUPTED, say
from venire.cli.options import LIMITS, OUTPUT, flag
from venire.cli.serving import AllowHost, Host, Port, TokenFile
from venire.lean_imports import scikit_learn_alone

Folder = Annotated[
    Path,
    typer.Argument(metavar="FOLDER", help="The folder whose tables are offered, and whose runs are kept in .venire.",
                   show_default="the working directory"),
]  # fmt: skip
NoOpen = Annotated[bool, flag(OUTPUT, "Do not open a browser.", "--no-open")]
MaxUpload = Annotated[float, typer.Option(help="Megabytes of one upload.", metavar="MB", rich_help_panel=LIMITS)]
Log = Annotated[bool, flag(OUTPUT, "Log requests as lines of JSON on stderr, without data.", "--log")]


def studio(
    folder: Folder = Path("."),
    host: Host = None,
    port: Port = 8750,
    token_file: TokenFile = None,
    allow_host: AllowHost = None,
    no_open: NoOpen = False,
    max_upload: MaxUpload = 1024.0,
    log: Log = False,
) -> None:
    """Open the studio: tables, comparisons, verdicts and predictions in a browser, for this machine alone.

    The address has a token in it, which a cookie replaces at once. Runs are those of `venire compare`: kept in .venire
    of the folder (or VENIRE_HOME), one at a time, each in a process of its own. Ctrl-C stops the studio and the run,
    which can be resumed.
    """
    if port < 0 or port >= 1 << 16:
        raise typer.BadParameter(f"{port} is no port; ports go from 0 to 65535")
    if max_upload <= 0:
        raise typer.BadParameter("a limit is above 0")
    import os

    scikit_learn_alone()
    from venire.serve.limits import MEGABYTE
    from venire.serve.tokens import found_token
    from venire.studio.opening import Open, Wanted, show_in_browser
    from venire.studio.opening import studio as carry_out

    token = found_token(token_file, needed=True)
    assert token is not None

    def opened(found: Open) -> None:
        say(f"studio: {found.address}")
        say("Ctrl-C stops it; the address lets in whoever has it, so keep it to yourself")
        if not no_open:
            show_in_browser(found.address)

    home = Path(os.environ.get("VENIRE_HOME") or folder / ".venire")
    wanted = Wanted(folder, home, token, host, port, allow_host or (), int(max_upload * MEGABYTE), not log)
    if carry_out(wanted, opened=opened) == signal.SIGINT:
        raise typer.Exit(INTERRUPTED)
