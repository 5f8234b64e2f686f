"""Items are written in their order, one behind; what goes wrong comes up."""

from __future__ import annotations

import threading

import pytest

from venire.use.write_behind import write_behind


def test_all_items_in_their_order():
    written = []
    with write_behind(written.append) as add:
        for item in range(50):
            add(item)
    assert written == list(range(50))


def test_no_more_than_one_waits():
    go, written = threading.Event(), []

    def write(item):
        assert go.wait(30)
        written.append(item)

    def feed():
        with write_behind(write) as add:
            for item in range(3):
                add(item)
                handed.append(item)

    handed: list[int] = []
    feeder = threading.Thread(target=feed)
    feeder.start()
    feeder.join(0.2)
    assert handed == [0]
    assert not written
    go.set()
    feeder.join(30)
    assert written == [0, 1, 2]


def refuse(item):
    raise OSError(f"no room for {item}")


def hand(items, done, last=None):
    with write_behind(refuse) as add:
        for item in items:
            add(item)
            done.append(item)
        if last is not None:
            raise last


def test_an_error_comes_up_with_the_next_item():
    done: list[int] = []
    with pytest.raises(OSError, match="no room for 0"):
        hand(range(3), done)
    assert done == [0]


def test_an_error_with_the_last_item_comes_up_in_the_end():
    with pytest.raises(OSError, match="no room for 0"):
        hand([0], [])


def test_an_error_of_ones_own_comes_first():
    with pytest.raises(KeyError, match="mine"):
        hand([0], [], KeyError("mine"))
