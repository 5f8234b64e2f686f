"""MLflow's protocol of scoring servers: `/invocations`, whose body names the form of its rows."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from venire.metrics.predictions import Output, Predictions
from venire.serve import answers
from venire.serve.bodies.columns_in import Columns, from_csv, from_lists, from_records, from_split
from venire.serve.bodies.strict_json import parsed
from venire.serve.desk import Desk
from venire.serve.refused import Refusal
from venire.serve.request_reply import JSON, Reply, Request
from venire.serve.served_model import Read, ServedModel

_FORMS = ("dataframe_split", "dataframe_records", "instances", "inputs")
_METHODS = {"predict_proba": Output.PROBABILITIES, "decision_function": Output.SCORES}


async def invocations(desk: Desk, name: str, request: Request) -> Reply:
    """Predictions of the rows in the body, as MLflow's servers answer."""
    request.parameters(())
    kind = request.media_type()
    if kind not in (JSON, "text/csv"):
        raise Refusal(415, "wrong_media_type", "MLflow's bodies are JSON or CSV", hint=f"send {JSON} or text/csv")
    held, asked = desk.shelf[name], {"predict_method": "predict"}
    reader = partial(_read, most=desk.limits.rows, asked=asked)
    said, read = await desk.predicted(held, request, reader)
    return Reply.of({"predictions": _said(held.served, said, asked["predict_method"])}, rows=len(read.X))


def _read(served: ServedModel, request: Request, *, most: int, asked: dict[str, str]) -> Read:
    """The rows; what `params` asks for is noted in `asked`."""
    if request.media_type() == "text/csv":
        return served.read(from_csv(request.body, most))
    value = parsed(request.body)
    if not isinstance(value, dict):
        raise Refusal(400, "wrong_type", "the body is no object", hint=f"name the form of the rows: {_FORMS[0]}, …")
    forms = [form for form in _FORMS if form in value]
    if len(forms) != 1 or not set(value) <= {*_FORMS, "params"}:
        raise Refusal(
            400, "wrong_form", "the body names not one form of its rows", hint=f"it is one of {', '.join(_FORMS)}"
        )
    asked.update(_params(served, value.get("params")))
    form, rows = forms[0], value[forms[0]]
    if form == "dataframe_records" and isinstance(rows, list) and len(rows) == 1 and isinstance(rows[0], dict):
        return served.read_record(rows[0])
    return served.read(_columns(form, rows, most))


def _columns(form: str, rows: Any, most: int) -> Columns:
    if form == "dataframe_split":
        if not isinstance(rows, dict) or not {"data"} <= set(rows) <= {"columns", "data", "index"}:
            raise Refusal(400, "wrong_form", "dataframe_split has columns, data and perhaps index")
        return from_split(rows.get("columns"), rows["data"], most)
    if form == "dataframe_records":
        return from_records(rows, most)
    if form == "inputs" and isinstance(rows, dict):
        return from_lists(rows, most)
    if isinstance(rows, list) and rows and isinstance(rows[0], list):
        return from_split(None, rows, most)
    return from_records(rows, most)


def _params(served: ServedModel, params: Any) -> dict[str, str]:
    if params is None or params == {}:
        return {}
    if not isinstance(params, dict) or set(params) != {"predict_method"}:
        raise Refusal(400, "wrong_params", "params has predict_method alone")
    method = params["predict_method"]
    wanted = _METHODS.get(method) if isinstance(method, str) else None
    if method != "predict" and (wanted is None or served.model.gives is not wanted):
        raise Refusal(400, "no_method", "the model has not this predict_method", hint="predict is there in any case")
    return {"predict_method": method}


def _said(served: ServedModel, said: Predictions, method: str) -> list[Any]:
    if method != "predict":
        outputs = np.asarray(said.outputs, dtype=np.float64)
        return answers.plain(outputs[:, 0]) if outputs.shape[1] == 1 else list(map(answers.plain, outputs))
    return answers.plain(said.values if said.labels is None else served.model.classes_[said.labels])
