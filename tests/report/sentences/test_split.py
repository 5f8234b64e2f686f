"""Which rows a figure comes from, in words that are true for every way of splitting."""

from __future__ import annotations

from typing import Any

from tests.report.samples import binary
from venire.report.sentences.split import estimates_words, folds_words, pooled_words, rows_words


def document(**more: Any) -> dict[str, Any]:
    return dict(binary()[0] | more)


def test_what_the_figure_estimates() -> None:
    assert estimates_words(document()) == (
        "Expected error rate of the procedure when it is trained on 342 rows (9 of 10 folds). Nested (two-layer) "
        "cross-validation: the test rows had no part in training or in choosing."
    )
    assert "in choosing, repeated with 3 different splits." in estimates_words(document(repeats=3))


def test_in_time_order_the_folds_that_are_tested_are_counted() -> None:
    ordered = document(splitting="time", time=True)
    assert "Measured on the last 8 of 10 folds in time order" in estimates_words(ordered)
    assert "the last 9 of 10 folds tested" in rows_words(ordered | {"judged_folds": 9})
    assert folds_words(ordered) == "10 folds in time order"


def test_of_several_splits_one_is_pooled() -> None:
    said = pooled_words(document(repeats=3))
    assert said.endswith("; only the first of 3 splits")
    assert "repeated" in rows_words(document(repeats=3))
