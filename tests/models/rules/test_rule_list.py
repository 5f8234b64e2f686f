"""Rule lists: planted rules are found, the list is read from the top, and weights, gaps and bad input behave."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.datasets import load_digits
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.utils.estimator_checks import parametrize_with_checks

from venire.data.datasets import dataset
from venire.errors import DataError, ModelFormatError, UsageError
from venire.models.baseline import BaselineClassifier
from venire.models.rules.rule_list import RuleListClassifier


@parametrize_with_checks([RuleListClassifier()])
def test_scikit_learn_contract(estimator, check):
    check(estimator)


def conditions(model):
    return [[condition.to_text(1) for condition in rule.conditions] for rule in model.rules_]


def planted(rows: int = 400, seed: int = 0):
    """Class a where x0 > 1; else b where the town is 2; else c."""
    rng = np.random.default_rng(seed)
    X = np.column_stack([rng.normal(size=rows), rng.normal(size=rows), rng.integers(0, 4, rows)])
    return X, np.where(X[:, 0] > 1, "a", np.where(X[:, 2] == 2, "b", "c"))


def test_play_golf_is_learned_without_error(golf):
    X, y = golf
    model = RuleListClassifier(min_weight_rule=1).fit(X, y)
    assert model.score(X, y) == 1
    # The rarer class first; what is left is the default.
    assert [set(texts) for texts in conditions(model)] == [
        {"outlook = rainy", "humidity = high"},
        {"outlook = sunny", "windy = true"},
        set(),
    ]
    assert model.export_text().splitlines()[-1] == "else yes (9 rows, 100%)"
    assert sum(rule.rows for rule in model.rules_) == 14


def test_planted_rules_are_found():
    X, y = planted()
    model = RuleListClassifier(categorical_features=[2], max_cuts=1000).fit(X, y)
    assert model.score(X, y) == 1
    assert len(model.rules_) == 3
    fresh, truth = planted(1000, seed=1)
    assert model.score(fresh, truth) > 0.99


def test_the_first_rule_that_fits_decides(golf):
    X, y = golf
    model = RuleListClassifier(min_weight_rule=2).fit(X, y)
    decided = model.decisive_rule(X)
    frame = X.assign(decided=decided)
    assert set(frame.loc[frame["outlook"] == "overcast", "decided"]) == {len(model.rules_) - 1}
    for place, rule in enumerate(model.rules_):
        assert (decided == place).sum() == rule.rows
        assert set(model.predict(X)[decided == place]) <= {rule.prediction}


def test_thresholds_on_one_side_are_drawn_together():
    rng = np.random.default_rng(2)
    X = rng.uniform(size=(500, 1))
    y = ((X[:, 0] > 0.4) & (X[:, 0] <= 0.6)).astype(int)
    model = RuleListClassifier(max_cuts=1000, max_rules=1, beam_width=10).fit(X, y)
    assert model.score(X, y) > 0.7
    for texts in conditions(model):
        assert len({text.split()[1] for text in texts}) == len(texts)


def test_rules_beat_the_baseline_on_iris():
    frame = pd.read_csv(dataset("iris").path)
    X, y = frame.drop(columns="species"), frame["species"]
    scores = cross_val_score(RuleListClassifier(), X, y, cv=5)
    assert scores.mean() > 0.88
    assert scores.mean() > cross_val_score(BaselineClassifier(), X, y, cv=5).mean()


def test_weights_are_repetitions():
    X, y = planted(120)
    weights = np.random.default_rng(3).integers(0, 4, 120)
    few_cuts = {"max_cuts": 10_000, "categorical_features": [2]}
    weighted = RuleListClassifier(**few_cuts).fit(X, y, sample_weight=weights)
    repeated = RuleListClassifier(**few_cuts).fit(np.repeat(X, weights, axis=0), np.repeat(y, weights))
    assert conditions(weighted) == conditions(repeated)
    np.testing.assert_allclose(weighted.predict_proba(X), repeated.predict_proba(X))


@pytest.mark.parametrize("scale", [1 / 120, 1e-9, 1e6])
@pytest.mark.parametrize("kind", ["equal", "whole", "any"])
def test_the_scale_of_weights_does_not_matter(scale, kind):
    X, y = planted(120)
    rng = np.random.default_rng(5)
    weights = {"equal": np.ones(120), "whole": rng.integers(0, 4, 120), "any": rng.gamma(2.0, size=120)}[kind]
    model = RuleListClassifier(categorical_features=[2]).fit(X, y, sample_weight=weights)
    scaled = RuleListClassifier(categorical_features=[2]).fit(X, y, sample_weight=weights * scale)
    assert len(model.rules_) > 2
    assert conditions(scaled) == conditions(model)
    np.testing.assert_allclose(scaled.predict_proba(X), model.predict_proba(X), atol=1e-9)


def test_the_scale_of_class_weights_does_not_matter():
    X, y = planted(120)
    models = [
        RuleListClassifier(class_weight={"a": 3 * scale, "b": scale, "c": 2 * scale}).fit(X, y) for scale in (1, 1e-4)
    ]
    assert conditions(models[0]) == conditions(models[1])


def test_many_classes_and_columns():
    X, y = load_digits(return_X_y=True)
    model = RuleListClassifier().fit(X, y)
    assert len(model.rules_) == 51
    assert model.score(X, y) > 0.7
    assert [rule.rows for rule in model.rules_] == np.bincount(model.decisive_rule(X)).tolist()


def test_class_weights_and_costs_move_the_decision():
    X, y = np.zeros((10, 1)), [0] * 7 + [1] * 3
    assert RuleListClassifier().fit(X, y).predict(X)[0] == 0
    assert RuleListClassifier(class_weight={1: 5}).fit(X, y).predict(X)[0] == 1
    assert RuleListClassifier(costs=[[0, 1], [9, 0]]).fit(X, y).predict(X)[0] == 1


def test_nothing_to_learn_gives_the_default_alone():
    model = RuleListClassifier().fit([[0.0]] * 4, ["x", "x", "x", "y"])
    assert model.export_text() == "always x (4 rows, 75%)"
    np.testing.assert_allclose(model.predict_proba([[5.0]]), [[0.75, 0.25]])
    none = RuleListClassifier(max_rules=0).fit([[0.0], [1.0]] * 9, [0, 1] * 9)
    assert len(none.rules_) == 1


def test_missing_and_unknown_values_fail_every_test(golf):
    X, y = golf
    model = RuleListClassifier(min_weight_rule=2).fit(X, y)
    strange = pd.DataFrame({"outlook": ["hail", None], "temp": "mild", "humidity": None, "windy": None}, dtype=object)
    assert (model.decisive_rule(strange) == len(model.rules_) - 1).all()
    numbers = np.array([[1.0], [2.0], [3.0], [np.nan], [8.0], [9.0], [10.0]])
    by_number = RuleListClassifier().fit(numbers, [0, 0, 0, 0, 1, 1, 1])
    assert by_number.decisive_rule([[np.nan]]).tolist() == [len(by_number.rules_) - 1]


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow"])
def test_frames(golf, kind):
    X, y = golf
    expected = RuleListClassifier(min_weight_rule=1).fit(X, y).export_text()
    given = {"pandas": X.astype("category"), "polars": pl.from_pandas(X), "arrow": pa.table(X)}[kind]
    model = RuleListClassifier(min_weight_rule=1).fit(given, y)
    assert model.export_text() == expected
    assert model.predict(given).tolist() == y.tolist()


def test_inside_the_tools_of_scikit_learn():
    X, y = planted(150)
    model = GridSearchCV(RuleListClassifier(categorical_features=[2]), {"max_conditions": [1, 2]}, cv=3).fit(X, y)
    copy = pickle.loads(pickle.dumps(model))  # noqa: S301  # our own bytes
    np.testing.assert_array_equal(copy.predict(X), model.predict(X))


@pytest.mark.parametrize(
    ("params", "weights", "error", "message"),
    [
        ({"max_conditions": 0}, None, ValueError, "'max_conditions' parameter"),
        ({"beam_width": 0}, None, ValueError, "'beam_width' parameter"),
        ({"categorical_features": [0]}, None, DataError, "column 0 is categorical, so it must hold codes"),
        ({"costs": [[0, 1], [1, 0]]}, None, UsageError, "there are 3 classes"),
        ({}, np.zeros(50), ValueError, "positive weight|non-zero number"),
    ],
)
def test_bad_input(params, weights, error, message):
    X, y = planted(50)
    with pytest.raises(error, match=message):
        RuleListClassifier(**params).fit(X, y, sample_weight=weights)


def test_a_made_up_state_whose_edges_do_not_ascend_is_refused():
    X = np.random.default_rng(0).normal(size=(60, 2))
    state = RuleListClassifier().fit(X, X[:, 0] > 0).__getstate__()
    edges = state["_edges"][0]
    for wrong in (edges[::-1].copy(), np.repeat(edges, 2)):
        with pytest.raises(ModelFormatError, match="_edges do not ascend"):
            RuleListClassifier().__setstate__({**state, "_edges": (wrong, state["_edges"][1])})
