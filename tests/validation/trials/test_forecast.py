"""The time that is left, held against runs whose true length is known."""

from __future__ import annotations

import pytest

from venire.validation.trials.forecast import CHECK, Forecast

TRIALS = 55


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def trial_by_trial(forecast: Forecast, clock: Clock, family: str, seconds: float, trials: int = TRIALS) -> None:
    forecast.begin(family)
    for _ in range(trials):
        clock.now += seconds
        forecast.step()


def bucket(true: dict[str, float], off: float = 1.0, **how: float) -> tuple[Forecast, Clock]:
    clock = Clock()
    expected = {name: TRIALS * seconds * off for name, seconds in true.items()}
    return Forecast(expected, dict.fromkeys(true, TRIALS), clock=clock, **how), clock


def test_dear_families_at_the_end_are_seen_from_the_beginning() -> None:
    """Eight families of 0.01 s a trial, then one of 0.7 s and one of 3 s: by the mean trial 1 s is left, not 204."""
    true = {f"cheap {k}": 0.01 for k in range(8)} | {"svm": 0.7, "net": 3.0}
    forecast, clock = bucket(true)
    for name in list(true)[:8]:
        trial_by_trial(forecast, clock, name, true[name])
    forecast.finish()
    checks = CHECK * sum(true.values())
    assert forecast.left() == pytest.approx(TRIALS * 3.7 + checks, rel=0.01)


@pytest.mark.parametrize("off", [0.2, 0.5, 2.0, 5.0])
def test_a_formula_that_is_off_is_outweighed_by_the_familys_own_trials(off: float) -> None:
    forecast, clock = bucket({"net": 3.0}, off)
    trial_by_trial(forecast, clock, "net", 3.0, trials=20)
    left = (TRIALS - 20) * 3.0 + CHECK * 3.0
    assert forecast.left() == pytest.approx(left, rel=0.5)
    for _ in range(30):
        clock.now += 3.0
        forecast.step()
    assert forecast.left() == pytest.approx((TRIALS - 50) * 3.0 + CHECK * 3.0, rel=0.2)


@pytest.mark.parametrize("slower", [0.5, 3.0])
def test_a_machine_that_is_slower_than_the_formulas_is_noticed(slower: float) -> None:
    true = {"forest": 2.0, "svm": 4.0}
    forecast, clock = bucket(true, 1 / slower)
    trial_by_trial(forecast, clock, "forest", 2.0)
    forecast.finish()
    assert forecast.left() == pytest.approx(TRIALS * 4.0 + CHECK * 6.0, rel=0.3)


def test_the_first_trial_pays_for_what_all_share_and_says_nothing_of_the_others() -> None:
    forecast, clock = bucket({"forest": 0.1})
    forecast.begin("forest")
    clock.now += 5.5
    forecast.step()
    for _ in range(9):
        clock.now += 0.001
        forecast.step()
    assert forecast.left() < 2.0, "by the mean of ten trials it would be 25"


def test_nothing_lasts_beyond_the_end_of_the_budget() -> None:
    forecast, clock = bucket({"net": 3.0}, end=160.0)
    assert forecast.left() == pytest.approx(60.0)
    clock.now = 170.0
    assert forecast.left() == 0.0


def test_what_follows_the_trials_is_counted() -> None:
    forecast, clock = bucket({"net": 3.0}, after=7.0)
    trial_by_trial(forecast, clock, "net", 3.0)
    forecast.finish()
    assert forecast.left() == pytest.approx(7.0 + CHECK * 3.0)


def test_a_family_with_nothing_to_run_takes_no_time() -> None:
    forecast, clock = bucket({"net": 3.0})
    before = forecast.left()
    forecast.begin("on disk")
    clock.now += 1.0
    forecast.finish()
    assert forecast.left() == before
