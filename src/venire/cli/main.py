"""The entry point: however a command ends, it is with an exit code and at most a line and a hint on stderr.

Nothing is imported here that takes time, so that even a Ctrl-C in the first tenth of a second ends quietly.
"""

from __future__ import annotations

import os
import sys

from venire.cli.exit_codes import (
    FAILED,
    INTERRUPTED,
    defect,
    fail,
    interruption,
    is_of_the_output,
    misuse,
    unwritten,
    warnings_as_lines,
)
from venire.cli.signals import Terminated, unwinding
from venire.errors import VenireError


def run() -> None:
    """Carry out what the command line asks for, and leave."""
    _open_what_is_closed()
    with unwinding(), warnings_as_lines():
        try:
            code = _exit_code(as_json="--json" in sys.argv[1:])
        except (KeyboardInterrupt, Terminated):  # a second one, while the first was being dealt with
            code = INTERRUPTED
    sys.exit(code)


def _open_what_is_closed() -> None:
    """Output that whoever called has closed (`>&-`) goes nowhere, and not into a file that gets its number."""
    for name, way in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, way, encoding="utf-8"))  # noqa: SIM115 - open until the process ends


def _exit_code(*, as_json: bool) -> int:
    try:
        code = _carried_out(as_json=as_json)
        sys.stdout.flush()  # here, where a reader who has gone is no surprise
        return code
    except BrokenPipeError:
        return _silent()
    except OSError as error:
        code = _silent()  # first: what is left of the output has nowhere to go, and would fail again
        return fail(unwritten(error), as_json=False) or code


def _carried_out(*, as_json: bool) -> int:
    try:
        return _invoke()
    except VenireError as error:
        return fail(error, as_json=as_json)
    except (KeyboardInterrupt, Terminated) as error:
        return fail(interruption(error, "".join(sys.argv[1:2])), as_json=as_json)
    except BrokenPipeError:
        raise
    except Exception as error:
        if is_of_the_output(error):
            raise
        misused = hasattr(error, "format_message") and hasattr(error, "exit_code")
        return fail(misuse(error) if misused else defect(error), as_json=as_json)


def _invoke() -> int:
    """Run the command. Not by calling the app: that would turn Ctrl-C and exit codes into values that look alike."""
    if sys.argv[1:] == ["--version"]:  # answered before the library of commands is loaded, which takes longest
        import venire

        sys.stdout.write(f"venire {venire.__version__}\n")
        return 0
    import typer

    from venire.cli.commands import app

    command = typer.main.get_command(app)
    try:
        with command.make_context("venire", sys.argv[1:]) as ctx:
            command.invoke(ctx)
    except typer.Exit as done:
        return done.exit_code
    return 0


def _silent() -> int:
    """Nothing more can be put out, not even at exit when Python flushes once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return FAILED
