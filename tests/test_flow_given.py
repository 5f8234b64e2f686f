"""What `compare` is given: tables, models and options, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.multiclass import OutputCodeClassifier

from tests.flows import NUMBERS, own, quickly, without_timing
from tests.validation.estimators import Slow
from tests.validation.tables import classification, plain, regression
from venire.data.datasets import dataset
from venire.data.table import Table
from venire.errors import DataError, UsageError
from venire.flow import compare
from venire.metrics.predictions import Output


def test_members_a_metric_cannot_judge_are_named_with_the_reason(tmp_path: Path) -> None:
    labels_alone = own(OutputCodeClassifier(LinearDiscriminantAnalysis(), random_state=0))
    found = quickly(models=["baseline", labels_alone], metric="log_loss", home=tmp_path)
    reasons = {entry["family"]: entry["reason"] for entry in found.to_dict()["not_tried"]}
    assert reasons == {"own": "gives labels, and log_loss needs probabilities"}


@pytest.mark.parametrize("metric", ["auc", "log_loss"])
def test_members_that_give_scores_are_judged_by_ranks_and_by_probabilities(metric: str, tmp_path: Path) -> None:
    models = ["baseline", "naive_bayes", "linear", "perceptron"]
    found = quickly(models=models, metric=metric, home=tmp_path)
    document = found.to_dict()
    assert document["not_tried"] == []
    assert {row["family"] for row in document["leaderboard"]} == {"procedure", *models}
    handed_over = found.fit("linear")
    assert handed_over.gives is (Output.PROBABILITIES if metric == "log_loss" else Output.SCORES)


def test_members_that_cannot_do_the_task_are_named(tmp_path: Path) -> None:
    found = quickly(regression(40), models=["linear", "logistic"], home=tmp_path)
    assert found.to_dict()["not_tried"] == [
        {
            "family": "logistic",
            "kind": "wrong_task",
            "figures": {"task": "regression"},
            "reason": "does not do regression",
        }
    ]
    with pytest.raises(UsageError, match="none of the models asked for can do this: logistic does not do"):
        quickly(regression(40), models=["logistic"], home=tmp_path)


def test_an_estimator_of_ones_own_joins_the_bucket(tmp_path: Path) -> None:
    found = quickly(models=["baseline", own(Slow())], home=tmp_path)
    assert {row["family"] for row in found.to_dict()["leaderboard"]} == {"procedure", "baseline", "own"}


def test_a_bare_estimator_joins_the_bucket_under_the_name_of_its_class(tmp_path: Path) -> None:
    models = ["baseline", LinearDiscriminantAnalysis()]
    verdict = compare(classification(60), models=models, folds=4, home=tmp_path)
    names = {row["family"] for row in verdict.to_dict()["leaderboard"]}
    assert names == {"procedure", "baseline", "linear_discriminant_analysis"}


@pytest.mark.parametrize("model", [3, LinearDiscriminantAnalysis], ids=["number", "class"])
def test_what_is_no_model_is_refused(model: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither a model's name, nor a family"):
        compare(classification(60), models=["baseline", model], folds=4, home=tmp_path)


@pytest.mark.parametrize(
    ("how", "error", "words"),
    [
        ({"metric": "acu"}, UsageError, "no metric 'acu'"),
        ({"metric": "rmse"}, UsageError, "no metric 'rmse' for classification"),
        ({"jobs": 0}, UsageError, "jobs must be at least 1, not 0"),
        ({"folds": 61}, DataError, "60 rows .* the 61 folds"),
        ({"folds": 1}, UsageError, "1 folds are too few"),
        ({"models": ["oak"]}, UsageError, "no model called 'oak'"),
        ({"metric": "cost"}, UsageError, "needs costs"),
        (
            {"metric": "cost", "costs": [[0, 1, 1], [1, 0, 1], [1, 1, 0]]},
            UsageError,
            "costs are for 3 classes, but the target has 2",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(
    tmp_path: Path, how: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        quickly(home=tmp_path, **how)


def test_a_table_without_a_target_asks_for_one(tmp_path: Path) -> None:
    table = classification(40)
    with pytest.raises(UsageError, match="which column is to be predicted") as caught:
        quickly(Table(table.X, table.columns), home=tmp_path)
    assert "'a', 'b', 'colour'" in str(caught.value.hint)


def test_a_file_by_its_path(tmp_path: Path) -> None:
    golf = dataset("play_golf")
    found = quickly(golf.path, golf.target, positive="yes", home=tmp_path)
    document = found.to_dict()
    assert (document["rows"], document["target"], document["positive"]) == (14, "play", "yes")
    assert "V001" in {finding["code"] for finding in document["findings"]}
    said = found.fit("tree").predict(golf.path)
    assert set(said) <= {"yes", "no"}


def test_rare_classes_missing_values_and_constant_folds_work(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 3))
    X[:, 1] = np.nan
    X[:, 2] = 1.0
    y = np.zeros(40, int)
    y[:3] = 1
    y[3] = 2
    table = plain(X, y, classes=3)
    for metric in ("error", "auc", "log_loss", "balanced_error", "f1", "brier"):
        json.dumps(quickly(table, metric=metric, home=tmp_path).to_dict(), allow_nan=False)


def test_groups_time_and_repeats(tmp_path: Path) -> None:
    grouped = classification(60, groups=np.arange(60, dtype=np.int32) // 5)
    assert quickly(grouped, home=tmp_path).to_dict()["splitting"] == "grouped"
    timed = regression(60, time=np.arange(60.0))
    found = quickly(timed, models=NUMBERS, home=tmp_path)
    assert "in time order" in found.to_dict()["estimates"]
    assert found.evidence["procedure"].rows.tolist() == list(range(30, 60))
    often = quickly(repeats=2, home=tmp_path, models=["baseline", "naive_bayes"]).to_dict()
    assert (often["repeats"], often["timing"]["trials"]) == (2, 40)


def test_groups_and_time_at_once(tmp_path: Path) -> None:
    both = classification(60, groups=np.arange(60, dtype=np.int32) // 5, time=np.arange(60.0))
    found = quickly(both, home=tmp_path).to_dict()
    assert (found["splitting"], found["groups"], found["time"]) == ("time", 12, True)


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"target": "x0"}, "target"),
        ({"groups": "x0"}, "groups"),
        ({"positive": 1}, "positive"),
        ({"drop": "x0"}, "drop"),
    ],
)
def test_what_a_table_that_was_read_cannot_hear_is_refused(given: dict[str, Any], named: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=f"already read, so {named} says nothing"):
        quickly(home=tmp_path, **given)


def test_names_of_models_may_come_as_one_text(tmp_path: Path) -> None:
    found = quickly(home=tmp_path, models="baseline, tree")
    assert {row["family"] for row in found.to_dict()["leaderboard"]} == {"procedure", "baseline", "tree"}


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"budget": "10m"}, "the budget must be a number of seconds above 0, not '10m'"),
        ({"budget": -1}, "the budget must be a number of seconds above 0, not -1"),
        ({"seed": None}, "the seed must be 0 or more, not None"),
        ({"folds": 5.0}, "folds must be a whole number, not 5.0"),
        ({"repeats": "2"}, "repeats must be a whole number, not '2'"),
    ],
)
def test_arguments_of_the_wrong_kind_are_told(given: dict[str, Any], words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        quickly(home=tmp_path, **given)


@pytest.mark.parametrize(
    ("table", "metric", "words"),
    [
        (regression(20), None, "the mean RMSE is the mean absolute error"),
        (regression(20), "r2", "metric 'r2' is not defined on folds of a single row"),
        (classification(20, classes=2), "auc", "metric 'auc' is not defined on folds of a single row"),
    ],
)
def test_a_row_a_fold_and_a_metric_that_needs_several(table: Table, metric: Any, words: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=words):
        quickly(table, home=tmp_path, models=["baseline"], folds=20, metric=metric)
    assert (
        quickly(regression(20), home=tmp_path, models=["baseline", "linear"], folds=20, metric="mae").chosen["error"]
        > 0
    )


def test_arrays_and_series_beside_the_rows_give_the_verdict_of_columns(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    frame["class"] = np.where(frame["a"] + rng.normal(size=60) > 0, "yes", "no")
    frame["groups"] = rng.permutation(np.arange(60) // 3)
    frame["weights"] = rng.uniform(0.5, 2, size=60)
    X, parts = frame[["a", "b", "c"]], ("groups", "weights")
    how: dict[str, Any] = {"models": ["baseline", "naive_bayes", "tree"], "home": tmp_path}
    wanted = without_timing(quickly(frame, "class", **{part: part for part in parts}, **how))
    assert without_timing(quickly(X, frame["class"], **{part: frame[part] for part in parts}, **how)) == wanted
    given = {part: frame[part].to_numpy() for part in parts}
    found = quickly(X.to_numpy(), frame["class"].to_numpy(), **given, **how)
    assert found.to_dict()["leaderboard"] == wanted["leaderboard"]
    with pytest.raises(DataError, match="the table has 60 rows, and groups has 59 values"):
        quickly(X, frame["class"], groups=frame["groups"][1:], **how)


def test_columns_that_are_numbered_can_be_named_by_their_number(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(rng.normal(size=(40, 3)))
    frame[2] = rng.permutation(40) % 2
    found = quickly(frame, 2, models=["baseline", "tree"], home=tmp_path).to_dict()
    assert found["target"] == "2"
