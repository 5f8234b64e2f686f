"""The ending of a name says what is written; one that says nothing known is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from venire.errors import UsageError
from venire.use.formats import Format, format_of


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("a.csv", Format("csv")),
        ("a.b.CSV.GZ", Format("csv", "gzip")),
        ("a.ndjson.zst", Format("jsonl", "zstd")),
        ("a.pq", Format("parquet")),
        ("a.xlsx", Format("xlsx")),
    ],
)
def test_known_endings(name, form):
    assert format_of(Path(name)) == form


@pytest.mark.parametrize("name", ["a", "a.pdf", "a.gz", "a.parquet.gz", "a.xls", ".csv"])
def test_other_endings_are_refused(name):
    with pytest.raises(UsageError, match=r"not written as|has no ending"):
        format_of(Path(name))
