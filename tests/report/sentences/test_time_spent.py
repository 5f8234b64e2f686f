"""What a verdict took: no time is lost of what was run before, and no budget is passed in silence."""

from __future__ import annotations

from typing import Any

import pytest

from tests.report.samples import binary
from venire.report.sentences.time_spent import over_budget_words, work_words
from venire.report.terminal.verdict import to_text


def took(**timing: Any) -> dict[str, Any]:
    return {"timing": {"seconds": 42.0, "budget": 600.0, "trials": 0, "reused": 0, **timing}}


@pytest.mark.parametrize(
    ("run", "reused", "said"),
    [(770, 0, "770 trials; this run took 42 s."),
     (660, 110, "770 trials, 110 of them kept from an earlier run; this run took 42 s."),
     (0, 770, "770 trials, all of them kept from an earlier run; this run took 42 s."),
     (1, 0, "1 trial; this run took 42 s.")],
)  # fmt: skip
def test_trials_run_and_found_add_up(run: int, reused: int, said: str) -> None:
    assert work_words(took(trials=run, reused=reused)) == said


@pytest.mark.parametrize("timing", [{"budget": None}, {"budget": 42.0}, {"seconds": None}, {"budget": 600.0}])
def test_nothing_is_said_within_the_budget(timing: dict[str, Any]) -> None:
    assert over_budget_words(took(**timing)) == ""


def test_nothing_is_said_of_a_document_without_times() -> None:
    assert work_words({}) == over_budget_words({}) == ""


def test_what_is_over_the_budget_is_told_with_where_the_time_went() -> None:
    stages = {"reading": 2.0, "trials": 0.5, "verdict": 26.5, "checks": 0.0}
    late = took(seconds=29.0, budget=3.0, stages=stages)
    where = "starting and reading 2 s, the trials 0.5 s, the verdict 26 s"
    said = f"This took 29 s, 26 s more than the budget of 3 s: {where}."
    assert over_budget_words(late) == said
    assert work_words({"timing": {**late["timing"], "trials": 7}}) == f"7 trials. {said}"  # the time is said once
    assert said in to_text({**binary()[0], **late}).replace("\n", " ")
    assert over_budget_words(took(seconds=29.0, budget=3.0)).endswith("the budget of 3 s.")
