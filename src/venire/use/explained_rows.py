"""Shapley values of the rows of a file, as a table and as a picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data import Table, conform
from venire.data.columns.raw import Raw
from venire.data.spaced_rows import spaced_rows
from venire.data.streamed import Asked, Written, streamed
from venire.data.table import Task, label_text
from venire.ensembles.table_model import TableModel
from venire.errors import UsageError
from venire.explain.shapley import MOST_BACKGROUND, ShapValues, matrix_values
from venire.flow.explained import shapley_data
from venire.metrics.predictions import Predictions
from venire.report.document.shapes.use import ExplanationDocument
from venire.use.account import InputAccount, used_model
from venire.use.evaluating import target_of
from venire.use.formats import Format, format_of
from venire.use.predicting import PREDICTED, as_array, refuse_own_input, standard_output
from venire.use.writing import TableWriter

SEED = 0  # of sampled orders of the columns
_DRAWN = 300  # rows in the picture
BASE, SUM = "base", "explained"

Floats = NDArray[np.float64]


def explain_file(
    model: TableModel,
    source: Any,
    output: Path | None,
    *,
    plot: Path | None = None,
    of: str | None = None,
    background: Any = None,
    keep: Sequence[str] = (),
    written: Written | None = None,
    file: str = "",
) -> ExplanationDocument:
    """Write the Shapley values of every row of anything `read_table` takes; without a file, to the output as CSV.

    `of` is the class whose probability or score is explained, `background` rows that stand for what is usual. `file` is
    the name of the model, for the document.
    """
    began = monotonic()
    form = Format("csv") if output is None else format_of(output)
    refuse_own_input(source, output)
    X, kept, account = _read(model, source, keep, written)
    said = model.predicted(X)
    code = class_to_explain(model, of, said)
    others = X if background is None else conform(background, model.columns_, reading=model.reading_).X
    others = others[spaced_rows(len(others), MOST_BACKGROUND)]
    found = matrix_values(model, X, others, seed=SEED)
    values, base = values_of(found, code)
    with TableWriter(output, form, standard_output() if output is None else None) as writer:
        writer.add(_columns(model, kept, said, values, base))
    if plot is not None:
        _draw(model, X, found, code, plot)
    sizes = np.abs(values).mean(axis=0)
    return {
        **used_model(model, file),
        **account.facts(),
        "output": None if output is None else str(output),
        "columns": writer.names,
        "plot": None if plot is None else str(plot),
        "explained_class": None if code is None else label_text(model.classes_[code]),
        "unit": found.unit,
        "base": base,
        "background_rows": found.background_rows,
        "exact": found.standard_errors is None,
        "weights": [
            {"column": found.names[j], "mean_size": float(sizes[j])} for j in np.argsort(-sizes, kind="stable").tolist()
        ],
        "timing": {"seconds": round(monotonic() - began, 3)},
    }


def values_of(found: ShapValues, code: int | None) -> tuple[Floats, float]:
    """The values and the base of one class, or of the number that is predicted."""
    if found.values.ndim == 3:
        return found.values[:, :, code], float(found.base[code])
    if code != 0:
        return found.values, float(found.base)
    # A model of two classes speaks of the second: the first has what is left.
    base = float(found.base)
    return -found.values, 1.0 - base if found.unit in ("probability", "share") else -base


def _read(
    model: TableModel, source: Any, keep: Sequence[str], written: Written | None
) -> tuple[Floats, list[dict[str, Raw]], InputAccount]:
    account, parts, kept = InputAccount(model), [], []
    for part in streamed(source, Asked(model.columns_, reading=model.reading_, keep=keep), written):
        account.add(part.rows)
        parts.append(part.rows.X)
        kept.append(part.kept)
    return np.asfortranarray(np.vstack(parts)), kept, account


def class_to_explain(model: TableModel, of: str | None, said: Predictions) -> int | None:
    """The code of the class that is explained: as asked, the positive one, or the one that is predicted most."""
    target = target_of(model)
    if model.task_ is Task.REGRESSION:
        if of is not None:
            raise UsageError(
                f"there is no class {of!r}: numbers are predicted", code="unknown_class", hint="leave it out"
            )
        return None
    if of is None:
        assert said.labels is not None
        return target.positive if len(target.classes) == 2 else int(np.bincount(said.labels).argmax())
    if of not in target.labels:
        there = ", ".join(map(repr, target.labels[:10]))
        raise UsageError(f"there is no class {of!r}", code="unknown_class", hint=f"there are {there}")
    return target.labels.index(of)


def _columns(
    model: TableModel, kept: list[dict[str, Raw]], said: Predictions, values: Floats, base: float
) -> dict[str, NDArray[Any]]:
    """The columns of the table: what is kept, the prediction, and how it came to be."""
    columns = {name: _joined([as_array(part[name]) for part in kept]) for name in kept[0]}
    if said.labels is None:
        shown = said.values
    else:
        labels = model.classes_[said.labels]
        shown = labels.astype(object) if labels.dtype.kind == "U" else labels
    # Adding 0.0 makes a plain zero of -0.0, which is what the values of the first of two classes have.
    named = {f"shapley_{column.name}": values[:, j] + 0.0 for j, column in enumerate(model.columns_)}
    return {
        **columns,
        PREDICTED: shown,
        BASE: np.full(len(values), base),
        **named,
        SUM: base + values.sum(axis=1),
    }


def _joined(parts: list[NDArray[Any]]) -> NDArray[Any]:
    """One array of several; whole numbers keep their gaps."""
    if not any(isinstance(part, np.ma.MaskedArray) for part in parts):
        return np.concatenate(parts)
    return np.asanyarray(np.ma.concatenate(parts))  # type: ignore[no-untyped-call]  # numpy has no types of it


def _draw(model: TableModel, X: Floats, found: ShapValues, code: int | None, plot: Path) -> None:
    """A dot for every row and column, of at most so many rows at equal distances."""
    from venire.report.page.explanation_panels import shapley_figure  # Altair takes a third of a second to import

    at = spaced_rows(len(X), _DRAWN)
    errors = None if found.standard_errors is None else found.standard_errors[at]
    some = replace(found, values=found.values[at], standard_errors=errors)
    table = Table(X, model.columns_, target_of(model))
    name = (model.about_ or {}).get("family") or model.members[0][0]
    drawn = shapley_data(some, table, at, 0 if code is None else code) | {"model": name}
    figure = shapley_figure({"target": model.target_name_}, drawn)  # type: ignore[typeddict-item]  # all it reads of it
    # A page brings its own drawing library along, so that it opens offline.
    figure.chart.save(str(plot), **({"inline": True} if plot.suffix.lower() == ".html" else {}))
