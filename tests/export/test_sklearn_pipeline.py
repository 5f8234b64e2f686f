"""A pipeline out says what the model says; a pipeline in is a member like any other."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.compose import make_column_transformer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import venire as vn
from venire.combine.finish import Finish
from venire.export import to_sklearn


def table(rows: int = 80) -> pd.DataFrame:
    rng = np.random.default_rng(0)
    found = pd.DataFrame({"size": rng.normal(size=rows), "colour": rng.choice(["red", "blue"], rows)})
    found.loc[::9, "size"] = None
    found["told"] = found["size"].fillna(0) + (found["colour"] == "red")
    return found


def fitted(target: Any, name: str, models: list[str]) -> Any:
    rows = table().assign(y=target).drop(columns="told")
    return vn.compare(rows, "y", models=models, folds=3, budget=None, jobs=1).fit(name)


def test_one_model_of_numbers_shows_its_steps() -> None:
    rows = table()
    model = fitted(rows["told"], "linear", ["baseline", "linear"])
    pipeline = to_sklearn(model)
    assert list(pipeline.named_steps) == ["columns", "onehotscaled", "ridge"]
    assert is_regressor(pipeline)
    np.testing.assert_array_equal(pipeline.predict(rows), model.predict(rows))


def test_a_net_of_numbers_shows_its_steps() -> None:
    rows = table()
    model = fitted(rows["told"], "neural_net", ["baseline", "neural_net"])
    pipeline = pickle.loads(pickle.dumps(to_sklearn(model)))  # noqa: S301  # our own, made a moment ago
    assert isinstance(pipeline[-1], vn.NetRegressor)
    np.testing.assert_array_equal(pipeline.predict(rows), model.predict(rows))


@pytest.mark.parametrize("name", ["tree", "vote", "linear", "neural_net"])
def test_classes_keep_their_labels_and_their_decision(name: str) -> None:
    rows = table()
    model = fitted(np.where(rows["told"] > 0.4, "yes", "no"), name, ["tree", "linear", "neural_net", "vote"])
    model.set_params(finish=Finish(threshold=0.3))
    pipeline = to_sklearn(model)
    assert isinstance(pipeline, Pipeline)
    assert is_classifier(pipeline)
    np.testing.assert_array_equal(pipeline.predict(rows), model.predict(rows))
    np.testing.assert_array_equal(pipeline.classes_, model.classes_)
    asked = "decision_function" if name == "linear" else "predict_proba"
    np.testing.assert_array_equal(getattr(pipeline, asked)(rows), getattr(model, asked)(rows))
    assert not hasattr(pipeline, "predict_proba" if name == "linear" else "decision_function")
    again = pickle.loads(pickle.dumps(pipeline))  # noqa: S301  # our own, made a moment ago
    np.testing.assert_array_equal(again.predict(rows), model.predict(rows))


def test_it_cannot_be_fitted_again_and_says_so() -> None:
    rows = table()
    pipeline = to_sklearn(fitted(np.where(rows["told"] > 0.4, "yes", "no"), "tree", ["tree"]))
    with pytest.raises(vn.UsageError, match="predicts, and cannot be fitted again"):
        pipeline.fit(rows, rows["told"])
    with pytest.raises(vn.UsageError, match="Pipeline is an estimator of scikit-learn already"):
        to_sklearn(pipeline)


def test_a_pipeline_of_ones_own_is_a_member() -> None:
    own = make_pipeline(make_column_transformer((StandardScaler(), [0, 1])), LogisticRegression())
    X = np.random.default_rng(0).normal(size=(80, 3))
    y = (X[:, 0] > 0).astype(int)
    verdict = vn.compare(X, y, models=["baseline", own.fit(X, y)], folds=3, budget=None, jobs=1)
    name = next(
        row["family"] for row in verdict.to_dict()["leaderboard"] if row["family"] not in ("procedure", "baseline")
    )
    pipeline = to_sklearn(verdict.fit(name))
    assert (pipeline.predict(X) == y).mean() > 0.9
