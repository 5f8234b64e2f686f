"""Evidence is kept within a limit: the oldest predictions go, answers stay, and nobody's work is touched."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.validation.asking import ask, question_of
from venire.validation.evidence import limit
from venire.validation.evidence.limit import Bounding, keep_within
from venire.validation.evidence.runs import Runs, size_of
from venire.validation.trials.effort import Tick

STEP = Tick("tree", 1, 2)


def kept(home: Path) -> set[str]:
    return {path.name.rsplit("-", 1)[0] for path in home.glob("evidence/*/*")}


def last_run(home: Path, key: str, days_ago: int) -> None:
    path = home / "runs" / key / "run.json"
    moment = (datetime(2026, 5, 4, tzinfo=UTC) - timedelta(days=days_ago)).isoformat()
    path.write_text(json.dumps({**json.loads(path.read_text()), "last_run": moment}))


def test_the_oldest_go_first_and_answers_stay(tmp_path: Path) -> None:
    for days_ago, names in enumerate((("bayes", "near"), ("near", "tree"), ("forest",))):
        last_run(tmp_path, ask(tmp_path, *names), days_ago)
    home = Runs(tmp_path)
    bounded = keep_within(home, 2500)
    assert kept(tmp_path) == {"bayes", "near"}, "near was used by the newest run as well"
    assert (bounded.bytes, bounded.families, bounded.freed) == (2000, 2, 2000)
    assert bounded.bytes == size_of([tmp_path / "evidence"])
    assert str(bounded) == (
        "evidence takes 2 kB of the 2.5 kB that it may take; predictions of 2 families were dropped (2 kB), "
        "their figures are kept"
    )
    assert len(home.all()) == 3
    assert len(list(tmp_path.glob("runs/*/verdict.json"))) == 3


def test_within_the_limit_nothing_goes(tmp_path: Path) -> None:
    assert keep_within(Runs(tmp_path / "none"), 0).families == 0
    ask(tmp_path, "bayes")
    assert str(keep_within(Runs(tmp_path), 1000)) == "evidence takes 1 kB of the 1 kB that it may take"
    assert kept(tmp_path) == {"bayes"}


def test_what_is_worked_on_stays_and_that_is_told(tmp_path: Path) -> None:
    ask(tmp_path, "tree")
    ask(tmp_path, "bayes", "near")
    home = Runs(tmp_path)
    with home.asked(question_of("bayes", "near")):
        bounded = keep_within(home, 500)
    assert kept(tmp_path) == {"bayes", "near"}
    assert "2 kB, more than 500 bytes: other runs are working on it" in str(bounded)
    assert keep_within(home, 500).bytes == 0


def test_what_no_run_uses_goes_before_all_else(tmp_path: Path) -> None:
    ask(tmp_path, "bayes")
    left = tmp_path / "evidence" / "0123456789abcdef" / "old-0123456789ab"
    left.mkdir(parents=True)
    (left / "some.trial").write_bytes(b"x" * 500)
    assert keep_within(Runs(tmp_path), 1200).families == 1
    assert kept(tmp_path) == {"bayes"}


@pytest.fixture
def evidence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A thousand bytes that no run uses."""
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path))
    folder = tmp_path / "evidence" / "table" / "family"
    folder.mkdir(parents=True)
    (folder / "one.trial").write_bytes(bytes(1000))
    return folder


def test_steps_are_passed_on_and_old_predictions_go(evidence: Path) -> None:
    heard: list[Tick] = []
    bound = Bounding(500, heard.append)
    bound(STEP)
    assert not evidence.exists()
    bound(STEP)
    assert heard == [STEP, STEP]
    assert str(bound.end()).startswith(
        "evidence takes 0 bytes of the 500 bytes that it may take; predictions of 1 family"
    )


def test_it_looks_now_and_then(evidence: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bound = Bounding(2000, lambda tick: None)
    bound(STEP)
    (evidence / "two.trial").write_bytes(bytes(2000))
    bound(STEP)
    assert evidence.exists()
    monkeypatch.setattr(limit, "BETWEEN", 0.0)
    bound(STEP)
    assert not evidence.exists()
