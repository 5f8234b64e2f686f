"""Blocks of plain numbers are read without a database, to the very values that it gives, or not at all."""

from __future__ import annotations

import random

import numpy as np
import pytest

from benchmarks.reliability.fuzzing import counted, fuzz
from benchmarks.reliability.number_blocks import NumberBlocks
from venire._core import numbers_of
from venire.data.readers import plain_numbers, sniff
from venire.data.readers.in_chunks import open_chunks
from venire.data.readers.plain_numbers import PlainNumbers
from venire.data.readers.sources import Options
from venire.errors import DataError

MARKERS = ["", "NA", "nan"]


def said(text: str, columns: int = 2, threads: int = 1, delimiter: str = ","):
    return numbers_of(np.frombuffer(text.encode(), np.uint8), columns, delimiter, MARKERS, threads)


def bits(values) -> list[bytes]:
    return [value.tobytes() for value in np.asarray(values, dtype=np.float64).ravel()]


def hard_numbers(count: int) -> list[str]:
    """As short as they get, with more digits than a double has, halfway between two doubles, tiny and huge."""
    chance = random.Random(0)
    found = ["0", "-0", "-0.0", "00012", "9007199254740993", "9007199254740992.5", "2.2250738585072014e-308", "5e-324"]
    found += ["1.7976931348623157e308", "1e22", "1e23", "123456789012345678901234567890", "0.1e-22", "1E+5", "4e-7"]
    found += ["7.2057594037927933e16", "0." + "0" * 300 + "1", "1" + "0" * 300, "0.30000000000000004"]
    for _ in range(count):
        digits = chance.randint(1, 25)
        whole, part = chance.randint(1, digits), "".join(chance.choices("0123456789", k=digits))
        power = chance.choice(["", "", f"e{chance.randint(-250, 250)}"])
        found.append(f"{chance.choice(['', '-'])}{part[:whole]}{'.' if part[whole:] else ''}{part[whole:]}{power}")
        found.append(repr(chance.uniform(-1, 1) * 10.0 ** chance.randint(-30, 30)))
    return found


def test_every_number_is_the_nearest_double():
    texts = hard_numbers(3000)
    assert bits(said("\n".join(texts), columns=1)) == bits([float(text) for text in texts])


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
@pytest.mark.parametrize("rows", [1, 2, 7, 500])
def test_threads_take_whole_lines(threads, rows):
    values = np.round(np.random.default_rng(0).normal(size=(rows, 3)), 4)
    text = "\n".join(";".join(map(repr, row)) for row in values.tolist())
    for ended in (text, f"{text}\n", text.replace("\n", "\r\n") + "\r\n"):
        np.testing.assert_array_equal(said(ended, 3, threads, ";").T, values)


def test_what_means_missing_is_missing():
    np.testing.assert_array_equal(said("1,\nNA,nan\n,4"), [[1, np.nan, np.nan], [np.nan, np.nan, 4]])


@pytest.mark.parametrize(
    "text",
    [
        *("1,2,3", "1", "1,2\n3", "1,2\n\n3,4", "1,2\n3,4\n\n", "1,x", '"1",2', "1, 2", "1 ,2", "+1,2", ".5,2", "5.,2"),
        *(
            "1e,2",
            "1e+,2",
            "1e99999,2",
            "1e400,2",
            "-,2",
            "--1,2",
            "inf,2",
            "0x1F,2",
            "1_0,2",
            "1\r2,3",
            "1,2\0",
            "1,−2",
        ),
        *("1,2\r", "NAN,2", "NA1,2", "1NA,2", "#1,2", "1'000,2"),
    ],
)
def test_whatever_is_not_plain_is_refused(text):
    if text == "1,2\r":  # a line end whose second half is in no file
        np.testing.assert_array_equal(said(text), [[1], [2]])
    else:
        assert said(text) is None
        assert said(f"{text}\n" * 50, threads=4) is None


def test_a_block_of_line_ends_takes_no_memory_for_columns_that_are_not_there():
    assert said("\n" * 1_000_000, columns=1_000_000) is None


@pytest.mark.parametrize("delimiter", ["", ",,", "1", ".", "-", "e", "\n", "\r"])
def test_a_delimiter_that_a_number_may_hold_is_an_error(delimiter):
    with pytest.raises(ValueError, match="one byte that no number holds"):
        said("1,2", delimiter=delimiter)
    with pytest.raises(ValueError, match="at least one column"):
        said("1,2", columns=0)


def chunks_of(path, block_bytes=4096) -> tuple[dict[str, list], list[int]]:
    found: dict[str, list] = {}
    rows = []
    with open_chunks(path, Options(), block_bytes=block_bytes) as chunks:
        for chunk in chunks:
            rows.append(chunk.facts.rows)
            for name in chunk.facts.names:
                raw = chunk.column(name)
                said = (
                    raw.values if hasattr(raw, "values") else np.append(np.array(raw.levels, object), None)[raw.codes]
                )
                found.setdefault("a" if name == chunk.facts.names[0] else "b", []).extend(said.tolist())
    return found, rows


def meant(value: object) -> str:
    """As a number if it is one: a block with a word in it is read as texts from its beginning, or from the word on."""
    try:
        return repr(float(value))
    except ValueError:
        return value


HEADS = ["a,b\n", '"a","b"\n', "", "\n\na,b\n", "﻿a,b\n"]
ODD = ["", "7,word\n", '"7",8\n', "7, 8\n", "7,?\n", "+7,8\n", "é,8\n", "\n"]


@pytest.mark.parametrize("head", HEADS)
@pytest.mark.parametrize("odd", ODD)
def test_both_ways_give_the_same_columns(tmp_path, monkeypatch, head, odd):
    monkeypatch.setattr(plain_numbers, "PIECE_BYTES", 300)
    monkeypatch.setattr(sniff, "_SAMPLE_BYTES", 2000)  # the odd row comes as a surprise
    lines = [f"{row},{row / 7!r}\n" for row in range(1200)]
    lines.insert(900, odd)
    path = tmp_path / "rows.csv"
    path.write_text(head + "".join(lines))
    quick, rows = chunks_of(path)
    assert len(rows) > 20
    monkeypatch.setattr(PlainNumbers, "pieces", lambda *args, **named: iter(()))
    slow, rows = chunks_of(path)
    assert len(rows) < 20
    assert [*map(meant, quick["a"]), *map(meant, quick["b"])] == [*map(meant, slow["a"]), *map(meant, slow["b"])]


def test_an_error_behind_plain_rows_names_its_line(tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("a,b\n" + "1,2\n" * 5000 + "1,2,3\n" + "1,2\n" * 100)
    with pytest.raises(DataError, match="3 fields") as caught:
        chunks_of(path)
    assert caught.value.line == 5002


def test_damaged_blocks_are_refused_or_read_as_python_reads_them():
    """A short run of `benchmarks.reliability.number_blocks`."""
    outcomes, faults = counted(fuzz(NumberBlocks(), range(1500), 0))
    assert not faults, faults[:5]
    assert outcomes["read"] > 30
