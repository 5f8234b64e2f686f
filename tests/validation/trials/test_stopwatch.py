from __future__ import annotations

from venire.validation.trials.stopwatch import Stages


def test_a_stage_that_comes_twice_is_one_figure_and_all_add_up() -> None:
    at = iter([3.0, 4.5, 10.0, 11.0])
    stages = Stages(began=1.0, clock=lambda: next(at))
    for stage in ("reading", "verdict", "checks", "verdict"):
        stages.ended(stage)
    assert stages.seconds == {"reading": 2.0, "verdict": 2.5, "checks": 5.5}
    assert stages.total == sum(stages.seconds.values()) == 10.0


def test_a_reserve_is_taken_off_the_end_of_the_budget() -> None:
    assert Stages(began=100.0, budget=60.0).until(7.0) == 153.0
    assert Stages(began=100.0).until(7.0) is None
