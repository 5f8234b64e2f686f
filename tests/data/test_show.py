"""The facts `venire show` prints."""

import json

import numpy as np

from venire.data import describe, read_table

CSV = "id,size,colour,ok,y\n" + "".join(
    f"{i},{i % 7}.5,{['red', 'blue'][i % 2]},{i % 2},{'pq'[i % 2]}\n" for i in range(1, 31)
)


def test_all_facts_are_plain_and_complete(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(CSV + "31,,red,1,\n")
    facts = describe(read_table(path, "y", missing={"colour": ["grey"]}))
    assert json.loads(json.dumps(facts)) == facts
    assert facts["schema_version"] == 2
    assert (facts["rows"], facts["rows_without_target"]) == (30, 1)
    assert facts["target"] == {
        "name": "y", "task": "classification", "positive": "q",
        "classes": [{"label": "p", "rows": 15}, {"label": "q", "rows": 15}],
    }  # fmt: skip
    size, colour, ok = facts["columns"]
    assert (size["kind"], size["range"], size["distinct"], size["missing"]) == ("numeric", [0.5, 6.5], 7, 0)
    assert colour["examples"] == [{"value": "blue", "rows": 15}, {"value": "red", "rows": 15}]
    assert ok["kind"] == "boolean"
    assert facts["left_out"] == [{"name": "id", "kind": "identifier", "reason": "its values count the rows"}]
    reading = facts["reading"]
    assert (reading["format"], reading["delimiter"], reading["encoding"], reading["files"]) == (
        "csv",
        ",",
        "utf-8",
        [str(path)],
    )
    assert "NA" in reading["missing"]
    assert "None" in reading["missing_in_numbers"]
    assert reading["missing_by_column"] == {"colour": ["grey"]}
    assert {note["code"] for note in facts["notes"]} == {"rows_without_target", "positive_class"}


def test_a_number_as_target_and_groups():
    X = np.random.default_rng(0).random((20, 2))
    facts = describe(read_table((X, X[:, 0] * 3)))
    assert facts["target"]["range"] == [float(X[:, 0].min() * 3), float(X[:, 0].max() * 3)]
    assert facts["reading"]["delimiter"] is None
    assert describe(read_table(X))["target"] is None


def test_wide_tables_stay_readable(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(
        ",".join(f"c{j}" for j in range(40))
        + "\n"
        + ",".join(["inf"] * 40)
        + "\n"
        + ("1.5," * 40)[:-1]
        + "\n"
        + ("2.5," * 40)[:-1]
        + "\n"
    )
    notes = describe(read_table(path))["notes"]
    assert len(notes) == 1
    assert "40 columns ('c0', 'c1', 'c2', 'c3', 'c4' and 35 more)" in notes[0]["message"]
