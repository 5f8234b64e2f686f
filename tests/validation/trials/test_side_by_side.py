"""Threads give the results of a plain loop, and end when told to."""

import threading

import pytest

from venire.validation.trials.side_by_side import side_by_side


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("items", [0, 1, 5, 40])
def test_results_come_in_the_order_of_the_items(threads: int, items: int) -> None:
    assert list(side_by_side(lambda item: item * item, range(items), threads)) == [i * i for i in range(items)]


def test_threads_work_at_the_same_time() -> None:
    meeting = threading.Barrier(2)
    assert list(side_by_side(lambda _: meeting.wait(timeout=30) >= 0, range(4), 2)) == [True] * 4


def test_a_long_first_item_keeps_no_thread_waiting_when_all_are_handed_out() -> None:
    last_done = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            assert last_done.wait(timeout=30)
        elif item == 19:
            last_done.set()
        return item

    assert list(side_by_side(work, range(20), 2, ahead=20)) == list(range(20))


@pytest.mark.parametrize("threads", [1, 2])
def test_the_first_failure_in_order_ends_it(threads: int) -> None:
    def work(item: int) -> int:
        if item >= 3:
            raise ValueError(f"item {item}")
        return item

    found = []
    with pytest.raises(ValueError, match="item 3"):
        found.extend(side_by_side(work, range(100), threads))
    results = side_by_side(work, range(100), threads)
    assert [next(results) for _ in range(3)] == [0, 1, 2]


def test_whoever_stops_listening_ends_the_work_that_is_under_way() -> None:
    given_up, begun = threading.Event(), []

    def work(item: int) -> int:
        begun.append(item)
        if item:
            assert given_up.wait(timeout=30)
        return item

    results = side_by_side(work, range(100), 2, given_up.set)
    assert next(results) == 0
    results.close()
    assert given_up.is_set()
    assert len(begun) <= 6
