"""Held-out predictions of a validation, row by row."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tests.validation.tables import classification, regression
from venire.errors import UsageError
from venire.validation import bootstrap, one_layer, two_layer
from venire.validation.held_out import HeldOut
from venire.verdict.held_out_predictions import HeldOut as OfAVerdict


def test_there_is_one_kind() -> None:
    assert OfAVerdict is HeldOut
    found = two_layer(GaussianNB(), classification(40), folds=4)
    assert type(found.held_out) is HeldOut
    assert repr(found.held_out) == "<HeldOut gaussian_nb: probabilities of 40 rows>"


def test_a_frame_has_a_line_a_prediction() -> None:
    table = classification(40)
    found = one_layer(GaussianNB(), table, folds=4, repeats=2).held_out()
    frame = found.to_frame()
    outputs = [f"probability_class {code}" for code in range(3)]
    assert list(frame.columns) == ["row", "fold", "repeat", "actual", "predicted", *outputs]
    assert len(frame) == 80
    assert np.mean(frame["actual"] != frame["predicted"]) == pytest.approx(found.wrong.mean())
    once = one_layer(GaussianNB(), table, folds=4).held_out()
    assert "repeat" not in once.to_frame("polars").columns
    with pytest.raises(UsageError, match="there are no frames called 'excel'"):
        once.to_frame("excel")  # type: ignore[arg-type]  # that is the point


def test_samples_count_from_the_first_one() -> None:
    found = bootstrap(GaussianNB(), classification(30), samples=4)
    held = found.held_out()
    assert sorted(set(held.repeats)) == [0, 1, 2, 3]
    for sample in range(4):
        assert held.rows[held.repeats == sample].tolist() == np.flatnonzero(found.drawn[sample] == 0).tolist()


def test_some_of_many_rows() -> None:
    found = one_layer(GaussianNB(), classification(40), folds=4).held_out()
    few = found.some(10, seed=1)
    assert len(few) == 10
    at = [found.rows.tolist().index(row) for row in few.rows]
    np.testing.assert_array_equal(few.outputs, found.outputs[at])
    assert found.some(40, seed=1) is found


def test_numbers_are_their_own_outputs() -> None:
    from sklearn.linear_model import Ridge

    held = one_layer(Ridge(), regression(40), folds=4).held_out()
    np.testing.assert_array_equal(held.predicted, held.outputs[:, 0])
    assert held.classes == ()
