"""Parts come in order, one of them ahead; errors and early ends leave nothing open."""

from __future__ import annotations

import threading
from collections.abc import Generator
from contextlib import closing

import pytest

from venire.use.read_ahead import read_ahead


def test_the_next_is_made_while_one_is_in_use() -> None:
    begun = [threading.Event() for _ in range(3)]

    def made() -> Generator[int, None, None]:
        for number in range(3):
            begun[number].set()
            yield number

    for number in read_ahead(made()):
        assert number == 2 or begun[number + 1].wait(10), "nobody asked for it yet"
        assert number > 0 or not begun[2].is_set(), "one ahead, not two: memory holds two parts"


def test_an_error_comes_where_its_item_would() -> None:
    def made() -> Generator[int, None, None]:
        yield 1
        raise ValueError("the second is damaged")

    found = read_ahead(made())
    assert next(found) == 1
    with pytest.raises(ValueError, match="the second is damaged"):
        next(found)


def test_who_stops_early_closes_the_reader() -> None:
    closed = []

    def made() -> Generator[int, None, None]:
        try:
            yield from range(100)
        finally:
            closed.append(threading.current_thread().name)

    with closing(read_ahead(made())) as found:
        assert next(found) == 0
    assert len(closed) == 1
    assert not [each for each in threading.enumerate() if each.name.startswith("venire-reader")]
