"""A thread that the system refuses is done without."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from venire.threads import Threads
from venire.use.read_ahead import read_ahead
from venire.use.write_behind import write_behind
from venire.validation.trials.side_by_side import side_by_side


@pytest.fixture(params=[0, 1, 3])
def given(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """So many threads are started; then the system has no more."""
    start, left = threading.Thread.start, [request.param]

    def counted(self: threading.Thread) -> None:
        if not left[0]:
            raise RuntimeError("can't start new thread")
        left[0] -= 1
        start(self)

    monkeypatch.setattr(threading.Thread, "start", counted)
    return int(request.param)


@pytest.mark.usefixtures("given")
def test_the_work_is_done_with_as_many_threads_as_there_are() -> None:
    assert list(side_by_side(lambda item: item * item, range(40), threads=4)) == [i * i for i in range(40)]


@pytest.mark.usefixtures("given")
def test_every_item_is_worked_on_once() -> None:
    done: list[int] = []
    with Threads(4) as pool:
        answers = [pool.submit(done.append, item) for item in range(40)]
    assert [answer.result() for answer in answers] == [None] * 40
    assert sorted(done) == list(range(40))


@pytest.mark.usefixtures("given")
def test_files_are_read_and_written_without_them() -> None:
    written: list[int] = []
    with write_behind(written.append) as add:
        for item in read_ahead(number * number for number in range(5)):
            add(item)
    assert written == [0, 1, 4, 9, 16]


@pytest.mark.usefixtures("given")
def test_an_error_comes_up_where_its_result_would() -> None:
    def work(item: int) -> int:
        if item == 3:
            raise KeyError(item)
        return item

    found: list[Any] = []
    with pytest.raises(KeyError, match="3"):
        found.extend(side_by_side(work, range(9), threads=2))


def test_work_after_the_end_is_refused() -> None:
    with Threads(1) as pool:
        pass
    with pytest.raises(RuntimeError, match="after shutdown"):
        pool.submit(abs, 1)
