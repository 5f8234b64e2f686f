"""The rows that are most wrong, by the held-out predictions."""

import numpy as np
import pytest

from tests.flows import NUMBERS, quickly
from tests.validation.tables import classification, regression
from venire.errors import UsageError
from venire.metrics.formulas import LOG_LOSS_FLOOR
from venire.verdict.worst import row_losses, worst


def test_of_classes_by_the_probability_of_the_truth(tmp_path):
    held = quickly(classification(90, classes=3), models=["baseline", "knn"], home=tmp_path).evidence["knn"]
    found = worst(held, 7)
    assert list(found) == ["row", "fold", "actual", "predicted", "loss"]
    given = held.outputs[np.arange(len(held)), held.actual]
    assert np.all(np.diff(found["loss"]) <= 0)
    assert found["loss"][0] == pytest.approx(-np.log(max(given.min(), LOG_LOSS_FLOOR)))
    assert set(given[np.searchsorted(held.rows, found["row"])]) <= set(np.sort(given)[:7])
    assert np.array_equal(found["fold"], held.folds[np.searchsorted(held.rows, found["row"])] + 1)


def test_of_numbers_by_the_absolute_error(tmp_path):
    held = quickly(regression(60), models=NUMBERS[:3], home=tmp_path).evidence["procedure"]
    found = worst(held, 5)
    assert found["loss"] == pytest.approx(np.sort(np.abs(held.actual - held.predicted))[::-1][:5])
    assert found["actual"] == pytest.approx(held.actual[np.searchsorted(held.rows, found["row"])])


def test_of_scores_the_wrong_labels_come_first(tmp_path):
    held = quickly(models=["svm"], home=tmp_path).evidence["svm"]
    found = worst(held, 60)
    wrong = int(held.wrong.sum())
    assert list(found["loss"]) == [1.0] * wrong + [0.0] * (60 - wrong)
    assert np.all(np.diff(found["row"][:wrong]) > 0)
    assert set(row_losses(held)) <= {0.0, 1.0}


@pytest.mark.parametrize("number", [0, -1, 2.5])
def test_a_number_of_rows_that_is_none_is_refused(number, tmp_path):
    held = quickly(models=["baseline"], home=tmp_path).evidence["baseline"]
    with pytest.raises(UsageError, match="the number of rows must be 1 or more"):
        worst(held, number)
