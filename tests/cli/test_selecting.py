"""`venire select` as a person meets it."""

from __future__ import annotations

import pytest

STEP = ("step", "added", "columns", "training", "cross-validated", "error")


def test_the_path_fits_on_eighty_columns(venire, table):
    said = venire("select", table, "--target", "y", "--folds", 4)
    assert said.code == 0
    lines = said.out.splitlines()
    assert max(map(len, lines)) <= 80
    assert any(line.split() == list(STEP) for line in lines)
    assert sum(line.endswith("chosen") for line in lines) == 1
    assert "Two-layer error rate of the selection: " in said.out
    assert "4 sets of columns were tried." in said.out
    assert "selecting without fold 4 of 4" in said.err


def test_the_document(venire, table):
    said = venire("select", table, "-t", "y", "--folds", 3, "--direction", "backward", "--whole-path", "--json", "-q")
    assert (said.code, said.err) == (0, "")
    document = said.document
    assert document["direction"] == "backward"
    assert [step["attributes"] for step in document["path"]] == [2, 1, 0]
    assert [step["change"] for step in document["path"]] == [None, "noise", "near"]
    again = venire("select", table, "-t", "y", "--folds", 3, "-d", "backward", "--whole-path", "--json", "-q").document
    assert document | {"timing": None} == again | {"timing": None}


def test_more_attributes_than_there_are(venire, table):
    error = venire("select", table, "-t", "y", "--columns", 50, "--json", "-q").error
    assert (error["message"], error["hint"]) == ("50 columns cannot be chosen of 2", "ask for 2 or fewer")


def test_costs(venire, table):
    words = ("select", table, "-t", "y", "--folds", 3, "--model", "naive_bayes", "--jobs", 1, "--json", "-q")
    document = venire(*words, "--costs", "1:10").document
    assert (document["metric"], document["metric_label"]) == ("cost", "mean cost")
    assert venire(*words, "--costs", "1:").error["code"] == "costs"


@pytest.mark.parametrize(("ending", "begins"), [(".png", b"\x89PNG"), (".svg", b"<svg"), (".html", b"<!DOCTYPE")])
def test_the_picture(venire, table, tmp_path, ending, begins):
    picture = tmp_path / f"path{ending}"
    said = venire("select", table, "-t", "y", "--folds", 3, "--picture", picture, "-q")
    assert said.code == 0
    assert "Picture:" in said.out
    content = picture.read_bytes()
    assert content.lstrip()[: len(begins)].lower() == begins.lower()
    assert b'src="http' not in content


@pytest.mark.parametrize(
    ("words", "code", "exit_code"),
    [
        (["--direction", "up"], "bad_direction", 2),
        (["--model", "oracle"], "unknown_model", 2),
        (["--metric", "rmse"], "unknown_metric", 2),
        (["--columns", "7"], "parameter", 2),
        (["--folds", "2"], "too_few_blocks", 2),
        (["--picture", "path.doc"], "cannot_write", 2),
        (["--categorical", "y,nothere"], "unknown_column", 3),
    ],
)
def test_errors(venire, table, words, code, exit_code):
    said = venire("select", table, "-t", "y", "--json", "-q", *words)
    assert (said.error["code"], said.code) == (code, exit_code)
    assert len(said.err.splitlines()) <= 2


def test_a_table_that_is_not_there(venire):
    said = venire("select", "nowhere.csv", "-t", "y", "-q")
    assert said.code == 3
    assert "nowhere.csv" in said.err
