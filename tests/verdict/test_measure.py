"""What is measured: the metric asked for, or the cost when costs are given."""

from __future__ import annotations

import pytest

from tests.validation.tables import classification, regression
from venire.errors import UsageError
from venire.verdict.measure import measure_of


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
def test_what_makes_no_sense_is_refused(table: object, name: str | None, costs: object, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        measure_of(table, name, costs)  # type: ignore[arg-type]  # a table
