"""venire's own routes: predict, explain, what the models are, and how the server is."""

from __future__ import annotations

from functools import partial
from importlib.metadata import version
from typing import Any

from venire.data.table import Task, label_text
from venire.errors import VenireError
from venire.serve import answers
from venire.serve.bodies.arrow_streams import MEDIA_TYPE as ARROW
from venire.serve.bodies.arrow_streams import bytes_of
from venire.serve.counters import MEDIA_TYPE as METRICS
from venire.serve.desk import Desk
from venire.serve.refused import Refusal
from venire.serve.request_reply import Reply, Request
from venire.serve.routes.openapi import openapi_document
from venire.serve.served_model import ServedModel
from venire.use.predicting import Wish, result_columns

_ASKED = ("interval", "sets", "fill_missing_columns")
_PLAIN_WISH = Wish()
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}


async def predict(desk: Desk, name: str, request: Request) -> Reply:
    """Predictions of the rows in the body."""
    held, wish = desk.shelf[name], _wish(request)
    try:
        radius = wish.radius(held.served.model)
    except VenireError as error:
        raise Refusal.of(error) from None
    said, read = await desk.predicted(held, request, partial(desk.rows, fill_absent=wish.fill_missing_columns))
    columns = result_columns(held.served.model, said, wish, radius)
    rows, accepted = len(read.X), request.headers.get("accept", "")
    if "text/csv" in accepted:
        return Reply(answers.csv_bytes(columns), "text/csv; charset=utf-8", rows=rows)
    if ARROW in accepted:
        return Reply(bytes_of(columns), ARROW, rows=rows)
    document = {
        "model": name,
        "version": held.served.version,
        "predictions": answers.records(columns),
        "warnings": answers.warnings_of(read.facts),
    }
    return Reply.of(document, rows=rows)


async def explain(desk: Desk, name: str, request: Request) -> Reply:
    """Shapley values of the rows in the body: how far each column moves each prediction."""
    of = request.parameters(("class",)).get("class")
    found = await desk.explained(desk.shelf[name], request, of)
    return Reply.of(found, rows=len(found["values"]))


async def models(desk: Desk, name: str, request: Request) -> Reply:
    """Every model there is."""
    request.parameters(())
    return Reply.of({"models": [facts_of(desk.shelf[each].served) for each in desk.shelf.names]})


async def model(desk: Desk, name: str, request: Request) -> Reply:
    """One model: its columns, its classes and how good it was."""
    request.parameters(())
    return Reply.of(facts_of(desk.shelf[name].served))


async def health(desk: Desk, name: str, request: Request) -> Reply:
    """That the server is there."""
    return Reply.of({"status": "ok"})


async def server_version(desk: Desk, name: str, request: Request) -> Reply:
    """Which versions of venire and of the models."""
    return Reply.of({"venire": version("venire"), "models": dict(desk.shelf.versions())})


async def metrics(desk: Desk, name: str, request: Request) -> Reply:
    """Figures for Prometheus."""
    return Reply(desk.counters.text(desk.shelf.versions()).encode(), METRICS)


async def openapi(desk: Desk, name: str, request: Request) -> Reply:
    """What the server takes and gives, for programs that make clients."""
    return Reply.of(openapi_document([desk.shelf[each].served for each in desk.shelf.names], desk.limits))


def facts_of(served: ServedModel) -> dict[str, Any]:
    """What clients should know of a model."""
    held, about = served.model, served.model.about_ or {}
    return {
        "name": served.name,
        "version": served.version,
        "checksum": served.checksum,
        "target": held.target_name_,
        "task": str(held.task_),
        "classes": [] if held.task_ is Task.REGRESSION else [label_text(label) for label in held.classes_],
        "family": about.get("family"),
        "metric": about.get("metric"),
        "error": about.get("error"),
        "interval": about.get("interval"),
        "columns": [
            {
                "name": column.name,
                "source": column.source,
                "kind": str(column.kind),
                "categories": list(column.categories),
            }
            for column in held.columns_
        ],
    }


def _wish(request: Request) -> Wish:
    if not request.query:
        return _PLAIN_WISH
    asked = request.parameters(_ASKED)
    fill = _TRUTHS.get(asked.get("fill_missing_columns", "false"))
    if fill is None:
        raise Refusal(400, "bad_query", "fill_missing_columns is true or false")
    return Wish(_share(asked.get("interval")), _share(asked.get("sets")), fill_missing_columns=fill)


def _share(text: str | None) -> float | None:
    if text is None:
        return None
    try:
        found = float(text)
    except ValueError:
        found = 0.0
    if not 0 < found < 1:
        raise Refusal(400, "bad_query", "a coverage is a share between 0 and 1, such as 0.9")
    return found
