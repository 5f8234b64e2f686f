"""How the rows of a file fit what a model was trained on: counted part by part, reported in the end."""

from __future__ import annotations

from importlib.metadata import version
from typing import Any

import numpy as np

from venire.data.conform import Conformed, Lost
from venire.data.streamed import added_up
from venire.data.table import Kind, label_text
from venire.ensembles.table_model import TableModel
from venire.errors import SCHEMA_VERSION, UsageError
from venire.report.document.shapes.use import BeyondRange, InputFacts, UsedModel


def table_model(model: Any, file: str | None = None) -> TableModel:
    """The model, if it is one that knows the columns of a table."""
    if isinstance(model, TableModel):
        return model
    raise UsageError(
        f"this is a {type(model).__name__} alone, which does not know the columns of a table",
        code="no_table_model",
        file=file,
        hint="load it with venire.load and give it arrays, or save what verdict.fit() gives",
    )


def used_model(model: TableModel, file: str) -> UsedModel:
    """Which model this is, for a document."""
    return {
        "schema_version": SCHEMA_VERSION,
        "venire": version("venire"),
        "model": file,
        "target": model.target_name_,
        "task": str(model.task_),
        "classes": [label_text(label) for label in getattr(model, "classes_", ())],
    }


class InputAccount:
    """Counts what does not fit: columns and values that are not there, make no sense, or lie beyond the range."""

    def __init__(self, model: TableModel) -> None:
        self.rows = 0
        self.source = ""
        self._columns = model.columns_
        self._ranges = ranges_of(model)
        self._lost: tuple[Lost, ...] = ()
        self._absent: tuple[str, ...] = ()
        self._beyond = np.zeros(len(self._columns), dtype=np.int64)
        self._ends = np.tile([np.inf, -np.inf], (len(self._columns), 1))

    def add(self, part: Conformed) -> None:
        """Some more rows."""
        self.rows += len(part.X)
        self.source = part.source
        self._lost = added_up((*self._lost, *part.lost))
        self._absent = part.absent
        for j, (low, high) in self._ranges.items():
            values = part.X[:, j]
            there = values[~np.isnan(values)]
            if len(there):
                self._beyond[j] += int(((there < low) | (there > high)).sum())
                self._ends[j] = min(self._ends[j, 0], there.min()), max(self._ends[j, 1], there.max())

    def facts(self) -> InputFacts:
        """All of it, as plain data."""
        return {
            "source": self.source,
            "rows": self.rows,
            "missing_columns": list(self._absent),
            "lost": [
                {
                    "code": each.code,
                    "column": each.column,
                    "rows": each.rows,
                    "examples": list(each.examples),
                    "message": each.message,
                }
                for each in self._lost
            ],
            "out_of_range": [self._outside(j) for j in np.flatnonzero(self._beyond).tolist()],
        }

    def _outside(self, j: int) -> BeyondRange:
        return {
            "column": self._columns[j].name,
            "rows": int(self._beyond[j]),
            "training": list(self._ranges[j]),
            "found": self._ends[j].tolist(),
        }


def ranges_of(model: TableModel) -> dict[int, tuple[float, float]]:
    """The range that each numeric column had in training, by its place; none where the file does not say."""
    known = {facts["name"]: facts.get("range") for facts in (model.about_ or {}).get("columns", ())}
    found = {}
    for j, column in enumerate(model.columns_):
        ends = known.get(column.name)
        if column.kind is Kind.NUMERIC and ends is not None:
            found[j] = float(ends[0]), float(ends[1])
    return found
