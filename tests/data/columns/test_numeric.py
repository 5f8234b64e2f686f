"""Numbers no learner can use: infinite ones, and those whose squares have no sum."""

import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

import venire as vn
from venire.data import conform, read_table
from venire.errors import DataError

HUGE = np.array([1e308, -1e308, 1.7e308, 2.5] * 10)


@pytest.mark.parametrize("form", ["frame", "csv"])
def test_numbers_too_large_to_be_squared_are_missing_and_that_is_said(form: str, tmp_path: Any) -> None:
    frame = pd.DataFrame({"x": HUGE, "z": np.arange(40) % 7, "y": ["a", "b"] * 20})
    frame.to_csv(tmp_path / "t.csv", index=False)
    source = frame if form == "frame" else tmp_path / "t.csv"
    table = read_table(source, "y")
    np.testing.assert_array_equal(table.X[:, 0], np.where(HUGE > 1e300, np.nan, np.where(HUGE < 0, np.nan, 2.5)))
    said = [(note.code, note.column, note.message) for note in table.notes if note.code == "huge_values"]
    assert said == [("huge_values", "x", "30 values beyond ±1e+100 taken as missing: sums of their squares overflow")]
    new = conform(source, table.columns)
    np.testing.assert_array_equal(new.X, table.X)
    assert [(note.code, note.column) for note in new.notes] == [("huge_values", "x")]


def test_a_comparison_with_such_numbers_gives_no_nan_and_no_warning(tmp_path: Any) -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=60)
    X = np.column_stack([x, np.where(rng.random(60) < 0.2, 1e308, rng.normal(size=60)), rng.normal(size=60) * 1e99])
    models = ["baseline", "naive_bayes", "knn", "linear", "logistic"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verdict = vn.compare((X, np.where(x > 0, "p", "q")), models=models, folds=4, jobs=1, home=tmp_path)
    assert not verdict.ran.failed
    assert [row["family"] for row in verdict.to_dict()["leaderboard"] if row["error"] is None] == []


def test_weights_that_have_no_sum_are_refused() -> None:
    frame = pd.DataFrame({"x": np.arange(40.0), "w": np.where(np.arange(40) == 3, 1e308, 1), "y": ["a", "b"] * 20})
    with pytest.raises(DataError, match=r"1 row without a usable weight; the first is row 4, with 1e\+308") as caught:
        read_table(frame, "y", weights="w")
    assert caught.value.code == "bad_weights"
