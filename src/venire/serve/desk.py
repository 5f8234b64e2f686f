"""Where requests meet models: reads the rows, has them predicted or explained, and keeps count."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from venire.errors import VenireError
from venire.explain.shapley import MOST_BACKGROUND, matrix_values
from venire.metrics.predictions import Predictions
from venire.report.document.shapes.use import InputFacts
from venire.serve.batching import overloaded
from venire.serve.bodies.arrow_streams import MEDIA_TYPE as ARROW
from venire.serve.bodies.arrow_streams import table_of
from venire.serve.bodies.columns_in import from_csv, from_json
from venire.serve.bodies.strict_json import parsed
from venire.serve.counters import Counters
from venire.serve.limits import Limits
from venire.serve.refused import Refusal
from venire.serve.request_reply import JSON, Request
from venire.serve.served_model import Read, ServedModel
from venire.serve.shelf import Shelf, Shelved
from venire.use.explained_rows import SEED, class_to_explain, values_of

Result = TypeVar("Result")
Floats = NDArray[np.float64]
Reader = Callable[[ServedModel, Request], Read]

_TOGETHER = 64  # rows of a request that may be predicted together with those of others


class Desk:
    """The models, the limits and the counts that every route needs.

    `backgrounds` has, by the name of a model, rows that stand for what is usual when others are explained.
    """

    def __init__(self, shelf: Shelf, limits: Limits, counters: Counters, backgrounds: dict[str, Floats]) -> None:
        self.shelf = shelf
        self.limits = limits
        self.counters = counters
        self._backgrounds = backgrounds
        self._large = 0

    async def predicted(self, held: Shelved, request: Request, reader: Reader) -> tuple[Predictions, Read]:
        """What the model says of the rows of a request, and how they were read."""
        if len(request.body) > self.limits.small_bytes:
            said, read = await self.in_thread(partial(_read_and_predicted, held.served, request, reader))
        else:
            read = reader(held.served, request)
            if len(read.X) <= _TOGETHER:
                said = await held.batcher.predicted(read.X)
            else:
                said = await self.in_thread(partial(held.served.predicted, read.X))
        self._count(held.served, len(read.X), read.facts)
        return said, read

    async def explained(self, held: Shelved, request: Request, of: str | None) -> dict[str, Any]:
        """Shapley values of the rows of a request."""
        found, read = await self.in_thread(partial(self._explained, held.served, request, of))
        self._count(held.served, len(read.X), read.facts)
        return found

    async def in_thread(self, work: Callable[[], Result]) -> Result:
        """Work that takes long, beside the reading of requests."""
        if self._large >= self.limits.large_waiting:
            raise overloaded()
        self._large += 1
        try:
            return await asyncio.get_running_loop().run_in_executor(self.shelf.pool, work)
        finally:
            self._large -= 1

    def rows(self, served: ServedModel, request: Request, *, fill_absent: bool = False) -> Read:
        """The rows of a body in any of our own ways."""
        kind = request.media_type()
        if kind == JSON:
            value = parsed(request.body)
            if isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict):
                value = value[0]
            if isinstance(value, dict) and list not in map(type, value.values()):
                return served.read_record(value, fill_absent=fill_absent)
            return served.read(from_json(value, self.limits.rows), fill_absent=fill_absent)
        if kind == "text/csv":
            return served.read(from_csv(request.body, self.limits.rows), fill_absent=fill_absent)
        if kind == ARROW:
            return served.read_frame(table_of(request.body, self.limits.rows), fill_absent=fill_absent)
        raise Refusal(
            415,
            "wrong_media_type",
            "the body is of a type that is not read here",
            hint=f"send {JSON}, text/csv or {ARROW}",
        )

    def _explained(self, served: ServedModel, request: Request, of: str | None) -> tuple[dict[str, Any], Read]:
        model, read = served.model, self.rows(served, request)
        if len(read.X) > self.limits.explained_rows:
            raise Refusal(413, "too_many_rows", f"at most {self.limits.explained_rows:,} rows are explained at a time")
        others = self._backgrounds.get(served.name)
        if others is not None and others.shape[1] != read.X.shape[1]:
            others = None  # the model was exchanged for one with other columns
        if others is None:
            others = read.X[:MOST_BACKGROUND]
            if len(others) < 2:
                raise Refusal(
                    400,
                    "no_background",
                    "one row alone has nothing to be compared with",
                    hint="send several rows, or start the server with --background FILE",
                )
        said = served.predicted(read.X)
        try:
            code = class_to_explain(model, of, said)
        except VenireError as error:
            raise Refusal.of(error) from None
        with np.errstate(all="ignore"):
            found = matrix_values(model, np.asfortranarray(read.X), others, seed=SEED)
        values, base = values_of(found, code)
        shown = said.values if said.labels is None else model.classes_[said.labels]
        return {
            "model": served.name,
            "version": served.version,
            "explained_class": None if code is None else str(model.classes_[code]),
            "unit": found.unit,
            "exact": found.standard_errors is None,
            "background_rows": found.background_rows,
            "base": base,
            "columns": [column.name for column in model.columns_],
            "predicted": np.asarray(shown).tolist(),
            "values": values.tolist(),
        }, read

    def _count(self, served: ServedModel, rows: int, facts: InputFacts | None) -> None:
        self.counters.rows[served.name] += rows
        if facts is not None:
            for lost in facts["lost"]:
                self.counters.unfit[served.name, lost["code"]] += lost["rows"]
            for beyond in facts["out_of_range"]:
                self.counters.unfit[served.name, "out_of_range"] += beyond["rows"]


def _read_and_predicted(served: ServedModel, request: Request, reader: Reader) -> tuple[Predictions, Read]:
    read = reader(served, request)
    return served.predicted(read.X), read
