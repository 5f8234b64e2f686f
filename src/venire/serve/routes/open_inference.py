"""The Open Inference Protocol, version 2 (KServe, MLServer, Triton): one tensor a column."""

from __future__ import annotations

from functools import partial
from importlib.metadata import version
from math import prod
from typing import Any

from numpy.typing import NDArray

from venire.data.table import Kind
from venire.serve import answers
from venire.serve.bodies.columns_in import Columns, check_count
from venire.serve.bodies.strict_json import parsed
from venire.serve.desk import Desk
from venire.serve.refused import Refusal
from venire.serve.request_reply import JSON, Reply, Request
from venire.serve.served_model import Read, ServedModel
from venire.use.predicting import Wish, result_columns

_WHOLE = {f"{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64)}
_TYPES: dict[str, tuple[type, ...]] = {
    "BOOL": (bool,),
    "BYTES": (str,),
    **dict.fromkeys(_WHOLE, (int,)),
    **dict.fromkeys(("FP16", "FP32", "FP64"), (int, float)),
}
_PARTS = {"id", "parameters", "inputs", "outputs"}
_TENSOR = {"name", "shape", "datatype", "data", "parameters"}


async def server(desk: Desk, name: str, request: Request) -> Reply:
    """What the server is."""
    return Reply.of({"name": "venire", "version": version("venire"), "extensions": []})


async def live(desk: Desk, name: str, request: Request) -> Reply:
    """That it is there."""
    return Reply.of({"live": True})


async def ready(desk: Desk, name: str, request: Request) -> Reply:
    """That its models are loaded: they are before it listens."""
    return Reply.of({"ready": True})


async def model_ready(desk: Desk, name: str, request: Request) -> Reply:
    """That one model is loaded."""
    return Reply.of({"name": name, "ready": True})


async def metadata(desk: Desk, name: str, request: Request) -> Reply:
    """The tensors that a model takes and gives."""
    served = desk.shelf[name].served
    return Reply.of(
        {
            "name": name,
            "versions": [served.version],
            "platform": "venire",
            "inputs": [{"name": each, "datatype": _datatype(served, each), "shape": [-1]} for each in served.sources],
            "outputs": [
                {"name": each, "datatype": _tensor_type(values), "shape": [-1]}
                for each, values in _nothing(served).items()
            ],
        }
    )


async def infer(desk: Desk, name: str, request: Request) -> Reply:
    """Predictions of rows that come as one tensor a column."""
    request.parameters(())
    if request.media_type() != JSON:
        raise Refusal(415, "wrong_media_type", "tensors come as JSON here", hint=f"send {JSON}")
    held = desk.shelf[name]
    asked: dict[str, Any] = {}
    said, read = await desk.predicted(held, request, partial(_read, most=desk.limits.rows, asked=asked))
    columns = result_columns(held.served.model, said, Wish(), None)
    wanted = asked["outputs"] or list(columns)
    if unknown := [each for each in wanted if each not in columns]:
        raise Refusal(
            400, "unknown_output", f"there is no output {unknown[0]!r}", hint=f"there are {', '.join(columns)}"
        )
    document = {
        "model_name": name,
        "model_version": held.served.version,
        **({} if asked["id"] is None else {"id": asked["id"]}),
        "outputs": [_tensor(each, columns[each]) for each in wanted],
    }
    return Reply.of(document, rows=len(read.X))


def _read(served: ServedModel, request: Request, *, most: int, asked: dict[str, Any]) -> Read:
    """The rows; the id and the outputs that are asked for are noted in `asked`."""
    value = parsed(request.body)
    if not isinstance(value, dict) or not set(value) <= _PARTS or not isinstance(value.get("inputs"), list):
        raise Refusal(400, "wrong_form", "the body is no inference request", hint="it has inputs: a list of tensors")
    tag, outputs = value.get("id"), value.get("outputs", [])
    if not isinstance(tag, str | None) or not isinstance(outputs, list):
        raise Refusal(400, "wrong_form", "id is a text, and outputs a list")
    if not all(isinstance(each, dict) and isinstance(each.get("name"), str) for each in outputs):
        raise Refusal(400, "wrong_form", "an output that is asked for has no name")
    asked.update(id=tag, outputs=[each["name"] for each in outputs])
    cells: dict[str, list[Any]] = {}
    for tensor in value["inputs"]:
        name, data = _column(tensor, most)
        if name in cells:
            raise Refusal(400, "wrong_form", f"the tensor {name!r} is there twice")
        cells[name] = data
    lengths = {len(data) for data in cells.values()}
    if len(lengths) != 1:
        raise Refusal(400, "ragged_columns", "the tensors are none, or of different lengths")
    rows = lengths.pop()
    if rows == 1:
        return served.read_record({name: data[0] for name, data in cells.items()})
    return served.read(Columns(cells, rows))


def _column(tensor: Any, most: int) -> tuple[str, list[Any]]:
    if not isinstance(tensor, dict) or not {"name", "shape", "datatype", "data"} <= set(tensor) <= _TENSOR:
        raise Refusal(400, "wrong_form", "a tensor has name, shape, datatype and data")
    name, shape, data = tensor["name"], tensor["shape"], tensor["data"]
    types = _TYPES.get(tensor["datatype"]) if isinstance(tensor["datatype"], str) else None
    if not isinstance(name, str) or types is None:
        raise Refusal(400, "wrong_type", "a tensor has no name, or a datatype that is unknown")
    if not isinstance(shape, list) or not all(type(each) is int and 0 <= each <= most for each in shape):
        raise Refusal(400, "wrong_shape", f"the shape of {name!r} is no list of whole numbers")
    check_count(data, most)
    flat = [each[0] if isinstance(each, list) and len(each) == 1 else each for each in data]
    if len(shape) not in (1, 2) or prod(shape) != len(flat) or shape[0] != len(flat):
        raise Refusal(400, "wrong_shape", f"the shape of {name!r} is not that of one column", hint="it is [rows]")
    if not all(each is None or type(each) in types for each in flat):
        raise Refusal(400, "wrong_type", f"the values of {name!r} are not of the datatype {tensor['datatype']}")
    return name, flat


def _datatype(served: ServedModel, source: str) -> str:
    column = next(each for each in served.model.columns_ if each.source == source)
    if column.part:
        return "BYTES"
    return "FP64" if column.kind is Kind.NUMERIC else "BYTES"


def _nothing(served: ServedModel) -> dict[str, NDArray[Any]]:
    """The outputs of the first of the model's own example rows, for their names and types."""
    return result_columns(served.model, served.example, Wish(), None)


def _tensor(name: str, values: NDArray[Any]) -> dict[str, Any]:
    return {"name": name, "shape": [len(values)], "datatype": _tensor_type(values), "data": answers.plain(values)}


def _tensor_type(values: NDArray[Any]) -> str:
    return {"f": "FP64", "b": "BOOL", "i": "INT64", "u": "UINT64"}.get(values.dtype.kind, "BYTES")
