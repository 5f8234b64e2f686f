"""A table as it prints."""

import numpy as np

from tests.validation.tables import classification
from venire.data import read_table


def test_a_table_prints_as_one_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,u\n2,v\n3,u\n")
    shown = repr(read_table(path, "y"))
    assert shown.endswith("t.csv': 3 rows, 1 feature, target 'y' (classification)>")
    assert repr(read_table(path)).endswith("3 rows, 2 features, no target>")
    assert len(str(classification(60))) < 100


def test_some_rows_as_a_table() -> None:
    table = classification(20, groups=np.arange(20, dtype=np.int32) // 2, time=np.arange(20.0))
    rows = np.array([3, 5, 11])
    part = table.take(rows)
    np.testing.assert_array_equal(part.X, table.X[rows])
    np.testing.assert_array_equal(part.y, table.y[rows])
    assert part.groups is not None
    assert part.groups.tolist() == [1, 2, 5]
    assert part.time is not None
    assert part.time.tolist() == [3.0, 5.0, 11.0]
    assert part.fingerprint() != table.fingerprint()
