"""How a command ends: an error becomes one line, a hint and an exit code; with `--json` also a document."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
import traceback
from typing import Any

from venire.errors import VenireError

_RESUMING = ("compare", "demo", "validate", "select")  # the commands that keep what they compute
FAILED, USAGE, SOME_FAILED, INTERRUPTED = 1, 2, 4, 130
TRACEBACK = "VENIRE_TRACEBACK"
_ADVISING = {"notes": "message", "left_out": "reason", "findings": "advice"}  # what may say what to do
_VALUE = r"""\[?(?P<sign>['"])(?P<value>(?:(?!(?P=sign)).)*)(?P=sign)\]?|(?P<number>\d+)|…|(?=[\s.,;:)]|$)"""
_ARGUMENT = re.compile(rf"(?<!['\w])(?P<name>[a-z_]+)=(?:{_VALUE})")


def print_json(document: dict[str, Any]) -> None:
    """One document on stdout, in plain ASCII where the stream's encoding has not all the signs."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(document, ensure_ascii=True, indent=2, allow_nan=False)
    sys.stdout.write(text + "\n")


def as_options(hint: str) -> str:
    """A hint that speaks of Python's arguments, in the words of the command line.

    >>> as_options("say quote='' or categorical=['zip']; use numeric= for numbers")
    "say --quote '' or --categorical zip; use --numeric for numbers"
    """
    return _ARGUMENT.sub(_as_option, hint)


def in_options(document: dict[str, Any]) -> dict[str, Any]:
    """The document as the command line prints it: its advice speaks of options, too."""
    told = {
        key: [{**each, field: as_options(each[field])} for each in document[key]]
        for key, field in _ADVISING.items()
        if document.get(key)
    }
    return {**document, **told}


def _as_option(found: re.Match[str]) -> str:
    value = found["number"] if found["value"] is None else found["value"]
    option = f"--{found['name'].replace('_', '-')}"
    return option if value is None else f"{option} {shlex.quote(value)}"


def fail(error: VenireError, *, as_json: bool) -> int:
    """One line and a hint on stderr, the error document on stdout if JSON was asked for; the exit code."""
    error.hint = error.hint and as_options(error.hint)
    if as_json:
        print_json(error.to_dict())
    say(f"error: {error}")
    if error.hint:
        say(f"hint: {error.hint}")
    return INTERRUPTED if error.code == "interrupted" else error.exit_code


def say(text: str) -> None:
    """One line on stderr, with nothing in it that could break the line or steer the terminal."""
    from venire.report.terminal.console import encodable, printable  # rich is not loaded for a command that goes well

    sys.stderr.write(encodable(printable(text), sys.stderr.encoding or "utf-8") + "\n")


def misuse(error: Any) -> VenireError:
    """What the parser of the command line says, in our own form."""
    text = str(error.format_message()).strip().rstrip(".")
    command = getattr(getattr(error, "ctx", None), "command_path", "venire")
    usage = VenireError(text[:1].lower() + text[1:], code="usage", hint=f"see `{command} --help`")
    usage.exit_code = int(error.exit_code)
    return usage


def interruption(error: BaseException, command: str = "") -> VenireError:
    """Ctrl-C, or the system asking us to go, before there was a verdict to print."""
    number = getattr(error, "number", signal.SIGINT)
    word = "interrupted" if number == signal.SIGINT else "terminated"
    kept = "trials that were finished are kept; the same command goes on from there"
    nothing = "nothing was kept: run the command again"
    stopped = VenireError(word, code=word, hint=kept if command in _RESUMING else nothing)
    stopped.exit_code = 128 + number
    return stopped


def defect(error: Exception) -> VenireError:
    """Something nobody foresaw: still one line, and the way to see more."""
    if os.environ.get(TRACEBACK):
        traceback.print_exception(error)
    if isinstance(error, MemoryError):
        return VenireError("there is not enough memory", code="memory", hint="use fewer --jobs, or fewer --models")
    if isinstance(error, OSError):
        what = error.strerror or str(error)
        return VenireError(what, code="system", file=error.filename, hint=f"set {TRACEBACK}=1 to see where")
    first = (str(error).strip().splitlines() or ["no message"])[0]
    return VenireError(
        f"venire itself failed: {type(error).__name__}: {first}",
        code="internal",
        hint=f"this is a defect in venire; set {TRACEBACK}=1 to see where, and report it",
    )
