import errno
import io
import json
import signal
from types import SimpleNamespace

import pytest

from venire.advice import Advice, Option, parts_of
from venire.cli.exit_codes import as_options, defect, fail, in_options, interruption, misuse, print_json
from venire.cli.signals import Terminated
from venire.errors import DataError, VenireError


def test_an_error_is_one_line_and_a_hint(capsys):
    error = DataError("two\nlines\x1b[31m", file="a.csv", hint=Advice("say ", Option("encoding", "latin-1")))
    assert fail(error, as_json=False) == 3
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err == "error: a.csv: two\\nlines\\x1b[31m\nhint: say --encoding latin-1\n"


def test_with_json_the_document_too(capsys):
    assert fail(DataError("bad", code="nul_bytes", file="a.csv", line=3), as_json=True) == 3
    said = capsys.readouterr()
    assert json.loads(said.out)["error"] == {
        "code": "nul_bytes",
        "message": "bad",
        "file": "a.csv",
        "line": 3,
        "column": None,
        "hint": None,
        "hint_parts": None,
    }
    assert said.err == "error: a.csv, line 3: bad\n"


def test_notes_speak_of_options():
    message = Advice("taken as classification; use ", Option("task"), " for the other")
    note = {"code": "task_guessed", "message": str(message), "message_parts": parts_of(message), "column": "y"}
    document = {"rows": 3, "notes": [note]}
    shown = in_options(document)
    assert shown["notes"][0]["message"] == "taken as classification; use --task for the other"
    assert note["message"].endswith("use task= for the other"), "the document itself stays as it is"
    assert in_options({"rows": 3}) == {"rows": 3}


def test_findings_speak_of_options_and_foreign_text_stays():
    advice = Advice("Split by ", Option("groups", "O'Brien"), ", not by folds=3.")
    warned = {"code": "V010", "message": "svm warned: early (max_iter=9)", "advice": str(advice)}
    document = {"findings": [warned | {"advice_parts": parts_of(advice)}]}
    (shown,) = in_options(document)["findings"]
    assert shown["advice"] == """Split by --groups 'O'"'"'Brien', not by folds=3."""
    assert shown["message"] == warned["message"]
    assert warned["advice"] == """Split by groups="O'Brien", not by folds=3."""


def test_a_document_kept_before_it_had_parts_is_printed_as_it_is():
    old = {"findings": [{"code": "V011", "message": "", "advice": "Leave out stratified=."}]}
    assert in_options(old) == old


def test_an_interruption_has_its_own_exit_code(capsys):
    assert fail(VenireError("stopped", code="interrupted"), as_json=False) == 130
    assert fail(interruption(KeyboardInterrupt()), as_json=False) == 130
    assert fail(interruption(Terminated(signal.SIGTERM)), as_json=False) == 143
    assert "goes on from there" in str(interruption(KeyboardInterrupt(), "compare").hint)
    assert "nothing was kept" in str(interruption(KeyboardInterrupt(), "show").hint)
    assert capsys.readouterr().err.count("error: ") == 3


@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_json_fits_the_encoding_of_stdout(monkeypatch, encoding):
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr("sys.stdout", stream)
    print_json({"setting": "λ = 1"})
    stream.flush()
    raw = stream.buffer.getvalue()
    assert json.loads(raw) == {"setting": "λ = 1"}
    assert raw.isascii() == (encoding == "ascii")


def test_json_survives_a_file_name_that_is_no_text(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr("sys.stdout", stream)
    print_json({"file": "\udcff.csv"})
    stream.flush()
    assert json.loads(stream.buffer.getvalue()) == {"file": "\udcff.csv"}


@pytest.mark.parametrize(
    ("advice", "options"),
    [
        (Advice("write ", Option("drop", ["zip code"])), "write --drop 'zip code'"),
        (Advice("write ", Option("drop", ["a,b", "c"])), """write --drop '"a,b",c'"""),
        (Advice("ask for ", Option("task", "classification")), "ask for --task classification"),
        (Advice("use ", Option("numeric"), " to take it as numbers"), "use --numeric to take it as numbers"),
        (Advice("use ", Option("inner_folds", 3), " or more"), "use --inner-folds 3 or more"),
        (Advice("say ", Option("quote", "")), "say --quote ''"),
        (Advice("for example ", Option("models", "tree,vote")), "for example --models tree,vote"),
        ("P(best)=0.4 and folds= stay", "P(best)=0.4 and folds= stay"),
    ],
)
def test_hints_speak_of_options(advice, options):
    assert as_options(parts_of(advice)) == options


def test_what_the_parser_says_is_put_like_our_own():
    class Misuse(Exception):
        exit_code = 2
        ctx = SimpleNamespace(command_path="venire compare")

        def format_message(self):
            return "No such option: --targt."

    error = misuse(Misuse())
    assert (str(error), error.hint) == ("no such option: --targt", "see `venire compare --help`")
    assert (error.code, error.exit_code) == ("usage", 2)


def test_defects_are_named(monkeypatch, capsys):
    assert defect(MemoryError()).code == "memory"
    full = defect(OSError(errno.ENOSPC, "No space left on device", "report.html"))
    assert (full.code, str(full)) == ("system", "report.html: No space left on device")
    bug = defect(RuntimeError("boom\nand more"))
    assert (bug.code, str(bug)) == ("internal", "venire itself failed: RuntimeError: boom")
    assert capsys.readouterr().err == ""
    monkeypatch.setenv("VENIRE_TRACEBACK", "1")
    defect(RuntimeError("boom"))
    assert "RuntimeError: boom" in capsys.readouterr().err
