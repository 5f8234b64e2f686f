"""The terminal's plain lists: what was read from a table, and the models there are."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from venire.data.document import Account, ColumnFacts, TableDocument
from venire.report.document.shapes.lists import ModelFacts
from venire.report.sentences.left_out import bonds
from venire.report.sentences.numbers import finite
from venire.report.sentences.scale import Document
from venire.report.terminal.console import Plain, short_path, words
from venire.wording import MISSING, count

_SHOWN = 5  # classes named one by one
_LINE = 27  # cells for the categories of a column

_WHOLE = ("key", "chosen", "result", "when")  # never broken over two lines
_CUT = ("called", "target", "chosen")  # nor these, of which the end is left out where there is no room
# A name of ours has at most 12 signs, one of a user's own may have any number.
_WIDEST = {"chosen": 14, "called": 24, "target": 12}

Show = Callable[[Any], str]
# A column of a list: the key in each row, the title, how a value is shown (None: text, which may wrap).
Layout = Sequence[tuple[str, str, Show | None]]


def _number(value: Any) -> str:
    return MISSING if finite(value) is None else count(value)


def _few(value: Any) -> str:
    return count(value) if finite(value) else ""  # a numeric column has none, and says nothing


_COLUMNS: Layout = (
    ("name", "column", None),
    ("kind", "kind", None),
    ("missing", "missing", _number),
    ("categories", "categories", _few),
    ("distinct", "distinct", _number),
    ("values", "values", None),
)
_LEFT_OUT: Layout = (("name", "left out", None), ("kind", "kind", None), ("reason", "why", None))
_MODELS: Layout = (("family", "family", None), ("task", "task", None), ("path", "settings, simple to complex", None))


def columns(facts: TableDocument, console: Console) -> None:
    """Print what was read (`venire.describe`): size, target, each column's kind, what was left out, and the notes."""
    first, *more = _read_words(facts, facts["source"], facts["rows"], len(facts["columns"]), _target(facts))
    console.print(Plain(words(first, console, "bold")))
    for line in filter(None, (*more, _written(facts))):
        console.print(Plain(words(line, console)))
    console.print()
    listing([{**column, "values": _values(column)} for column in facts.get("columns") or ()], _COLUMNS, console)
    if facts.get("left_out"):
        listing(facts["left_out"], _LEFT_OUT, console)
    for note in facts.get("notes") or ():
        about = f"{note['column']}: " if note.get("column") else ""
        console.print(Plain(words(f"note: {about}{note.get('message')} ({note.get('code')})", console)))


def models(rows: Sequence[ModelFacts], console: Console) -> None:
    """Print the models there are: rows have `family`, `task` and `path` (its settings in words)."""
    listing(rows, _MODELS, console)


def reading_words(document: Document) -> list[str]:
    """What was read, in a few lines: size, target, classes, rows without a target."""
    classes = _classes(document.get("classes") or (), document.get("class_counts") or ())
    target = f"target {document['target']} ({document.get('task')}){classes}" if document.get("target") else ""
    columns = len(document.get("columns") or ())
    return _read_words(document, str(document.get("source")), document.get("rows"), columns, target)


def _read_words(table: Account, source: str, rows: int, columns: int, target: str) -> list[str]:
    lines = [f"{short_path(source)}: {count(rows, 'row')}, {count(columns, 'column')}"]
    if target:
        lines.append(target)
    if ties := bonds(table):
        lines.append(f"rows: {', '.join(ties)}")
    if table.get("rows_without_target"):
        lines.append(f"{count(table['rows_without_target'], 'row')} without a target left out")
    return lines


def _target(facts: TableDocument) -> str:
    target = facts.get("target")
    if target is None:
        return ""
    classes = target.get("classes") or []
    said = _classes([each["label"] for each in classes], [each["rows"] for each in classes])
    ends = f": {_span(target['range'])}" if "range" in target else ""
    return f"target {target['name']} ({target['task']}){said or ends}"


def listing(rows: Sequence[Mapping[str, Any]], layout: Layout, console: Console) -> None:
    """Print rows as a table with the columns of the layout that any row has."""
    present = [column for column in layout if any(row.get(column[0]) is not None for row in rows)]
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for key, title, show in present:
        table.add_column(
            _cell(key, title, None, console),
            justify="right" if show else "left",
            overflow="fold",
            no_wrap=bool(show) or key in _WHOLE,
            max_width=_WIDEST.get(key),
        )
    for row in rows:
        table.add_row(*(_cell(key, row.get(key), show, console) for key, _, show in present))
    console.print(Plain(table))
    console.print()


def _cell(key: str, value: Any, show: Show | None, console: Console) -> Text:
    cell = words(show(value) if show else _text(value), console)
    if key in _CUT:
        cell.no_wrap, cell.overflow = True, "ellipsis"
    return cell


def _text(value: Any) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)


def _classes(labels: Sequence[str], counts: Sequence[int]) -> str:
    if not labels:
        return ""
    if len(labels) != len(counts):
        return f": {count(len(labels), 'class', 'classes')}"
    ranked = sorted(zip(labels, counts, strict=True), key=lambda pair: -pair[1])
    shown = ", ".join(f"{label} ({count(number)})" for label, number in ranked[:_SHOWN])
    more = f", and {count(len(ranked) - _SHOWN, 'more class', 'more classes')}" if len(ranked) > _SHOWN else ""
    return f": {shown}{more}"


def _values(column: ColumnFacts) -> str | None:
    """A range for numbers, the most frequent categories with their rows for the rest, as far as a line goes."""
    if "range" in column:
        return _span(column["range"]) if column["range"] else ""
    if "examples" not in column:
        return None
    said = ""
    for at, each in enumerate(column["examples"]):
        longer = f"{said}{', ' if said else ''}{each['value']} ({count(each['rows'])})"
        if at and len(longer) > _LINE:
            return f"{said}, …"
        said = longer
    return said if len(column["examples"]) >= (column.get("distinct") or 0) else f"{said}, …"


def _span(ends: Sequence[float]) -> str:
    return " … ".join(f"{end:,.0f}" if 1e4 <= abs(end) < 1e15 else f"{end:.5g}" for end in ends)


def _written(facts: TableDocument) -> str:
    """How a text file is written, because that can be guessed wrong."""
    reading = facts.get("reading")
    if not reading or not reading.get("delimiter"):
        return ""
    header = "without a header" if reading.get("header") is False else ""
    said = (f"{word} {reading.get(word)!r}" for word in ("delimiter", "decimal") if reading.get(word))
    parts = (f"read as {reading.get('encoding') or 'text'}", *said, _commas(facts), header)
    return ", ".join(filter(None, parts))


def _commas(facts: TableDocument) -> str:
    """The columns whose numbers have a comma in a file of points: each column of texts decides for itself."""
    if facts["reading"].get("decimal") == ",":
        return ""
    names = [str(column["name"]) for column in facts.get("columns") or () if column.get("decimal") == ","]
    more = f" and {count(len(names) - _SHOWN, 'more column')}" if len(names) > _SHOWN else ""
    return f"but ',' in {', '.join(names[:_SHOWN])}{more}" if names else ""
