"""What a terminal can take: consoles, names made safe to print, and plain signs where the encoding has no others."""

from __future__ import annotations

import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.text import Text

# One cell for one cell, so that a laid-out table stays aligned.
_PLAIN_SIGNS = str.maketrans({"…": "~", "–": "-", "−": "-", "×": "x", "·": "-", "•": "*", "▸": ">", "²": "2"})


def make_console(file: IO[str] | None = None, *, stderr: bool = False, width: int | None = None) -> Console:
    """A console that prints names as they are: no markup, no emoji codes, no guessing of what to colour."""
    target = file or (sys.stderr if stderr else sys.stdout)
    return Console(file=target, width=width, markup=False, emoji=False, highlight=False)


def printable(text: Any) -> str:
    r"""The text on one line, with anything that could steer the terminal spelled out.

    >>> printable("a\x1b[31mb\nc")
    'a\\x1b[31mb\\nc'
    """
    return "".join(_spelled(sign) for sign in str(text))


def _spelled(sign: str) -> str:
    if sign.isprintable():
        return sign
    return " " if sign.isspace() and sign not in "\t\n\r\v\f" else sign.encode("unicode_escape").decode("ascii")


def short_path(path: Any) -> str:
    """A path as a person would write it here: from the working directory if it is below, from home if that is above.

    >>> short_path(Path.cwd() / "data" / "bank.csv"), short_path("bank.csv")
    ('data/bank.csv', 'bank.csv')
    """
    text = str(path)
    if not Path(text).is_absolute():
        return text
    with suppress(ValueError):
        return str(Path(text).relative_to(Path.cwd()))
    with suppress(ValueError, RuntimeError):
        return str("~" / Path(text).relative_to(Path.home()))
    return text


def encodable(text: str, encoding: str) -> str:
    r"""The text in signs the encoding has.

    >>> encodable("3 × λ…", "ascii"), encodable("λ…", "utf-8")
    ('3 x \\u03bb~', 'λ…')
    """
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.translate(_PLAIN_SIGNS).encode(encoding, "backslashreplace").decode(encoding)
    return text


def words(text: Any, console: Console, style: str = "") -> Text:
    """Text for a table cell or a line: no markup is read in it."""
    return Text(encodable(printable(text), console.encoding), style=style)


@dataclass(frozen=True, slots=True)
class Plain:
    """Wraps what rich lays out: its own signs (the … of a cut cell) fit the encoding, and no line ends in spaces."""

    content: RenderableType

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in console.render_lines(self.content, options, pad=False):
            while line and not line[-1].text.strip():
                line.pop()  # cells are filled up to their width: nothing to send at the end of a line
            for at, (text, style, control) in enumerate(line, 1):
                shown = encodable(text, console.encoding)
                yield Segment(shown.rstrip() if at == len(line) else shown, style, control)
            yield Segment.line()
