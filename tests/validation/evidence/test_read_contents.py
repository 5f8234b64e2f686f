"""Contents of trial files that were read once."""

from __future__ import annotations

from venire.validation.evidence.read_contents import ReadContents


def test_only_so_much_is_kept() -> None:
    contents = ReadContents(most=10)
    assert contents.takes(6)
    contents.keep("a", (1,), b"123456")
    assert not contents.takes(6)
    assert contents.takes(4)
    contents.keep("a", (1,), b"123456")  # two threads read it at a time
    assert contents.takes(4)
    assert not ReadContents().takes(2 << 20)


def test_another_file_of_that_name_is_another() -> None:
    contents = ReadContents()
    contents.keep("a", (1, 2), b"one")
    assert contents.of("a", (1, 3)) is None
    assert contents.of("a", (1, 2)) == b"one"
