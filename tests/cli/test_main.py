import gzip
import os
import re
import subprocess
import sys

import pytest

GOOD = "x,z,y\n" + "".join(f"{i * 0.37 % 5:.2f},{i * 0.91 % 3:.2f},{'ab'[i % 2]}\n" for i in range(30))
LINES = GOOD.splitlines(keepends=True)

BROKEN = {
    "empty": (b"", "empty_file"),
    "header only": (b"x,z,y\n", "header_only"),
    "ragged": ("".join([*LINES[:9], "1,2\n", *LINES[9:]]).encode(), "ragged_row"),
    "unclosed quote": (GOOD.encode() + b'1,2,"a\n', "unclosed_quote"),
    "NUL": (GOOD.encode() + b"1,\x002,a\n", "nul_bytes"),
    "binary": (bytes(range(256)) * 20, "binary_file"),
    "duplicate header": (b"x,x,y\n1,2,a\n2,3,b\n", "duplicate_header"),
    "one class": (b"x,y\n" + b"1,a\n2,a\n" * 9, "one_class"),
    "no target": (b"x,y\n" + b"1,NA\n2,NA\n" * 9, "target_all_missing"),
    "few rows": (b"x,y\n1,a\n2,b\n3.5,a\n", "fewer_rows_than_folds"),
    "no attribute": (b"y\na\nb\na\nb\n", "no_attributes"),
    "cut gzip": (gzip.compress(GOOD.encode() * 50)[:200], "truncated_file"),
    "cut Parquet": (b"PAR1" + b"\x15" * 50, "truncated_parquet"),
    "workbook": (b"PK\x03\x04" + b"x" * 50, "truncated_file"),
}


def test_python_runs_it_as_a_module():
    ended = subprocess.run([sys.executable, "-m", "venire", "--version"], capture_output=True, text=True, check=True)
    assert ended.stdout.startswith("venire ")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only some systems have a device that is always full")
@pytest.mark.parametrize("words", [["models", "--json"], ["models"], ["show", "nowhere.csv", "--json"]], ids=" ".join)
def test_an_output_that_is_full(words):
    with open("/dev/full", "w") as full:
        ended = subprocess.run([sys.executable, "-m", "venire", *words], stdout=full, stderr=subprocess.PIPE, text=True)
    assert ended.returncode == 1
    *before, error, hint = ended.stderr.splitlines()
    assert error == "error: the output cannot be written: No space left on device"
    assert hint == "hint: make room, or write it somewhere else"
    assert all(line.startswith(("error: nowhere.csv: ", "hint: ")) for line in before)


@pytest.mark.parametrize("closed", [[1], [2], [0, 1, 2]], ids=str)
def test_an_output_that_was_closed(closed, tmp_path):
    """What is closed has no number any more: the next file would get it, and what is printed."""
    code = f"import os, sys; [os.close(at) for at in {closed}]; os.execv(sys.executable, {{words}})"
    words = [sys.executable, "-m", "venire", "models", "--json"]
    with open(tmp_path / "out", "w") as out, open(tmp_path / "err", "w") as err:
        ended = subprocess.run([sys.executable, "-c", code.format(words=words)], stdout=out, stderr=err)
    assert ended.returncode == 0
    assert (tmp_path / "err").read_text() == ""
    assert ('"models"' in (tmp_path / "out").read_text()) == (1 not in closed)


def is_one_line_and_a_hint(text):
    error, hint = text.splitlines()
    return error.startswith("error: ") and hint.startswith("hint: ")


@pytest.mark.parametrize("case", BROKEN)
def test_a_broken_file(venire, tmp_path, case):
    content, code = BROKEN[case]
    file = tmp_path / "broken.csv"
    file.write_bytes(content)
    ended = venire("compare", "broken.csv", "-t", "y", "--models", "baseline", "--json", "--quiet")
    assert ended.code == 3
    assert ended.error["code"] == code
    assert ended.error["hint"]
    assert is_one_line_and_a_hint(ended.err)
    assert "broken.csv" in ended.err


def test_a_file_that_is_not_there_and_a_folder(venire, tmp_path):
    assert venire("show", "nowhere.csv").err.startswith("error: nowhere.csv: there is no such file\nhint: ")
    assert venire("show", tmp_path, "--json").error["code"] == "empty_folder"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--folds", "x"], 2, "'x' is not a whole number"),
        (["--folds", "1"], 2, "at least 3"),
        (["--folds", "1000"], 3, "fewer than the 1000 folds"),
        (["--repeats", "0"], 2, "repeats must be at least 1, not 0"),
        (["--jobs", "0"], 2, "jobs must be at least 1, not 0"),
        (["--seed", "-1"], 2, "the seed must be 0 or more, not -1"),
        (["--budget", "abc"], 2, "'abc' is not a time for --budget"),
        (["--models", "tre"], 2, "did you mean 'tree'?"),
        (["--models", "vote"], 2, "there is nothing to combine"),
        (["--models", ","], 2, "there is nothing to combine"),
        (["--metric", "auuc"], 2, "Did you mean 'auc'?"),
        (["--metric", "rmse"], 2, "it is one for regression"),
        (["--task", "foo"], 2, "there is no task 'foo'"),
        (["--positive", "nonsense"], 3, "it has 'a', 'b'"),
        (["--groups", "nois"], 3, "did you mean 'noise'?"),
        (["--time", "y2"], 3, "there is no column 'y2'"),
        (["--drop", "nope"], 3, "there is no column 'nope'"),
        (["--numeric", "y2"], 3, "there is no column 'y2'"),
        (["--delimiter", "ab"], 2, "delimiter must be one character"),
        (["--decimal", "x"], 2, "decimal must be '.' or ','"),
        (["--encoding", "klingon"], 2, "there is no encoding 'klingon'"),
        (["--targt", "y"], 2, "--target"),
        (["--target", "Y2"], 3, "did you mean 'y'?"),
        (["--report", "nowhere/page.html"], 2, "there is no folder 'nowhere'"),
        (["--report", "."], 2, "this is a folder"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_makes_no_sense_is_refused(venire, table, words, code, said):
    ended = venire("compare", table, "--target", "y", "--json", "--quiet", *words)
    assert ended.code == code
    assert is_one_line_and_a_hint(ended.err)
    assert said in ended.err
    assert set(ended.document) == {"schema_version", "error"}


@pytest.mark.parametrize("command", ["compare", "select"])
def test_groups_and_time_at_once(venire, tmp_path, command):
    file = tmp_path / "both.csv"
    file.write_text("x,who,day,y\n" + "".join(f"{row % 7},g{row // 5},{row},{'ab'[row % 2]}\n" for row in range(60)))
    models = ("--models", "baseline,tree") if command == "compare" else ()
    asked = ("-t", "y", "--groups", "who", "--time", "day", "--folds", "4", *models, "--json", "--quiet")
    ended = venire(command, file, *asked)
    assert (ended.code, ended.document["splitting"], ended.document["folds"]) == (0, "time", 4)
    together = file.read_text().replace(",day,", ",hour,")
    file.write_text(re.sub(r"(?m)^(\d+,g\d+),\d+", r"\1,7", together))
    ended = venire(command, file, *("hour" if word == "day" else word for word in asked))
    assert (ended.code, ended.error["code"]) == (3, "fewer_moments_than_folds")
    assert is_one_line_and_a_hint(ended.err)


def test_unknown_commands_and_missing_arguments(venire):
    ended = venire("compar")
    assert ended.code == 2
    assert ended.err == "error: no such command 'compar'. Did you mean 'compare', 'card'?\nhint: see `venire --help`\n"
    assert venire("compare").err == "error: missing argument 'TABLE...'\nhint: see `venire compare --help`\n"
    assert venire("--json").error["code"] == "usage"


def test_a_target_must_be_named(venire, table):
    ended = venire("compare", table, "-q")
    assert ended.code == 2
    assert "which column is to be predicted?" in ended.err
    assert "there are 'near', 'noise', 'y'\n" in ended.err


def test_evidence_that_cannot_be_kept(venire, table, monkeypatch):
    monkeypatch.setenv("VENIRE_HOME", str(table))  # a file cannot be a home
    ended = venire("compare", table, "-t", "y", "--models", "baseline", "-q")
    assert ended.code == 2
    assert is_one_line_and_a_hint(ended.err)
    assert "set VENIRE_HOME" in ended.err


def test_bare_help_and_version(venire):
    bare = venire()
    assert (bare.code, bare.err) == (0, "")
    assert bare.out == venire("--help").out
    assert venire("--version").out.startswith("venire ")


def test_a_defect_is_one_line_too(venire, table, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("boom")

    monkeypatch.setattr("venire.data.read_table", broken)
    ended = venire("show", table, "--json")
    assert ended.code == 1
    assert ended.error["code"] == "internal"
    assert is_one_line_and_a_hint(ended.err)


def test_ctrl_c_while_reading(venire, table, monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("venire.data.read_table", interrupted)
    ended = venire("show", table, "--json")
    assert (ended.code, ended.error["code"]) == (130, "interrupted")
    assert is_one_line_and_a_hint(ended.err)


def test_a_reader_who_goes_is_no_error(tmp_path):
    command = [sys.executable, "-c", "from venire.cli.main import run; run()", "show", "--help"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 1


def test_nothing_heavy_is_loaded_before_the_first_sign_of_life():
    heavy = "numpy", "scipy", "sklearn", "duckdb", "altair", "jinja2", "joblib"
    rooms = "venire.cli.commands, venire.cli.comparing, venire.cli.validating"
    code = f"import sys, {rooms}; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"
    light = "import sys, venire.cli.main; print('typer' in sys.modules, 'rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", light], capture_output=True, text=True).stdout == "False False\n"
