"""The document: what it says of a decision is what the decision does."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.validation.tables import classification
from tests.verdict.cases import BAYES, RIDGE, judged
from venire.combine.finish import Finish
from venire.metrics.predictions import Output, Predictions
from venire.report.further import decision_words
from venire.report.summary import summarise
from venire.validation.generic import GenericFamily
from venire.validation.run import Ran

OUTPUTS = {
    "probability": (BAYES, Output.PROBABILITIES, lambda p: np.column_stack([1 - p, p])),
    "score": (RIDGE, Output.SCORES, lambda p: (p - 0.5)[:, None]),
}


def at_a_threshold(home: Path, family: GenericFamily, positive: int, threshold: float) -> dict[str, Any]:
    """The document of one family that decides by this threshold for class 1."""
    table = classification(60, classes=2)
    assert table.target is not None
    table = replace(table, target=replace(table.target, positive=positive))
    case = judged(home, table, [family], measure="cost", costs=[[0, 1], [5, 0]], blocks=3)
    one = replace(case.candidates[0], finish=Finish(threshold=threshold))
    case = replace(case, candidates=(one,), procedure=replace(case.procedure, chosen=one))
    ran = Ran(complete=(one.name,), failed={}, not_tried={}, seconds={}, reused=0, trials=6, stopped=None)
    return summarise(case, ran, 1.0)


@pytest.mark.parametrize("positive", [0, 1])
@pytest.mark.parametrize("kind", OUTPUTS)
def test_the_threshold_is_that_of_the_positive_class(tmp_path: Path, kind: str, positive: int) -> None:
    family, output, written = OUTPUTS[kind]
    limit = 0.785 if kind == "probability" else 0.285
    document = at_a_threshold(tmp_path, family, positive, limit)
    chosen = document["chosen"]
    assert (chosen["threshold_class"], chosen["threshold_of"]) == (f"class {positive}", kind)
    p = np.random.default_rng(0).random(200)
    decided = Finish(threshold=limit)(Predictions(None, written(p), output)).labels
    for_positive = written(p)[:, -1] if positive else (1 - p if kind == "probability" else 0.5 - p)
    np.testing.assert_array_equal(for_positive > chosen["threshold"], decided == positive)
    assert decision_words(document) == (f"it says class {positive} from a {kind} of {chosen['threshold']:.3g} on")


def test_a_threshold_that_nothing_reaches_is_none(tmp_path: Path) -> None:
    chosen = at_a_threshold(tmp_path, BAYES, 1, np.inf)["chosen"]
    assert (chosen["decision"], chosen["threshold"]) == ("one class", None)
