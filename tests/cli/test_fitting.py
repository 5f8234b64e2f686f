"""`venire fit`, `venire compare --save` and `venire model` as a person meets them."""

from __future__ import annotations

import pytest

from venire import load
from venire.report.document.schema import schema

jsonschema = pytest.importorskip("jsonschema")


def test_a_comparison_leaves_its_model(venire, table, tmp_path):
    said = venire("compare", table, "-t", "y", "--models", "tree,naive_bayes", "--folds", 4, "--save", "m.venire", "-q")
    assert said.code == 0
    assert "Model: m.venire (" in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    model = load(tmp_path / "m.venire")
    assert len(model.predict(table)) == 60
    assert model.about_["family"] in ("tree", "naive_bayes")
    again = venire("compare", table, "-t", "y", "--models", "tree,naive_bayes", "--folds", 4, "--json", "-q")
    assert model.about_["error"] == again.document["chosen"]["error"]
    assert model.about_["interval"] == again.document["chosen"]["interval"]


def test_the_same_command_writes_the_same_bytes(venire, table, tmp_path):
    for name in ("a", "b"):
        venire("compare", table, "-t", "y", "--models", "tree,vote", "--folds", 4, "--save", f"{name}.venire", "-q")
    assert (tmp_path / "a.venire").read_bytes() == (tmp_path / "b.venire").read_bytes()


def test_one_model_is_fitted_validated_and_shown(venire, table, tmp_path):
    said = venire("fit", table, "-t", "y", "--model", "tree", "--folds", 4, "--save", "m.venire")
    assert said.code == 0
    assert said.out.startswith("m.venire: tree, c = ")
    assert "error rate on rows it has not seen: " in said.out
    assert "trained on 60 rows of table.csv\nvalidated by 4 folds drawn at random, seed 0\n" in said.out
    assert max(map(len, said.out.splitlines())) <= 80
    shown = venire("model", "m.venire")
    assert shown.code == 0
    assert shown.out == said.out


def test_one_setting_is_fitted(venire, table):
    said = venire(
        "fit", table, "-t", "y", "--model", "knn", "--setting", "K=3", "--folds", 4, "--save", "m.venire", "-q"
    )
    assert said.code == 0
    assert said.out.startswith("m.venire: knn, k = 3, predicts y")
    assert "note: m.venire keeps 60 training rows with the target (nearest neighbours)" in said.out


def test_what_is_in_a_file_as_a_document(venire, table):
    said = venire("fit", table, "-t", "y", "-m", "tree", "--folds", 4, "--save", "m.venire", "--json", "-q")
    jsonschema.validate(said.document, schema("model", closed=True))
    assert said.document == venire("model", "m.venire", "--json").document
    assert said.document["figures"]["family"] == "tree"


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (("--model", "tree"), "no_file", "where is the model to be written?"),
        (("--save", "m.venire"), "no_models", "which model is to be fitted?"),
        (("--model", "vote", "--save", "m.venire"), "unknown_model", "'vote' combines several models"),
        (
            ("--model", "tre", "--save", "m.venire"),
            "unknown_model",
            "there is no model called 'tre'",
        ),
        (
            ("--model", "knn", "--setting", "k = 2", "--save", "m.venire"),
            "unknown_setting",
            "knn has no setting 'k = 2'",
        ),
        (
            ("--model", "tree", "--save", "no/m.venire"),
            "cannot_write",
            "there is no folder 'no' to write the",
        ),
    ],
)
def test_what_cannot_be_fitted_says_so(venire, table, words, code, message):
    said = venire("fit", table, "-t", "y", *words, "--json", "-q")
    assert said.code == 2
    assert said.error["code"] == code
    assert message in said.error["message"]


def test_a_damaged_file_ends_with_exit_code_three(venire, tmp_path):
    (tmp_path / "m.venire").write_bytes(b"\x89VENIRE\r\n\x1a\n" + bytes(90))
    said = venire("model", "m.venire", "--json")
    assert said.code == 3
    assert said.error["code"] == "model_version"
    assert said.error["file"] == "m.venire"
