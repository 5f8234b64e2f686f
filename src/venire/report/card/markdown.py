"""A model card as Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

from venire.report.card.contents import Card, Section
from venire.report.terminal.console import printable

_MEANING = re.compile(r"([\\`*_{}\[\]<>#|~])")


def to_markdown(card: Card) -> str:
    """The card; signs that Markdown takes for its own are plain ones."""
    return "\n".join([f"# {plain(card.title)}", *(line for section in card.sections for line in _lines(section)), ""])


def plain(text: str) -> str:
    r"""A text that reads in Markdown as it is.

    >>> plain("a|b <c> *d*")
    'a\\|b \\<c\\> \\*d\\*'
    """
    return _MEANING.sub(r"\\\1", printable(" ".join(text.split())))


def _lines(section: Section) -> Iterator[str]:
    yield f"\n## {section.heading}\n"
    if section.rows:
        yield f"| {' | '.join(section.head)} |"
        yield f"|{'---|' * len(section.head)}"
        yield from (f"| {' | '.join(map(plain, row))} |" for row in section.rows)
        if section.lines:
            yield ""
    yield from (f"- {plain(line)}" for line in section.lines)
