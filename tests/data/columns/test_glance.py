"""What DuckDB tells of a column at a glance is what its texts would have said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from venire.data import Table, read_table
from venire.data.columns.glance import Look
from venire.data.readers import duck

ROWS = 300
# A column by what is in it; `{i}` is the number of the row.
COLUMNS = {
    "names": "customer {i}",
    "sentences": "some words of free text, number {i}",
    "digests": "{i:032x}f",
    "moments": "2015-01-{day:02d} {hour:02d}:{minute:02d}:07",
    "half_moments": "2015-01-{day:02d}T{hour:02d}:{minute:02d}",
    "moments_and_gaps": "2015-01-{day:02d} {hour:02d}:{minute:02d}:07.25",
    "no_moments": "2015-13-{day:02d} {hour:02d}:{minute:02d}:07",
    "late_moments": "2015-01-{day:02d} {hour:02d}:{minute:02d}:07.123456789",
    "numbers": "{i}.5",
    "money": "${i}",
    "shares": "{i}%",
    "mixed": "x{i}",
    "umlauts": "Käse {i}",
    "spaces": "  a{i} ",
    "two_spaces": "a  {i}",
    "markers": "b{i}",
    "weak_markers": "c{i}",
    "american": "1/{day}/2015 {hour:02d}:{minute:02d}",
    "inf": "inf",
}


def cell(name: str, i: int) -> str:
    if name == "inf" and i % 2:
        return f"word {i}"
    odd = {"moments_and_gaps": "-", "mixed": str(i), "markers": "NA", "weak_markers": "None"}
    if i % 7 == 3 and name in odd:
        return odd[name]
    return COLUMNS[name].format(i=i, day=i % 28 + 1, hour=i % 24, minute=i % 60)


@pytest.fixture(autouse=True)
def many(monkeypatch: pytest.MonkeyPatch) -> None:
    """These few are very many."""
    monkeypatch.setattr(duck, "_ENUM_ROWS", 10)
    monkeypatch.setattr(duck, "_ENUM_LEVELS", 20)


def written(folder: Path, form: str, names: list[str]) -> Path:
    rows = [[cell(name, i) for name in names] for i in range(ROWS)]
    path = folder / "t.csv"
    path.write_text("\n".join([",".join(names), *('"' + '","'.join(row) + '"' for row in rows)]) + "\n")
    if form == "parquet":
        out = folder / "t.parquet"
        duckdb.sql(f"COPY (SELECT * FROM read_csv('{path}', all_varchar=true)) TO '{out}' (FORMAT parquet)")
        return out
    return path


def told(table: Table) -> tuple[Any, ...]:
    return np.asarray(table.X).tobytes(), table.columns, table.left_out, table.notes


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_table_is_what_its_texts_say(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = written(tmp_path, form, list(COLUMNS))
    at_a_glance = read_table(path)
    monkeypatch.setattr(Look, "moments", lambda self: None)
    monkeypatch.setattr(Look, "hardly_repeats", lambda self: None)
    assert told(at_a_glance) == told(read_table(path))


@pytest.mark.parametrize(
    ("name", "seen"),
    [
        ("names", "hardly"), ("sentences", "hardly"), ("digests", "hardly"), ("moments", "moments"),
        ("half_moments", "moments"), ("moments_and_gaps", "moments"), ("no_moments", ""), ("late_moments", ""),
        ("numbers", ""), ("money", ""), ("shares", ""), ("mixed", ""), ("umlauts", ""), ("spaces", ""),
        ("two_spaces", ""), ("markers", "hardly"), ("weak_markers", ""), ("american", ""), ("inf", ""),
    ],
)  # fmt: skip
def test_what_is_seen(name: str, seen: str) -> None:
    from venire.data.columns.missing import Missing

    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE t (c0 VARCHAR)")
        connection.executemany("INSERT INTO t VALUES (?)", [[cell(name, i)] for i in range(ROWS)])
        look = Look(connection, "t", "c0", name, Missing())
        moments, hardly = look.moments(), look.hardly_repeats()
    assert (moments is not None) == (seen == "moments")
    assert (hardly is not None) == (seen == "hardly")


def test_a_column_that_hardly_repeats_is_used_where_it_is_the_only_one(tmp_path: Path) -> None:
    table = read_table(written(tmp_path, "csv", ["names"]))
    assert [column.name for column in table.columns] == ["names"]
    assert "identifier_kept" in {note.code for note in table.notes}


def test_what_is_said_of_a_column_is_asked_of_its_texts(tmp_path: Path) -> None:
    path = written(tmp_path, "csv", ["names", "moments", "numbers"])
    table = read_table(path, categorical=["names", "moments"])
    assert [column.categories[0] for column in table.columns[:2]] == ["customer 0", "2015-01-01 00:00:07"]
