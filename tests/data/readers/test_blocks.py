"""Blocks of a delimited file end where records end, whatever stands inside of quotes."""

from __future__ import annotations

import csv
import io
import random

import pytest

from venire.data.readers.blocks import EndlessRecord, Signs, blocks, last_end

COMMA = Signs(",", '"', '"')


def records(data: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(data.decode(), newline="")))


def written(rows: int, seed: int) -> bytes:
    """Rows whose texts hold quotes, line ends and delimiters."""
    chance = random.Random(seed)
    bits = ["plain", 'a "word"', "two\nlines", "x,y", "", '"', "\r\n"]
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\n")
    table.writerows([chance.choice(bits), row, chance.choice(bits)] for row in range(rows))
    return text.getvalue().encode()


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("size", [50, 333, 10_000])
def test_no_record_is_cut(tmp_path, size, seed):
    data = written(300, seed)
    path = tmp_path / "rows.csv"
    path.write_bytes(data)
    found = [bytes(block) for block in blocks(path, COMMA, size)]
    assert b"".join(found) == data
    assert [record for block in found for record in records(block)] == records(data)


def test_a_quote_in_the_middle_of_a_field_opens_nothing(tmp_path):
    lines = b"".join(b'%d,5" pipe,"a ""b""\nc"\n' % row for row in range(100))
    path = tmp_path / "rows.csv"
    path.write_bytes(lines)
    found = [bytes(block) for block in blocks(path, COMMA, 100)]
    assert len(found) > 10
    assert all(block.endswith(b'c"\n') for block in found)


def test_an_escaped_quote_closes_nothing():
    data = b'1,"a \\" b\nc"\n2,"x\n'
    assert last_end(data, Signs(",", '"', "\\")) == data.index(b"2,")


def test_without_quotes_every_line_is_a_record():
    assert last_end(b'1,"\n2,"', Signs(",", "", "")) == 4


def test_a_quote_that_is_not_closed_ends_somewhere(tmp_path, monkeypatch):
    monkeypatch.setattr("venire.data.readers.blocks.MOST_BYTES", 1000)
    path = tmp_path / "rows.csv"
    path.write_bytes(b'1,"' + b"x\n" * 2000)
    with pytest.raises(EndlessRecord, match="no record ends"):
        list(blocks(path, COMMA, 100))
