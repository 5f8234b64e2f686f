"""The names of the columns, however they are quoted."""

import pytest

from venire.data import read_table


@pytest.mark.parametrize("inner", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("header", ['"a{0}unit",b,y', 'a,"b{0}{0}unit",y', '"a,{0}unit","b{0}u",y'])
def test_a_name_may_hold_a_line_break(header, end, inner, tmp_path):
    rows = "".join(f"{i * 0.5},{'uv'[i % 2]},{'pq'[i % 2]}{end}" for i in range(30))
    (tmp_path / "t.csv").write_bytes((header.format(inner) + end + rows).encode())
    table = read_table(tmp_path / "t.csv", "y")
    names = header.format("\n").replace(',"', ';"').replace('",', '";').replace("a,b", "a;b").replace("b,y", "b;y")
    assert table.rows == 30
    assert [column.name for column in table.columns] == [name.strip('"') for name in names.split(";")][:2]


@pytest.mark.parametrize(
    ("written", "name"), [('"""a"" thing"', '"a" thing'), ('"""a"', '"a'), ('"a"""', 'a"'), ('""""', '"')]
)
@pytest.mark.parametrize("place", [0, 1])
def test_a_name_may_begin_with_a_doubled_quote(written, name, place, tmp_path):
    rows = "".join(f"{i * 0.5},{i * 0.25},{'pq'[i % 2]}\n" for i in range(30))
    names = ["x", "y"]
    names.insert(place, written)
    (tmp_path / "t.csv").write_text(",".join(names) + "\n" + rows)
    assert read_table(tmp_path / "t.csv", "y").columns[place].name == name
