"""Warnings go to the thread that gave them, and the process is left as it was."""

import re
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.neural_network import MLPClassifier
from sklearn.svm import SVC

from tests.validation.tables import classification
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.learner_warnings import caught_warnings, gist


def test_every_warning_is_kept_once_a_time_it_is_given_and_cut_to_its_first_line() -> None:
    with caught_warnings() as heard:
        for _ in range(2):
            warnings.warn("first line\nsecond line", UserWarning, stacklevel=1)
        warnings.warn("x" * 500, RuntimeWarning, stacklevel=1)
    assert heard == ["UserWarning: first line"] * 2 + ["RuntimeWarning: " + "x" * 160 + "…"]


def test_filters_are_put_back_even_after_a_failure() -> None:
    filters, shown = list(warnings.filters), warnings.showwarning

    def fails() -> None:
        with caught_warnings():
            raise KeyError("lost")

    with pytest.raises(KeyError, match="lost"):
        fails()
    assert list(warnings.filters) == filters
    assert warnings.showwarning is shown
    with pytest.raises(UserWarning, match="an error under test"):
        warnings.warn("an error under test", UserWarning, stacklevel=1)


def test_one_may_listen_within_another() -> None:
    with caught_warnings() as outer:
        warnings.warn("before", UserWarning, stacklevel=1)
        with caught_warnings() as inner:
            warnings.warn("inside", UserWarning, stacklevel=1)
        warnings.warn("after", UserWarning, stacklevel=1)
    assert (outer, inner) == (["UserWarning: before", "UserWarning: after"], ["UserWarning: inside"])


def test_threads_that_begin_and_end_in_any_order_hear_their_own() -> None:
    """Every thread ends while another still listens, which is where swapped filters would get lost."""
    filters, threads, rounds = list(warnings.filters), 4, 200
    barrier = threading.Barrier(threads)

    def work(number: int) -> list[list[str]]:
        barrier.wait(timeout=30)
        found = []
        for turn in range(rounds):
            with caught_warnings() as heard:
                warnings.warn(f"{number} in turn {turn}", UserWarning, stacklevel=1)
            found.append(list(heard))
        return found

    with ThreadPoolExecutor(threads) as pool:
        for number, found in enumerate(pool.map(work, range(threads))):
            assert found == [[f"UserWarning: {number} in turn {turn}"] for turn in range(rounds)]
    assert list(warnings.filters) == filters


def test_a_thread_that_does_not_listen_is_shown_its_warnings_as_before(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[str] = []

    def warn() -> None:
        warnings.warn("somebody else's", UserWarning, stacklevel=1)

    monkeypatch.setattr(warnings, "showwarning", lambda message, *_: seen.append(str(message)))
    with caught_warnings() as heard:
        other = threading.Thread(target=warn)
        other.start()
        other.join()
    assert (heard, seen) == ([], ["somebody else's"])


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        (
            "Solver terminated early (max_iter=1000).  Consider pre-processing your data with "
            "StandardScaler or MinMaxScaler.",
            "UserWarning: Solver terminated early (max_iter=1000)",
        ),
        ("lbfgs failed to converge (status=1):\nSTOP: more", "UserWarning: lbfgs failed to converge (status=1)"),
        ("a value of 1.5 was met, e.g. in row 3", "UserWarning: a value of 1.5 was met, e.g. in row 3"),
        ("word " * 33, "UserWarning: " + "word " * 31 + "word…"),
        ("x" * 160, "UserWarning: " + "x" * 160),
        ("x" * 161, "UserWarning: " + "x" * 160 + "…"),
        ("A sentence. " + "And one that is too long to be kept. " * 9, "UserWarning: A sentence"),
        ("", "UserWarning"),
    ],
)
def test_the_gist_of_a_warning_is_its_first_sentence(message: str, kept: str) -> None:
    assert gist(message, UserWarning) == kept


def test_the_gist_of_what_learners_say_today() -> None:
    """Their texts, not ours: what we pass on has no advice in it, and ends like part of a sentence."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 5)), rng.integers(0, 2, 80)
    learners = [SVC(max_iter=2), LogisticRegression(max_iter=1), MLPClassifier(max_iter=2, random_state=0)]
    for learner in learners:
        with caught_warnings() as heard:
            learner.fit(X, y)
        assert heard
        for each in heard:
            assert each.startswith("ConvergenceWarning: ")
            assert not re.search(r"Consider|Increase|[.:;]$", each)


def test_half_a_net_is_an_interruption_and_no_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    """scikit-learn's net swallows Ctrl-C while it goes through its batches."""

    def interrupt(*given: object) -> None:
        raise KeyboardInterrupt("by hand")

    monkeypatch.setattr(MLPClassifier, "_backprop", interrupt)
    net = GenericFamily("net", classifier=MLPClassifier(solver="adam", max_iter=5))
    table = classification(60, classes=2)
    plan = make_plan(table, folds=3)
    with pytest.raises(KeyboardInterrupt, match="cut a fit short"):
        net.run(net.prepare(table, plan), plan.trials[0])
