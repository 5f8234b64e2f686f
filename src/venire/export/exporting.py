"""Models for other programs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from venire.errors import UsageError
from venire.persist.model_files import write_whole

if TYPE_CHECKING:
    from onnx import ModelProto

_MOST_BYTES = (1 << 31) - 1  # of a protobuf message


def to_onnx(model: Any, *, numbers: str = "float32") -> ModelProto:
    """The model as an ONNX graph, with encoding, calibration and threshold inside.

    A model of a verdict takes one tensor `[rows, 1]` a column, by the column's name: numbers as `numbers` says, NaN
    where missing, and categories as strings. Strings that are no category of the training table, the empty one among
    them, are missing. The parts of a date (`day (month)`) come in as numbers of their own. An estimator fitted by hand
    on an array takes one tensor `X`. It gives `label` and `probabilities` (or `scores`), or `value`.

    Inside, all is computed in double precision, so that the graph and the model agree to about 1e-12 for every input
    that the tensors hold exactly; to about 1e-7 where `NetClassifier` or `NetRegressor` take part, which compute in
    single precision themselves. With float32, a number that float32 cannot hold is another number once it is given
    as one, and may fall on the other side of a threshold: take float64 where that matters.

    Parameters
    ----------
    model
        What `Verdict.fit` or `venire.load` gives, or a fitted estimator.
    numbers
        The type of numbers that come in and go out: `"float32"` or `"float64"`.

    Returns
    -------
    onnx.ModelProto
        The graph; its method `SerializeToString` gives the bytes of a file.

    Examples
    --------
    >>> from venire import DecisionTreeClassifier
    >>> tree = DecisionTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])
    >>> [each.name for each in to_onnx(tree).graph.output]
    ['label', 'probabilities']
    """
    try:
        from venire.export.onnx.drawing import drawn
    except ModuleNotFoundError as error:
        if error.name is None or error.name.partition(".")[0] != "onnx":
            raise
        raise UsageError(
            "exporting to ONNX needs the package onnx, which is not installed",
            code="missing_package",
            hint="install it with pip install 'venire[onnx]'",
        ) from None
    if numbers not in ("float32", "float64"):
        raise UsageError(f"{numbers!r} is no type of numbers of a graph", hint="give float32 or float64")
    return drawn(model, numbers)


def save_onnx(model: Any, path: str | os.PathLike[str], *, numbers: str = "float32") -> Path:
    """Write the ONNX graph of a model to a file, whole or not at all.

    Parameters
    ----------
    model, numbers
        As of `to_onnx`.
    path
        The file; by custom its name ends in `.onnx`.

    Returns
    -------
    Path
        The file.

    Examples
    --------
    >>> import tempfile
    >>> from venire import DecisionTreeRegressor
    >>> tree = DecisionTreeRegressor().fit([[1.0], [2.0]], [1.0, 2.0])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_onnx(tree, f"{folder}/tree.onnx").name
    'tree.onnx'
    """
    graph = to_onnx(model, numbers=numbers)
    size = graph.ByteSize()
    if size > _MOST_BYTES:
        raise UsageError(
            f"the graph takes {size >> 20:,} MB, and {_MOST_BYTES >> 20:,} MB fit in an ONNX file",
            code="model_too_large",
            hint="export a model of fewer trees or smaller nets",
        )
    return write_whole(path, graph.SerializeToString(), what="graph")
