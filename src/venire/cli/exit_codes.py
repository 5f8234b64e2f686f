"""How a command ends: an error becomes one line, a hint and an exit code; with `--json` also a document."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import shlex
import signal
import sys
import traceback
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from venire.advice import OptionPart, Part, said
from venire.errors import TRACEBACK, VenireError, VenireWarning

Document = TypeVar("Document", bound=Mapping[str, Any])

_RESUMING = ("compare", "fit", "demo", "validate", "select")  # the commands that keep what they compute
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
FAILED, USAGE, SOME_FAILED, INTERRUPTED = 1, 2, 4, 130
_ADVISING = {"notes": "message", "findings": "advice"}  # what may name options


def print_json(document: Mapping[str, Any]) -> None:
    """One document on stdout, in plain ASCII where the stream's encoding has not all the signs."""
    text = json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False)
    try:
        text.encode(sys.stdout.encoding or "utf-8")
    except UnicodeEncodeError:
        text = json.dumps(document, ensure_ascii=True, indent=2, allow_nan=False)
    sys.stdout.write(text + "\n")


def as_options(parts: Sequence[Part]) -> str:
    """A sentence in parts, with its options as the command line writes them.

    >>> as_options(["say ", {"option": "quote", "value": ""}, " or ", {"option": "categorical", "value": ["zip"]}])
    "say --quote '' or --categorical zip"
    """
    return said(parts, _as_option)


def in_options(document: Document) -> Document:
    """The document as the command line prints it: its advice speaks of options, too."""
    facts = cast("dict[str, Any]", document)
    added = {
        key: [{**each, field: as_options(each.get(f"{field}_parts") or [each[field]])} for each in facts[key]]
        for key, field in _ADVISING.items()
        if facts.get(key)
    }
    return cast("Document", {**facts, **added})


def _as_option(part: OptionPart) -> str:
    name, value = f"--{part['option'].replace('_', '-')}", part["value"]
    if value is None:
        return name
    return f"{name} {shlex.quote(_listed(value) if isinstance(value, list) else str(value))}"


def _listed(names: Sequence[str]) -> str:
    """Names as an option takes them: with commas between, and quotes around one that has a comma itself."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def fail(error: VenireError, *, as_json: bool) -> int:
    """One line and a hint on stderr, the error document on stdout if JSON was asked for; the exit code."""
    document = error.to_dict()
    parts = document["error"]["hint_parts"]
    hint = document["error"]["hint"] = None if parts is None else as_options(parts)
    if as_json:
        print_json(document)
    say(f"error: {error}")
    if hint:
        say(f"hint: {hint}")
    return INTERRUPTED if error.code == "interrupted" else error.exit_code


def say(text: str) -> None:
    """One line on stderr, with nothing in it that could break the line or steer the terminal."""
    from venire.report.terminal.console import encodable, printable  # rich is not loaded for a command that goes well

    sys.stderr.write(encodable(printable(text), sys.stderr.encoding or "utf-8") + "\n")


@contextmanager
def warnings_as_lines() -> Iterator[None]:
    """What venire warns of inside is one line on stderr, without the place in its code."""
    with warnings.catch_warnings():
        usual = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *where: Any, **how: Any) -> None:
            if issubclass(category, VenireWarning):
                say(f"warning: {message}")
            else:
                usual(message, category, *where, **how)

        warnings.showwarning = show
        yield


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


def is_of_the_output(error: Exception) -> bool:
    """Whether it is the output that cannot be written: files have a name, and the output has none."""
    return isinstance(error, OSError) and error.filename is None and error.errno in _NO_ROOM


def unwritten(error: OSError) -> VenireError:
    """What was to be printed cannot be: the disk it goes to is full, say."""
    what = error.strerror or str(error)
    return VenireError(
        f"the output cannot be written: {what}", code="cannot_write", hint="make room, or write it somewhere else"
    )


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
