"""`venire predict`, `venire evaluate` and `venire explain` as a person meets them."""

from __future__ import annotations

import io
import os
import sys
from pathlib import Path

import pandas as pd
import pytest

from venire import compare, load, save
from venire.report.document.schema import schema

jsonschema = pytest.importorskip("jsonschema")

FILES = Path(__file__).parents[1] / "persist/files"


@pytest.fixture
def model(venire, table) -> str:
    """A model of the two classes a and b, in the working folder."""
    assert venire("fit", table, "-t", "y", "-m", "naive_bayes", "--folds", 4, "--save", "m.venire", "-q").code == 0
    return "m.venire"


def test_predictions_go_to_the_output(venire, model, table):
    said = venire("predict", model, table, "-q")
    assert said.code == 0
    found = pd.read_csv(io.StringIO(said.out))
    assert list(found) == ["predicted", "probability_a", "probability_b"]
    assert found["predicted"].tolist() == load(model).predict(table).tolist()
    assert said.err == ""


def test_predictions_go_to_a_file_and_what_did_not_fit_to_stderr(venire, model, table, tmp_path):
    rows = pd.read_csv(table)
    rows.loc[0, "noise"] = 1000.0
    rows[["y", "noise", "near"]].to_csv(tmp_path / "new.csv", index=False)
    said = venire("predict", model, "new.csv", "-o", "out.parquet", "--keep", "y", "--sets", "0.8")
    assert (said.code, said.out) == (0, "")
    assert "note: noise: 1 row lies outside of the range of the training rows" in said.err
    assert said.err.splitlines()[-1] == "60 rows predicted, written to out.parquet"
    assert list(pd.read_parquet("out.parquet"))[:2] == ["y", "predicted"]


def test_what_was_predicted_as_a_document(venire, model, table):
    said = venire("predict", model, table, "-o", "out.csv", "--json", "-q")
    jsonschema.validate(said.document, schema("prediction", closed=True))
    assert (said.document["rows"], said.document["output"]) == (60, "out.csv")


def test_rows_come_through_a_pipe(venire, model, table, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(table.read_bytes())))
    assert len(venire("predict", model, "-", "-q").out.splitlines()) == 61


@pytest.mark.parametrize(
    ("words", "exit_code", "code", "message"),
    [
        (("table.csv", "table.csv", "-o", "out.csv"), 3, "bad_model", "it is no model file"),
        (("no.venire", "table.csv", "-o", "out.csv"), 3, "no_file", "the model cannot be read"),
        (("m.venire", "no.csv", "-o", "out.csv"), 3, "missing_file", "there is no such file"),
        (("m.venire", "table.csv"), 2, "usage", "with --json the output has one document"),
        (("m.venire", "table.csv", "-o", "out.pdf"), 2, "unknown_format", "tables are not written as '.pdf'"),
        (("m.venire", "table.csv", "-o", "no/out.csv"), 2, "cannot_write", "there is no folder 'no'"),
        (("m.venire", "table.csv", "-o", "table.csv"), 2, "cannot_write", "would replace the table"),
        (("m.venire", "table.csv", "-o", "out.csv", "--interval", "0.9"), 2, "wrong_task", "intervals are of numbers"),
        (("m.venire", "other.csv", "-o", "out.csv"), 3, "missing_column", "the rows lack 1 column"),
        (("m.venire", "empty.csv", "-o", "out.csv"), 3, "header_only", "no rows"),
        (("m.venire", "dates.parquet", "-o", "out.csv"), 3, "wrong_kind", "held numbers in training and now holds"),
        ((FILES / "tree_classifier.venire", "table.csv", "-o", "out.csv"), 2, "no_table_model", "does not know the"),
    ],
)
def test_what_cannot_be_predicted_is_one_error(venire, model, table, tmp_path, words, exit_code, code, message):
    (tmp_path / "other.csv").write_text("near,loud\n1,2\n")
    (tmp_path / "empty.csv").write_text("near,noise\n")
    when = pd.to_datetime(["2024-01-01", "2024-01-02"])
    pd.DataFrame({"near": when, "noise": [1.0, 2.0]}).to_parquet(tmp_path / "dates.parquet")
    before = sorted(tmp_path.iterdir())
    said = venire("predict", *words, "--json", "-q")
    assert said.code == exit_code
    assert said.error["code"] == code
    assert message in said.error["message"]
    assert sorted(tmp_path.iterdir()) == before, "nothing is left behind"


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (("--interval", "0.9"), "ask for --sets 0.9"),
        (("--interval", "0.9", "--sets", "0.8"), "ask for one of them: --interval or --sets"),
    ],
)
def test_a_hint_names_the_option(venire, model, table, words, hint):
    said = venire("predict", model, table, "-o", "out.csv", "-q", *words)
    assert said.err.splitlines()[-1] == f"hint: {hint}"


def test_a_missing_column_has_a_way_out_that_works(venire, model, tmp_path):
    (tmp_path / "less.csv").write_text("near\n1\n")
    said = venire("predict", model, "less.csv", "-o", "out.csv", "-q")
    assert said.err.endswith("take those that are not there for missing with --fill-missing-columns\n")
    assert venire("predict", model, "less.csv", "-o", "out.csv", "-q", "--fill-missing-columns").code == 0
    (tmp_path / "none.csv").write_text("other\n1\n")
    said = venire("predict", model, "none.csv", "-o", "out.csv", "-q")
    assert "--fill-missing-columns" not in said.err, "with no column at all there is nothing to fill"
    said = venire("evaluate", model, "less.csv", "-q")
    assert "--fill-missing-columns" not in said.err, "evaluate has no such option"


def test_a_table_without_rows_is_named(venire, model, tmp_path):
    (tmp_path / "empty.csv").write_text("near,noise\n")
    assert venire("predict", model, "empty.csv", "-o", "out.csv", "--json", "-q").error["file"] == "empty.csv"


@pytest.mark.skipif(sys.platform == "win32", reason="modes are a matter of POSIX")
@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.xlsx", "copy.venire", "m.onnx"])
def test_files_follow_the_umask(venire, model, table, tmp_path, name):
    before = os.umask(0o027)
    try:
        if name.endswith(".onnx"):
            venire("export", model, name)
        elif name.endswith(".venire"):
            save(load(model), name)
        else:
            venire("predict", model, table, "-o", name, "-q")
    finally:
        os.umask(before)
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o640


def test_a_combination_is_listed_part_by_part(venire, table):
    verdict = compare(table, "y", models=["naive_bayes", "linear", "blend"], folds=3, home="home", progress=False)
    verdict.save("b.venire", family="blend")
    facts = venire("model", "b.venire", "--json").document
    jsonschema.validate(facts, schema("model", closed=True))
    parts = facts["figures"]["parts"]
    weights = [part["weight"] for part in parts]
    assert (sum(weights), weights) == (pytest.approx(1.0), sorted(weights, reverse=True))
    assert len(parts) == len(load("b.venire").members)
    shown = [line.split() for line in venire("model", "b.venire").out.splitlines()]
    card = venire("card", "b.venire").out.replace("\\", "")  # which Markdown needs before signs of its own
    for part in parts:
        assert [part["family"], *part["setting"].split(), f"{part['weight']:.2f}"] in shown
        assert f"{part['family']}, {part['setting']}: {part['weight']:.2f}" in card


def test_an_evaluation_fits_on_80_columns(venire, model, table):
    said = venire("evaluate", model, table, "-q")
    assert said.code == 0
    assert said.out.startswith("m.venire (naive_bayes) predicts y on 60 rows of ")
    for part in ("95 % interval", "In training the verdict said: error rate", "Calibration: probabilities", "Drift"):
        assert part in said.out
    assert max(map(len, said.out.splitlines())) <= 80


def test_an_evaluation_as_a_document(venire, model, table):
    said = venire("evaluate", model, table, "--json", "-q")
    jsonschema.validate(said.document, schema("evaluation", closed=True))
    again = venire("evaluate", model, table, "--json", "-q").document
    assert {**said.document, "timing": 0} == {**again, "timing": 0}


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("near,noise\n1,2\n", "unknown_target", "the rows have no target 'y'"),
        ("near,noise,y\n1,2,c\n", "unknown_class", "of a class that the model does not know: 'c'"),
        ("near,noise,y\n1,2,\n2,3,\n", "no_rows", "no row has a target 'y'"),
    ],
)
def test_what_cannot_be_evaluated_is_one_error(venire, model, tmp_path, text, code, message):
    (tmp_path / "new.csv").write_text(text)
    said = venire("evaluate", model, "new.csv", "--json", "-q")
    assert (said.code, said.error["code"]) == (3, code)
    assert message in said.error["message"]


def test_explanations_as_table_picture_and_document(venire, model, table):
    said = venire("explain", model, table, "-o", "out.csv", "--plot", "out.svg", "--json", "-q")
    assert said.code == 0
    jsonschema.validate(said.document, schema("explanation", closed=True))
    assert said.document["explained_class"] == "b"
    assert list(pd.read_csv("out.csv")) == ["predicted", "base", "shapley_near", "shapley_noise", "explained"]
    assert "<svg" in Path("out.svg").read_text()[:200]
    assert venire("explain", model, table, "-q").out.splitlines()[0].startswith("predicted,base,")


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("-o", "out.csv", "--plot", "out.gif"), "unknown_format"),
        (("-o", "out.csv", "--class", "c"), "unknown_class"),
        ((), "usage"),
    ],
)
def test_what_cannot_be_explained_is_one_error(venire, model, table, words, code):
    said = venire("explain", model, table, *words, "--json", "-q")
    assert (said.code, said.error["code"]) == (2, code)
    assert not Path("out.csv").exists()
