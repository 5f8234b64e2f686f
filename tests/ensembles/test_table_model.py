"""The model a user keeps, as scikit-learn sees it."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.model_selection import cross_val_score

import venire as vn
from venire.combine.calibrate import Calibration, Steps
from venire.combine.finish import Finish
from venire.data import Task


def rows(seed: int = 0) -> Any:
    rng = np.random.default_rng(seed)
    a, c = rng.normal(size=80), rng.choice(["u", "v"], 80)
    y = np.where(a + (c == "u") + 0.3 * rng.normal(size=80) > 0.5, "yes", "no")
    return pd.DataFrame({"a": a, "c": c, "y": y, "n": a + (c == "u")})


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    how: dict[str, Any] = {"models": ["tree", "vote", "baseline"], "folds": 4, "jobs": 1}
    home: Path = tmp_path_factory.mktemp("kept")
    one = vn.compare(rows().drop(columns="n"), "y", home=home, **how).fit()
    other = vn.compare(rows().drop(columns="y"), "n", home=home, **how).fit()
    return one, other


def test_it_says_what_it_is(models: tuple[Any, Any]) -> None:
    classes, numbers = models
    assert (is_classifier(classes), is_regressor(classes)) == (True, False)
    assert (is_classifier(numbers), is_regressor(numbers)) == (False, True)


def test_it_has_a_score(models: tuple[Any, Any]) -> None:
    classes, numbers = models
    fresh = rows(1)
    assert classes.score(fresh, fresh["y"]) == np.mean(classes.predict(fresh) == fresh["y"])
    assert 0 < numbers.score(fresh, fresh["n"]) <= 1


def test_a_copy_can_be_trained_on_other_rows(models: tuple[Any, Any]) -> None:
    classes, numbers = models
    fresh = rows(1)
    again = clone(classes).fit(fresh, fresh["y"])
    assert again.score(fresh, fresh["y"]) > 0.8
    before = classes.predict(fresh)
    np.testing.assert_array_equal(classes.predict(fresh), before)
    assert cross_val_score(numbers, fresh[["a", "c"]], fresh["n"], cv=3).min() > 0


def test_a_copy_and_the_model_itself_can_be_pickled(models: tuple[Any, Any]) -> None:
    for model in models:
        again = pickle.loads(pickle.dumps(model))  # noqa: S301  # our own bytes
        assert again.about_ == model.about_
        pickle.loads(pickle.dumps(clone(model)))  # noqa: S301  # our own bytes


def test_figures_are_those_of_the_rows_it_was_fitted_on(models: tuple[Any, Any]) -> None:
    classes, _ = models
    assert classes.about_["target"] == "y"
    fresh = rows(seed=3)
    assert clone(classes).fit(fresh, fresh["y"]).about_ is None


@pytest.mark.parametrize(
    ("damage", "wrong"),
    [
        ({"weights": [-1.0]}, "weights item 0 is below 0"),
        ({"weights": [0.0]}, "weights are all zero"),
        ({"weights": [0.5, 0.5]}, "weights has 2 members, and there are 1"),
        ({"members": []}, "weights has 1 members, and there are 0"),
        ({"task_": Task.REGRESSION}, "task_ and classes_ do not go together"),
        ({"classes_": np.array(["a"])}, "speaks of other classes"),
        ({"finish": Finish(costs=((0.0, 1.0, 2.0),) * 3)}, "finish is of other classes"),
        ({"finish": Finish(Calibration("isotonic", (Steps((0.9, 0.1), (0.2, 0.3)),)))}, "at does not ascend"),
    ],
)
def test_a_damaged_state_is_refused(models: tuple[Any, Any], damage: dict[str, Any], wrong: str) -> None:
    classes, _ = models
    with pytest.raises(vn.ModelFormatError, match=wrong):
        clone(classes).__setstate__({**classes.__getstate__(), **damage})


@pytest.mark.parametrize("ask", ["predict", "predict_proba"])
def test_values_that_go_missing_are_told(models: tuple[Any, Any], ask: str) -> None:
    fresh = rows(1)[["a", "c"]].astype(object)
    gone = fresh.copy()
    fresh.loc[[0, 3], "a"] = ["abc", np.inf]
    fresh.loc[2, "c"] = "w"
    gone.loc[[0, 3], "a"] = None
    gone.loc[2, "c"] = None
    said = r"a: 1 row with words .*; a: 1 infinite value.*; c: 1 row with values not seen in training \('w'\)"
    with pytest.warns(vn.VenireWarning, match=said) as caught:
        found = getattr(models[0], ask)(fresh)
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(found, getattr(models[0], ask)(gone))


@pytest.mark.parametrize(
    ("kind", "dtype"),
    [("bool", np.dtype(bool)), ("int8", np.dtype(np.int8)), ("float", np.dtype(float)), ("category", np.dtype(bool))],
)
def test_predictions_have_the_type_of_the_target(kind: str, dtype: np.dtype[Any], tmp_path: Path) -> None:
    table = rows().drop(columns="n")
    table["y"] = (table["y"] == "yes").astype(kind)
    verdict = vn.compare(table, "y", models=["tree", "baseline"], folds=4, jobs=1, home=tmp_path)
    model = verdict.fit("tree")
    said = model.predict(table)
    assert (model.classes_.dtype, said.dtype) == (dtype, dtype)
    assert model.classes_.tolist() == [False, True]
    assert model.score(table, table["y"]) == np.mean(said == table["y"].to_numpy(dtype)) > 0.8
    assert clone(model).fit(table, table["y"]).predict(table).dtype == dtype
    frame = verdict.evidence["tree"].to_frame()
    assert (frame["actual"].dtype, frame["predicted"].dtype) == (table["y"].dtype, table["y"].dtype)
    assert frame["actual"].tolist() == table["y"].tolist()
    assert verdict.to_dict()["classes"] == (["False", "True"] if dtype.kind == "b" else ["0", "1"])
