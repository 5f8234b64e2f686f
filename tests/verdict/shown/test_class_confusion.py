"""The procedure's decisions on held-out rows, counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn import metrics as oracle

from tests.validation.tables import classification, regression
from tests.verdict.cases import BASELINE, BAYES, RIDGE, TREE, judged
from venire.data import read_table
from venire.data.cost_matrix import read_costs
from venire.verdict.held_out_predictions import held_out
from venire.verdict.shown.class_confusion import class_of_interest, confusion


def test_every_predicted_row_is_counted_once(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(90), [BASELINE, BAYES, TREE], folds=4, repeats=2)
    found, held = confusion(judgement), held_out(judgement, "procedure")
    assert found is not None
    np.testing.assert_array_equal(found.counts, oracle.confusion_matrix(held.actual, held.predicted))
    assert found.total == 90
    assert found.labels == ("class 0", "class 1", "class 2")
    assert found.positive is None


def test_numbers_are_not_confused(tmp_path: Path) -> None:
    assert confusion(judged(tmp_path, regression(60), [BASELINE, RIDGE], folds=4)) is None


def test_without_a_positive_class_curves_look_for_the_second(tmp_path: Path) -> None:
    table = classification(60, classes=2)
    assert table.target is not None
    for positive, wanted in ((0, 0), (1, 1), (None, 1)):
        asked = replace(table, target=replace(table.target, positive=positive))
        judgement = judged(tmp_path / str(positive), asked, [BASELINE], folds=4)
        assert class_of_interest(judgement) == wanted


def test_of_1_and_2_the_rarer_is_positive_in_every_figure(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    x = rng.normal(size=120)
    y = np.where(x + 0.5 * rng.normal(size=120) > 0.8, 2, 1)
    table = read_table((x[:, None], y))
    assert table.target is not None
    judgement = judged(tmp_path, table, [BASELINE, BAYES], measure="f1", folds=4)
    found = confusion(judgement)
    assert found is not None
    assert (class_of_interest(judgement), found.positive, judgement.docket.metric.positive) == (1, 1, 1)
    swapped = read_table((x[:, None], 3 - y))
    other = judged(tmp_path, swapped, [BASELINE, BAYES], measure="f1", folds=4)
    flipped = confusion(other)
    assert flipped is not None
    assert (class_of_interest(other), flipped.positive, other.docket.metric.positive) == (0, 0, 0)
    assert flipped.recall() == found.recall()
    assert read_costs("1:10", swapped.target.labels, swapped.target.positive) == [[0.0, 10.0], [1.0, 0.0]]
