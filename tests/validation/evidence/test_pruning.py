from __future__ import annotations

import json
import os
import threading
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.validation.asking import ask, question_of
from tests.validation.evidence.test_runs import old_run
from venire.errors import UsageError
from venire.validation.evidence.pruning import delete, prune
from venire.validation.evidence.runs import Runs, size_of

NOW = datetime(2026, 5, 4, tzinfo=UTC)


def kept(home: Path) -> set[str]:
    """The families of which there is evidence."""
    return {path.name.rsplit("-", 1)[0] for path in home.glob("evidence/*/*")}


def last_run(home: Path, key: str, days_ago: int) -> None:
    path = home / "runs" / key / "run.json"
    moment = (NOW - timedelta(days=days_ago)).isoformat()
    path.write_text(json.dumps({**json.loads(path.read_text()), "last_run": moment}))


def test_evidence_of_another_run_stays(tmp_path: Path) -> None:
    large, small = ask(tmp_path, "bayes", "near", "tree"), ask(tmp_path, "bayes")
    before = size_of([tmp_path])
    removed = delete(Runs(tmp_path), [large[:6]])
    assert [run.key for run in removed.runs] == [large]
    assert kept(tmp_path) == {"bayes"}
    assert removed.bytes == before - size_of([tmp_path]) > 2000
    assert [run.key for run in Runs(tmp_path).all()] == [small]
    delete(Runs(tmp_path), [small])
    assert list(tmp_path.glob("evidence/*")) == list(tmp_path.glob("runs/*")) == []


def test_several_at_once_and_one_twice(tmp_path: Path) -> None:
    keys = [ask(tmp_path, name) for name in ("bayes", "near", "tree")]
    assert len(delete(Runs(tmp_path), [keys[0], keys[0][:6], keys[2]]).runs) == 2
    assert kept(tmp_path) == {"near"}


def test_a_run_that_is_going_on_is_not_deleted_nor_is_its_evidence(tmp_path: Path) -> None:
    running, other = ask(tmp_path, "bayes", "near"), ask(tmp_path, "bayes", "tree")
    home = Runs(tmp_path)
    for key in (running, other):
        last_run(tmp_path, key, days_ago=90)
    with home.asked(question_of("bayes", "near")):
        last_run(tmp_path, running, days_ago=90)
        with pytest.raises(UsageError, match=f"run {running[:8]} is running"):
            delete(home, [other, running])
        assert kept(tmp_path) == {"bayes", "near", "tree"}, "not even the first of them"
        removed = prune(home, now=NOW, older_than=timedelta(days=30))
        assert [run.key for run in removed.runs] == [other]
        assert [run.key for run in removed.running] == [running]
        assert kept(tmp_path) == {"bayes", "near"}
        assert [run.key for run in prune(home, now=NOW, larger_than=0).running] == [running]
    assert [run.key for run in delete(home, [running]).runs] == [running]


def test_who_asks_while_a_run_is_deleted_waits(tmp_path: Path) -> None:
    ask(tmp_path, "bayes")
    home = Runs(tmp_path)
    asked = threading.Thread(target=ask, args=(tmp_path, "near"))
    with home.locked():
        asked.start()
        time.sleep(0.3)
        assert len(home.all()) == 1
    asked.join(10)
    assert len(home.all()) == 2


def test_pruning_by_age(tmp_path: Path) -> None:
    old, new = ask(tmp_path, "bayes", "near"), ask(tmp_path, "bayes")
    last_run(tmp_path, old, days_ago=31)
    last_run(tmp_path, new, days_ago=29)
    removed = prune(Runs(tmp_path), now=NOW, older_than=timedelta(days=30))
    assert [run.key for run in removed.runs] == [old]
    assert kept(tmp_path) == {"bayes"}


def test_pruning_by_size_takes_the_oldest_until_the_rest_fits(tmp_path: Path) -> None:
    keys = [ask(tmp_path, name) for name in ("bayes", "near", "tree")]
    for days, key in zip((1, 3, 2), keys, strict=True):
        last_run(tmp_path, key, days_ago=days)
    room = size_of([tmp_path]) - 1
    assert [run.key for run in prune(Runs(tmp_path), now=NOW, larger_than=room).runs] == [keys[1]]
    assert prune(Runs(tmp_path), now=NOW, larger_than=room).runs == ()
    assert [run.key for run in prune(Runs(tmp_path), now=NOW, larger_than=0).runs] == [keys[2], keys[0]]
    assert kept(tmp_path) == set()


def test_pruning_without_a_limit_deletes_what_no_run_uses(tmp_path: Path) -> None:
    key, gone = ask(tmp_path, "bayes"), ask(tmp_path, "near")
    (tmp_path / "runs" / gone / "run.json").unlink()  # a deletion that was cut short
    evidence = next(tmp_path.glob("evidence/*/bayes-*"))
    (evidence / "some.damaged").write_bytes(b"x" * 500)
    (tmp_path / "index.sqlite").touch()
    (tmp_path / "evidence" / "of nobody" / "tree-0123456789ab").mkdir(parents=True)
    removed = prune(Runs(tmp_path), now=NOW)
    assert removed.runs == ()
    assert removed.bytes > 1500
    assert kept(tmp_path) == {"bayes"}
    assert [path.name for path in evidence.iterdir()] == ["some.trial"]
    assert [path.name for path in tmp_path.glob("runs/*")] == [key]
    assert len(list(tmp_path.glob("evidence/*"))) == 1
    assert not (tmp_path / "index.sqlite").exists()


def test_a_damaged_run_is_deleted_by_its_whole_key_and_guards_evidence_until_then(tmp_path: Path) -> None:
    bad = ask(tmp_path, "bayes")
    (tmp_path / "runs" / bad / "run.json").write_text("{")
    assert prune(Runs(tmp_path), now=NOW).bytes == 0
    assert kept(tmp_path) == {"bayes"}
    (broken,) = delete(Runs(tmp_path), [bad]).runs
    assert broken.key == bad
    prune(Runs(tmp_path), now=NOW)
    assert kept(tmp_path) == set()


def test_nothing_outside_of_the_home_is_deleted(tmp_path: Path) -> None:
    home, outside = tmp_path / "home", tmp_path / "outside-0123456789ab"
    outside.mkdir()
    (outside / "mine").write_text("kept")
    bad = ask(home, "bayes")
    path = home / "runs" / bad / "run.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "families": [f"../../../{outside.name}"]}))
    os.symlink(outside, next(home.glob("evidence/*")) / "linked-0123456789ab")
    delete(Runs(home), [bad])
    prune(Runs(home), now=NOW)
    assert (outside / "mine").read_text() == "kept"
    assert kept(home) == set()


def test_a_run_of_an_earlier_version_goes_with_its_evidence(tmp_path: Path) -> None:
    folder = old_run(tmp_path)
    ask(tmp_path, "bayes")
    size = size_of([folder])
    assert delete(Runs(tmp_path), ["old.csv"]).bytes == size
    assert not folder.exists()
    assert kept(tmp_path) == {"bayes"}


def test_no_home_has_nothing_to_delete(tmp_path: Path) -> None:
    assert prune(Runs(tmp_path / "none"), now=NOW, larger_than=0).bytes == 0
    with pytest.raises(UsageError, match="'x' matches no run"):
        delete(Runs(tmp_path / "none"), ["x"])
    assert not (tmp_path / "none").exists()
