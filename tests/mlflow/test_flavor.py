"""The folder of an MLflow model: what is in it, and what is refused."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

import venire as vn
from venire.mlflow.flavor import Served

mlflow = pytest.importorskip("mlflow", reason="MLflow is an extra: pip install mlflow-skinny")
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::DeprecationWarning")  # of MLflow itself


@pytest.fixture
def tree() -> Any:
    return vn.DecisionTreeClassifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"])


def test_the_folder_has_the_file_its_description_and_what_it_needs(tree: Any, tmp_path: Path) -> None:
    vn.mlflow.save_model(tree, tmp_path / "tree", metadata={"from": "a test"})
    assert {path.name for path in (tmp_path / "tree").iterdir()} == {"MLmodel", "model.venire", "requirements.txt"}
    described = mlflow.models.Model.load(str(tmp_path / "tree"))
    assert set(described.flavors) == {"python_function", "venire"}
    assert described.flavors["python_function"]["loader_module"] == "venire.mlflow"
    assert described.metadata == {"from": "a test"}
    assert f"venire=={vn.__version__}" in (tmp_path / "tree" / "requirements.txt").read_text().split()
    assert not list(tmp_path.rglob("*.pkl"))


def test_a_folder_in_use_is_refused(tree: Any, tmp_path: Path) -> None:
    (tmp_path / "there").write_text("")
    with pytest.raises(vn.UsageError, match="there is something already"):
        vn.mlflow.save_model(tree, tmp_path)


def test_a_damaged_model_is_refused_by_mlflow_too(tree: Any, tmp_path: Path) -> None:
    vn.mlflow.save_model(tree, tmp_path / "tree")
    file = tmp_path / "tree" / "model.venire"
    file.write_bytes(file.read_bytes()[:-1] + b"\x00")
    with pytest.raises(vn.ModelFormatError, match="its checksum is another"):
        vn.mlflow.load_model(str(tmp_path / "tree"))
    with pytest.raises(vn.ModelFormatError, match="its checksum is another"):
        mlflow.pyfunc.load_model(str(tmp_path / "tree"))


def test_a_model_of_another_flavour_is_said(tree: Any, tmp_path: Path) -> None:
    vn.mlflow.save_model(tree, tmp_path / "tree")
    described = mlflow.models.Model.load(str(tmp_path / "tree"))
    del described.flavors["venire"]
    described.save(str(tmp_path / "tree" / "MLmodel"))
    with pytest.raises(vn.UsageError, match="is of another flavour: python_function"):
        vn.mlflow.load_model(str(tmp_path / "tree"))


def test_only_predictions_can_be_asked_for(tree: Any) -> None:
    with pytest.raises(vn.UsageError, match="the model has no '__class__'") as found:
        Served(tree).predict([[1.0]], {"predict_method": "__class__"})
    assert found.value.hint == "it has predict, predict_proba"


def test_without_mlflow_the_way_to_get_it_is_said(tree: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mlflow", None)
    with pytest.raises(vn.UsageError, match="needs the package mlflow") as found:
        vn.mlflow.save_model(tree, tmp_path / "tree")
    assert "venire[mlflow]" in str(found.value.hint)
