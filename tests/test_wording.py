"""Words that several rooms print: one format each, wherever they are printed."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from venire.report.sentences.reasons import reason_words
from venire.validation.trials.budget import admit
from venire.validation.trials.family import Cost
from venire.wording import MISSING, count, duration, folds, share


def test_a_minute_is_never_sixty_seconds_and_nothing_is_zero() -> None:
    assert [duration(s) for s in (9.96, 59.4, 59.6, 3599.6)] == ["10 s", "59 s", "1 min", "1 h"]
    assert [duration(s) for s in (86399.0, 86400, 47.6 * 3600)] == ["1 day", "1 day", "2 days"]
    assert duration(None) == duration(math.nan) == MISSING


@given(st.floats(0.06, 1e7))
def test_a_length_of_time_is_right_to_its_last_unit(seconds: float) -> None:
    units = {"s": 1, "min": 60, "h": 3600, "day": 86400, "days": 86400}
    parts = duration(seconds).split()
    said = sum(float(number) * units[unit] for number, unit in zip(parts[::2], parts[1::2], strict=True))
    assert len(parts) in (2, 4)
    assert abs(said - seconds) <= (0.051 if seconds < 10 else 1 if seconds < 3600 else 31 if seconds < 86400 else 1801)


def test_a_model_that_is_too_slow_is_said_so_in_the_same_format() -> None:
    found = admit({"svm": Cost(95.0, 1.0)}, seconds=60, jobs=1, memory=8e9)
    assert duration(95) == "1 min 35 s"
    assert "about 1 min 35 s" in reason_words(found.refused["svm"])


def test_count() -> None:
    assert count(0, "row") == "0 rows"
    assert count(1, "class", "classes") == "1 class"
    assert count(None, "row") == count(True, "row") == MISSING


@pytest.mark.parametrize(
    ("splitting", "classes", "said"),
    [
        ("random", True, "5 folds drawn at random"),
        ("stratified", True, "5 folds with equal class shares"),
        ("stratified", False, "5 folds with equal shares of low and high values"),
        ("grouped", True, "5 folds of whole groups"),
        ("time", True, "5 folds in time order"),
        ("leave_one_out", True, "5 folds of one row each"),
        ("given", True, "5 folds as given"),
    ],
)
def test_how_rows_were_split(splitting: str, classes: bool, said: str) -> None:
    assert folds(5, splitting, classes=classes) == said
    assert folds(5, splitting, classes=classes, repeats=2) == f"{said}, split 2 times"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0.0, "0 %"),
        (4e-4, "<0.1 %"),
        (5e-4, "0.1 %"),
        (0.3, "30.0 %"),
        (0.9994, "99.9 %"),
        (0.9996, ">99.9 %"),
        (1.0, "100 %"),
    ],
)
def test_only_all_is_a_hundred_percent(value, shown):
    assert share(value) == shown


def test_a_share_that_is_not_known():
    assert share(math.nan) == share(None) == MISSING
