"""The terminal's view of a verdict: the leaderboard and what is said below it. Reads well at 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from venire.report.document.shapes.verdict import FailedFacts, FindingFacts, NotTriedFacts
from venire.report.sentences.evidence import certificate_words, cost_rows, more_rows_words
from venire.report.sentences.left_out import GAP, account, bonds, item_list
from venire.report.sentences.numbers import finite, probability
from venire.report.sentences.on_test_rows import on_test_rows
from venire.report.sentences.rivals import rivals_words
from venire.report.sentences.scale import scale_of
from venire.report.sentences.split import estimates_words
from venire.report.sentences.time_spent import over_budget_words
from venire.report.sentences.verdict import PROCEDURE, Document, joined, stopped_words, verdict
from venire.report.terminal.console import Plain, make_console, printable, short_path, words
from venire.verdict.findings.catalogue import HEAD
from venire.wording import MISSING, count, duration

_NARROWEST_SETTING = 8
_LONGEST_NAME = 24
_WHOLE = 10**6  # no cut
_ERRORS = ("error", "training_error", "one_layer_error")


@dataclass(frozen=True, slots=True)
class Field:
    """One column of the leaderboard. Fields are given up in the order of `spare` when the terminal is narrow."""

    title: str
    cells: tuple[str, ...]
    spare: int = 0  # 0: never given up
    stretches: bool = False

    @property
    def width(self) -> int:
        """The cells it takes when nothing is cut."""
        return max(cell_len(text) for text in (self.title, *self.cells))

    @property
    def empty(self) -> bool:
        """Whether no row has anything in it."""
        return all(cell in ("", MISSING) for cell in self.cells)


def leaderboard(document: Document, console: Console, *, report: str | None = None) -> None:
    """Print the verdict: the leaderboard, the verdict in words, findings, what was not tried, and what was left out.

    `report` is where the page was written, if it was.
    """
    _print(console, _title(document), style="bold")
    for found in document.get("findings") or ():
        if found.get("code") in HEAD:  # before any figure, because it says that they mean nothing
            _print(console, f"{found['code']}: {found['message']}", style="bold")
    console.print(Plain(_table(document, console)))
    console.print()
    _print(console, str(verdict(document)), style="bold")
    if more := more_rows_words(document):
        _print(console, more)
    if document.get("leaderboard"):
        _print(console, f"{scale_of(document).head}: {estimates_words(document)}", style="dim")
    if certified := certificate_words(document):
        _print(console, f"leak check: {certified}.", style="dim")
    if alike := rivals_words(document):
        _print(console, f"P(best): {alike}.", style="dim")
    _on_test_rows(document, console)
    ways = cost_rows(document)
    widest = max((cell_len(cost) for _, cost, _ in ways), default=0)
    costs = [(name, f"{cost:>{widest}}  {ends}") for name, cost, ends in ways]
    item_list(console, "Cost of 1,000 rows, with its 95 % interval", costs)
    item_list(console, "Findings", [_finding(item) for item in document.get("findings") or ()])
    item_list(console, "Failed", [_reason(item) for item in document.get("failed") or ()])
    item_list(console, "Not tried", [_reason(item) for item in document.get("not_tried") or ()])
    item_list(console, "Not handed over", [_reason(item) for item in document.get("not_fitted") or ()])
    bags = [_reason(item) for item in document.get("models_of_folds") or ()]
    item_list(console, "Handed over as the models of the folds, averaged", bags)
    account(document, console)
    if document.get("stopped"):
        console.print()
        _print(console, stopped_words(document), style="bold")
    if over := over_budget_words(document):
        console.print()
        _print(console, over, style="bold")
    if report:
        console.print()
        _print(console, f"Report: {report}")


def to_text(document: Document, *, width: int = 80) -> str:
    """The same, as a string without colour."""
    target = StringIO()
    leaderboard(document, make_console(target, width=width))
    return "\n".join(line.rstrip() for line in target.getvalue().splitlines())


def fields(document: Document) -> list[Field]:
    """The columns of the leaderboard, in reading order, with every cell as text."""
    rows = document.get("leaderboard") or ()
    scale = scale_of(document)
    seconds = (document.get("timing") or {}).get("families") or {}
    shown = {name: tuple(scale.show(row.get(name)) for row in rows) for name in _ERRORS}
    intervals = tuple(scale.show_interval(row.get("interval")) for row in rows)
    return [
        Field("family", tuple(_name(row.get("family")) for row in rows)),
        Field("setting", tuple(printable(row.get("setting") or "") for row in rows), stretches=True),
        Field(scale.head, shown["error"]),
        Field("95 % interval", intervals, spare=6),
        Field("training", shown["training_error"], spare=3),
        Field("1-layer", shown["one_layer_error"], spare=4),
        Field("P(best)", tuple(probability(row.get("p_best")) for row in rows), spare=5),
        Field("as good", tuple(probability(row.get("p_as_good")) for row in rows), spare=2),
        Field("time", tuple(_seconds(seconds.get(str(row.get("family")))) for row in rows), spare=1),
    ]


def fitting(columns: Sequence[Field], room: int) -> list[Field]:
    """The fields that fit into `room` cells: time goes first, and a setting is cut before a figure is given up."""
    kept = [column for column in columns if not column.spare or not column.empty]
    while True:
        spare = sorted((column for column in kept if column.spare), key=lambda column: column.spare)
        # The time of a family is a nicety: it is worth no cut in a setting.
        cut = _WHOLE if spare and spare[0].spare == 1 else _NARROWEST_SETTING
        if not spare or _width(kept, cut) <= room:
            return kept
        kept.remove(spare[0])


def _width(columns: Sequence[Field], cut: int) -> int:
    return sum(min(c.width, cut) if c.stretches else c.width for c in columns) + GAP * (len(columns) - 1)


def _table(document: Document, console: Console) -> Table:
    columns = fitting(fields(document), console.width)
    if _width(columns, _WHOLE) > console.width:
        columns = [_dense(column) if column.stretches else column for column in columns]
    over = _width(columns, _WHOLE) - console.width
    # The divider of the box is one cell of the gap.
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
    for column in columns:
        width = max(column.width - over, _NARROWEST_SETTING) if column.stretches and over > 0 else column.width
        table.add_column(
            words(column.title, console),
            justify="left" if column.title in ("family", "setting") else "right",
            no_wrap=True,
            overflow="ellipsis",
            max_width=width,
        )
    for index, row in enumerate(document.get("leaderboard") or ()):
        leads = row.get("kind") == PROCEDURE
        table.add_row(
            *(words(column.cells[index], console) for column in columns),
            style="bold green" if leads else "",
            end_section=leads,
        )
    return table


def _on_test_rows(document: Document, console: Console) -> None:
    """Every model on the rows of a test file, if there is one."""
    if (shown := on_test_rows(document)) is None:
        return
    console.print()
    _print(console, f"{shown.title}:", style="bold")
    table = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, GAP - 1, 0, 0))
    table.add_column(words("family", console))
    for title in (shown.head, "95 % interval"):
        table.add_column(words(title, console), justify="right")
    for line in shown.lines:
        cells = (_name(line.family), line.figure, line.between)
        table.add_row(*(words(cell, console) for cell in cells), style="bold green" if line.chosen else "")
    console.print(Plain(table))
    for said in shown.remarks:
        _print(console, said)


def _dense(column: Field) -> Field:
    """Settings without the spaces around their signs: "C=0.0336" can be read where "C = 0.0…" cannot."""
    return replace(column, cells=tuple(cell.replace(" = ", "=") for cell in column.cells))


def _title(document: Document) -> str:
    parts = [f"{document.get('target')} in {short_path(document.get('source'))}", count(document.get("rows"), "row")]
    if document.get("classes"):
        parts.append(f"{count(len(document['classes']), 'class', 'classes')}")
    parts += bonds(document)
    parts += [count(document.get("folds"), "fold"), scale_of(document).label]
    return " · ".join(parts)


def _seconds(seconds: Any) -> str:
    return "" if finite(seconds) is None else duration(seconds)


def _name(text: Any) -> str:
    shown = printable(text)
    return shown if len(shown) <= _LONGEST_NAME else f"{shown[: _LONGEST_NAME - 1]}…"


def _finding(item: FindingFacts) -> tuple[str, str]:
    return str(item.get("code")), joined(item.get("message"), item.get("advice"))


def _reason(item: FailedFacts | NotTriedFacts) -> tuple[str, str]:
    return _name(item.get("family")), str(item.get("reason"))


def _print(console: Console, text: str, style: str = "") -> None:
    console.print(Plain(words(text, console, style)))
