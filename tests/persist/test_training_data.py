"""What a model keeps of the rows it was trained on is told, at any depth."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.persist.fitted import MODELS
from tests.persist.make_files import FILES
from venire import load
from venire.errors import VenireWarning
from venire.models.svm.machines import SupportVectorClassifier
from venire.persist import save
from venire.persist.training_data import kept_of

WHOLE_ROWS = {
    "knn_classifier",
    "knn_metric",
    "knn_regressor",
    "knn_sparse",
    "knn_targets",
    "support_vector_rbf",
    "support_vector_regressor",
    "svc",
    "svr",
} | {"scaled_target"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in MODELS if not name.startswith("verdict_")])
def test_whole_rows_are_kept_by_neighbours_and_kernel_machines_alone(name: str) -> None:
    assert any(kept["rows"] for kept in kept_of(load(FILES / f"{name}.venire"))) == (name in WHOLE_ROWS)


@pytest.mark.parametrize(
    ("name", "what"),
    [
        ("adaboost", "which of them each round got wrong"),
        ("additive", "the residuals of the training rows"),
        ("forest_classifier", "out-of-bag predictions"),
        ("one_vs_rest_votes", "the votes on the training rows"),
        ("tree_classifier", "the categories of columns"),
    ],
)
def test_what_else_is_kept(name: str, what: str) -> None:
    assert any(what in kept["what"] for kept in kept_of(load(FILES / f"{name}.venire")))


def test_landmarks_are_rows_and_stay_what_they_are_in_a_file(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(80, 2))
    machine = SupportVectorClassifier(max_rows=60, landmarks=20, random_state=0).fit(X, X[:, 0] > 0)
    assert [kept for kept in kept_of(machine) if kept["rows"]] == [
        {"what": "20 training rows (landmarks of a kernel machine)", "rows": True}
    ]
    with pytest.warns(VenireWarning, match="keeps 20 training rows"):
        save(machine, tmp_path / "m.venire")
    assert np.array_equal(load(tmp_path / "m.venire").decision_function(X), machine.decision_function(X))
