"""JSON files that hold one object a table: pandas' orientations are read, anything else gets one short error."""

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest

from venire.data import read_table
from venire.data.cost_matrix import read_costs
from venire.errors import DataError, UsageError

ROWS = 2_000
FRAME = pd.DataFrame(
    {
        "size": np.arange(ROWS) / 4,
        "sort": np.array(["u", "v", None], dtype=object)[np.arange(ROWS) % 3],
        "ok": np.arange(ROWS) % 2 == 0,
    }
)


def _written(orient: str) -> Any:
    if orient == "lists":
        return FRAME.astype(object).where(FRAME.notna(), None).to_dict("list")
    return json.loads(FRAME.to_json(orient=orient))


@pytest.mark.parametrize("orient", ["columns", "index", "split", "lists", "records"])
@pytest.mark.parametrize("ending", ["json", "json.gz"])
def test_the_orientations_of_pandas_give_the_same_table(orient: str, ending: str, tmp_path: Any) -> None:
    path = tmp_path / f"t.{ending}"
    frame = pd.DataFrame({"text": [json.dumps(_written(orient))]})
    if ending == "json":
        path.write_text(frame["text"][0])
    else:
        import gzip

        path.write_bytes(gzip.compress(frame["text"][0].encode()))
    table = read_table(path, "ok")
    plain = read_table(FRAME, "ok")
    assert table.rows == ROWS
    assert [(c.name, c.kind, c.categories, c.missing) for c in table.columns] == [
        (c.name, c.kind, c.categories, c.missing) for c in plain.columns
    ]
    np.testing.assert_array_equal(table.X, plain.X)
    assert table.target is not None
    assert plain.target is not None
    assert table.target.classes == plain.target.classes
    assert ("json_orientation" in [note.code for note in table.notes]) == (orient != "records")


@pytest.mark.parametrize("values", [(0.5, 1.5), ("u", "v")])
def test_many_columns_of_one_type_are_columns(values: tuple[Any, Any], tmp_path: Any) -> None:
    path = tmp_path / "wide.jsonl"
    rows = [{f"c{j}": values[(i + j) % 2] for j in range(500)} | {"y": values[i % 2]} for i in range(20)]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    assert len(read_table(path, "y", task="classification").columns) == 500


def test_rows_are_put_together_by_their_index(tmp_path: Any) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps({"x": {"r1": 1, "r2": 2, "r3": 4}, "y": {"r3": "c", "r1": "a", "r2": "b"}}))
    table = read_table(path, "y")
    assert table.target is not None
    assert [table.target.classes[code] for code in table.y] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ({"x": {"0": 1, "1": 2}, "y": {"0": 1}}, r"its columns have different rows: 'y' lacks '1'"),
        ({"x": [1, 2, 3], "y": [1, 2]}, "its columns have different rows: 'x' has 3 and 'y' has 2"),
        ({"columns": ["a", "b"], "index": [0], "data": [[1, 2, 3]]}, "a row of its data has 3 values for 2 columns"),
        ({"meta": {"by": "me"}, "rows": {"0": {"a": 1}, "1": {"a": 2}}}, "one JSON object of 2 entries"),
        ({"rows": {str(i): {"a": i} for i in range(2_000)}}, "one JSON object of 1 entry"),
        ({"rows": [{"a": i} for i in range(2_000)], "n": [1]}, "one JSON object of 2 entries"),
    ],
)
def test_what_is_no_table_gets_one_short_error(content: Any, said: str, tmp_path: Any) -> None:
    path = tmp_path / "t.json"
    path.write_text(json.dumps(content))
    with pytest.raises(DataError, match=said) as caught:
        read_table(path, "y")
    assert caught.value.code == "bad_json"
    assert caught.value.hint is not None
    assert "orient='records'" in caught.value.hint
    assert len(str(caught.value)) < 400


def test_a_single_row_with_an_object_in_it_is_a_row(tmp_path: Any) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"a": 1, "b": {"c": 2}}\n{"a": 2, "b": {"c": 3}}\n')
    assert read_table(path).rows == 2


@pytest.mark.parametrize("ending", ["json", "jsonl"])
@pytest.mark.parametrize("deep", ["[" * 200_000 + "]" * 200_000, '{"a":' * 100_000 + "1" + "}" * 100_000])
def test_deep_json_is_one_clear_error(deep: str, ending: str, tmp_path: Any) -> None:
    path = tmp_path / f"t.{ending}"
    path.write_text(deep)
    with pytest.raises(DataError, match="objects and arrays in one another, deeper than any table") as caught:
        read_table(path, "y")
    assert caught.value.code == "bad_json"


def test_deep_json_of_costs_is_one_clear_error(tmp_path: Any) -> None:
    path = tmp_path / "costs.json"
    path.write_text("[" * 200_000 + "]" * 200_000)
    with pytest.raises(UsageError, match="is no JSON of costs"):
        read_costs(path, ["a", "b"])


def test_long_values_are_cut_in_errors(tmp_path: Any) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + f"1,{'long ' * 5_000}\n" * 9)
    with pytest.raises(DataError, match="one class only") as caught:
        read_table(path, "y")
    assert len(str(caught.value)) < 400
    with pytest.raises(DataError, match="regression needs numbers") as caught:
        read_table(path, "y", task="regression")
    assert len(str(caught.value)) < 400
    assert all(len(out.reason) < 400 for out in read_table(path).left_out)
