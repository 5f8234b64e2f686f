"""A model that cannot answer is no model."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from tests.persist.fitted import numbers, two
from venire.errors import ModelFormatError
from venire.persist.probe import answers, checked_answers, same


class Broken(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    n_features_in_ = 3

    def __init__(self, said: object = None) -> None:
        self.said = said

    def predict(self, X: object) -> object:
        if isinstance(self.said, Exception):
            raise self.said
        return self.said


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        (ValueError("shapes do not match\nand more"), "the model cannot predict: shapes do not match$"),
        (MemoryError(), "the model cannot predict: MemoryError"),
        (np.zeros(3), r"predict gives \(3,\) for 2 rows"),
        (np.zeros((2, 1, 1)), r"predict gives \(2, 1, 1\) for 2 rows"),
        (np.float64(1.0), r"predict gives \(\) for 2 rows"),
    ],
)
def test_an_answer_that_makes_no_sense_is_refused(said: object, wrong: str) -> None:
    with pytest.raises(ModelFormatError, match=wrong):
        checked_answers(Broken(said))


def test_classes_that_are_not_named_are_refused() -> None:
    model = Broken(np.array(["a", "c"]))
    model.classes_ = np.array(["a", "b"])
    with pytest.raises(ModelFormatError, match="classes that it does not name"):
        checked_answers(model)


def test_answers_are_the_same_to_the_bit_or_not_at_all() -> None:
    model = LogisticRegression().fit(numbers(), two())
    first = answers(model)
    assert first.keys() == {"predict", "predict_proba"}
    assert same(first, answers(model))
    model.coef_ = model.coef_ * (1 + 1e-12)
    assert not same(first, answers(model))
    assert same({"predict": np.array([np.nan])}, {"predict": np.array([np.nan])})
    assert not same({"predict": np.array([0.0])}, {"predict": np.array([-0.0])})
