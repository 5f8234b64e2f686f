"""What became of the table: rows and columns that were left out, and what is worth knowing of the others."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from venire.data.document import Account
from venire.report.terminal.console import Plain, words
from venire.wording import count

GAP = 2  # cells between two columns
_SHOWN = 8  # lines of one list, so that a table of a thousand columns does not push the verdict off the screen
_SAID = "rows_without_target"  # a note that says again what the list of what was left out begins with

Items = Sequence[tuple[str, str]]


def account(document: Account, console: Console) -> None:
    """Print what was left out, and the notes of the reading; nothing where there is nothing to say."""
    item_list(console, "Left out", left_out(document))
    item_list(console, "About the columns", notes(document))


def left_out(document: Account) -> Items:
    """Rows without a target, then columns, each with the reason.

    >>> left_out({"rows_without_target": 9, "left_out": [{"name": "id", "reason": "its values count the rows"}]})
    [('9 rows', 'the target is missing'), ('id', 'its values count the rows')]
    """
    rows = document.get("rows_without_target")
    first = [(count(rows, "row"), "the target is missing")] if rows else []
    return first + _few([(str(out.get("name")), str(out.get("reason"))) for out in document.get("left_out") or ()])


def notes(document: Account) -> Items:
    """What the reading had to decide, by column."""
    others = [note for note in document.get("notes") or () if note.get("code") != _SAID]
    return _few([(str(note.get("column") or "the table"), str(note.get("message"))) for note in others])


def bonds(document: Account) -> list[str]:
    """How rows hang together and what they count, as the title of a verdict says it.

    >>> bonds({"groups": 12, "time": True, "weights": True}), bonds({"groups": None})
    (['12 groups', 'in time order', 'weighted'], [])
    """
    groups = document.get("groups")
    ties = [count(groups, "group") if groups else "", "in time order" if document.get("time") else ""]
    return [tie for tie in (*ties, "weighted" if document.get("weights") else "") if tie]


def item_list(console: Console, title: str, items: Items) -> None:
    """Print a title and indented lines of a name and a text, the text wrapped beside its name."""
    if not items:
        return
    console.print()
    console.print(Plain(words(title, console, "bold")))
    grid = Table.grid(padding=(0, GAP, 0, 0))
    grid.add_column(no_wrap=True, overflow="ellipsis", max_width=console.width // 3)
    grid.add_column(overflow="fold")
    for name, text in items:
        grid.add_row(words(name, console, "bold"), words(text, console))
    console.print(Plain(Padding(grid, (0, 0, 0, 2))))


def _few(items: list[tuple[str, str]]) -> list[tuple[str, str]]:
    if len(items) <= _SHOWN:
        return items
    return [*items[: _SHOWN - 1], (f"{count(len(items) - _SHOWN + 1)} more", "see `venire show`")]
