"""All three explanations take whatever a verdict hands over: combinations, scores, labels, numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.naive_bayes import GaussianNB

import venire as vn


class OnlyLabels(ClassifierMixin, BaseEstimator):
    """Keeps its probabilities to itself."""

    def fit(self, X: Any, y: Any) -> OnlyLabels:
        self.inside_ = GaussianNB().fit(X, y)
        self.classes_ = self.inside_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.inside_.predict(X)


def rows(seed: int, count: int = 120) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    a, c, idle = rng.normal(size=count), rng.choice(["u", "v"], count), rng.normal(size=count)
    number = 2 * a + (c == "u")
    label = np.where(number + 0.3 * rng.normal(size=count) > 0.5, "yes", "no")
    return pd.DataFrame({"a": a, "c": c, "idle": idle, "label": label, "number": number})


MEMBERS = ["knn", "linear", "logistic", "svm", "vote", "stack", vn.GenericFamily("labels", classifier=OnlyLabels())]
CLASSES = ["knn", "linear", "logistic", "svm", "vote", "labels"]
NUMBERS = ["knn", "linear", "vote", "stack"]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    home: Path = tmp_path_factory.mktemp("handed")
    how: dict[str, Any] = {"folds": 3, "jobs": 1, "home": home}
    table = rows(0)
    classes = vn.compare(table.drop(columns="number"), "label", models=MEMBERS, **how)
    numbers = vn.compare(table.drop(columns="label"), "number", models=NUMBERS, **how)
    return {"label": classes, "number": numbers}


@pytest.mark.parametrize(("target", "name"), [*(("label", n) for n in CLASSES), *(("number", n) for n in NUMBERS)])
def test_everything_is_explained(verdicts: dict[str, Any], target: str, name: str) -> None:
    model, fresh = verdicts[target].fit(name), rows(1)
    X, y = fresh[["a", "c", "idle"]], fresh[target]

    important = vn.permutation_importance(model, X, y, repeats=3)
    assert important.names == ("a", "c", "idle")
    assert important.order[0] == 0
    assert important.intervals[0].low > 0

    curve = vn.partial_dependence(model, X, "a", points=5)
    assert curve.mean[-1] > curve.mean[0]
    assert vn.partial_dependence(model, X, "c").grid[0].tolist() == ["u", "v"]

    found = vn.shap_values(model, X[:5], X[5:25], orders=20)
    assert found.names == ("a", "c", "idle")
    assert found.importances.argmax() == 0
    units = {"knn": "probability", "vote": "probability", "logistic": "log-odds", "linear": "score", "labels": "share"}
    if target == "number":
        assert found.unit == curve.unit == "value"
        np.testing.assert_allclose(found.predictions, model.predict(X[:5]), atol=1e-8)
    elif name in units:
        assert found.unit == units[name]


def test_classes_in_any_order_are_told_apart(verdicts: dict[str, Any]) -> None:
    """The losses are counted by the place of a label in `classes_`, wherever it stands."""
    model, fresh = verdicts["label"].fit("knn"), rows(1)

    class Turned:
        classes_ = model.classes_[::-1]

        def predict(self, X: Any) -> Any:
            return model.predict(X)

        def predict_proba(self, X: Any) -> Any:
            return model.predict_proba(X)[:, ::-1]

    X, y = fresh[["a", "c", "idle"]], fresh["label"]
    straight, turned = (vn.permutation_importance(each, X, y, "error") for each in (model, Turned()))
    assert straight.loss == turned.loss
    np.testing.assert_array_equal(straight.values, turned.values)
