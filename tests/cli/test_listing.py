from datetime import UTC, datetime

import pytest

from tests.validation.estimators import Interrupted
from venire.cli.listing import bucket, dated, kept_runs, kept_verdict
from venire.data import read_table
from venire.errors import UsageError
from venire.families.bucket import COMBINATIONS, default_bucket
from venire.flow import compare
from venire.validation.evidence.runs import Runs
from venire.validation.plans.folds import make_plan
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


def test_a_run_without_a_verdict(table, tmp_path):
    home = Runs(tmp_path / "home")
    read = read_table(table, "y")
    home.open(read, make_plan(read, folds=3))
    (row,) = kept_runs(home)
    assert (row["source"], row["target"], row["rows"], row["trials"]) == ("table.csv", "y", 60, 0)
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
    assert dated([{"created": created}], now) == [{"created": created, "when": said}]


def test_a_run_says_what_its_error_is(table, tmp_path):
    compare(table, "y", metric="brier", models=["baseline", "tree"], folds=3, jobs=1, home=tmp_path / "home")
    (row,) = kept_runs(Runs(tmp_path / "home"))
    assert row["metric"] == "brier"
    assert row["error"] > 0
    assert row["state"] == "complete"


def test_a_verdict_that_was_cut_short_says_what_cut_it(table, tmp_path):
    home = tmp_path / "home"
    own = GenericFamily("own", classifier=Interrupted())
    compare(table, "y", models=["baseline", own], folds=3, jobs=1, home=home)
    (row,) = kept_runs(Runs(home))
    assert row["state"] == "interrupted"
