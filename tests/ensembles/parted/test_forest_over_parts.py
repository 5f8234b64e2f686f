"""Forests over parts: the bytes of the forest that is grown on all rows in one place."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import venire
from tests.models.parted.here import Here, in_pieces
from venire.ensembles.parted.forest_over_parts import fit_forest
from venire.ensembles.parted.forest_part import ForestPart
from venire.errors import DataError, UsageError
from venire.persist import save

ROWS = 20_000


def table() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    X = rng.normal(size=(ROWS, 5))
    X[:, 1] = np.round(X[:, 1])
    X[rng.random(X.shape) < 0.03] = np.nan
    return X, np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) * np.nan_to_num(X[:, 2]) + rng.normal(size=ROWS)


def content(model: Any, folder: Path) -> bytes:
    save(model, folder / "one.venire")
    return (folder / "one.venire").read_bytes()


@pytest.mark.parametrize("parts", [1, 3, 7])
@pytest.mark.parametrize("kind", ["RandomForest", "ExtraTrees"])
@pytest.mark.parametrize("target", ["Classifier", "Regressor"])
def test_parts_grow_the_forest_of_the_whole(parts: int, kind: str, target: str, tmp_path: Path) -> None:
    X, y = table()
    numeric = target == "Regressor"
    y = y if numeric else np.array(["a", "b", "c"])[np.digitize(y, [-1.0, 1.0])]
    model = getattr(venire, kind + target)
    settings = {"n_estimators": 9, "random_state": 3, "n_jobs": 1, "min_samples_leaf": 5}
    whole = content(model(**settings).fit(X, y), tmp_path)
    team, fitted = in_pieces(X, y, parts, numeric=numeric, part=ForestPart), model(**settings)
    fit_forest(fitted, team, numeric=numeric)
    assert content(fitted, tmp_path) == whole
    team = in_pieces(X, y, parts, numeric=numeric, part=ForestPart, lost=team.questions - 1)
    fitted = model(**settings)
    fit_forest(fitted, team, numeric=numeric)
    assert team.renewed == 2
    assert content(fitted, tmp_path) == whole


def test_weights_and_categories(tmp_path: Path) -> None:
    X, y = table()
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(X, columns=list("abcde"))
    frame["word"] = rng.choice([f"w{i}" for i in range(30)], ROWS)
    columns = list(frame.columns)
    frame["y"], frame["weight"] = (y > 0).astype(int), rng.integers(0, 4, ROWS).astype(float)
    settings: dict[str, Any] = {"n_estimators": 4, "random_state": 3, "n_jobs": 1, "class_weight": "balanced"}
    whole = venire.RandomForestClassifier(**settings).fit(frame[columns], frame["y"], sample_weight=frame["weight"])
    sources = [frame.iloc[a:b] for a, b in pairwise([0, 3_000, 9_000, 9_001, ROWS])]
    team = Here(sources, [0, 1, 3, 4], numeric=False, part=ForestPart, target="y", weight="weight")
    fitted = venire.RandomForestClassifier(**settings)
    fit_forest(fitted, team, numeric=False)
    assert content(fitted, tmp_path) == content(whole, tmp_path)


def test_what_cannot_be_grown_is_said() -> None:
    X, y = table()
    with pytest.raises(UsageError, match="oob_score=True is for rows in one place"):
        fit_forest(
            venire.RandomForestRegressor(oob_score=True),
            in_pieces(X, y, 2, numeric=True, part=ForestPart),
            numeric=True,
        )

    class Small(ForestPart):
        def __init__(self, first: int, wanted: Any, most: float | None, *sources: Any) -> None:
            super().__init__(first, wanted, most, *sources)
            self._most = 1e6

    with pytest.raises(DataError, match=r"the codes of all rows take .* and the worker of part 0 may take"):
        fit_forest(venire.RandomForestRegressor(), in_pieces(X, y, 2, numeric=True, part=Small), numeric=True)
