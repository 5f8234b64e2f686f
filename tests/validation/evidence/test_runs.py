from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tests.validation.running import run_trials
from tests.validation.tables import classification
from venire.errors import UsageError
from venire.validation.evidence.runs import Runs
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily

TABLE = classification(40, source="some.csv")


def open_run(home: Path, seed: int = 0, **how: int) -> str:
    return Runs(home).open(TABLE, make_plan(TABLE, seed=seed, folds=4, **how)).folder.name


def test_a_run_is_found_again_and_others_are_told_apart(tmp_path: Path) -> None:
    first = open_run(tmp_path)
    assert open_run(tmp_path) == first
    assert open_run(tmp_path, seed=1) != first
    assert open_run(tmp_path, repeats=2) != first
    changed = TABLE.X.copy()
    changed[3, 0] += 1e-9
    other = TABLE.with_values(changed, TABLE.y)
    assert Runs(tmp_path).open(other, make_plan(other, folds=4)).folder.name != first
    assert len(Runs(tmp_path).all()) == 4


def test_a_run_is_described_with_what_there_is_of_it(tmp_path: Path) -> None:
    plan = make_plan(TABLE, folds=4)
    evidence = Runs(tmp_path).open(TABLE, plan)
    run_trials(TABLE, plan, [GenericFamily("bayes", classifier=GaussianNB())], evidence)
    (run,) = Runs(tmp_path).all()
    assert (run.source, run.target, run.task, run.rows, run.attributes) == ("some.csv", "y", "classification", 40, 6)
    assert (run.folds, run.repeats, run.splitting, run.seed) == (4, 1, "random", 0)
    assert (run.families, run.trials) == (("bayes",), 10)
    assert run.bytes == sum(path.stat().st_size for path in tmp_path.rglob("*.trial"))
    assert Runs(tmp_path).folder(run) == evidence.folder


@pytest.mark.parametrize("harm", ["deleted", "garbage", "emptied", "stranger"])
def test_the_index_is_made_anew_from_the_files(tmp_path: Path, harm: str) -> None:
    keys = {open_run(tmp_path, seed) for seed in range(3)}
    index = tmp_path / "index.sqlite"
    if harm == "deleted":
        index.unlink()
    elif harm == "garbage":
        index.write_bytes(b"not a database at all, " * 300)
    elif harm == "emptied":
        with closing(sqlite3.connect(index)) as connection, connection:
            connection.execute("DELETE FROM runs")
    else:
        with closing(sqlite3.connect(index)) as connection, connection:
            connection.execute("DROP TABLE runs")
            connection.execute("CREATE TABLE runs (wrong TEXT)")
    assert {run.key for run in Runs(tmp_path).all()} == keys
    with closing(sqlite3.connect(index)) as connection:
        assert connection.execute("SELECT count(*) FROM runs").fetchone() == (3,)
    assert open_run(tmp_path, 7)


def test_a_run_whose_folder_is_gone_is_not_listed(tmp_path: Path) -> None:
    gone, kept = open_run(tmp_path, 0), open_run(tmp_path, 1)
    (tmp_path / "runs" / gone / "run.json").unlink()
    assert [run.key for run in Runs(tmp_path).all()] == [kept]
    (tmp_path / "runs" / kept / "run.json").write_bytes(b"{")
    (tmp_path / "index.sqlite").unlink()
    assert Runs(tmp_path).all() == []


def test_runs_are_found_by_the_beginning_of_their_key(tmp_path: Path) -> None:
    key = open_run(tmp_path)
    assert Runs(tmp_path).find(key[:6]).key == key
    with pytest.raises(UsageError, match="'zz' matches no run") as caught:
        Runs(tmp_path).find("zz")
    assert key[:8] in str(caught.value.hint)
    open_run(tmp_path, 1)
    with pytest.raises(UsageError, match="'' matches several runs"):
        Runs(tmp_path).find("")


def test_no_home_yet_lists_nothing_and_makes_nothing(tmp_path: Path) -> None:
    assert Runs(tmp_path / "none").all() == []
    assert not (tmp_path / "none").exists()


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UsageError, match=r"cannot keep evidence under .*file") as caught:
        open_run(tmp_path / "file")
    assert caught.value.code == "home_not_writable"
    assert "VENIRE_HOME" in str(caught.value.hint)


def test_evidence_stays_out_of_version_control(tmp_path: Path) -> None:
    open_run(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == "*\n"


def test_home_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path / "there"))
    assert Runs.default().home == tmp_path / "there"
    monkeypatch.delenv("VENIRE_HOME")
    monkeypatch.chdir(tmp_path)
    assert Runs.default().home == tmp_path / ".venire"


def test_equal_tables_in_another_memory_order_share_a_run(tmp_path: Path) -> None:
    first = open_run(tmp_path)
    other = TABLE.with_values(np.ascontiguousarray(TABLE.X), TABLE.y)
    assert Runs(tmp_path).open(other, make_plan(other, folds=4)).folder.name == first
