"""What is in a model file, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from venire.report.document.shapes.model_file import ModelFileDocument
from venire.report.sentences.model_file import (
    decision_words,
    error_words,
    few,
    rows_words,
    split_words,
    values_words,
)
from venire.report.terminal.console import Plain, short_path, words
from venire.report.terminal.listings import Layout, listing
from venire.wording import size

_PARTS: Layout = (("family", "member", None), ("setting", "setting", None), ("weight", "weight", None))
_COLUMNS: Layout = (("name", "column", None), ("kind", "kind", None), ("values", "values in training", None))


def show(facts: ModelFileDocument, console: Console, *, notes: Sequence[str] = ()) -> None:
    """Print the model, its figures, the columns it reads and what it keeps."""
    for line in _lines(facts):
        console.print(Plain(words(line, console)))
    figures = facts["figures"]
    console.print()
    if figures is not None and figures.get("parts"):
        rows = [{**part, "weight": f"{part['weight']:.2f}"} for part in figures["parts"]]
        listing(rows, _PARTS, console)
        console.print()
    if figures is not None:
        listing([{**column, "values": values_words(column)} for column in figures["columns"]], _COLUMNS, console)
    elif facts["columns"]:
        console.print(Plain(words(f"reads {', '.join(facts['columns'])}", console)))
    kept = facts["keeps"]
    console.print(
        Plain(words(f"keeps of the training data: {'; '.join(one['what'] for one in kept) or 'no row'}", console))
    )
    for note in notes:
        console.print(Plain(words(note, console)))


def _lines(facts: ModelFileDocument) -> Iterator[str]:
    figures = facts["figures"]
    yield f"{short_path(facts['file'])}: {_title(facts)}, {size(facts['bytes'])}"
    if figures is not None:
        yield error_words(figures)
        yield from decision_words(figures)
        yield rows_words(figures)
        yield split_words(figures)
    elif facts["classes"]:
        yield f"classes: {few(facts['classes'])}"
    yield f"written by {', '.join(f'{name} {number}' for name, number in facts['written_by'].items())}"


def _title(facts: ModelFileDocument) -> str:
    figures = facts["figures"]
    if figures is None:
        inside = f" with {', '.join(facts['members'])}" if facts["members"] else ""
        return f"{facts['model']}{inside}"
    classes = f" ({few(figures['classes'])})" if figures["classes"] else ""
    return f"{figures['family']}, {figures['setting']}, predicts {figures['target']}{classes}"
