"""Every model of a verdict says the same in onnxruntime, from the columns of the table on."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import venire as vn
from tests.export.onnx.parity import assert_same, feed_of, run
from tests.export.onnx.tables import CLASS_FAMILIES, NUMBER_FAMILIES, frame, new_rows, signal, verdict
from venire.combine.calibrate import Calibration, Sigmoid, Steps
from venire.combine.finish import Finish

ALL = [
    *((task, name) for task in ("two", "many") for name in CLASS_FAMILIES),
    *(("numbers", name) for name in NUMBER_FAMILIES),
]


def same_as(model: Any, numbers: str = "float64", tolerance: float = 1e-9) -> None:
    rows = new_rows()
    if numbers == "float32":  # what float32 can hold, both are asked about
        rows = rows.astype({"size": "float32", "weight": "float32"})
    found = run(model, feed_of(rows, model, numbers), numbers)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vn.VenireWarning)  # of words that were not there in training
        assert_same(model, rows, found, tolerance)


@pytest.mark.parametrize(("task", "name"), ALL)
def test_the_graph_says_what_the_model_says(task: str, name: str) -> None:
    same_as(verdict(task).fit(name))


@pytest.mark.parametrize(("task", "name"), [("two", "stack"), ("many", "forest"), ("numbers", "boosting")])
def test_rounded_to_single_precision_it_still_does(task: str, name: str) -> None:
    same_as(verdict(task).fit(name), "float32", 1e-6)


CALIBRATED = {
    "a sigmoid": ("two", Calibration("sigmoid", (Sigmoid(0.7, 0.2),))),
    "steps": ("two", Calibration("isotonic", (Steps((0.1, 0.30000001, 0.31, 0.9), (0.05, 0.2, 0.6, 0.95)),))),
    "two steps": ("two", Calibration("isotonic", (Steps((0.2, 0.7), (0.1, 0.8)),))),
    "a single step": ("two", Calibration("isotonic", (Steps((0.5,), (0.4,)),))),
    "sigmoids": ("many", Calibration("sigmoid", tuple(Sigmoid(s, 0.1) for s in (0.5, 1.0, 1.5, 2.0)))),
    "many steps": ("many", Calibration("isotonic", tuple(Steps((0.1, 0.6), (0.0, h)) for h in (0.2, 0.5, 0.9, 1.0)))),
}


@pytest.mark.parametrize("how", CALIBRATED)
@pytest.mark.parametrize("name", ["forest", "vote"])
def test_calibration_is_inside(how: str, name: str) -> None:
    task, calibration = CALIBRATED[how]
    same_as(verdict(task).fit(name).set_params(finish=Finish(calibration)))


@pytest.mark.parametrize(
    ("name", "finish"),
    [
        ("forest", Finish(threshold=0.2)),
        ("forest", Finish(Calibration("sigmoid", (Sigmoid(2.0, 0.5),)), threshold=0.8)),
        ("linear", Finish(threshold=-0.3)),
        ("boosting", Finish(costs=((0.0, 1.0), (7.0, 0.0)))),
        ("boosting", Finish(threshold=float("inf"))),
    ],
)
def test_the_decision_is_inside(name: str, finish: Finish) -> None:
    model = verdict("two").fit(name)
    before = model.predict(frame(240))
    same_as(model.set_params(finish=finish))
    assert (model.predict(frame(240)) != before).any()


def test_the_costs_of_many_classes_are_inside() -> None:
    costs = tuple(tuple(0.0 if i == j else 1.0 + 3 * i + j for j in range(4)) for i in range(4))
    same_as(verdict("many").fit("boosting").set_params(finish=Finish(costs=costs)))


def test_numbers_that_mean_missing_are_missing_in_the_graph_too() -> None:
    table = frame(120)
    table["y"] = signal(table)
    table.loc[::9, "size"] = -999.0
    found = vn.compare(table, "y", models=["linear"], folds=3, budget=None, jobs=1, missing=["-999"])
    model = found.fit("linear")
    rows = new_rows(20)
    rows.loc[3, "size"], rows.loc[4, "size"], rows.loc[5, "weight"] = -999.0, 1e200, np.inf
    graph = run(model, feed_of(rows, model))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", vn.VenireWarning)
        assert_same(model, rows, graph)


def test_parts_of_a_date_come_in_as_numbers() -> None:
    table = frame(120)
    table["y"] = signal(table)
    table["day"] = np.arange("2024-01-01", "2024-04-30", dtype="datetime64[D]")[:120]
    model = vn.compare(table, "y", models=["boosting"], folds=3, budget=None, jobs=1).fit("boosting")
    parts = [column.name for column in model.columns_ if column.part]
    assert parts
    matrix = vn.conform(table, model.columns_, reading=model.reading_).X
    rows = table.assign(**{name: matrix[:, list(model.feature_names_in_).index(name)] for name in parts})
    assert_same(model, table, run(model, feed_of(rows, model)))


@pytest.mark.parametrize("name", ["label", "probabilities"])
def test_a_column_may_have_the_name_of_an_output(name: str) -> None:
    table = frame(120).rename(columns={"size": name})
    table["y"] = np.where(table["weight"].fillna(0) > 0, "yes", "no")
    model = vn.compare(table, "y", models=["tree"], folds=3, budget=None, jobs=1).fit("tree")
    found = run(model, feed_of(table, model))
    assert f"{name}_" in found
    np.testing.assert_array_equal(found.get("label_", found.get("label")), model.predict(table))


@pytest.mark.parametrize("labels", [(True, False), (1.5, 2.5), ("a", "b"), (7, 8)])
def test_labels_keep_their_type(labels: tuple[Any, Any]) -> None:
    X = np.random.default_rng(0).normal(size=(60, 2))
    table = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": np.where(X[:, 0] > 0, *labels)})
    found = vn.compare(table, "y", models=["tree"], folds=3, budget=None, jobs=1, task="classification")
    model = found.fit("tree")
    assert_same(model, table, run(model, feed_of(table, model)))


def test_what_has_no_form_there_says_so_and_the_way_out() -> None:
    table = frame(60).assign(y=lambda rows: np.where(rows["weight"].fillna(0) > 0, "yes", "no"))
    model = vn.compare(table, "y", models=["knn"], folds=3, budget=None, jobs=1).fit("knn")
    with pytest.raises(
        vn.UsageError, match=r"KNeighborsClassifier has no form in ONNX here \(inside Pipeline\)"
    ) as found:
        run(model, {})
    assert "compare without that model" in str(found.value.hint)
    assert found.value.code == "cannot_export"
