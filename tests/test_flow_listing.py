import os
from datetime import UTC, datetime

import pytest

from tests.cli.conftest import write_table
from tests.validation.asking import ask, question_of
from tests.validation.estimators import Interrupted, quick
from venire.errors import UsageError, VenireError
from venire.families.bucket import COMBINATIONS, default_bucket
from venire.flow import compare
from venire.flow.listing import bucket, dated, kept_runs, kept_verdict
from venire.validation.evidence.questions import Kind
from venire.validation.evidence.runs import Runs
from venire.validation.trials.generic import GenericFamily


def test_the_bucket_is_listed_whole():
    rows = bucket()
    asked = ("lightgbm", "xgboost", "catboost")
    assert [row["family"] for row in rows] == [*(family.name for family in default_bucket()), *COMBINATIONS, *asked]
    assert all("only when asked for: --models +" in row["path"] for row in rows[-len(asked) :])
    assert {row["task"] for row in rows} <= {"both", "classification", "regression"}
    assert all(row["path"] for row in rows)


def test_a_path_that_depends_on_the_table_is_listed_as_its_rule():
    listed = {row["family"]: row["path"] for row in bucket()}
    assert listed["knn"] == "k odd, from √rows (29 at most) down to 1"
    assert listed["forest"].startswith("q of m columns a split: 1, ")


def test_a_run_without_a_verdict(tmp_path):
    home = Runs(tmp_path / "home")
    ask(home.home, "bayes")
    (run,) = home.all()
    (home.folder(run) / "verdict.json").unlink()
    (row,) = kept_runs(home)["runs"]
    assert (row["source"], row["target"], row["rows"], row["trials"]) == ("some.csv", "y", 40, 1)
    assert "chosen" not in row
    assert row["state"] == "no verdict"
    with pytest.raises(UsageError, match="has no verdict yet") as caught:
        kept_verdict(home, home.find(row["key"]))
    assert caught.value.code == "no_verdict"


@pytest.mark.parametrize(
    ("created", "said"),
    [
        ("2026-05-04T11:59:30+00:00", "just now"),
        ("2026-05-04T11:15:00+00:00", "45 min ago"),
        ("2026-05-04T06:30:00+00:00", "5 h ago"),
        ("2026-05-03T12:00:00+00:00", "1 day ago"),
        ("2026-04-04T12:00:00+00:00", "30 days ago"),
        ("2026-05-04T12:00:05+00:00", "just now"),
    ],
)
def test_how_long_ago(created, said):
    now = datetime(2026, 5, 4, 12, tzinfo=UTC)
    assert dated([{"last_run": created}], now) == [{"last_run": created, "when": said}]


def test_a_run_says_what_its_error_is(tmp_path):
    compare(
        write_table(tmp_path / "table.csv", rows=60),
        "y",
        metric="brier",
        models=["baseline", "tree"],
        folds=3,
        jobs=1,
        home=tmp_path / "home",
    )
    (row,) = kept_runs(Runs(tmp_path / "home"))["runs"]
    assert row["metric"] == "brier"
    assert row["error"] > 0
    assert row["state"] == "complete"


@pytest.mark.usefixtures("trusted")
def test_a_verdict_that_was_cut_short_says_what_cut_it(tmp_path):
    home = tmp_path / "home"
    own = GenericFamily("own", classifier=Interrupted(), seconds=quick)
    compare(write_table(tmp_path / "table.csv", rows=60), "y", models=["baseline", own], folds=3, jobs=1, home=home)
    (row,) = kept_runs(Runs(home))["runs"]
    assert row["state"] == "interrupted"


def test_a_run_that_is_going_on_says_so(tmp_path):
    home = Runs(tmp_path)
    with home.asked(question_of("bayes")):
        assert [row["state"] for row in kept_runs(home)["runs"]] == ["running"]
    assert [row["state"] for row in kept_runs(home)["runs"]] == ["no verdict"]


@pytest.mark.parametrize(
    "content",
    ["[]", "{}", "[" * 200_000, '{"document": [], "pictures": {}}', '{"document": {"chosen": 1}, "pictures": {}}'],
    ids=lambda text: text[:20],
)
def test_one_bad_verdict_hides_no_other_run(tmp_path, content):
    home = Runs(tmp_path)
    for name in ("bayes", "near"):
        ask(tmp_path, name)
    bad, other = home.all()
    (home.folder(bad) / "verdict.json").write_text(content)
    (home.folder(other) / "verdict.json").unlink()
    assert [row["state"] for row in kept_runs(home)["runs"]] == ["damaged", "no verdict"]


def test_a_verdict_that_is_a_pipe_is_not_waited_for(tmp_path):
    ask(tmp_path, "bayes")
    home = Runs(tmp_path)
    (run,) = home.all()
    (home.folder(run) / "verdict.json").unlink()
    os.mkfifo(home.folder(run) / "verdict.json")
    with pytest.raises(VenireError, match=r"the verdict that run \w{8} left is damaged"):
        kept_verdict(home, run)


def test_a_selection_has_no_report(tmp_path):
    ask(tmp_path, "bayes", kind=Kind.SELECTION)
    home = Runs(tmp_path)
    with pytest.raises(UsageError, match="is a selection: a report is written of comparisons") as caught:
        kept_verdict(home, home.all()[0])
    assert "venire select" in caught.value.hint
