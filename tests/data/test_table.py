"""A table as it prints."""

from tests.validation.tables import classification
from venire.data import read_table


def test_a_table_prints_as_one_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,u\n2,v\n3,u\n")
    shown = repr(read_table(path, "y"))
    assert shown.endswith("t.csv': 3 rows, 1 attribute, target 'y' (classification)>")
    assert repr(read_table(path)).endswith("3 rows, 2 attributes, no target>")
    assert len(str(classification(60))) < 100
