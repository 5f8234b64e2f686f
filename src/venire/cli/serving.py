"""The command that serves model files: parse, say where it listens, and serve until a signal."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import Annotated

import typer

from venire.cli import options
from venire.cli.exit_codes import INTERRUPTED, say
from venire.cli.options import LIMITS, OUTPUT, flag, text, whole_number
from venire.lean_imports import scikit_learn_alone

ADDRESS = "Where and for whom"

Models = Annotated[
    list[str],
    typer.Argument(
        metavar="MODEL...", help="Model files, such as m.venire; NAME=FILE gives one another name.", show_default=False
    ),
]
Host = Annotated[
    str | None,
    text(
        ADDRESS,
        "Listen on this address of the machine, such as 0.0.0.0. Clients then need a token.",
        "--host",
        metavar="ADDRESS",
        default="127.0.0.1, this machine alone",
    ),
]
Port = Annotated[int, typer.Option(help="The port; 0 takes any free one.", metavar="N", rich_help_panel=ADDRESS,
                                   parser=whole_number)]  # fmt: skip
TokenFile = Annotated[
    Path | None,
    text(
        ADDRESS,
        "A file with the token that clients send as Authorization: Bearer TOKEN.",
        "--token-file",
        metavar="FILE",
        default="VENIRE_TOKEN of the environment; with --host a new one, printed once",
    ),
]
AllowHost = Annotated[
    list[str] | None,
    text(ADDRESS, "A name that clients know the server by, such as models.example.org; may be repeated.",
         "--allow-host", metavar="NAME", default=False),
]  # fmt: skip
Background = Annotated[
    Path | None,
    text(
        OUTPUT,
        "Rows that stand for what is usual when others are explained, such as the training table.",
        "--background",
        metavar="FILE",
        default="the rows of the request",
    ),
]
MaxBody = Annotated[
    float,
    typer.Option(help="Megabytes of one request.", metavar="MB", rich_help_panel=LIMITS),
]
MaxRows = Annotated[int, typer.Option(help="Rows of one request.", metavar="N", rich_help_panel=LIMITS)]
MaxWaiting = Annotated[
    int, typer.Option(help="Requests that wait for a model; more are answered with 503.", metavar="N",
                      rich_help_panel=LIMITS)
]  # fmt: skip
NoWatch = Annotated[
    bool, flag(OUTPUT, "Do not look whether the files change; SIGHUP still reads them anew.", "--no-watch")
]


def serve(
    models: Models,
    host: Host = None,
    port: Port = 8000,
    token_file: TokenFile = None,
    allow_host: AllowHost = None,
    background: Background = None,
    no_watch: NoWatch = False,
    max_body: MaxBody = 16.0,
    max_rows: MaxRows = 100_000,
    max_waiting: MaxWaiting = 128,
    quiet: options.Quiet = False,
) -> None:
    """Serve model files over HTTP: predictions and explanations of rows, for programs on this machine.

    Speaks JSON, CSV and Arrow on /predict, MLflow's /invocations and the Open Inference Protocol (v2); /openapi.json
    says what each takes. The log is lines of JSON on stderr, without data. A file that changes, or SIGHUP, exchanges
    a model between two requests; SIGTERM and Ctrl-C stop the server when all requests are answered.
    """
    if port < 0 or port >= 1 << 16:
        raise typer.BadParameter(f"{port} is no port; ports go from 0 to 65535")
    if max_body <= 0 or max_rows < 1 or max_waiting < 1:
        raise typer.BadParameter("a limit is above 0")
    from dataclasses import replace

    scikit_learn_alone()
    from venire.serve.limits import MEGABYTE, Limits
    from venire.serve.running import Asked
    from venire.serve.running import serve as carry_out
    from venire.serve.tokens import found_token

    limits = Limits(body_bytes=int(max_body * MEGABYTE), rows=max_rows, waiting=max_waiting)
    asked = Asked(
        models,
        host=host,
        port=port,
        token=None,
        hosts=allow_host or (),
        background=background,
        watch=not no_watch,
        quiet=quiet,
        limits=limits,
    )
    token = found_token(token_file, needed=asked.public)
    if token is not None and token.made:
        say(f"token: {token.secret.decode()}")
        say("clients send it as Authorization: Bearer TOKEN; give your own with --token-file")
    if carry_out(replace(asked, token=token)) == signal.SIGINT:
        raise typer.Exit(INTERRUPTED)
