from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.validation.asking import TABLE, question_of
from venire.data.table import Task
from venire.errors import UsageError
from venire.metrics import metric
from venire.validation.evidence.questions import Kind, check_name
from venire.validation.plans.folds import make_plan

ASKED = question_of("bayes", "near")


def test_the_same_question_has_the_same_key() -> None:
    assert question_of("near", "bayes").key == ASKED.key, "in whatever order models are named"
    assert question_of("bayes", "near", name="other").key == ASKED.key, "and whatever it is called"


@pytest.mark.parametrize(
    "change",
    [
        {"kind": Kind.VALIDATION},
        {"families": ASKED.families[:1]},
        {"models": ("bayes", "near", "vote")},
        {"metric": metric("auc", Task.CLASSIFICATION)},
        {"metric": metric("accuracy", Task.CLASSIFICATION)},
        {"metric": metric("cost", Task.CLASSIFICATION, costs=np.array([[0.0, 1.0, 1.0]] * 3))},
        {"further": ("one_standard_error",)},
        {"plan": make_plan(TABLE, folds=5)},
        {"plan": make_plan(TABLE, folds=4, seed=1)},
        {"table": TABLE.with_values(TABLE.X + 1.0, TABLE.y)},
    ],
    ids=lambda change: next(iter(change)),
)
def test_what_changes_an_answer_makes_another_question(change: dict[str, Any]) -> None:
    assert question_of("bayes", "near", **change).key != ASKED.key


def test_costs_tell_questions_apart() -> None:
    costs = [metric("cost", Task.CLASSIFICATION, costs=np.array([[0.0, c], [1.0, 0.0]])) for c in (1.0, 2.0)]
    assert question_of("bayes", metric=costs[0]).key != question_of("bayes", metric=costs[1]).key


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, 7])
def test_a_name_is_a_text_that_a_list_has_room_for(name: Any) -> None:
    with pytest.raises(UsageError, match="a run cannot be called"):
        check_name(name)
    assert check_name("before cleaning") == "before cleaning"
    assert check_name(None) is None
