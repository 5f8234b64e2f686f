"""What a file reaches for the first time is noticed, once."""

from __future__ import annotations

import sys

from benchmarks.reliability.reached import Reached
from venire.errors import did_you_mean


def test_lines_are_new_once() -> None:
    reached = Reached()
    with reached.watched() as first:
        did_you_mean("jury", ["tree"])
    with reached.watched() as second:
        did_you_mean("jury", ["tree"])
    assert {place.rpartition(":")[0] for place in first} == {"errors.py"}
    assert len(first) == reached.lines > 0
    assert second == set()


def test_what_an_earlier_run_reached_is_not_new() -> None:
    before = Reached()
    with before.watched() as known:
        did_you_mean("jury", ["tree"])
    after = Reached(known)
    with after.watched() as fresh:
        did_you_mean("jury", ["tree"])
    assert fresh == set()
    assert after.lines == before.lines


def test_the_trace_of_others_comes_back() -> None:
    before = sys.gettrace()
    with Reached().watched():
        assert sys.gettrace() is not before
    assert sys.gettrace() is before
