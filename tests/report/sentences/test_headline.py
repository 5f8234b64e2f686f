"""The headline: what to take and what to expect, and that nothing was found where nothing was."""

from __future__ import annotations

from typing import Any

import pytest

from tests.report.samples import SAMPLES, binary, only_baseline, regression
from venire.report.sentences.headline import headline

NOTHING = (
    (0.84, -0.02, "Nothing was found that is clearly better than guessing."),
    (0.0, 0.0, "Nothing was found that is better than guessing."),
    (0.01, 0.05, "Nothing was found: a model chosen this way is worse than guessing."),
)


def beside(p: float, difference: float, sample: Any = binary, **more: Any) -> dict[str, Any]:
    guessing = {"p_better": p, "difference": difference, "baseline_error": 0.0974}
    return dict(sample()[0] | {"guessing": guessing} | more)


def test_what_to_take_and_what_to_expect() -> None:
    rare = "Take a random forest (q = 3). Expect it to find 76 % of the 'fraud' rows; 10 % of its alarms are false."
    assert headline(binary()[0]) == rare  # 28 of 37, and 3 of 31
    common = binary()[0] | {"class_counts": [200, 180]}
    assert headline(common) == "Take a random forest (q = 3). Expect it to be wrong on about 3.2 % of new rows."
    score = binary()[0] | {"metric": "auc", "metric_label": "1 − AUC"}
    assert headline(score) == "Take a random forest (q = 3). Expect an AUC of about 0.968 on new rows."
    assert headline(regression()[0]).endswith("Expect a root mean squared error of about 2.0 billion on new rows.")
    assert headline(beside(0.97, -0.06)).startswith("Take a random forest (q = 3).")


@pytest.mark.parametrize(("p", "difference", "lead"), NOTHING)
def test_where_nothing_was_found_nothing_is_taken(p: float, difference: float, lead: str) -> None:
    said = headline(beside(p, difference))
    assert said == (
        f"{lead} Expect to be wrong on about 3.2 % of new rows with a random forest (q = 3), and on 9.7 % by guessing."
    )
    score = headline(beside(p, difference, metric="auc", metric_label="1 − AUC"))
    assert score.startswith(lead)
    assert score.endswith(
        "Expect an AUC of about 0.968 on new rows with a random forest (q = 3), and of 0.903 by guessing."
    )


def test_costs_without_a_finding_stand_beside_guessing() -> None:
    ways = [
        {"name": "procedure", "cost": 32.0, "interval": [10.0, 60.0]},
        {"name": "always saying normal", "cost": 97.4, "interval": [60.0, 130.0]},
    ]
    told = beside(0.6, -0.01, metric="cost", metric_label="mean cost", costs={"per_thousand": ways})
    assert headline(told).startswith(
        "Nothing was found that is clearly better than guessing. Expect that 1,000 new rows cost about 32 "
    )
    assert headline(told).endswith("with a random forest (q = 3), and 97 by guessing.")


def test_near_the_threshold_the_reserve_is_told() -> None:
    assert headline(beside(0.9475, -0.058)) == (
        "Take a random forest (q = 3). Expect it to find 76 % of the 'fraud' rows; 10 % of its alarms are false; it is "
        "probably better than guessing (probability 0.95)."
    )


def test_the_baseline_and_nothing_at_all() -> None:
    assert headline(only_baseline()[0]).startswith("Only the baseline could be measured.")
    beaten = beside(0.0, 0.0)
    beaten["chosen"]["family"] = "baseline"
    assert headline(beaten).startswith("No model did better than the baseline.")
    assert headline({"chosen": None}) == "There is no verdict: nothing could be measured."


@pytest.mark.parametrize("sample", SAMPLES)
@pytest.mark.parametrize(("p", "difference", "lead"), NOTHING)
def test_every_sample_can_say_that_nothing_was_found(sample: str, p: float, difference: float, lead: str) -> None:
    said = headline(beside(p, difference, SAMPLES[sample]))
    assert "None" not in said
    assert "nan" not in said


def test_the_article_is_that_of_the_spoken_letters() -> None:
    document, _ = regression()
    for metric, said in (
        ("RMSE", "Expect an RMSE of"),
        ("MAE", "Expect an MAE of"),
        ("log loss", "Expect a log loss of"),
    ):
        assert said in headline(document | {"metric": metric.lower(), "metric_label": metric})
