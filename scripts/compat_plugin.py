"""A plugin of pytest: our classes in the place of scikit-learn's, a time limit a test, a line for each outcome."""

from __future__ import annotations

import importlib
import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

import venire

REPLACED: Final = {
    "sklearn.tree": ("DecisionTreeClassifier", "DecisionTreeRegressor"),
    "sklearn.ensemble": (
        "AdaBoostClassifier",
        "BaggingClassifier",
        "BaggingRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
        "GradientBoostingClassifier",
        "GradientBoostingRegressor",
        "RandomForestClassifier",
        "RandomForestRegressor",
        "StackingClassifier",
        "StackingRegressor",
        "VotingClassifier",
        "VotingRegressor",
    ),
    "sklearn.multiclass": ("OneVsOneClassifier", "OneVsRestClassifier"),
}
LOG: Final = "VENIRE_COMPAT_LOG"  # where the outcomes are written, a line of JSON each
SECONDS: Final = "VENIRE_COMPAT_SECONDS"  # what a test may take of the processor
WAITING: Final = 6  # and how many times as long by the clock, for one that sleeps, or a machine with other work


class TooSlow(BaseException):
    """The time of a test is over. No `Exception`, so that no test takes it for one it expects."""


def pytest_configure() -> None:
    """Replace the public names; scikit-learn's own modules, which hold theirs already, go on with these."""
    loaded = {module: importlib.import_module(module) for module in REPLACED}  # all before any is changed
    for module, names in REPLACED.items():
        for name in names:
            setattr(loaded[module], name, getattr(venire, name))


def _write(line: dict[str, Any]) -> None:
    """At once, so that a process that dies leaves a trace of the test it was in."""
    if log := os.environ.get(LOG):
        with Path(log).open("a") as file:
            file.write(json.dumps(line) + "\n")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Say which test begins, and ring when its time is over."""
    _write({"begins": _name(item.nodeid)})
    for number in (signal.SIGALRM, signal.SIGPROF):
        signal.signal(number, _ring)
    return (yield)


def _ring(number: int, frame: object) -> None:
    raise TooSlow("its time is over")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """The clock runs while the test itself does, not while pytest writes about it."""
    seconds = float(os.environ.get(SECONDS, "30"))
    signal.setitimer(signal.ITIMER_PROF, seconds)
    signal.setitimer(signal.ITIMER_REAL, WAITING * seconds)
    try:
        return (yield)
    except TooSlow as error:
        raise TimeoutError(f"not done after {seconds:g} seconds of work") from error
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """One line for each test: when it was called, or when it could not be."""
    if report.when != "call" and report.outcome == "passed":
        return
    crash = getattr(report.longrepr, "reprcrash", None)
    said = crash.message if crash is not None else str(report.longrepr or "")
    _write(
        {
            "name": _name(report.nodeid),
            "state": report.outcome,
            "seconds": round(report.duration, 3),
            "message": said if report.outcome == "failed" else "",
        }
    )


def _name(nodeid: str) -> str:
    """`tree/tests/test_tree.py::test_x[a]`, wherever scikit-learn lies."""
    return nodeid.rpartition("sklearn/")[2]
