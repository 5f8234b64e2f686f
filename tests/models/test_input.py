from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from venire.errors import DataError, UsageError
from venire.models.tree.estimators import DecisionTreeClassifier


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame])
def test_frames_with_categories(library: Any) -> None:
    data = {"colour": ["red", "blue", None, "red", "green", "blue"], "size": [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]}
    frame = library(data)
    y = [1, 0, 1, 1, 0, 0]
    tree = DecisionTreeClassifier().fit(frame, y)
    assert list(tree.feature_names_in_) == ["colour", "size"]
    assert tree.score(frame, y) == 1.0
    assert "colour in {" in tree.export_text()
    unseen = library({"colour": ["purple"], "size": [3.0]})
    missing = library({"colour": pd.Series([None], dtype="str") if library is pd.DataFrame else [None], "size": [3.0]})
    assert tree.predict(unseen).tolist() == tree.predict(missing).tolist()


def test_categorical_features_by_name_and_their_errors() -> None:
    frame = pd.DataFrame({"a": [0, 1, 2, 0], "b": [1.0, 2.0, 3.0, 4.0]})
    tree = DecisionTreeClassifier(categorical_features=["a"]).fit(frame, [0, 1, 0, 0])
    assert tree._layout.categorical.tolist() == [True, False]
    with pytest.raises(UsageError, match="names 'c', which is no column"):
        DecisionTreeClassifier(categorical_features=["c"]).fit(frame, [0, 1, 0, 0])
    with pytest.raises(UsageError, match="column numbers below 2"):
        DecisionTreeClassifier(categorical_features=[2]).fit(frame, [0, 1, 0, 0])
    with pytest.raises(UsageError, match=r"mask of shape \(3,\)"):
        DecisionTreeClassifier(categorical_features=[True, False, True]).fit(frame, [0, 1, 0, 0])
    with pytest.raises(DataError, match="must hold codes 0, 1, 2"):
        DecisionTreeClassifier(categorical_features=["b"]).fit(frame + 0.5, [0, 1, 0, 0])


@pytest.mark.parametrize("convert", [lambda frame: frame, pl.from_pandas])
@pytest.mark.parametrize("times", [pd.date_range("2024-01-01", periods=8), pd.to_timedelta(range(8), unit="h")])
def test_times_are_refused_by_name_and_not_read_as_some_number(convert, times):
    frame = convert(pd.DataFrame({"a": np.arange(8.0), "day": times}))
    with pytest.raises(DataError, match="column 'day': it holds times") as caught:
        DecisionTreeClassifier().fit(frame, [0, 1] * 4)
    assert (caught.value.code, caught.value.column) == ("date_column", "day")
