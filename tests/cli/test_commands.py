import io
import os
import warnings
from pathlib import Path

from tests.validation.asking import question_of
from venire.validation.evidence.runs import Runs


def test_show_prints_what_was_read(venire, table):
    shown = venire("show", table.name, "-t", "y")
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.splitlines()[:3] == [
        "table.csv: 60 rows, 2 columns",
        "target y (classification): a (30), b (30)",
        "read as utf-8, delimiter ',', decimal '.'",
    ]
    assert "near    numeric        0" in shown.out


def test_show_as_json(venire, table):
    facts = venire("show", table, "--json", "--drop", "noise").document
    assert facts["schema_version"] == 2
    assert facts["target"] is None
    assert [column["name"] for column in facts["columns"]] == ["near", "y"]
    assert facts["left_out"][0]["name"] == "noise"


def test_show_reads_as_it_is_told(venire, tmp_path):
    (tmp_path / "odd.txt").write_text("1;5;-9\n2;7;x\n3;8;y\n")
    facts = venire("show", "odd.txt", "--no-header", "--delimiter", ";", "--missing", "-9", "--json").document
    assert facts["rows"] == 3
    assert facts["reading"]["delimiter"] == ";"
    assert facts["columns"][-1]["missing"] == 1


def test_several_files_and_patterns(venire, table, tmp_path):
    (tmp_path / "more.csv").write_text(table.read_text())
    assert venire("show", "table.csv", "more.csv", "--json").document["rows"] == 120
    assert venire("show", "*.csv", "--json").document["rows"] == 120


def test_models(venire):
    assert "baseline" in venire("models").out
    assert venire("models", "--json").document["models"][0]["family"] == "baseline"


def test_runs_and_report(venire, table, tmp_path):
    assert "No runs here yet" in venire("runs").out
    assert venire("runs", "--json").document["runs"] == []
    venire("compare", table, "-t", "y", "--models", "baseline,tree", "--folds", "3", "-q")

    listed = venire("runs")
    assert max(map(len, listed.out.splitlines())) <= 80
    assert "table.csv" in listed.out
    assert "just now" in listed.out
    (row,) = venire("runs", "--json").document["runs"]
    assert (row["trials"], row["chosen"]) == (12, "tree")

    written = venire("report", row["key"][:4])
    assert written.out == f"venire-{row['key']}.html\n"
    assert (tmp_path / written.out.strip()).stat().st_size > 10_000
    assert venire("report", row["key"], "-o", "x.html").out == "x.html\n"


def compare(venire, table, *words):
    ended = venire("compare", table, "-t", "y", "--folds", "3", "-q", *words)
    assert ended.code == 0
    return ended


def test_a_later_question_leaves_the_earlier_answer(venire, table, tmp_path):
    compare(venire, table, "--models", "baseline,naive_bayes,tree", "--metric", "auc")
    compare(venire, table, "--models", "baseline,tree", "--name", "two alone")
    second, first = venire("runs", "--json").document["runs"]
    assert (first["name"], len(first["models"]), first["metric"]) == ("table.csv", 3, "auc")
    assert (second["name"], len(second["models"]), second["metric"]) == ("two alone", 2, "error")
    listed = venire("runs").out
    assert max(map(len, listed.splitlines())) <= 80
    assert "AUC 0." in listed
    assert " %" in listed
    for run in (first, second):
        page = tmp_path / venire("report", run["key"]).out.strip()
        assert ("naive Bayes" in page.read_text()) is (run is first)


def test_no_trial_is_run_twice_for_another_question(venire, table):
    first = compare(venire, table, "--models", "baseline,naive_bayes,tree", "--json").document
    second = compare(venire, table, "--models", "baseline,tree", "--metric", "auc", "--json").document
    assert (second["timing"]["trials"], second["timing"]["reused"]) == (0, 12)
    again = compare(venire, table, "--models", "baseline,naive_bayes,tree", "--json").document
    del first["timing"], again["timing"]
    assert first == again
    assert len(venire("runs", "--json").document["runs"]) == 2


def test_runs_are_deleted_with_the_evidence_nobody_else_uses(venire, table):
    compare(venire, table, "--models", "baseline,naive_bayes,tree")
    compare(venire, table, "--models", "baseline,tree")
    second, first = venire("runs", "--json").document["runs"]
    before = venire("runs", "--json").document["bytes"]
    gone = venire("runs", "--delete", first["key"])
    assert gone.out.startswith(f"deleted run {first['key']} (table.csv)\n1 run deleted, ")
    after = venire("runs", "--json").document
    assert [run["key"] for run in after["runs"]] == [second["key"]]
    assert after["runs"][0]["trials"] == 12
    assert compare(venire, table, "--models", "baseline,tree", "--json").document["timing"]["trials"] == 0
    last = venire("runs", "--prune", "--larger-than", "1kB", "--json").document
    assert [run["key"] for run in last["deleted"]] == [second["key"]]
    assert last["bytes_freed"] > 0
    assert last["bytes_left"] < 1000 < after["bytes"] < before
    assert venire("runs", "--prune", "--older-than", "30d").out.startswith("0 runs deleted, 0 bytes freed; ")


def test_a_run_that_is_going_on_is_not_deleted(venire, tmp_path, monkeypatch):
    home = Runs(tmp_path / "here")
    monkeypatch.setenv("VENIRE_HOME", str(home.home))
    with home.asked(question_of("bayes")):
        refused = venire("runs", "--delete", "some.csv", "--json")
    assert refused.code == 2
    assert refused.error["code"] == "run_is_running"


def test_damaged_evidence_is_one_line(venire, table, tmp_path):
    whole = compare(venire, table, "--models", "baseline,tree", "--json").document
    damaged = next(Path(os.environ["VENIRE_HOME"]).rglob("*.trial"))
    damaged.write_bytes(damaged.read_bytes()[:-1])
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        again = compare(venire, table, "--models", "baseline,tree", "--json")
    assert again.err.startswith("warning: the evidence of 1 trial of ")
    assert again.err.count("\n") == 1
    assert again.document["timing"]["trials"] == 1
    assert {**again.document, "timing": 0} == {**whole, "timing": 0}


def test_a_page_that_would_replace_a_device(venire, table):
    refused = venire("compare", table, "-t", "y", "--models", "baseline", "--report", os.devnull)
    assert refused.code == 1
    assert refused.err.startswith(f"error: {os.devnull}: this is a device or a pipe, not a file\n")


def test_a_run_that_is_not_there(venire):
    ended = venire("report", "zzz")
    assert ended.code == 2
    assert ended.err.startswith("error: 'zzz' matches no run under ")


def test_a_report_with_no_place_to_go(venire, table):
    venire("compare", table, "-t", "y", "--models", "baseline", "--folds", "3", "-q")
    (row,) = venire("runs", "--json").document["runs"]
    assert venire("report", row["key"], "-o", "nowhere/x.html").err.startswith(
        "error: nowhere/x.html: there is no folder 'nowhere'"
    )
    refused = venire("report", row["key"], "-o", "-")
    assert refused.code == 2
    assert refused.err.startswith("error: -: a report is a file, and is not written to the output")


def test_the_demo_is_on_the_data_that_ships(venire, monkeypatch):
    asked = []
    monkeypatch.setattr("venire.cli.comparing.carry_out", lambda request: asked.append(request) or 0)
    assert venire("demo", "--jobs", "2", "-q").code == 0
    (request,) = asked
    table = request.source()
    assert (table.rows, table.source) == (380, "banknotes (ships with venire)")
    assert table.target.labels[table.target.positive] == "fraud"
    assert (request.report, request.options, request.quiet) == (Path("venire-demo.html"), {"jobs": 2}, True)


def test_every_command_that_takes_a_table_takes_a_pipe(venire, table, monkeypatch):
    content = table.read_bytes()

    def piped(*words):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        return venire(*words).document

    assert piped("show", "-", "--json")["source"] == "standard input"
    few = ("-t", "y", "--folds", "3", "-q", "--json")
    compared = piped("compare", "-", *few, "--models", "baseline,tree")
    assert compared["source"] == "standard input"
    assert (
        compared["leaderboard"] == venire("compare", table, *few, "--models", "baseline,tree").document["leaderboard"]
    )
    assert piped("select", "-", *few, "--model", "naive_bayes")["rows"] == 60
