from itertools import pairwise

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tests.pictures.read_back import rows_with
from venire import select
from venire.models.gradient_ascent import logistic_ascent
from venire.pictures import ascent_history, complexity_picture, learning_picture, selection_path
from venire.validation import complexity_curve, learning_curve

IRIS = load_iris(return_X_y=True)


def test_both_errors_are_drawn_along_the_settings():
    curve = complexity_curve(KNeighborsClassifier(), IRIS, grid={"n_neighbors": [40, 10, 1]}, folds=3)
    figure = complexity_picture(curve)
    points = next(rows for rows in rows_with(figure, "at", "error", "rows") if len(rows) == 6)
    held = [p["error"] for p in points if p["rows"] == "held-out rows"]
    assert held == pytest.approx(curve.errors)
    assert [p["error"] for p in points if p["rows"] == "training rows"] == pytest.approx(curve.training_errors)
    ring = next(rows for rows in rows_with(figure, "at", "error") if len(rows) == 1)
    assert ring[0] == {"at": curve.settings[int(np.argmin(curve.errors))].label, "error": pytest.approx(min(held))}


def test_both_errors_are_drawn_along_the_rows():
    curve = learning_curve(GaussianNB(), IRIS, sizes=[20, 60, 100], folds=3)
    points = next(rows for rows in rows_with(learning_picture(curve), "at", "error", "rows") if len(rows) == 6)
    assert [p["at"] for p in points if p["rows"] == "held-out rows"] == [20, 60, 100]
    assert [p["error"] for p in points if p["rows"] == "held-out rows"] == pytest.approx(curve.errors)


def test_a_selection_s_path_is_drawn_without_the_name_of_a_file():
    selected = select(IRIS, model="naive_bayes", folds=3)
    figure = selection_path(selected)
    assert "title" not in figure.to_dict()
    path = selected.to_dict()["path"]
    assert [row[2] for row in figure.numbers.rows] == [f"{step['error']:.4g}" for step in path]
    points = next(rows for rows in rows_with(figure, "columns", "error", "rows"))
    assert [p["error"] for p in points if p["rows"] == "cross-validated"] == pytest.approx([s["error"] for s in path])


def test_an_ascent_is_drawn_from_its_start_to_its_end():
    ascent = logistic_ascent([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], eta=0.5)
    figure = ascent_history(ascent, names=("age",))
    (heights,), (coefficients,) = rows_with(figure, "height"), rows_with(figure, "coefficient")
    assert heights[0] == {"step": 1, "height": pytest.approx(-np.log(2), abs=1e-5)}
    assert heights[-1]["step"] == ascent.steps + 1
    assert all(a["height"] <= b["height"] + 1e-6 for a, b in pairwise(heights))
    ends = {p["coefficient"]: p["value"] for p in coefficients}  # the last of each
    assert ends == {
        "intercept": pytest.approx(ascent.intercept, rel=1e-4),
        "age": pytest.approx(ascent.weights[0], rel=1e-4),
    }
    assert "converged" in figure.caption
