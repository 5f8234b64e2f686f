"""Predictions of a file of any size: read, predicted and written part by part."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from venire.advice import Advice, Option
from venire.combine.conformal import around, likely_classes
from venire.data.columns.raw import Numbers, Raw, Texts
from venire.data.readers.blocks import BLOCK_BYTES
from venire.data.readers.sources import is_paths
from venire.data.rows_as_text import Coded
from venire.data.streamed import Asked, Part, Written, streamed
from venire.data.table import Task, label_text
from venire.ensembles.table_model import TableModel
from venire.errors import UsageError
from venire.metrics.predictions import Output, Predictions
from venire.report.document.shapes.use import PredictionDocument
from venire.use.account import InputAccount, used_model
from venire.use.formats import Format, format_of
from venire.use.read_ahead import read_ahead
from venire.use.write_behind import write_behind
from venire.use.writing import TableWriter
from venire.validation.jobs import job_count
from venire.validation.trials.side_by_side import side_by_side

PREDICTED = "predicted"
_MOST_AT_ONCE = 8  # parts: the memory of a machine with many cores is not all for one file


@dataclass(frozen=True)
class Wish:
    """What is to be said of every row besides the prediction.

    `interval` and `sets` are coverages, for numbers and for classes; `keep` names columns of the file to hand through.
    """

    interval: float | None = None
    sets: float | None = None
    keep: Sequence[str] = ()
    fill_missing_columns: bool = False

    @property
    def coverage(self) -> float | None:
        """The one that was asked for."""
        return self.interval if self.interval is not None else self.sets

    def radius(self, model: TableModel) -> float | None:
        """How far the truth may be off in the share of rows that was asked for."""
        if self.interval is not None and self.sets is not None:
            raise UsageError(
                "an interval is of numbers and a set of classes",
                hint=Advice("ask for one of them: ", Option("interval"), " or ", Option("sets")),
            )
        if self.coverage is None:
            return None
        try:
            return model.radius(self.coverage, Task.CLASSIFICATION if self.interval is None else Task.REGRESSION)
        except UsageError as error:
            if error.code == "wrong_task":
                error.hint = Advice("ask for ", Option("interval" if self.interval is None else "sets", self.coverage))
            raise


def predict_file(
    model: TableModel,
    source: Any,
    output: Path | None,
    *,
    wish: Wish | None = None,
    written: Written | None = None,
    file: str = "",
    block_bytes: int = BLOCK_BYTES,
    tick: Callable[[int], None] = lambda rows: None,
) -> PredictionDocument:
    """Predict every row of anything `read_table` takes, and write a table of predictions in the order of the rows.

    Without a file they go to the output as CSV, part by part. `file` is the name of the model, for the document; `tick`
    hears how many rows are done.
    """
    began, asked = monotonic(), wish or Wish()
    form = Format("csv") if output is None else format_of(output)
    radius = asked.radius(model)
    refuse_own_input(source, output)
    names = [PREDICTED, *_further(model, asked)]
    if taken := [name for name in asked.keep if name in names]:
        raise UsageError(
            f"the results have a column {taken[0]!r} of their own", code="same_name", hint="rename the one to keep"
        )
    account = InputAccount(model)
    wanted = Asked(model.columns_, reading=model.reading_, keep=asked.keep, fill_absent=asked.fill_missing_columns)
    with (
        threadpool_limits(1, user_api="blas"),  # reader and writer have the other processors
        TableWriter(output, form, standard_output() if output is None else None) as writer,
        write_behind(writer.add) as write,
        closing(read_ahead(streamed(source, wanted, written, block_bytes=block_bytes))) as parts,
    ):

        def predicted(part: Part) -> tuple[Part, dict[str, NDArray[Any] | Coded]]:
            return part, _columns(model, part, asked, radius)

        # A part is predicted in one piece, so that what is said of its rows does not depend on the number of threads.
        for part, columns in side_by_side(predicted, parts, min(job_count(None), _MOST_AT_ONCE), ahead=1):
            write(columns)
            account.add(part.rows)
            tick(account.rows)
    held = None if radius is None else model.conformal_
    return {
        **used_model(model, file),
        **account.facts(),
        "output": None if output is None else str(output),
        "columns": writer.names,
        "coverage": asked.coverage,
        "radius": radius,
        "held_out_rows": None if held is None else held.rows,
        "timing": {"seconds": round(monotonic() - began, 3)},
    }


def refuse_own_input(source: Any, output: Path | None) -> None:
    """Raise where the results would take the place of the table they are made of."""
    paths = [source] if isinstance(source, str | os.PathLike) else source if is_paths(source) else []
    if output is not None and output.exists() and any(os.path.exists(p) and os.path.samefile(p, output) for p in paths):
        raise UsageError(
            "the results would replace the table they are made of",
            code="cannot_write",
            file=str(output),
            hint="choose another name",
        )


def standard_output() -> BinaryIO:
    """Where bytes go that are to be piped on."""
    return sys.stdout.buffer


def _columns(model: TableModel, part: Part, wish: Wish, radius: float | None) -> dict[str, NDArray[Any] | Coded]:
    kept = {name: as_array(raw) for name, raw in part.kept.items()}
    return {**kept, **_results(model, model.predicted(part.rows.X), wish, radius)}


def result_columns(model: TableModel, said: Predictions, wish: Wish, radius: float | None) -> dict[str, NDArray[Any]]:
    """What is written of rows: the prediction, and what was wished for besides. `radius` is that of the wish."""
    found = _results(model, said, wish, radius)
    return {name: values.array() if isinstance(values, Coded) else values for name, values in found.items()}


def _results(model: TableModel, said: Predictions, wish: Wish, radius: float | None) -> dict[str, NDArray[Any] | Coded]:
    if model.task_ is Task.REGRESSION:
        further = [] if radius is None else list(around(said.values, radius).T)
        return {PREDICTED: said.values, **dict(zip(_further(model, wish), further, strict=True))}
    further = [] if said.output is Output.LABELS else list(np.asarray(said.outputs, dtype=np.float64).T)
    if radius is not None:
        sets = likely_classes(np.asarray(said.outputs), radius)
        further += [*sets.T, sets.sum(axis=1)]
    assert said.labels is not None
    return {PREDICTED: Coded(said.labels, model.classes_), **dict(zip(_further(model, wish), further, strict=True))}


def _further(model: TableModel, wish: Wish) -> list[str]:
    """The names of what is said besides the prediction: as in the frames of held-out predictions."""
    if model.task_ is Task.REGRESSION:
        return [] if wish.interval is None else ["low", "high"]
    labels = [label_text(label) for label in model.classes_]
    kind = {Output.PROBABILITIES: "probability", Output.SCORES: "score"}.get(model.gives)
    alone = kind == "score" and len(labels) == 2
    names = [] if kind is None else [kind] if alone else [f"{kind}_{label}" for label in labels]
    return names if wish.sets is None else [*names, *(f"in_set_{label}" for label in labels), "set_size"]


def as_array(raw: Raw) -> NDArray[Any]:
    """A column as it was read, in a form that keeps its type: whole numbers stay whole beside gaps."""
    if isinstance(raw, Texts):
        values = np.array([*(raw.meant.get(level, level) for level in raw.levels), None], dtype=object)[raw.codes]
        if raw.meant and all(isinstance(value, bool) for value in raw.meant.values()):
            return np.ma.MaskedArray(values == True, raw.codes < 0)  # noqa: E712  # element by element
        return values
    if isinstance(raw, Numbers) and raw.type.startswith(("int", "uint")):
        absent = np.isnan(raw.values)
        return np.ma.MaskedArray(np.where(absent, 0, raw.values).astype(np.int64), absent)
    return raw.values
