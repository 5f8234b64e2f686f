"""Graphs as files, and what is said where there is none."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest

import venire as vn


@pytest.fixture
def tree() -> Any:
    return vn.DecisionTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])


def test_a_graph_is_written_whole(tree: Any, tmp_path: Path) -> None:
    path = vn.export.save_onnx(tree, tmp_path / "tree.onnx")
    graph = onnx.load(path)
    onnx.checker.check_model(graph)
    assert {each.key: each.value for each in graph.metadata_props} == {"classes": "a, b"}
    assert graph.producer_name == "venire"


def test_the_same_model_gives_the_same_bytes(tree: Any) -> None:
    assert vn.export.to_onnx(tree).SerializeToString() == vn.export.to_onnx(tree).SerializeToString()


def test_without_onnx_the_way_to_get_it_is_said(tree: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(("onnx", "venire.export.onnx"))]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(vn.UsageError, match="needs the package onnx") as found:
        vn.export.to_onnx(tree)
    assert "venire[onnx]" in str(found.value.hint)


def test_numbers_of_another_type_are_refused(tree: Any) -> None:
    with pytest.raises(vn.UsageError, match="'float16' is no type of numbers of a graph"):
        vn.export.to_onnx(tree, numbers="float16")


def test_a_place_that_cannot_be_written_is_said(tree: Any, tmp_path: Path) -> None:
    with pytest.raises(vn.UsageError, match="the graph cannot be written"):
        vn.export.save_onnx(tree, tmp_path / "nowhere" / "tree.onnx")


def test_a_graph_too_large_for_a_file_is_said(tree: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("venire.export.exporting._MOST_BYTES", 10)
    with pytest.raises(vn.UsageError, match="fit in an ONNX file"):
        vn.export.save_onnx(tree, tmp_path / "tree.onnx")
    assert not list(tmp_path.iterdir())


def test_rows_one_by_one_and_none_at_all(tree: Any) -> None:
    import onnxruntime

    session = onnxruntime.InferenceSession(vn.export.to_onnx(tree).SerializeToString())
    assert session.run(["label"], {"X": np.array([[3.5]], dtype=np.float32)})[0].tolist() == ["b"]
    assert session.run(["label"], {"X": np.empty((0, 1), dtype=np.float32)})[0].tolist() == []
