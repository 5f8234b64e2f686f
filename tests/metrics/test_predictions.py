from __future__ import annotations

import numpy as np
import pytest

from venire.metrics import Output, Predictions, decide


def test_each_output_serves_the_weaker_needs():
    serves = {(have.value, need.value) for have in Output for need in Output if have.serves(need)}
    assert serves == {
        ("labels", "labels"),
        ("scores", "labels"),
        ("scores", "scores"),
        ("probabilities", "labels"),
        ("probabilities", "scores"),
        ("probabilities", "probabilities"),
        ("values", "values"),
    }


def test_predictions_know_their_rows_and_values():
    said = Predictions(None, np.array([[1.5], [2.5]]), Output.VALUES)
    assert said.rows == 2
    assert said.values.tolist() == [1.5, 2.5]
    assert Predictions(np.zeros(3, dtype=np.int32), None, Output.LABELS).rows == 3
    assert Predictions(None, None, Output.LABELS).rows == 0


def test_labels_are_no_values():
    with pytest.raises(AttributeError, match="of kind 'labels' hold no values"):
        _ = Predictions(np.zeros(3, dtype=np.int32), None, Output.LABELS).values


def test_decide_works_on_all_settings_at_once():
    outputs = np.array([[[0.1, 0.9], [0.5, 0.5]], [[0.7, 0.3], [0.0, 1.0]]])
    assert decide(outputs).tolist() == [[1, 0], [0, 1]]
    assert decide(outputs).dtype == np.int32
