from __future__ import annotations

import json
import os
from pathlib import Path

import numpy as np
import pytest
from sklearn.naive_bayes import GaussianNB

from tests.validation.asking import TABLE, ask, question_of
from tests.validation.running import run_trials
from venire.errors import UsageError
from venire.validation.evidence.runs import Runs, size_of
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily


def opened(home: Path, seed: int = 0, **how: int) -> str:
    return Runs(home).open(TABLE, make_plan(TABLE, seed=seed, folds=4, **how)).folder.name


def test_evidence_is_found_again_and_other_evidence_is_told_apart(tmp_path: Path) -> None:
    first = opened(tmp_path)
    assert opened(tmp_path) == first
    assert opened(tmp_path, seed=1) != first
    assert opened(tmp_path, repeats=2) != first
    changed = TABLE.X.copy()
    changed[3, 0] += 1e-9
    other = TABLE.with_values(changed, TABLE.y)
    assert Runs(tmp_path).open(other, make_plan(other, folds=4)).folder.name != first
    assert Runs(tmp_path).all() == [], "evidence alone is no run"


def test_equal_tables_in_another_memory_order_share_evidence(tmp_path: Path) -> None:
    first = opened(tmp_path)
    other = TABLE.with_values(np.ascontiguousarray(TABLE.X), TABLE.y)
    assert Runs(tmp_path).open(other, make_plan(other, folds=4)).folder.name == first


def test_a_run_is_described_with_what_there_is_of_it(tmp_path: Path) -> None:
    question = question_of("bayes")
    family = GenericFamily("bayes", classifier=GaussianNB())
    home = Runs(tmp_path)
    with home.asked(question) as asked:
        evidence = home.open(TABLE, question.plan)
        run_trials(TABLE, question.plan, [family], evidence)
        asked.answer(b"the answer")
        (run,) = home.all()
        assert home.running(run)
    assert not home.running(run)
    assert (run.source, run.target, run.task, run.rows, run.attributes) == ("some.csv", "y", "classification", 40, 6)
    assert (run.folds, run.repeats, run.splitting, run.seed) == (4, 1, "random", 0)
    assert (run.called, run.models, run.metric) == ("some.csv", ("bayes",), "error")
    assert home.folder(run) == asked.folder
    assert (asked.folder / "verdict.json").read_bytes() == b"the answer"
    (held,) = home.evidence_of(run)
    assert held.parent == evidence.folder
    assert size_of([held]) == sum(path.stat().st_size for path in tmp_path.rglob("*.trial")) > 0


def test_the_same_question_is_one_run_and_keeps_its_name(tmp_path: Path) -> None:
    ask(tmp_path, "bayes", name="first try")
    (before,) = Runs(tmp_path).all()
    ask(tmp_path, "bayes")
    (after,) = Runs(tmp_path).all()
    assert (after.key, after.created, after.called) == (before.key, before.created, "first try")
    assert after.asked_last >= before.asked_last
    ask(tmp_path, "bayes", name="renamed")
    assert [run.called for run in Runs(tmp_path).all()] == ["renamed"]


def test_other_questions_are_other_runs_the_last_asked_first(tmp_path: Path) -> None:
    keys = [ask(tmp_path, *names) for names in (["bayes", "near"], ["bayes"], ["near"])]
    assert [run.key for run in Runs(tmp_path).all()] == keys[::-1]
    ask(tmp_path, "bayes", "near")
    assert Runs(tmp_path).all()[0].key == keys[0]
    assert len({run.evidence for run in Runs(tmp_path).all()}) == 1


def spoil(path: Path, **facts: object) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), **facts}))


@pytest.mark.parametrize(
    ("harm", "why"),
    [
        ({"rows": "many"}, "its rows is 'many'"),
        ({"key": "../../other"}, "its key is '../../other'"),
        ({"evidence": "../../../etc"}, "its evidence is '../../../etc'"),
        ({"families": ["../../gone-0123456789ab"]}, "its families is"),
        ({"families": [".."]}, "its families is"),
        ({"last_run": "yesterday"}, "Invalid isoformat string"),
        ({"kind": "party"}, "'party' is not a valid Kind"),
        ({"format": 3}, "it is of format 3, and this version knows up to 2"),
    ],
    ids=str,
)
def test_one_bad_run_hides_no_other(tmp_path: Path, harm: dict[str, object], why: str) -> None:
    bad, good = ask(tmp_path, "bayes"), ask(tmp_path, "near")
    spoil(tmp_path / "runs" / bad / "run.json", **harm)
    assert [run.key for run in Runs(tmp_path).all()] == [good]
    (broken,) = Runs(tmp_path).broken()
    assert broken.key == bad
    assert broken.why.startswith(why)
    with pytest.raises(UsageError, match="is a damaged run") as caught:
        Runs(tmp_path).find(bad[:6])
    assert f"--delete {bad}" in str(caught.value.hint)


@pytest.mark.parametrize("harm", ["half", "deep", "pipe", "folder", "list"])
def test_a_description_that_is_none(tmp_path: Path, harm: str) -> None:
    bad, good = ask(tmp_path, "bayes"), ask(tmp_path, "near")
    path = tmp_path / "runs" / bad / "run.json"
    path.unlink()
    if harm == "pipe":
        os.mkfifo(path)
    elif harm == "folder":
        path.mkdir()
    else:
        path.write_text({"half": "{", "deep": "[" * 200_000, "list": "[]"}[harm])
    assert [run.key for run in Runs(tmp_path).all()] == [good]
    (broken,) = Runs(tmp_path).broken()
    assert broken.key == bad
    assert (broken.why == "it is not an object of JSON") == (harm == "list")


def test_a_run_is_found_by_the_beginning_of_its_key_and_by_its_name(tmp_path: Path) -> None:
    key = ask(tmp_path, "bayes", name="mine")
    assert Runs(tmp_path).find(key[:6]).key == Runs(tmp_path).find("mine").key == key
    with pytest.raises(UsageError, match="'zz' matches no run") as caught:
        Runs(tmp_path).find("zz")
    assert key[:8] in str(caught.value.hint)
    ask(tmp_path, "near", name="mine")
    with pytest.raises(UsageError, match="'mine' matches several runs"):
        Runs(tmp_path).find("mine")


def test_no_home_yet_lists_nothing_and_makes_nothing(tmp_path: Path) -> None:
    assert Runs(tmp_path / "none").all() == []
    assert not (tmp_path / "none").exists()


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(UsageError, match=r"cannot keep evidence under .*file") as caught:
        opened(tmp_path / "file")
    assert caught.value.code == "home_not_writable"
    assert "VENIRE_HOME" in str(caught.value.hint)
    with pytest.raises(UsageError, match=r"cannot keep evidence under .*file"):
        ask(tmp_path / "file", "bayes")


def test_evidence_stays_out_of_version_control(tmp_path: Path) -> None:
    opened(tmp_path)
    assert (tmp_path / ".gitignore").read_text() == "*\n"


def test_home_is_where_the_environment_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path / "there"))
    assert Runs.default().home == tmp_path / "there"
    monkeypatch.delenv("VENIRE_HOME")
    monkeypatch.chdir(tmp_path)
    assert Runs.default().home == tmp_path / ".venire"


def old_run(home: Path, key: str = "00112233aabbccdd") -> Path:
    """A run as earlier versions kept it: everything in one folder."""
    folder = home / "runs" / key
    (folder / "bayes-0123456789ab").mkdir(parents=True)
    (folder / "bayes-0123456789ab" / "r0.trial").write_bytes(b"x" * 100)
    (folder / "verdict.json").write_text("{}")
    facts = {
        "format": 1, "key": key, "created": "2026-01-02T03:04:05+00:00", "source": "data/old.csv", "target": "y",
        "task": "classification", "rows": 40, "attributes": 6, "blocks": 4, "repeats": 1, "dealing": "random",
        "seed": 0,
    }  # fmt: skip
    (folder / "run.json").write_text(json.dumps(facts))
    return folder


def test_a_run_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    folder = old_run(tmp_path)
    ask(tmp_path, "near")
    run = Runs(tmp_path).find("old.csv")
    assert (run.key, run.last_run, run.models) == (folder.name, "2026-01-02T03:04:05+00:00", ("bayes",))
    assert Runs(tmp_path).evidence_of(run) == [folder / "bayes-0123456789ab"]
    assert Runs(tmp_path).broken() == []
