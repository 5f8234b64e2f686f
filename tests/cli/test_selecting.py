"""`venire select` as a person meets it."""

from __future__ import annotations

import os
import shutil

import pytest

from venire.selection.selection_family import SelectionFamily

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
    assert "venire: 5 trials to run" in said.err  # the search on all rows, and one without each fold
    assert said.err.splitlines()[-1] == "venire: checked for leaks: certified"


def test_the_same_command_goes_on_where_it_was(venire, table, monkeypatch):
    """Stopped by Ctrl-C in the third search without a fold: two are judged, and the rest is run another time."""
    words = ("select", table, "-t", "y", "--folds", 4, "--jobs", 1, "--json", "-q")
    whole = venire(*words).document
    shutil.rmtree(os.environ["VENIRE_HOME"])
    real, ran = SelectionFamily.run, []

    def run(self, prepared, trial, *cancel):
        if len(ran) == 3:
            raise KeyboardInterrupt
        ran.append(trial)
        return real(self, prepared, trial, *cancel)

    monkeypatch.setattr(SelectionFamily, "run", run)
    stopped = venire(*words)
    assert stopped.code == 130
    assert (stopped.document["stopped"], stopped.document["choices"]) == ("interrupted", 2)
    assert stopped.document["path"] == whole["path"]
    assert stopped.document["certificates"][0]["status"] == "not checked"
    monkeypatch.setattr(SelectionFamily, "run", real)
    again = venire(*words)
    assert again.code == 0
    assert again.document | {"timing": None} == whole | {"timing": None}
    monkeypatch.setattr(SelectionFamily, "run", lambda *_: pytest.fail("run again"))
    assert venire(*words).code == 0


def test_stopped_before_there_is_a_path(venire, table, monkeypatch):
    def run(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(SelectionFamily, "run", run)
    ended = venire("select", table, "-t", "y", "--folds", 4, "--jobs", 1, "-q")
    assert ended.code == 130
    assert ended.err == (
        "error: interrupted before the search on all rows was finished\n"
        "hint: trials that were finished are kept; the same command goes on from there\n"
    )


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


def test_the_old_name_of_columns_still_works_and_is_not_listed(venire, table):
    words = ("select", table, "-t", "y", "--folds", 3, "--json", "-q")
    new, old = (venire(*words, name, 2).document for name in ("--columns", "--attributes"))
    assert new | {"timing": None} == old | {"timing": None}
    assert len(old["chosen"]["attributes"]) == 2
    assert "--attributes" not in venire("select", "--help").out


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
        (["--folds", "2"], "too_few_folds", 2),
        (["--picture", "path.doc"], "unknown_format", 2),
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
