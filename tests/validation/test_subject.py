from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from tests.validation.tables import classification, plain, regression
from venire.errors import DataError, UsageError
from venire.validation import bootstrap, complexity_curve, holdout, learning_curve, one_layer, two_layer
from venire.validation.subject import as_family, as_table, measure_of, subject
from venire.validation.trials.family import Setting
from venire.validation.trials.generic import GenericFamily

FAMILY = GenericFamily("mine", classifier=GaussianNB())


def test_an_estimator_becomes_a_family_named_after_its_class() -> None:
    family = as_family(LogisticRegression(), grid={"C": [0.1, 10.0], "fit_intercept": [True]})
    assert family.name == "logistic_regression"
    assert family.path_label == "C, fit_intercept"
    labels = [setting.label for setting in family.path(classification(20))]
    assert labels == ["C = 0.1, fit_intercept = True", "C = 10, fit_intercept = True"]
    assert as_family(FAMILY) is FAMILY
    inside = as_family(make_pipeline(StandardScaler(), Ridge()), grid={"ridge__alpha": [1.0]})
    assert [setting.label for setting in inside.path(regression(20))] == ["alpha = 1"]


@pytest.mark.parametrize(
    ("model", "options", "words"),
    [
        (GaussianNB, {}, "neither a model's name, nor a family, nor a scikit-learn estimator"),
        ("tree", {}, "'tree' is a name, and an estimator or a family is needed here"),
        (FAMILY, {"grid": {"var_smoothing": [1.0]}}, "has its own path and encoding, and grid was given"),
        (GaussianNB(), {"grid": {"var_smoothing": [1.0]}, "path": []}, "a grid and a path were given"),
        (GaussianNB(), {"grid": {"var_smoothing": 1.0}}, "the grid cannot be read"),
        (GaussianNB(), {"grid": {"smoothing": [1.0]}}, "GaussianNB has no parameter 'smoothing'"),
        (GaussianNB(), {"path": []}, "there is no setting to try"),
        (GaussianNB(), {"path": [Setting("a", {"b": 1})]}, "GaussianNB has no parameter 'b'"),
    ],
)
def test_models_that_make_no_sense_are_refused(model: Any, options: Any, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        as_family(model, **options)


def test_tables_and_what_can_be_read_as_one() -> None:
    table = classification(20)
    assert as_table(table) is table
    assert as_table(table, table.target.name) is table
    with pytest.raises(UsageError, match="already read, so groups says nothing"):
        as_table(table, groups="who")
    with pytest.raises(UsageError, match="already read, so target says nothing"):
        as_table(table, np.arange(20))
    with pytest.raises(UsageError, match="which column is to be predicted") as caught:
        as_table(np.arange(20.0).reshape(10, 2))
    assert "'x0', 'x1'" in str(caught.value.hint)
    assert as_table((np.arange(20.0).reshape(10, 2), np.arange(10) % 2)).rows == 10


@pytest.mark.parametrize(
    ("model", "table", "options", "error", "words"),
    [
        (Ridge(), classification(20), {}, UsageError, "ridge does not do classification"),
        (SVC(), classification(20), {"metric": "log_loss"}, UsageError, "gives scores, and metric 'log_loss' needs"),
        (GaussianNB(), plain(np.zeros((4, 1)), [0, 0, 0, 0], classes=2), {}, DataError, "'y' has one class only"),
        (GaussianNB(), classification(20), {"metric": "cost"}, UsageError, "needs costs, and none were given"),
        (
            GaussianNB(),
            classification(20),
            {"metric": "cost", "costs": [[0, 1], [1, 0]]},
            UsageError,
            "for 2 classes, but the target has 3",
        ),
    ],
)
def test_what_does_not_fit_together_is_refused(
    model: Any, table: Any, options: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        subject(model, table, **options)


VALIDATIONS: dict[str, Any] = {
    "one_layer": one_layer,
    "two_layer": two_layer,
    "holdout": holdout,
    "bootstrap": lambda *given, **options: bootstrap(*given, samples=10, **options),
    "learning_curve": learning_curve,
    "complexity_curve": complexity_curve,
}


@pytest.mark.parametrize(
    ("name", "part"),
    [(name, part) for name in VALIDATIONS for part in ("groups", "weights", "time")
     if (name, part) != ("bootstrap", "time")],  # which has no order
)  # fmt: skip
def test_values_of_their_own_count_like_columns(name: str, part: str) -> None:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    frame["class"] = np.where(frame["a"] + rng.normal(size=60) > 0, "yes", "no")
    frame["groups"] = rng.permutation(np.arange(60) // 3)
    frame["weights"] = rng.uniform(0.5, 2, size=60)
    frame["time"] = rng.permutation(60)
    X = frame[["a", "b", "c"]]
    validate = VALIDATIONS[name]
    wanted = str(validate(GaussianNB(), frame[["a", "b", "c", "class", part]], "class", **{part: part}))
    assert str(validate(GaussianNB(), X, frame["class"], **{part: frame[part]})) == wanted
    assert (
        str(validate(GaussianNB(), X.to_numpy(), frame["class"].to_numpy(), **{part: frame[part].tolist()})) == wanted
    )
    with pytest.raises(DataError, match=f"the table has 60 rows, and {part} has 59 values"):
        validate(GaussianNB(), X, frame["class"], **{part: frame[part][1:]})


def test_the_default_is_the_error_and_with_costs_the_cost() -> None:
    two = classification(40, classes=2)
    assert measure_of(two).name == "error"
    assert measure_of(regression(40)).name == "rmse"
    found = measure_of(two, costs="1:10")
    assert (found.name, found.costs) == ("cost", ((0.0, 1.0), (10.0, 0.0)))


@pytest.mark.parametrize(
    ("table", "name", "costs", "words"),
    [
        (classification(40), None, "1:2", "fp:fn is for two classes"),
        (classification(40), None, [[0, 1], [1, 0]], "the costs are for 2 classes, but the target has 3"),
        (classification(40, classes=2), "auc", "1:2", "metric 'auc' uses none"),
        (classification(40, classes=2), None, [[5, 1], [1, 0]], "make a wrong answer cheaper than the right one"),
        (regression(40), None, "1:2", "costs are for classes, and the target is a number"),
    ],
)
def test_a_measure_that_makes_no_sense_is_refused(table: object, name: str | None, costs: object, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        measure_of(table, name, costs)  # type: ignore[arg-type]  # a table
