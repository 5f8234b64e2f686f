"""Carrying out what a model file is used for: progress and remarks on stderr, results where they were asked for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from venire.cli.exit_codes import print_json, say
from venire.cli.plots import check_picture, check_place
from venire.errors import UsageError
from venire.report.terminal.progress import Progress
from venire.wording import count

if TYPE_CHECKING:
    from venire.data.streamed import Written
    from venire.ensembles.table_model import TableModel
    from venire.report.document.shapes.use import InputFacts

_SECONDS_BETWEEN = 10.0


@dataclass(frozen=True)
class Use:
    """What was asked for on the command line: a model, rows, and how they are written."""

    model: Path
    source: Any
    reading: dict[str, Any]
    as_json: bool
    quiet: bool

    def loaded(self) -> TableModel:
        """The model in the file."""
        from venire.persist import load
        from venire.use.account import table_model

        return table_model(load(self.model), str(self.model))

    def written(self) -> Written:
        """How the rows are written."""
        from venire.data.readers.sniff import Given
        from venire.data.streamed import Written

        asked = dict(self.reading)
        beyond = {name: asked.pop(name) for name in ("encoding", "max_unpacked", "sheet")}
        return Written(Given(**asked), **beyond)


def predict(use: Use, output: Path | None, wish: dict[str, Any]) -> None:
    """Predict every row of a table; the predictions go to a file, or to the output."""
    check_output(output, use.as_json)
    with Progress(quiet=use.quiet) as progress:
        from venire.use.predicting import Wish, predict_file  # a second of imports, after the first sign of life

        document = predict_file(
            use.loaded(),
            use.source,
            output,
            wish=Wish(**wish),
            written=use.written(),
            file=str(use.model),
            tick=_Rows(progress),
        )
    _remark(document)
    if use.as_json:
        print_json(document)
    elif output is not None and not use.quiet:
        say(f"{count(document['rows'], 'row')} predicted, written to {output}")


def evaluate(use: Use) -> None:
    """Evaluate a model on labelled rows, and print what came of it."""
    with Progress(quiet=use.quiet) as progress:
        from venire.use.evaluating import evaluate as evaluated

        document = evaluated(use.loaded(), use.source, written=use.written(), file=str(use.model), tick=_Rows(progress))
    _remark(document)
    if use.as_json:
        print_json(document)
        return
    from venire.report.terminal import evaluation
    from venire.report.terminal.console import make_console

    evaluation.show(document, make_console())


def explain(use: Use, output: Path | None, plot: Path | None, asked: dict[str, Any]) -> None:
    """Write the Shapley values of every row, and draw them if that was asked for."""
    check_output(output, use.as_json)
    if plot is not None:
        check_picture(plot, example="rows.svg")
    with Progress(quiet=use.quiet):
        from venire.use.explained_rows import explain_file

        document = explain_file(
            use.loaded(), use.source, output, plot=plot, written=use.written(), file=str(use.model), **asked
        )
    _remark(document)
    if use.as_json:
        print_json(document)
    elif not use.quiet:
        for what, place in (("Shapley values", output), ("picture", plot)):
            if place is not None:
                say(f"{what} of {count(document['rows'], 'row')} written to {place}")


def check_output(output: Path | None, as_json: bool) -> None:
    """Refuse, before any work, a file that cannot be written, and two things on one output."""
    from venire.use.formats import format_of

    if output is not None:
        check_place(output, what="table", example="out.csv")
        format_of(output)
    elif as_json:
        raise UsageError(
            "with --json the output has one document, and the table needs a file",
            code="usage",
            hint="name it with -o, such as -o out.parquet",
        )


class _Rows:
    """Says every few seconds how many rows are done."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._last = monotonic()

    def __call__(self, rows: int) -> None:
        if monotonic() - self._last >= _SECONDS_BETWEEN:
            self._last = monotonic()
            self._progress.note(f"{count(rows, 'row')} done")


def _remark(facts: InputFacts) -> None:
    """On stderr, a line each: what of the rows did not fit the model."""
    for line in remarks(facts):
        say(f"note: {line}")


def remarks(facts: InputFacts) -> Iterator[str]:
    """What a user should know of the rows: columns that were not there, values that make no sense or lie beyond."""
    absent: Sequence[str] = facts["missing_columns"]
    if absent:
        named = ", ".join(map(repr, absent[:5])) + (" …" if len(absent) > 5 else "")
        yield f"the table lacks {count(len(absent), 'column')} of the model, which count as missing: {named}"
    for lost in facts["lost"]:
        yield f"{lost['column']}: {lost['message']}"
    for beyond in facts["out_of_range"]:
        low, high = beyond["training"]
        lie, used = ("lies", "it is used as it is") if beyond["rows"] == 1 else ("lie", "they are used as they are")
        yield (
            f"{beyond['column']}: {count(beyond['rows'], 'row')} {lie} outside of the range of the training rows, "
            f"{low:.6g} to {high:.6g}; {used}"
        )
