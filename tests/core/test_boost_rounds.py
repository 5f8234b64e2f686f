"""Rounds of boosting: one session for all of them, stopped on the way or not, on any number of threads."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from venire import GradientBoostingClassifier, GradientBoostingRegressor
from venire._core import Bins, Booster, BoostPlan

Floats = NDArray[np.float64]


def table(outputs: int, rows: int = 400) -> tuple[Floats, Floats]:
    """Columns and a target: numbers, or as many classes as there are outputs."""
    rng = np.random.default_rng(outputs)
    x = rng.normal(size=(rows, 4))
    signal = x[:, 0] + x[:, 1] * x[:, 2] + 0.3 * rng.normal(size=rows)
    if outputs == 1:
        return x, signal
    return x, np.digitize(signal, np.quantile(signal, np.arange(1, outputs) / outputs)).astype(np.float64)


def boosting(outputs: int, threads: int, **settings: Any) -> Booster:
    x, y = table(outputs)
    plan = BoostPlan()
    plan.loss = "squared" if outputs == 1 else "multinomial"
    plan.outputs = outputs
    plan.max_leaf_nodes = 8
    for name, value in settings.items():
        setattr(plan, name, value)
    bins = Bins.of(x, np.zeros(4, dtype=bool), None, max_bins=255, threads=1)
    return Booster.of(bins, y, None, np.zeros(0), np.zeros(0, dtype=np.int8), plan, threads=threads)


def same(a: Booster, b: Booster) -> bool:
    return a.scores().tobytes() == b.scores().tobytes() and pickle.dumps(a.forest()) == pickle.dumps(b.forest())


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("drawn", [{}, {"subsample": 0.5, "colsample": 0.5}, {"top_share": 0.2, "other_share": 0.2}])
def test_one_session_has_the_bits_of_a_session_a_round(outputs: int, threads: int, drawn: dict[str, float]) -> None:
    together, asked, apart = (boosting(outputs, threads, **drawn) for _ in range(3))
    together.advance(12, threads=threads)
    asked.advance(12, threads=threads, go_on=lambda: True)
    for _ in range(12):
        apart.advance(1, threads=1)
    assert same(together, asked)
    assert same(together, apart)


def test_it_is_asked_after_every_round_and_stops_when_told() -> None:
    booster, seen = boosting(1, 1), []

    def go_on() -> bool:
        seen.append(booster.scores()[0])
        return len(seen) < 7

    booster.advance(50, threads=1, go_on=go_on)
    assert len(seen) == 7
    assert booster.forest().trees == 7
    plain = boosting(1, 1)
    for scores in seen:
        plain.advance(1, threads=1)
        np.testing.assert_array_equal(scores, plain.scores()[0])


def test_an_error_in_between_leaves_the_rounds_before_it() -> None:
    booster, plain = boosting(3, 2), boosting(3, 2)
    answers = iter([True, True, True])

    def go_on() -> bool:
        if not next(answers, False):
            raise KeyError("the fourth")
        return True

    with pytest.raises(KeyError, match="the fourth"):
        booster.advance(10, threads=2, go_on=go_on)
    plain.advance(4, threads=2)
    assert same(booster, plain)


@pytest.mark.skipif(sys.platform != "linux", reason="threads are listed under /proc on Linux alone")
def test_threads_last_for_all_rounds() -> None:
    booster = boosting(3, 2)
    outside = set(os.listdir("/proc/self/task"))
    inside: list[set[str]] = []
    booster.advance(5, threads=2, go_on=lambda: inside.append(set(os.listdir("/proc/self/task")) - outside) is None)
    assert len(inside[0]) == 1, "trees of a round on two threads, one of them the caller's"
    assert inside == [inside[0]] * 5
    assert not inside[0] & set(os.listdir("/proc/self/task")), "no thread outlives the call"


def test_gradients_of_ones_own_are_asked_for_before_every_round() -> None:
    _, y = table(1)
    given, own = boosting(1, 2), boosting(1, 2, loss="own")
    seen = 0

    def gradients() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        nonlocal seen
        seen += 1
        difference = own.scores() - y
        return difference.astype(np.float32), np.ones_like(difference, dtype=np.float32)

    given.advance(5, threads=2)
    own.advance_by(gradients, 5, threads=2)
    assert seen == 5
    np.testing.assert_allclose(own.scores(), given.scores(), rtol=1e-5, atol=1e-5)


def test_rounds_by_gradients_of_ones_own_end_when_they_are_enough() -> None:
    _, y = table(1)
    watched, short = boosting(1, 2, loss="own"), boosting(1, 2, loss="own")
    asked = iter((True, True, False))

    def of(booster: Booster) -> Callable[[], tuple[NDArray[np.float32], NDArray[np.float32]]]:
        def gradients() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            difference = (booster.scores() - y).astype(np.float32)
            return difference, np.ones_like(difference)

        return gradients

    watched.advance_by(of(watched), 50, threads=1, go_on=lambda: next(asked))
    for _ in range(3):  # threads, growers and buffers made anew for each round give the same
        short.advance_by(of(short), 1, threads=1)
    assert watched.forest().trees == 3
    np.testing.assert_array_equal(watched.scores(), short.scores())


def test_gradients_of_the_wrong_shape_are_refused() -> None:
    short = np.zeros((1, 3), dtype=np.float32)
    with pytest.raises(ValueError, match=r"gradients are \[output, row\]"):
        boosting(1, 1, loss="own").advance_by(lambda: (short, short), 1, threads=1)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("outputs", [1, 2, 3])
def test_early_stopping_is_the_plain_fit_cut_at_the_best_round(outputs: int, threads: int) -> None:
    x, y = table(outputs, rows=600)
    kind = GradientBoostingRegressor if outputs == 1 else GradientBoostingClassifier
    settings: dict[str, Any] = {"learning_rate": 0.4, "max_leaf_nodes": 8, "random_state": 3, "n_jobs": threads}
    stopped = kind(n_estimators=150, early_stopping=4, **settings).fit(x, y)
    stopping = stopped.stopping_
    assert stopping is not None
    assert stopping.best_round < 146, "the test needs a fit that stops"
    assert len(stopping.losses) == stopping.best_round + 1 + 4
    weights = np.ones(len(y))
    weights[stopping.held_out] = 0.0
    plain = kind(n_estimators=stopping.best_round, **settings).fit(x, y, sample_weight=weights)
    if outputs == 1:
        assert stopped.predict(x).tobytes() == plain.predict(x).tobytes()
    else:
        assert stopped.predict_proba(x).tobytes() == plain.predict_proba(x).tobytes()
