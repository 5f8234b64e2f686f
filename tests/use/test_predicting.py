"""A file of predictions is what the model predicts, in every format, and is there whole or not at all."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import venire as vn
from tests.use.conftest import rows_of
from venire.data.table import Task
from venire.errors import DataError, UsageError, VenireError
from venire.use.predicting import Wish, predict_file

FORMATS = ["csv", "tsv", "csv.gz", "csv.zst", "jsonl", "json", "json.gz", "parquet", "xlsx"]


def read(path: Path) -> pd.DataFrame:
    name = path.name
    if ".json" in name:
        return pd.read_json(path, lines=".jsonl" in name)
    if name.endswith(".parquet"):
        return pd.read_parquet(path)
    if name.endswith(".xlsx"):
        return pd.read_excel(path, engine="openpyxl")
    return pd.read_csv(path, sep="\t" if ".tsv" in name else ",")


@pytest.fixture
def table(tmp_path) -> Path:
    path = tmp_path / "new.csv"
    rows_of(200, 2)[["colour", "kind", "weight", "size"]].to_csv(path, index_label="id")
    return path


@pytest.mark.parametrize("ending", FORMATS)
def test_every_format_holds_the_predictions(classes, table, tmp_path, ending):
    model, goal = vn.load(classes), tmp_path / f"out.{ending}"
    facts = predict_file(model, table, goal, block_bytes=1500)
    found = read(goal)
    assert (facts["rows"], facts["columns"]) == (200, list(found))
    expected = model.predict(table).astype(object)
    if ending[:3] in ("csv", "tsv"):
        expected = np.where(expected == "=low", "'=low", expected)
    assert found["predicted"].tolist() == expected.tolist()
    assert "=low" in model.classes_
    probabilities = found.filter(regex="probability").to_numpy()
    np.testing.assert_allclose(probabilities, model.predict_proba(table), rtol=1e-12 if "json" not in ending else 1e-9)
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("threads", [1, 2, 5])
def test_parts_that_are_predicted_side_by_side_keep_their_order(numbers, table, tmp_path, monkeypatch, threads):
    monkeypatch.setattr("venire.use.predicting.job_count", lambda jobs: threads)
    model, seen = vn.load(numbers), []
    predict_file(model, table, tmp_path / "out.csv", wish=Wish(keep=["id"]), block_bytes=300, tick=seen.append)
    found = read(tmp_path / "out.csv")
    assert len(seen) > 10
    assert seen == sorted(seen)
    assert found["id"].tolist() == list(range(200))
    np.testing.assert_array_equal(found["predicted"], model.predict(table))


def test_headers_are_guarded_in_text_files_alone(classes, table, tmp_path):
    model = vn.load(classes)
    text = table.read_text().replace("id,", "=id,", 1)
    table.write_text(text)
    for ending, name in (("csv", "'=id"), ("parquet", "=id")):
        goal = tmp_path / f"out.{ending}"
        predict_file(model, table, goal, wish=Wish(keep=["=id"]))
        assert next(iter(read(goal))) == name


def test_labels_have_the_type_of_the_target(table, tmp_path):
    frame = rows_of(120, 3)
    for target, kind in ((frame["size"] > 0, bool), (np.digitize(frame["size"], [-0.5, 0.5]) * 10, np.int64)):
        data = frame[["size", "weight"]].assign(y=target)
        model = vn.compare(data, "y", models=["naive_bayes"], folds=4, home=tmp_path, progress=False).fit()
        predict_file(model, table, tmp_path / "out.parquet")
        assert read(tmp_path / "out.parquet")["predicted"].dtype == kind


def test_a_threshold_that_was_chosen_decides(tmp_path, table):
    frame = rows_of(200, 4)
    data = frame[["size", "weight"]].assign(y=np.where(frame["kind"] == "high", "yes", "no"))
    asked = {"models": ["naive_bayes"], "folds": 4, "home": tmp_path, "progress": False}
    model = vn.compare(data, "y", costs="1:20", **asked).fit()
    predict_file(model, table, tmp_path / "out.csv")
    found = read(tmp_path / "out.csv")
    by_half = np.where(found["probability_yes"] > 0.5, "yes", "no")
    assert found["predicted"].tolist() == model.predict(table).tolist()
    assert (found["predicted"] == "yes").sum() > (by_half == "yes").sum()


def test_an_interval_holds_as_many_rows_as_was_asked(numbers, tmp_path):
    model, rows = vn.load(numbers), rows_of(4000, 5)
    facts = predict_file(model, rows, tmp_path / "out.parquet", wish=Wish(interval=0.8))
    found = read(tmp_path / "out.parquet")
    held = ((found["low"] <= rows["amount"]) & (rows["amount"] <= found["high"])).mean()
    assert abs(held - 0.8) < 0.06  # of 300 scores: two standard deviations of what one calibration may be off
    assert (facts["coverage"], facts["held_out_rows"]) == (0.8, 300)
    assert facts["radius"] == model.radius(0.8, Task.REGRESSION)
    ends = model.predict_interval(rows, 0.8)
    np.testing.assert_array_equal(found[["low", "high"]], ends)


def test_a_set_holds_the_class_of_as_many_rows_as_was_asked(classes, tmp_path):
    model, rows = vn.load(classes), rows_of(4000, 6)
    predict_file(model, rows, tmp_path / "out.parquet", wish=Wish(sets=0.9))
    found = read(tmp_path / "out.parquet")
    sets = found.filter(regex="in_set").to_numpy()
    np.testing.assert_array_equal(sets, model.predict_sets(rows, 0.9))
    assert (found["set_size"] == sets.sum(axis=1)).all()
    true = np.searchsorted(model.classes_, rows["kind"])
    assert abs(sets[np.arange(4000), true].mean() - 0.9) < 0.05
    assert sets.any(axis=1).all()


@pytest.mark.parametrize(
    ("file", "wish", "message"),
    [
        ("classes", Wish(interval=0.9), "intervals are of numbers, and this model predicts classes"),
        ("numbers", Wish(sets=0.9), "sets are of classes, and this model predicts numbers"),
        ("numbers", Wish(interval=0.9, sets=0.9), "an interval is of numbers and a set of classes"),
        ("numbers", Wish(interval=0.999), "300 held-out rows are too few for a coverage of 0.999"),
        ("numbers", Wish(keep=["predicted"]), "the results have a column 'predicted' of their own"),
    ],
)
def test_what_cannot_be_said_is_refused(request, table, tmp_path, file, wish, message):
    model = vn.load(request.getfixturevalue(file))
    with pytest.raises(UsageError, match=message):
        predict_file(model, table, tmp_path / "out.csv", wish=wish)
    assert not (tmp_path / "out.csv").exists()


def test_a_file_of_the_first_version_says_that_it_has_no_residuals():
    old = vn.load(Path(__file__).parents[1] / "persist/files/verdict_linear.venire")
    with pytest.raises(UsageError, match="does not know how far it was off on held-out rows"):
        old.predict_interval(rows_of(3, 0))


def test_what_does_not_fit_is_counted_over_all_parts(numbers, tmp_path):
    model, rows = vn.load(numbers), rows_of(200, 7)
    rows["size"] = rows["size"].astype(object)
    rows.loc[[0, 199], "colour"] = ["pink", "violet"]
    rows.loc[[3, 150, 160], "size"] = ["large", "80", "-90"]
    rows.drop(columns="weight").to_csv(tmp_path / "new.csv", index=False)
    with pytest.raises(DataError, match=r"the rows lack 1 column the model was trained on: 'weight'"):
        predict_file(model, tmp_path / "new.csv", tmp_path / "out.csv")
    facts = predict_file(
        model, tmp_path / "new.csv", tmp_path / "out.csv", wish=Wish(fill_missing_columns=True), block_bytes=1000
    )
    lost = {(one["column"], one["code"]): (one["rows"], one["examples"]) for one in facts["lost"]}
    assert lost == {("colour", "unknown_category"): (2, ["pink", "violet"]), ("size", "words_among_numbers"): (1, [])}
    assert facts["missing_columns"] == ["weight"]
    (beyond,) = facts["out_of_range"]
    inside = rows_of(300, 1)["size"]
    usual = rows_of(200, 7)["size"].drop([3, 150, 160])
    assert beyond["rows"] == 2 + int(((usual < inside.min()) | (usual > inside.max())).sum())
    assert beyond["training"] == [inside.min(), inside.max()]
    assert beyond["found"] == [-90.0, 80.0]


def test_a_run_that_fails_leaves_what_was_there(numbers, tmp_path):
    goal = tmp_path / "out.csv"
    goal.write_text("as it was")
    lines = rows_of(300, 8).to_csv(index=False).splitlines()
    (tmp_path / "new.csv").write_text("\n".join([*lines, "1,2"]) + "\n")
    with pytest.raises(DataError, match="line 302: this row has 2 fields"):
        predict_file(vn.load(numbers), tmp_path / "new.csv", goal, block_bytes=2000)
    assert goal.read_text() == "as it was"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new.csv", "out.csv"]


def test_the_table_itself_is_not_replaced(numbers, table):
    with pytest.raises(UsageError, match="the results would replace the table they are made of"):
        predict_file(vn.load(numbers), table, table)


def test_a_place_that_cannot_be_written_is_one_error(numbers, table, tmp_path):
    with pytest.raises(VenireError, match="the results cannot be written"):
        predict_file(vn.load(numbers), table, tmp_path / "no folder" / "out.csv")
