import json
import re
from pathlib import Path

import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier

from tests.validation.misbehaving import Leaves
from venire.cli import comparing
from venire.errors import VenireError
from venire.flow import compare
from venire.report.page import html
from venire.validation.evidence import limit
from venire.validation.trials.family import Setting, Turn
from venire.validation.trials.generic import GenericFamily

FEW = ("--models", "baseline,tree,vote", "--folds", "3")
# The fields that were promised; there may be more.
DOCUMENT = {
    "schema_version", "rows", "task", "metric", "folds", "seed",
    "chosen", "leaderboard", "not_tried", "findings", "timing",
}  # fmt: skip
CHOSEN = {"family", "setting", "error", "interval"}
ROW = {"family", "setting", "error", "interval", "training_error", "one_layer_error", "p_best"}


class Failing(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise ValueError("no luck\nat all")


class Interrupting(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        raise KeyboardInterrupt


def family(name, classifier, turn=Turn.PROMISING):
    return GenericFamily(name, classifier=classifier, path=(Setting("as it is"),), seconds=lambda *_: 0.001, turn=turn)


@pytest.fixture
def bucket(monkeypatch):
    """Puts other families into the bucket; the baseline is always the first."""

    def put(**others):
        families = [family("baseline", DummyClassifier(), Turn.QUICK), *(family(*each) for each in others.items())]
        monkeypatch.setattr("venire.families.requested.default_bucket", lambda: tuple(families))

    return put


def test_the_verdict_on_stdout_and_progress_on_stderr(venire, table):
    ended = venire("compare", table.name, "-t", "y", *FEW)
    assert ended.code == 0
    assert ended.out.startswith("y in table.csv · 60 rows · 2 classes · 3 folds · error rate\n")
    assert "\nprocedure " in ended.out
    assert max(map(len, ended.out.splitlines())) <= 80
    assert not [line for line in ended.out.splitlines() if line != line.rstrip()]
    progress = ended.err.splitlines()
    assert progress[:3] == ["venire: getting ready", "venire: reading the table", "venire: 12 trials to run"]
    assert progress[3].startswith("venire: 12 of 12 trials; best so far tree ")
    assert len(progress) == 4


def without_tags(page: Path) -> str:
    """The words of a page: an option is marked there as what does not break across lines."""
    return re.sub(r"<[^>]+>", "", page.read_text(encoding="utf-8"))


def test_advice_speaks_of_options_here_and_of_arguments_in_python(venire, table):
    """In the terminal, in the document and on the page; a verdict of Python, from the same evidence, in its own."""
    words = ("compare", table.name, "-t", "y", *FEW, "-q")
    advice = "Split the rows several times with --repeats, or collect more rows"
    assert advice in " ".join(venire(*words, "--report", "page.html").out.split())
    told = {finding["code"]: finding["advice"] for finding in venire(*words, "--json").document["findings"]}
    assert advice in told["V001"]
    venire("report", venire("runs", "--json").document["runs"][0]["key"], "-o", "again.html")
    for page in ("page.html", "again.html"):
        assert advice in without_tags(Path(page))
    verdict = compare(str(table), "y", models=["baseline", "tree", "vote"], folds=3)
    assert "Split the rows several times with repeats=, or" in " ".join(str(verdict).split())
    verdict.report("python.html")
    assert "Split the rows several times with repeats=, or" in without_tags(Path("python.html"))
    for said in (str(verdict), Path("python.html").read_text(encoding="utf-8"), str(verdict.to_dict()["findings"])):
        assert "--repeats" not in said


@pytest.mark.parametrize("command", ["compare", "select"])
def test_costs_that_are_missing_are_asked_for_by_their_option(venire, table, command):
    error = venire(command, table, "-t", "y", "--metric", "cost", "--json", "-q").error
    assert error["message"] == "metric 'cost' needs costs, and none were given"
    assert "with --costs 1:5, or --costs '0,1;5,0' with" in error["hint"]


def test_a_path_below_the_working_directory_is_shown_short(venire, table):
    assert venire("compare", table, "-t", "y", *FEW, "-q").out.startswith("y in table.csv · ")


def test_a_second_run_computes_nothing(venire, table):
    venire("compare", table, "-t", "y", *FEW)
    assert venire("compare", table, "-t", "y", *FEW).err.splitlines()[2:] == [
        "venire: every trial is kept from an earlier run"
    ]


def test_quiet_is_silent_on_stderr(venire, table):
    assert venire("compare", table, "-t", "y", *FEW, "--quiet").err == ""


def test_json_is_one_document_and_the_same_bytes_again(venire, table, monkeypatch, tmp_path):
    def text_and_timing():
        ended = venire("compare", table.name, "-t", "y", *FEW, "--json", "-q")
        assert (ended.code, ended.err) == (0, "")
        document = ended.document
        assert ended.out == json.dumps(document, ensure_ascii=False, indent=2) + "\n"
        return document, document.pop("timing")

    (first, timing), (again, reused) = text_and_timing(), text_and_timing()
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path / "another"))
    afresh, _ = text_and_timing()
    assert json.dumps(first) == json.dumps(again) == json.dumps(afresh)
    assert (timing["trials"], timing["reused"]) == (12, 0)
    assert (reused["trials"], reused["reused"]) == (0, 12)
    assert {*first, "timing"} >= DOCUMENT
    assert set(first["chosen"]) >= CHOSEN
    assert all(set(row) >= ROW for row in first["leaderboard"])
    assert first["leaderboard"][0]["family"] == "procedure"


def test_the_report_is_written_and_named(venire, table, tmp_path):
    ended = venire("compare", table, "-t", "y", *FEW, "--report", "page.html")
    assert ended.out.endswith("\nReport: page.html\n")
    assert ended.err.endswith("venire: writing the report\n")
    assert (tmp_path / "page.html").read_text(encoding="utf-8").rstrip().endswith("</html>")


@pytest.mark.parametrize(("took", "late"), [(0.0, False), (1000.0, True)])
def test_a_page_that_is_ready_after_the_budget_is_told(venire, table, monkeypatch, took, late):
    passed = [0.0]
    true, now = html.write, comparing.monotonic

    def slowly(document: dict, pictures: dict, path: Path) -> Path:
        passed[0] = took
        return true(document, pictures, path)

    monkeypatch.setattr(comparing, "monotonic", lambda: now() + passed[0])
    monkeypatch.setattr(html, "write", slowly)
    ended = venire("compare", table, "-t", "y", *FEW, "--report", "page.html")
    assert ("venire: the report was ready" in ended.err) == late
    assert ("after the budget of 10 min was over" in ended.err) == late


def test_a_report_that_cannot_be_written_in_the_end_costs_no_verdict(venire, table, monkeypatch):
    def full(document: dict, pictures: dict, path: Path) -> Path:
        raise VenireError(
            "the report cannot be written: No space left on device", code="cannot_write", hint="make room"
        )

    monkeypatch.setattr("venire.report.page.html.write", full)
    ended = venire("compare", table, "-t", "y", *FEW, "-q", "--report", "page.html")
    assert ended.code == 1
    assert "\nprocedure " in ended.out
    assert "Report:" not in ended.out
    assert ended.err == "error: the report cannot be written: No space left on device\nhint: make room\n"
    as_json = venire("compare", table, "-t", "y", *FEW, "-q", "--report", "page.html", "--json")
    assert as_json.error["code"] == "cannot_write"


@pytest.mark.parametrize(
    ("member", "reason", "budget"), [(Failing(), "no luck", "1h"), (Leaves(), "exit code 7", "none")]
)
def test_a_model_that_fails_leaves_a_verdict_and_exit_code_4(venire, table, bucket, member, reason, budget):
    bucket(unlucky=member)
    ended = venire("compare", table, "-t", "y", "--folds", "3", "--json", "-q", "--budget", budget)
    assert ended.code == 4
    (failed,) = ended.document["failed"]
    assert failed["family"] == "unlucky"
    assert reason in failed["reason"]
    assert ended.document["chosen"]["family"] == "baseline"


@pytest.mark.usefixtures("trusted")
def test_ctrl_c_ends_with_what_is_known(venire, table, bucket):
    bucket(endless=Interrupting())
    ended = venire("compare", table, "-t", "y", "--folds", "3", "-q")
    assert ended.code == 130
    assert "\nprocedure " in ended.out
    assert "interrupted after 0 of 6 trials" in " ".join(ended.out.split())
    assert "Interrupted: this is what is known so far." in ended.out
    assert ended.err == ""


@pytest.mark.usefixtures("trusted")
def test_ctrl_c_before_anything_is_known(venire, table, bucket):
    bucket(endless=Interrupting())
    ended = venire("compare", table, "-t", "y", "--folds", "3", "-q", "--models", "endless", "--json")
    assert ended.code == 130
    assert ended.error["code"] == "interrupted"
    assert ended.err.startswith("error: interrupted before any model was finished\nhint: ")


def test_costs_rule_and_mute_from_the_command_line(venire, table):
    shown = venire("compare", table, "--target", "y", *FEW, "--costs", "1:10", "--rule", "one_standard_error",
                   "--mute", "V001,v006", "--json")  # fmt: skip
    assert shown.code == 0
    document = json.loads(shown.out)
    assert document["metric"] == "cost"
    assert sorted(cost for row in document["costs"]["matrix"] for cost in row) == [0, 0, 1, 10]
    assert {check["status"] for check in document["checks"] if check["code"] in ("V001", "V006")} == {"muted"}


def test_costs_that_make_no_sense_are_one_sentence(venire, table):
    shown = venire("compare", table, "--target", "y", *FEW, "--costs", "dear")
    assert shown.code != 0
    assert "the costs 'dear' are neither fp:fn, nor a matrix, nor a file that can be read" in shown.err


def test_a_report_lists_the_worst_rows_if_asked_to(venire, table):
    words = ("compare", table, "-t", "y", *FEW, "-q", "--report")
    assert venire(*words, "without.html").code == 0
    assert venire(*words, "with.html", "--worst-rows", "3").code == 0
    without, listed = (Path(name).read_text(encoding="utf-8") for name in ("without.html", "with.html"))
    assert 'id="worst"' not in without
    assert listed.split('id="worst"')[1].split("</section>")[0].count("<tr>") == 4
    assert 'data-chart="importance"' in without


def test_a_report_explains_as_much_as_is_asked_for(venire, table):
    words = ("compare", table, "-t", "y", *FEW, "-q", "--report")
    assert venire(*words, "all.html", "--explain", "all").code == 0
    assert 'data-chart="learning_curve"' in Path("all.html").read_text()
    assert venire(*words, "none.html", "--explain", "none").code == 0
    assert 'data-chart="importance"' not in Path("none.html").read_text()
    error = venire(*words, "x.html", "--explain", "some", "--json").error
    assert (error["message"], error["hint"]) == ("there is no 'some' for --explain", "use auto, all, none")
    alone = venire("compare", table, "-t", "y", *FEW, "--explain", "all", "--json").error
    assert alone["message"] == "--explain says what the report explains, and there is none"


def test_worst_rows_need_a_report(venire, table):
    error = venire("compare", table, "-t", "y", *FEW, "--worst-rows", "3", "--json").error
    assert error["message"] == "--worst-rows lists rows in the report, and there is none"
    assert error["hint"] == "add --report FILE"
    error = venire("compare", table, "-t", "y", *FEW, "--report", "x.html", "--worst-rows", "-3", "--json", "-q").error
    assert error["message"] == "--worst-rows must be 0 or more, not -3"


def test_evidence_is_kept_within_its_limit_and_the_verdict_stays(venire, table, tmp_path):
    home = tmp_path / "venire_home"
    first = venire("compare", table, "--target", "y", *FEW, "--json")
    told = venire("compare", table, "--target", "y", *FEW, "--json", "--evidence-limit", "1kB")
    assert told.code == 0
    assert "evidence takes 0 bytes of the 1 kB that it may take; predictions of 2 families were dropped" in told.err
    facts = [{key: value for key, value in json.loads(each.out).items() if key != "timing"} for each in (first, told)]
    assert facts[0] == facts[1]
    assert not list(home.glob("evidence/*/*"))
    page = home / "kept.html"
    assert venire("report", json.loads(venire("runs", "--json").out)["runs"][0]["key"], "-o", str(page)).code == 0
    assert page.stat().st_size > 100_000
    again = json.loads(venire("compare", table, "--target", "y", *FEW, "--json").out)
    assert again["timing"]["reused"] == 0


def test_what_a_running_run_uses_is_not_dropped_on_the_way(venire, table, monkeypatch):
    monkeypatch.setattr(limit, "BETWEEN", 0.0)
    plain = json.loads(venire("compare", table, "--target", "y", *FEW, "--json").out)
    bounded = json.loads(venire("compare", table, "--target", "y", *FEW, "--json", "--evidence-limit", "1B").out)
    assert plain["leaderboard"] == bounded["leaderboard"]
