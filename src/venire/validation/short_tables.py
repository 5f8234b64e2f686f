"""A result as one short table: what `str` prints and a notebook shows, from the same lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from venire.validation.plain_text import table_of

MOST_LINES = 20
_CELL = "padding:.15em .8em .15em 0;vertical-align:top"


@dataclass(frozen=True)
class ShortTable:
    """A title, lines under a head, figures that sum them up, and sentences below."""

    title: str
    head: Sequence[str]
    lines: Sequence[Sequence[str]]
    right: int = 2  # how many of the last columns hold figures
    marked: int | None = None  # the line that must not be left out where there are too many
    most: int | None = None  # how many of the first lines plain text has
    figures: Sequence[Sequence[str]] = ()
    below: tuple[str, ...] = ()

    def text(self) -> str:
        """As plain text."""
        shown = [self.title, "", table_of(self.head, self.lines[: self.most], self.right)]
        if self.most is not None and len(self.lines) > self.most:
            shown.append(f"… and {len(self.lines) - self.most:,} more")
        if self.figures:
            shown += ["", table_of([], self.figures)]
        if self.below:
            shown += ["", *self.below]
        return "\n".join(shown)

    def html(self) -> str:
        """As a table for a notebook: no script, nothing that is asked for elsewhere, at most so many lines.

        >>> ShortTable("a & b", ["k", "error"], [["1", "0.2"]], right=1).html()[:57]
        '<div><p style="margin:.3em 0"><b>a &amp; b</b></p><table>'
        """
        kept = _some(len(self.lines), self.marked)
        parts = [_sentence(f"<b>{escape(self.title)}</b>"), "<table>", _row(self.head, self.right, "th"), "<tbody>"]
        parts += [_row(self.lines[at], self.right, "td", bold=at == self.marked) for at in kept]
        parts.append("</tbody></table>")
        if len(kept) < len(self.lines):
            parts.append(_sentence(f"{len(kept)} of {len(self.lines):,} lines; <code>print</code> shows more."))
        parts += [_sentence(_figure(line)) for line in self.figures]
        parts += [_sentence(escape(line)) for line in self.below]
        return f"<div>{''.join(parts)}</div>"


def _some(lines: int, marked: int | None) -> list[int]:
    """Which lines are shown: all, or some at equal distances, the marked one among them.

    >>> _some(3, None), len(_some(100, 57)), 57 in _some(100, 57)
    ([0, 1, 2], 20, True)
    """
    if lines <= MOST_LINES:
        return list(range(lines))
    kept = {round(at * (lines - 1) / (MOST_LINES - 1)) for at in range(MOST_LINES)}
    if marked is not None and marked not in kept:
        kept.remove(min(kept - {0, lines - 1}, key=lambda at: abs(at - marked)))
        kept.add(marked)
    return sorted(kept)


def _row(cells: Sequence[str], right: int, tag: str, *, bold: bool = False) -> str:
    side = ["left"] * (len(cells) - right) + ["right"] * right
    weight = ";font-weight:bold" if bold else ""
    inside = "".join(
        f'<{tag} style="text-align:{at};{_CELL}{weight}">{escape(cell)}</{tag}>'
        for cell, at in zip(cells, side, strict=True)
    )
    return f"<thead><tr>{inside}</tr></thead>" if tag == "th" else f"<tr>{inside}</tr>"


def _figure(line: Sequence[str]) -> str:
    what, figure, *words = map(escape, line)
    return " ".join((what, f"<b>{figure}</b>", *words))


def _sentence(html: str) -> str:
    return f'<p style="margin:.3em 0">{html}</p>'
