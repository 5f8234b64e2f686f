"""A graph while it is drawn: its tensors are known by name, and what a model says of rows is asked by its class.

Every number inside is a double; weights of nets are kept in single precision, and widened. Inputs may be float32; they
are widened first, so that a comparison with a threshold comes out as it does in the model, for every value that float32
can hold.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from onnx import NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper

from venire.errors import UsageError

ML: Final = "ai.onnx.ml"
INSIDE: Final = "venire/"  # before the names of tensors inside, so that no column has the same one


@dataclass(frozen=True, slots=True)
class Said:
    """What a model says of rows, as tensors.

    `outputs` is [row, class], [row, 1] for the score of the second of two classes or for numbers, or None for a model
    that gives labels alone; `labels` is [row], places among the model's classes, or None for numbers.
    """

    outputs: str | None
    labels: str | None = None
    probabilities: bool = False


Writer = Callable[["Graph", Any, str], Said]


class Graph:
    """Nodes and constants as they are added; a tensor is its name."""

    def __init__(self, writers: Mapping[type, Writer], encoders: Mapping[type, Callable[..., str]]) -> None:
        self.nodes: list[NodeProto] = []
        self.constants: list[TensorProto] = []
        self.inputs: list[ValueInfoProto] = []
        self._writers = writers
        self._encoders = encoders
        self._where: list[str] = []

    def op(self, kind: str, *inputs: str, name: str | None = None, domain: str = "", **attributes: Any) -> str:
        """Add a node of one output, and give that output's name."""
        made = f"{INSIDE}{kind.lower()}_{len(self.nodes)}" if name is None else name
        self.nodes.append(helper.make_node(kind, list(inputs), [made], domain=domain, **attributes))
        return made

    def constant(self, value: ArrayLike, dtype: Any = np.float64) -> str:
        """A tensor that never changes."""
        array = np.asarray(value, dtype=dtype)
        name = f"{INSIDE}constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array).reshape(array.shape), name))
        return name

    def texts(self, values: Sequence[str]) -> str:
        """A tensor of strings that never changes."""
        name = f"{INSIDE}constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(values, dtype=object), name))
        return name

    def input(self, name: str, kind: int, columns: int) -> str:
        """A tensor that the caller gives: any number of rows."""
        self.inputs.append(helper.make_tensor_value_info(name, kind, ["rows", columns]))
        return name

    def ask(self, model: Any, rows: str) -> Said:
        """What a fitted model says of these rows [row, column]."""
        writer = self._writers.get(type(model))
        if writer is None:
            raise self.refused(model, f"{type(model).__name__} has no form in ONNX here")
        self._where.append(type(model).__name__)
        said = writer(self, model, rows)
        self._where.pop()
        return said

    def encode(self, transformer: Any, rows: str) -> str:
        """The rows as a fitted transformer gives them."""
        encoder = self._encoders.get(type(transformer))
        if encoder is None:
            raise self.refused(transformer, f"{type(transformer).__name__} has no form in ONNX here")
        return encoder(self, transformer, rows)

    def refused(self, part: Any, why: str) -> UsageError:
        """The error of a part that cannot be written."""
        inside = f" (inside {self._where[0]})" if self._where and self._where[0] != type(part).__name__ else ""
        return UsageError(
            f"the model cannot be exported: {why}{inside}",
            code="cannot_export",
            hint="save it as a .venire file, or compare without that model and export what is chosen then",
        )

    # What several writers need; a name says what it gives.

    def cast(self, tensor: str, to: int = TensorProto.DOUBLE) -> str:
        """The same values in another type."""
        return self.op("Cast", tensor, to=to)

    def columns(self, rows: str, places: ArrayLike) -> str:
        """Some columns, in this order."""
        return self.op("Gather", rows, self.constant(places, np.int64), axis=1)

    def plane(self, rows: str, weights: NDArray[Any], shifts: ArrayLike) -> str:
        """`rows` @ `weights` + `shifts`."""
        return self.op("Add", self.op("MatMul", rows, self.constant(weights)), self.constant(shifts))

    def weighted(self, tensors: Sequence[str], weights: Sequence[float]) -> str:
        """The weighted sum, member after member, without those of weight 0."""
        kept = [(tensor, weight) for tensor, weight in zip(tensors, weights, strict=True) if weight > 0]
        parts = [self.op("Mul", tensor, self.constant(weight)) for tensor, weight in kept]
        total = parts[0]
        for part in parts[1:]:
            total = self.op("Add", total, part)
        return total

    def row_sum(self, tensor: str) -> str:
        """[row, column] → [row, 1]."""
        return self.op("ReduceSum", tensor, self.constant([1], np.int64), keepdims=1)

    def largest(self, tensor: str) -> str:
        """The place of the largest in each row, of equals the first."""
        return self.op("ArgMax", tensor, axis=1, keepdims=0)

    def flat(self, tensor: str) -> str:
        """[row, 1] → [row]."""
        return self.op("Reshape", tensor, self.constant([-1], np.int64))

    def second_share(self, share: str) -> str:
        """[row, 1] of the second of two classes → [row, 2]."""
        first = self.op("Sub", self.constant(1.0), share)
        return self.op("Concat", first, share, axis=1)

    def votes(self, labels: str, classes: int) -> str:
        """One for the class said, zero for the others: [row, class]."""
        said = self.op("Unsqueeze", labels, self.constant([1], np.int64))
        return self.cast(self.op("Equal", said, self.constant(np.arange(classes)[None], np.int64)))

    def tiled(self, rows: str, line: ArrayLike) -> str:
        """The same line for every row."""
        blank = self.op("Mul", self.cast(self.op("IsNaN", self.columns(rows, [0]))), self.constant(0.0))
        return self.op("Add", blank, self.constant(np.atleast_2d(np.asarray(line, dtype=np.float64))))
