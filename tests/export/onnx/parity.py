"""What a graph says in onnxruntime beside what the model says."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from venire.export import to_onnx
from venire.models.net.base import NetBase
from venire.persist.training_data import parts_of

TOLERANCE = 1e-9  # far below the 1e-5 that is promised: both compute in double precision
WITH_NETS = 1e-6  # the core computes nets in single precision, the graph in double


def run(model: Any, feed: dict[str, NDArray[Any]], numbers: str = "float64") -> dict[str, NDArray[Any]]:
    """The outputs of the graph by their names."""
    graph = to_onnx(model, numbers=numbers)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(graph.SerializeToString(), options, providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_outputs()]
    return dict(zip(names, session.run(names, feed), strict=True))


def feed_of(frame: Any, model: Any, numbers: str = "float64") -> dict[str, NDArray[Any]]:
    """The columns of a pandas frame as tensors: numbers as they are, all else as strings."""
    wanted = {column.name: column for column in model.columns_}
    feed = {}
    for name, column in wanted.items():
        values = frame[name]
        if column.kind == "numeric":
            feed[name] = values.to_numpy(dtype=numbers)[:, None]
        else:
            texts = ["" if value is None or value != value else str(value) for value in values]
            feed[name] = np.array(texts, dtype=object)[:, None]
    return feed


def assert_same(model: Any, rows: Any, found: dict[str, NDArray[Any]], least: float = TOLERANCE) -> None:
    """The graph says what the model says, as near as the model itself computes, or as `least`."""
    nets = any(isinstance(part, NetBase) for part in parts_of(model))
    tolerance = max(least, WITH_NETS) if nets else least
    if "value" in found:
        np.testing.assert_allclose(found["value"].ravel(), model.predict(rows), rtol=tolerance, atol=tolerance)
        return
    said = np.asarray(model.predict(rows))
    assert found["label"].dtype.kind == ("O" if said.dtype.kind in "UO" else said.dtype.kind)
    np.testing.assert_array_equal(found["label"].astype(said.dtype), said)
    if "probabilities" in found:
        np.testing.assert_allclose(found["probabilities"], model.predict_proba(rows), rtol=0, atol=tolerance)
    else:
        scores = np.asarray(model.decision_function(rows)).reshape(len(said), -1)
        np.testing.assert_allclose(found["scores"], scores, rtol=tolerance, atol=tolerance)
