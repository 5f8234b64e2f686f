"""Every model on a separate test file, as the terminal and the page show it."""

from __future__ import annotations

from dataclasses import dataclass

from venire.report.document.shapes.verdict import OnTestRows
from venire.report.sentences.scale import Document, measured_by
from venire.report.terminal.console import short_path
from venire.wording import MISSING, count


@dataclass(frozen=True, slots=True)
class TestLine:
    """One model, with every cell as text."""

    family: str
    chosen: bool
    figure: str
    between: str


@dataclass(frozen=True, slots=True)
class TestTable:
    """What is shown: which rows, a line a model, and what a reader should know."""

    title: str
    head: str
    lines: tuple[TestLine, ...]
    remarks: tuple[str, ...]


def on_test_rows(document: Document) -> TestTable | None:
    """The table of a verdict that has a test file; None of any other."""
    if (test := document.get("test")) is None:
        return None
    measure = measured_by(document, test["models"])
    lines = tuple(
        TestLine(
            line["family"],
            line["chosen"],
            MISSING if line["error"] is None else measure.show(line["error"]),
            MISSING if line["interval"] is None else measure.show_interval(line["interval"]),
        )
        for line in test["models"]
    )
    title = f"On the {count(test['rows'], 'row')} of {short_path(test['source'])}, which had no part in any choice"
    return TestTable(title, measure.head, lines, tuple(_remarks(test)))


def _remarks(test: OnTestRows) -> list[str]:
    said = ["Each model is fitted on all training rows; the interval is for that model on new rows like these."]
    if test["copies"]:
        verb = "equals" if test["copies"] == 1 else "equal"
        said.append(
            f"{count(test['copies'], 'test row')} {verb} a training row in every column and the target: on copies a "
            f"model looks better than it is."
        )
    if test["rows_without_target"]:
        said.append(f"{count(test['rows_without_target'], 'test row')} without a target left out.")
    said += [f"{note}." for note in test["notes"]]
    return said + [f"{line['family']}: {line['problem']}." for line in test["models"] if line["problem"]]
