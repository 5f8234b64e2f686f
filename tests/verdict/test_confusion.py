"""The procedure's decisions on held-out rows, counted."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn import metrics as oracle

from tests.validation.tables import classification, regression
from tests.verdict.cases import BASELINE, BAYES, RIDGE, TREE, judged
from venire.verdict.confusion import class_of_interest, confusion
from venire.verdict.held_out import held_out


def test_every_predicted_row_is_counted_once(tmp_path: Path) -> None:
    judgement = judged(tmp_path, classification(90), [BASELINE, BAYES, TREE], blocks=4, repeats=2)
    found, held = confusion(judgement), held_out(judgement, "procedure")
    assert found is not None
    np.testing.assert_array_equal(found.counts, oracle.confusion_matrix(held.actual, held.predicted))
    assert found.total == 90
    assert found.labels == ("class 0", "class 1", "class 2")
    assert found.positive is None


def test_numbers_are_not_confused(tmp_path: Path) -> None:
    assert confusion(judged(tmp_path, regression(60), [BASELINE, RIDGE], blocks=4)) is None


def test_without_a_positive_class_curves_look_for_the_second(tmp_path: Path) -> None:
    table = classification(60, classes=2)
    assert table.target is not None
    for positive, wanted in ((0, 0), (1, 1), (None, 1)):
        asked = replace(table, target=replace(table.target, positive=positive))
        judgement = judged(tmp_path / str(positive), asked, [BASELINE], blocks=4)
        assert class_of_interest(judgement) == wanted
