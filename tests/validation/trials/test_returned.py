"""What other people's estimators return, and what becomes of it when it is no prediction."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Self

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from tests.flows import quickly
from tests.validation.tables import clouds, regression
from venire.errors import VenireError
from venire.families.paths import one_by_one
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.naive import naive_outcome
from venire.validation.trials.returned import class_codes, labels, probabilities, scores, values

ROWS = np.zeros((4, 2))
CODES = np.array([0, 1])


class Says(BaseEstimator):
    """Returns what it was told to."""

    def __init__(self, said: Any) -> None:
        self.predicted = said

    def predict(self, X: Any) -> Any:
        return self.predicted

    predict_proba = decision_function = predict


def shares(*rows: tuple[float, ...]) -> np.ndarray:
    return np.array([*rows, *[(0.5, 0.5)] * (4 - len(rows))])


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (np.ones((4, 1)), r"shape \(4, 1\) for 4 rows and 2 classes, and not one column a class"),
        (np.ones(4), r"shape \(4,\)"),
        (np.full((3, 2), 0.5), r"shape \(3, 2\)"),
        ([shares(), shares()], r"shape \(2, 4, 2\)"),
        (shares((np.nan, 1.0)), "nan in 1 places, and not finite numbers"),
        (shares((1.5, -0.5)), "1.5, and not probabilities between 0 and 1"),
        (shares((0.2, 0.2)), "a row that sums to 0.4"),
        (np.array([["a", "b"]] * 4), "values of type <U1, and not numbers"),
        ([[0.5, 0.5], [1.0]], "rows of different lengths"),
    ],
)
def test_what_is_no_probability_is_refused(said: Any, words: str) -> None:
    with pytest.raises(VenireError, match=f"predict_proba of Says gave {words}") as caught:
        probabilities(Says(said), ROWS, CODES)
    assert caught.value.code == "bad_predictions"
    assert caught.value.hint


def test_rounding_is_no_mistake() -> None:
    said = shares((1 + 1e-7, -1e-7)).astype(np.float32)
    found = probabilities(Says(said), ROWS, CODES)
    assert found.min() >= 0
    assert found.max() <= 1


@pytest.mark.parametrize(
    ("said", "words"),
    [
        ([0, 1, 0, 65536], "the label 65536, and not one of 0, 1"),
        ([0.0, 1.0, np.nan, 0.0], "the label nan"),
        ([0.0, 1.0, 0.5, 0.0], "the label 0.5"),
        (["no", "yes", "no", "no"], "the label 'no'"),
        ([0, 1, 0], r"shape \(3,\) for 4 rows, and not one label a row"),
        (np.zeros((4, 2)), r"shape \(4, 2\)"),
        ([None] * 4, "the label None"),
    ],
)
def test_what_is_no_label_is_refused(said: Any, words: str) -> None:
    with pytest.raises(VenireError, match=f"predict of Says gave {words}"):
        labels(Says(said), ROWS, CODES)


def test_labels_may_be_whole_numbers_of_any_type() -> None:
    for said in ([0, 1, 1, 0], [0.0, 1.0, 1.0, 0.0], [False, True, True, False], [[0], [1], [1], [0]]):
        np.testing.assert_array_equal(labels(Says(said), ROWS, CODES), [0, 1, 1, 0])


def test_labels_may_be_words_where_the_classes_are() -> None:
    said = ["no", "yes", "no", "no"]
    np.testing.assert_array_equal(labels(Says(said), ROWS, np.array(["no", "yes"])), said)
    with pytest.raises(VenireError, match="predict of Says gave the label 'maybe', and not one of 'no', 'yes'"):
        labels(Says(["no", "maybe", "no", "no"]), ROWS, np.array(["no", "yes"], dtype=object))


@pytest.mark.parametrize("classes", [["no", "yes"], [0, 2], [-1, 1], [0, 0], [0.0, 1.0], [[0], [1]]])
def test_classes_of_its_own_making_are_refused(classes: Any) -> None:
    with pytest.raises(VenireError, match=r"its classes_ are .* not among the 2 class codes"):
        class_codes(np.array(classes), 2)
    np.testing.assert_array_equal(class_codes(np.array([1]), 2), [1])


@pytest.mark.parametrize(
    ("said", "classes", "words"),
    [
        (np.ones((4, 1)), 2, r"shape \(4, 1\) for 4 rows and 2 classes"),
        (np.ones(4), 3, r"shape \(4,\) for 4 rows and 3 classes"),
        (np.full((4, 3), np.inf), 3, "inf in 12 places"),
    ],
)
def test_what_is_no_score_is_refused(said: Any, classes: int, words: str) -> None:
    with pytest.raises(VenireError, match=f"decision_function of Says gave {words}"):
        scores(Says(said), ROWS, np.arange(classes))


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (np.ones(3), r"shape \(3,\) for 4 rows, and not one number a row"),
        (np.ones((4, 2)), r"shape \(4, 2\)"),
        ([1.0, np.nan, 2.0, 3.0], "nan in 1 places"),
        (["1", "2", "3", "4"], "values of type <U1"),
        (np.ones(4, dtype=complex), "values of type complex128"),
    ],
)
def test_what_is_no_number_is_refused(said: Any, words: str) -> None:
    with pytest.raises(VenireError, match=f"predict of Says gave {words}"):
        values(Says(said), ROWS)


class Narrow(ClassifierMixin, BaseEstimator):
    """One column of probabilities for two classes, as of a network with one output."""

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.zeros(len(X), dtype=int)

    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), 1), 0.4)


def test_one_member_fails_by_name_and_the_others_go_on(tmp_path: Path) -> None:
    """Its one column was once broadcast to both classes, and certified."""
    found = quickly(models=["tree", GenericFamily("narrow", classifier=Narrow())], home=tmp_path)
    document = found.to_dict()
    assert {row["family"] for row in document["leaderboard"]} == {"procedure", "tree"}
    assert re.search(r"narrow.*predict_proba of Narrow gave shape", str(document))


class Spoiling(RegressorMixin, BaseEstimator):
    """Works on the rows it is given, as if they were its own."""

    def __init__(self, offset: float = 0.0) -> None:
        self.offset = offset

    def fit(self, X: Any, y: Any) -> Self:
        self.mean_ = float(np.nan_to_num(X).mean() + np.mean(y))
        X[:], y[:] = 7.0, 7.0
        return self

    def predict(self, X: Any) -> Any:
        said = np.nan_to_num(X).sum(axis=1) + self.mean_ + self.offset
        X[:] = 7.0
        return said


@pytest.mark.parametrize("encoding", ["none", "one_hot"])
def test_rows_that_are_changed_in_place_are_nobody_elses(encoding: str) -> None:
    """The second setting learns from the same rows as the first, and the table stays as it was."""
    path = one_by_one("offset", [0.0, 1.0], "offset")
    family = GenericFamily("spoiling", regressor=Spoiling(), path=path, encoding=encoding)
    table = regression(40)
    before = table.X.copy(), table.y.copy()
    plan = make_plan(table, folds=4)
    ours = family.run(family.prepare(table, plan), plan.trials[0])
    np.testing.assert_allclose(ours.outputs[1], ours.outputs[0] + 1.0)
    np.testing.assert_allclose(ours.outputs, naive_outcome(family, table, plan, plan.trials[0]).outputs)
    family.refit(table, path[0], 0)
    np.testing.assert_array_equal(table.X, before[0])
    np.testing.assert_array_equal(table.y, before[1])


def test_good_predictions_pass() -> None:
    family = GenericFamily("narrow", classifier=Wide())
    table = clouds(40)
    plan = make_plan(table, folds=4)
    outcome = family.run(family.prepare(table, plan), plan.trials[0])
    np.testing.assert_allclose(outcome.outputs[0], [[0.6, 0.4]] * len(plan.test_rows(plan.trials[0])), atol=1e-6)


class Wide(Narrow):
    """The same with both columns."""

    def predict_proba(self, X: Any) -> Any:
        return np.tile([0.6, 0.4], (len(X), 1))
