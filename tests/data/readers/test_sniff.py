"""How a file is written, found out from its beginning."""

import pytest

from venire.data.columns.missing import MARKERS
from venire.data.readers.sniff import Given, sniff


def dialect_of(tmp_path, text, **given_):
    path = tmp_path / "t.csv"
    path.write_bytes(text.encode())
    return sniff(path, "t.csv", Given(**given_), MARKERS)


@pytest.mark.parametrize(
    ("text", "delimiter", "decimal", "header"),
    [
        ("a,b\n1,2\n3,4\n", ",", ".", True),
        ("a;b\n1,5;2,5\n3,5;4\n", ";", ",", True),
        ("1,5;2,5\n3,5;4,0\n", ";", ",", False),
        ("a;b;c\n1.5;x, y;z\n2.5;u, v;w\n", ";", ".", True),
        ("a\tb c\n1\tx y\n2\tz w\n", "\t", ".", True),
        ("name,age\nbob,3\nann,4\n", ",", ".", True),
        ("bob,3\nann,4\n", ",", ".", False),
        ("bob,NA\nann,4\nzoe,5\n", ",", ".", True),
        ("a\n1\n2\n", ",", ".", True),
        ("first second\n1 2\n3 4\n", " ", ".", True),
        ("remark\nthe first one\nsecond\n", ",", ".", True),
        ("a,b\nx,y\nz,w\n", ",", ".", True),
    ],
)
def test_the_dialect(text, delimiter, decimal, header, tmp_path):
    dialect = dialect_of(tmp_path, text)
    assert (dialect.delimiter, dialect.decimal, dialect.header) == (delimiter, decimal, header)


def test_a_header_over_several_lines(tmp_path):
    dialect = dialect_of(tmp_path, '"size\nin cm",b\n1,2\n3,4\n')
    assert dialect.names == ("size\nin cm", "b")


@pytest.mark.parametrize(
    ("text", "skip", "names"),
    [
        ("Sales\na,b\n1,2\n3,4\n", 1, ("a", "b")),
        ("Sales,\na,b\n1,2\n3,4\n", 1, ("a", "b")),
        ("Sales\n\nin tons,,\n,,\na,b,c\nx,y,z\nu,v,w\n", 4, ("a", "b", "c")),
        ("x\nr1,5\nr2,6\n", 0, ("row_names", "x")),  # as R's write.table writes one column
        (",x\n0,5\n1,6\n", 0, ("column_1", "x")),  # as pandas writes an index
        ("x\na,b\nc,d\n", 0, ("row_names", "x")),  # nothing tells the two apart
        ("a,,\n1,2,3\n4,5,6\n", 0, ("a", "column_2", "column_3")),
    ],
)
def test_a_title_is_a_cell_alone_above_a_header(text, skip, names, tmp_path):
    dialect = dialect_of(tmp_path, text)
    assert (dialect.skip, dialect.names) == (skip, names)


def test_quotes_and_escapes(tmp_path):
    assert dialect_of(tmp_path, "a,b\n1,'x, y'\n2,'z'\n").quote == "'"
    assert dialect_of(tmp_path, 'a,b\n1,"x \\"y\\" z"\n2,"z"\n').escape == "\\"
    assert dialect_of(tmp_path, 'a,b\n1,"x\\"\n2,"z"\n').escape == '"'
    assert dialect_of(tmp_path, 'a,b\n1,6" pipe\n2,7" pipe\n', quote="").quote == ""
