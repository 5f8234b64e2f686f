"""Packs of nets in all their forms, beside onnxruntime and beside a plain pass in double precision."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pandas as pd
import pytest

import venire as vn
from tests.export.onnx.parity import assert_same, feed_of, run
from tests.export.onnx.tables import frame, signal
from venire.export import to_onnx, to_sklearn

ROWS, CODES = 300, 90
CODED: dict[str, Any] = {"categorical_features": [2, 3], "max_epochs": 6, "random_state": 0}
CLASSES, NUMBERS = vn.NetClassifier, vn.NetRegressor
MODELS: dict[str, tuple[int, Any]] = {
    "two classes": (2, CLASSES((16, 8), **CODED)),
    "many classes": (5, CLASSES((16, 8), **CODED)),
    "costs": (3, CLASSES((8,), costs=[[0, 1, 9], [5, 0, 1], [1, 3, 0]], **CODED)),
    "one net": (2, CLASSES((8,), n_nets=1, **CODED)),
    "no hidden layer": (3, CLASSES((), **CODED)),
    "three layers": (2, CLASSES((8, 4, 6), n_nets=3, **CODED)),
    "no pieces": (2, CLASSES((8,), numeric_bins=0, **CODED)),
    "numbers": (0, NUMBERS((16, 8), **CODED)),
    "one net of numbers": (0, NUMBERS((), n_nets=1, **CODED)),
    "codes as numbers": (0, NUMBERS((8,), max_epochs=6, random_state=0)),
    "in a bag": (3, vn.BaggingClassifier(CLASSES((4,), **CODED), n_estimators=2, random_state=0)),
    "in a vote": (2, vn.VotingClassifier([CLASSES((8,), **CODED), vn.DecisionTreeClassifier(max_depth=2)])),
}


def coded(seed: int = 0) -> np.ndarray:
    """A number with a long tail, one with few values, two columns of codes (one with more than a net takes); gaps."""
    rng = np.random.default_rng(seed)
    X = np.column_stack(
        [
            1e4 * np.exp(3 * rng.normal(size=ROWS)),
            rng.integers(0, 2, ROWS),
            rng.integers(0, CODES, ROWS),
            rng.integers(0, 4, ROWS),
        ]
    )
    X[rng.random(X.shape) < 0.08] = np.nan
    return X


def target(X: np.ndarray, classes: int) -> np.ndarray:
    told = np.log(np.nan_to_num(X[:, 0], nan=1e4)) + 2 * (X[:, 2] % 3 == 1) + np.isnan(X[:, 1])
    return (
        1000 + 50 * told if classes == 0 else np.digitize(told, np.quantile(told, np.linspace(0, 1, classes + 1)[1:-1]))
    )


def new() -> np.ndarray:
    """Rows with codes that were not there in training, and with numbers far beyond all that were."""
    X = coded(seed=1)
    X[::7, 2], X[::11, 3] = CODES + 50, 6
    X[:4, 0] = [1e200, -1e200, 1e308, 0.0]
    return X


@pytest.mark.parametrize("name", MODELS)
def test_the_graph_says_what_the_nets_say(name: str) -> None:
    classes, model = MODELS[name]
    X = coded()
    fitted = model.fit(X, target(X, classes))
    assert_same(fitted, new(), run(fitted, {"X": new()}))
    rounded = new().clip(-1e30, 1e30).astype(np.float32)
    assert_same(fitted, rounded, run(fitted, {"X": rounded}, "float32"))


def passed(model: Any, x: np.ndarray) -> np.ndarray:
    """What the nets say of encoded rows, one net and one layer after the other, in double precision."""
    total = np.zeros((len(x), model._sizes[-1]))
    for weights in model._weights.astype(np.float64):
        at, begin = x.astype(np.float64), 0
        for taken, units in pairwise(model._sizes):
            at = np.maximum(at, 0.0) if begin else at
            shifts = begin + taken * units
            at = at @ weights[begin:shifts].reshape(taken, units) + weights[shifts : shifts + units]
            begin = shifts + units
        if hasattr(model, "classes_"):
            at = np.exp(at - at.max(axis=1, keepdims=True))
            at /= at.sum(axis=1, keepdims=True)
        total += at / len(model._weights)
    return total


@pytest.mark.parametrize("name", ["many classes", "three layers", "no pieces", "numbers", "no hidden layer"])
def test_what_differs_is_what_single_precision_rounds_off(name: str) -> None:
    classes, model = MODELS[name]
    X = coded()
    model.fit(X, target(X, classes))
    said = passed(model, model._columns.transform(new()))
    found = run(model, {"X": new()})
    if classes:
        np.testing.assert_allclose(found["probabilities"], said, rtol=0, atol=1e-13)
    else:
        value = said * model._target_spread + model._target_mean
        np.testing.assert_allclose(found["value"], value.clip(model._target_low, model._target_high), rtol=1e-13)


def test_nets_see_the_very_same_inputs() -> None:
    X = coded()
    model = vn.NetClassifier((4,), **CODED).fit(X, target(X, 2))
    graph = to_onnx(model, numbers="float64")
    seen = next(node.input[0] for node in graph.graph.node if node.op_type == "MatMul")
    graph.graph.output.append(onnx.helper.make_tensor_value_info(seen, onnx.TensorProto.DOUBLE, None))
    session = onnxruntime.InferenceSession(graph.SerializeToString())
    np.testing.assert_array_equal(session.run([seen], {"X": new()})[0], model._columns.transform(new()))


@pytest.mark.parametrize("categorical", [[], [0, 1]])
def test_columns_that_were_never_filled(categorical: list[int]) -> None:
    X = np.full((30, 2), np.nan)
    model = vn.NetClassifier((4,), categorical_features=categorical, max_epochs=2, random_state=0)
    model.fit(X, np.arange(30) % 2)
    rows = np.array([[1.0, np.nan], [0.0, 3.0]])
    assert_same(model, rows, run(model, {"X": rows}))


def test_nets_that_were_fitted_on_words_take_words() -> None:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"colour": rng.choice(["red", "green"], 60), "size": rng.normal(size=60)})
    model = vn.NetRegressor((4,), max_epochs=4, random_state=0).fit(table, table["size"] + (table["colour"] == "red"))
    feed = {"colour": table[["colour"]].to_numpy(dtype=object), "size": table[["size"]].to_numpy()}
    assert_same(model, table, run(model, feed))


def test_no_rows_and_one() -> None:
    X = coded()
    session = onnxruntime.InferenceSession(
        to_onnx(vn.NetClassifier((4,), **CODED).fit(X, target(X, 3)), numbers="float64").SerializeToString()
    )
    assert session.run(["probabilities"], {"X": X[:0]})[0].shape == (0, 3)
    assert session.run(["label"], {"X": X[:1]})[0].shape == (1,)


def test_weights_take_no_more_room_than_in_single_precision() -> None:
    X = coded()
    model = vn.NetClassifier((128, 128), **{**CODED, "max_epochs": 1}).fit(X, target(X, 2))
    assert to_onnx(model).ByteSize() < 1.1 * model._weights.nbytes


@pytest.fixture(scope="module")
def blend() -> Any:
    """Two settings of one family, as a blend may take them."""
    table = frame(200)
    table["y"] = signal(table)
    verdict = vn.compare(table, "y", models=["tree", "neural_net", "blend"], folds=3, budget=None, jobs=1)
    model = verdict.fit("blend")
    assert sum(name.startswith("neural_net") for name, _ in model.members) > 1
    return model


def test_settings_of_one_family_stay_apart(blend: Any, tmp_path: Path) -> None:
    vn.save(blend, tmp_path / "blend.venire")
    again = vn.load(tmp_path / "blend.venire")
    rows = frame(50, seed=5)
    assert_same(blend, rows, run(again, feed_of(rows, again)))
    graph = to_onnx(again).graph
    names = [name for node in graph.node for name in node.output] + [each.name for each in graph.initializer]
    assert len(names) == len(set(names))


def test_pipelines_of_scikit_learn_hold_nets_too(blend: Any) -> None:
    rows = frame(50, seed=5)
    np.testing.assert_array_equal(to_sklearn(blend).predict(rows), blend.predict(rows))


def test_numbers_stay_in_the_range_of_training() -> None:
    X = np.linspace(-1, 1, 60)[:, None]
    model = vn.NetRegressor((), n_nets=1, numeric_bins=0, learning_rate=0.1, random_state=0).fit(X, X[:, 0])
    rows = np.array([[-50.0], [50.0]])
    found = run(model, {"X": rows})
    assert found["value"].ravel().tolist() == model.predict(rows).tolist() == [-1.0, 1.0]
