"""What is in a model file, in the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console

from venire.report.document.shapes.model_file import InputColumn, ModelFigures, ModelFileDocument
from venire.report.sentences.scale import measured_by
from venire.report.terminal.console import Plain, short_path, words
from venire.report.terminal.listings import Layout, listing
from venire.wording import count, folds, size

_COLUMNS: Layout = (("name", "column", None), ("kind", "kind", None), ("values", "values in training", None))
_SHOWN = 8  # categories named one by one


def show(facts: ModelFileDocument, console: Console, *, notes: Sequence[str] = ()) -> None:
    """Print the model, its figures, the columns it reads and what it keeps."""
    for line in _lines(facts):
        console.print(Plain(words(line, console)))
    figures = facts["figures"]
    console.print()
    if figures is not None:
        listing([{**column, "values": _values(column)} for column in figures["columns"]], _COLUMNS, console)
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
        yield _error(figures)
        yield from _decisions(figures)
        split = folds(
            figures["folds"], figures["splitting"], classes=bool(figures["classes"]), repeats=figures["repeats"]
        )
        yield f"trained on {count(figures['rows'], 'row')} of {figures['source']}"
        yield f"validated by {split}, seed {figures['seed']}"
    elif facts["classes"]:
        yield f"classes: {_few(facts['classes'])}"
    yield f"written by {', '.join(f'{name} {number}' for name, number in facts['written_by'].items())}"


def _title(facts: ModelFileDocument) -> str:
    figures = facts["figures"]
    if figures is None:
        inside = f" with {', '.join(facts['members'])}" if facts["members"] else ""
        return f"{facts['model']}{inside}"
    classes = f" ({_few(figures['classes'])})" if figures["classes"] else ""
    return f"{figures['family']}, {figures['setting']}, predicts {figures['target']}{classes}"


def _error(figures: ModelFigures) -> str:
    measure = measured_by(figures, [figures])
    ends = measure.scale.show_interval(figures["interval"])
    between = f", 95 % interval {ends}" if figures["interval"] is not None else ""
    return f"{measure.head} on rows it has not seen: {measure.show(figures['error'])}{between}"


def _decisions(figures: ModelFigures) -> Iterator[str]:
    if figures["calibration"] is not None:
        yield f"probabilities are calibrated ({figures['calibration']})"
    if figures["threshold"] is not None:
        yield f"says {figures['classes'][-1]} from a score of {figures['threshold']:.4g} on"
    elif figures["decision"] is not None:
        yield f"decides by: {figures['decision']}"


def _values(column: InputColumn) -> str:
    gaps = f"; {count(column['missing'])} missing" if column["missing"] else ""
    if column.get("categories"):
        return f"{_few(column['categories'])}{gaps}"
    ends = column.get("range")
    return f"{ends[0]:.6g} to {ends[1]:.6g}{gaps}" if ends else f"none{gaps}"


def _few(names: Sequence[str]) -> str:
    more = f" and {count(len(names) - _SHOWN)} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"
