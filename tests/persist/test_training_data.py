"""What a model keeps of the rows it was trained on is told, at any depth."""

from __future__ import annotations

import pytest

from tests.persist.fitted import MODELS
from tests.persist.make_files import FILES
from venire import load
from venire.persist.training_data import kept_of

WHOLE_ROWS = {"knn_classifier", "knn_regressor", "support_vector_rbf", "support_vector_regressor", "svc", "svr"} | {
    "scaled_target"
}


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
