"""The terminal's plain lists: what was read from a table, the bucket of models, the runs on disk."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from venire.report.numbers import MISSING, amount, count, duration, finite
from venire.report.terminal import Plain, words
from venire.report.words import Document

Show = Callable[[Any], str]
# A column of a list: the key in each row, the title, how a value is shown (None: text, which may wrap).
Layout = Sequence[tuple[str, str, Show | None]]


def _number(value: Any) -> str:
    return MISSING if finite(value) is None else count(value)


def _few(value: Any) -> str:
    return count(value) if finite(value) else ""  # a numeric column has none, and says nothing


def _error(value: Any) -> str:
    return MISSING if finite(value) is None else amount(value)


_COLUMNS: Layout = (
    ("name", "column", None),
    ("kind", "kind", None),
    ("missing", "missing", _number),
    ("categories", "categories", _few),
)
_LEFT_OUT: Layout = (("name", "left out", None), ("kind", "kind", None), ("reason", "why", None))
_MODELS: Layout = (("family", "family", None), ("task", "task", None), ("path", "settings, simple to complex", None))
_RUNS: Layout = (
    ("key", "run", None),
    ("source", "table", None),
    ("target", "target", None),
    ("rows", "rows", _number),
    ("trials", "trials", _number),
    ("chosen", "chosen", None),
    ("error", "error", _error),
    ("seconds", "time", duration),
    ("when", "when", None),
)


def columns(document: Document, console: Console) -> None:
    """Print what was read: the table's size, its target, each column's kind, what was left out, and the notes."""
    for line in reading_words(document):
        console.print(Plain(words(line, console, "bold" if line.startswith(str(document.get("source"))) else "")))
    listing(document.get("columns") or (), _COLUMNS, console)
    if document.get("left_out"):
        listing(document["left_out"], _LEFT_OUT, console)
    for note in document.get("notes") or ():
        about = f"{note['column']}: " if note.get("column") else ""
        console.print(Plain(words(f"note: {about}{note.get('message')} ({note.get('code')})", console)))


def models(rows: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print the bucket: rows have `family`, `task` and `path` (its settings in words)."""
    listing(rows, _MODELS, console)


def runs(rows: Sequence[Mapping[str, Any]], console: Console) -> None:
    """Print the runs on disk; a row may have `key source target rows trials chosen error seconds when`."""
    if not rows:
        console.print("No runs here yet: `venire compare` makes one.")
        return
    listing(rows, _RUNS, console)


def reading_words(document: Document) -> list[str]:
    """What was read, in a few lines: size, target, classes, rows without a target."""
    lines = [f"{document.get('source')}: {count(document.get('rows'), 'row')}"]
    lines[0] += f", {count(len(document.get('columns') or ()), 'attribute')}"
    if document.get("target"):
        lines.append(f"target {document['target']} ({document.get('task')}){_classes(document)}")
    if document.get("rows_without_target"):
        lines.append(f"{count(document['rows_without_target'], 'row')} without a target left out")
    return lines


def listing(rows: Sequence[Mapping[str, Any]], layout: Layout, console: Console) -> None:
    """Print rows as a table with the columns of the layout that any row has."""
    present = [column for column in layout if any(row.get(column[0]) is not None for row in rows)]
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for _, title, show in present:
        table.add_column(
            words(title, console), justify="right" if show else "left", overflow="fold", no_wrap=bool(show)
        )
    for row in rows:
        table.add_row(
            *(words(show(row.get(key)) if show else _text(row.get(key)), console) for key, _, show in present)
        )
    console.print(Plain(table))
    console.print()


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _classes(document: Document) -> str:
    labels, counts = document.get("classes") or (), document.get("class_counts") or ()
    if not labels:
        return ""
    if len(labels) != len(counts):
        return f": {count(len(labels), 'class', 'classes')}"
    ranked = sorted(zip(labels, counts, strict=True), key=lambda pair: -pair[1])
    shown = ", ".join(f"{label} {count(number)}" for label, number in ranked[:5])
    more = f", and {count(len(ranked) - 5, 'more class', 'more classes')}" if len(ranked) > 5 else ""
    return f": {shown}{more}"
