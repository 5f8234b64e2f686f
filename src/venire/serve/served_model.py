"""A model file in service: rows of a request in, predictions out, the same as `venire predict` gives to the bit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.columns.raw import Source
from venire.data.conform import Conformed, Conforming, same_markers
from venire.data.readers.frames import read_frame
from venire.data.table import Column, Kind
from venire.ensembles.table_model import TableModel
from venire.errors import VenireError
from venire.metrics.predictions import Predictions
from venire.persist.model_files import read_file
from venire.report.document.shapes.use import InputFacts
from venire.serve.bodies.columns_in import Columns
from venire.serve.prepared_model import PreparedModel
from venire.serve.refused import Refusal
from venire.serve.row_encoder import RowEncoder
from venire.use.account import InputAccount, ranges_of, table_model

Floats = NDArray[np.float64]

_ROWS = 192  # that are tried: a multiple of no size but the first, so that the last part is shorter
_SEED = 0
_SHOWN = 12  # signs of the checksum that name a version


@dataclass(frozen=True, eq=False)
class Read:
    """Rows of a request in the columns of the model, and what did not fit; None where everything did."""

    X: Floats
    facts: InputFacts | None = None


class ServedModel:
    """A loaded model with all that answering needs, made once.

    `divisible` says that a row is predicted to the same bits whatever other rows stand beside it, so that rows of
    several requests may be predicted together; `seconds` is what one row takes.
    """

    def __init__(self, name: str, model: TableModel, checksum: str) -> None:
        self.name = name
        self.model = model
        self.checksum = checksum
        self.version = checksum[:_SHOWN]
        self.sources = tuple(dict.fromkeys(column.source for column in model.columns_))
        self._missing = same_markers(model.reading_)
        self._encoder = RowEncoder(model, self._coded)
        rows = self._example_rows()
        self._prepared = PreparedModel(model, rows)
        self.divisible = self._prepared.divisible
        self.seconds = self._timed(rows[:1])
        self.example = self.predicted(rows[:1])

    def read(self, columns: Columns, *, fill_absent: bool = False) -> Read:
        """The rows of a request, in the way of `venire predict`."""
        return self._conformed(columns.source(self._missing), fill_absent)

    def read_frame(self, frame: Any, *, fill_absent: bool = False) -> Read:
        """The rows of a frame."""
        return self._conformed(read_frame(frame, self._missing), fill_absent)

    def read_record(self, record: Mapping[str, Any], *, fill_absent: bool = False) -> Read:
        """One row: by the short way, if nothing about it is unusual."""
        X = self._encoder.row(record)
        if X is not None:
            return Read(X)
        return self.read(Columns({name: [value] for name, value in record.items()}, 1), fill_absent=fill_absent)

    def predicted(self, X: Floats) -> Predictions:
        """What the model says of rows of its own matrix."""
        return self._prepared.predicted(X)

    def together(self, parts: Sequence[Floats]) -> Predictions:
        """What it says of the rows of several requests, one below the other."""
        return self._prepared.together(parts)

    def _conformed(self, source: Source, fill_absent: bool) -> Read:
        try:
            found = Conforming(source, self.model.columns_, self._missing, fill_absent=fill_absent).read(None, None)
        except VenireError as error:
            raise Refusal.of(error) from None
        return Read(found.X, self._facts(found))

    def _facts(self, found: Conformed) -> InputFacts | None:
        account = InputAccount(self.model)
        account.add(found)
        facts = account.facts()
        return facts if facts["lost"] or facts["missing_columns"] or facts["out_of_range"] else None

    def _coded(self, column: Column, values: Sequence[Any]) -> Floats:
        columns = Columns({column.source: values}, len(values))
        return Conforming(columns.source(self._missing), (column,), self._missing).read(None, None).X[:, 0]

    def _example_rows(self) -> Floats:
        """Rows like those of training, as far as the file knows them."""
        rng, ranges = np.random.default_rng(_SEED), ranges_of(self.model)
        X = np.empty((_ROWS, len(self.model.columns_)), order="F")
        for j, column in enumerate(self.model.columns_):
            if column.kind is Kind.NUMERIC:
                low, high = ranges.get(j, (-1.0, 1.0))
                X[:, j] = low + (high - low) * rng.random(_ROWS)
            else:
                X[:, j] = rng.integers(max(1, len(column.categories)), size=_ROWS)
        return X

    def _timed(self, row: Floats) -> float:
        spent = []
        for _ in range(5):
            began = perf_counter()
            self.predicted(row)
            spent.append(perf_counter() - began)
        return min(spent)


def loaded(name: str, path: Path) -> ServedModel:
    """The model in a file, ready to serve. Nothing in the file is run."""
    model, found = read_file(path)
    return ServedModel(name, table_model(model, str(path)), found.checksum)
