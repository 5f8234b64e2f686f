"""`compare` and time: what leads so far, what was checked when there was time for little, and what all of it took."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from sklearn.naive_bayes import GaussianNB

import venire as vn
from tests.flows import CHEAP, quickly
from tests.validation.estimators import Interrupted, quick
from tests.validation.tables import clouds
from venire.flow import verdict as holding
from venire.flow.listing import kept_verdict
from venire.validation.evidence.runs import Runs
from venire.validation.honesty import certificates as certifying
from venire.validation.honesty.leaking import KnowsAnswers
from venire.validation.trials.effort import Tick
from venire.validation.trials.reasons import Status


def test_what_leads_so_far_is_told_by_the_error_of_the_leaderboard(tmp_path: Path) -> None:
    """Not by the one-layer error, which flatters."""
    steps: list[Tick] = []
    rows = quickly(home=tmp_path, tick=steps.append).to_dict()["leaderboard"]
    errors = {row["family"]: row["error"] for row in rows if row["kind"] == "member"}
    told = {step.best for step in steps if step.best is not None}
    assert told
    assert all(errors[name] == error for name, error in told)
    assert steps[-1].best is not None
    assert steps[-1].best[1] == min(errors.values())


def test_families_found_on_disk_keep_their_times(tmp_path: Path) -> None:
    first = quickly(home=tmp_path).to_dict()["timing"]
    again = quickly(home=tmp_path)
    timing = again.to_dict()["timing"]
    assert timing["trials"] == 0
    assert timing["families"] == pytest.approx(first["families"], abs=2e-3)
    assert sum(first["families"].values()) > 0
    runs = Runs(tmp_path)
    kept = kept_verdict(runs, runs.all()[0])["document"]
    assert kept["timing"] == timing, "and so does the report of a run"
    page = again.report(tmp_path / "again.html").read_text()
    assert "40 trials, all of them kept from an earlier run; this run took" in page


def test_the_stages_add_up_to_the_whole(tmp_path: Path) -> None:
    began = time.monotonic()
    timing = quickly(home=tmp_path, budget=300, began=began).to_dict()["timing"]
    assert list(timing["stages"]) == ["reading", "trials", "verdict", "checks"]
    assert sum(timing["stages"].values()) == pytest.approx(timing["seconds"], abs=0.01)
    assert timing["seconds"] <= time.monotonic() - began
    assert timing["budget"] == 300


def test_the_time_counts_the_findings_and_the_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    true = holding.pictures

    def slowly(judgement: Any) -> dict[str, Any]:
        time.sleep(0.5)
        return true(judgement)

    monkeypatch.setattr(holding, "pictures", slowly)
    assert quickly(home=tmp_path).to_dict()["timing"]["stages"]["verdict"] >= 0.5


def test_a_budget_that_is_exceeded_says_so(tmp_path: Path) -> None:
    quickly(home=tmp_path)
    late = quickly(home=tmp_path, budget=60, began=time.monotonic() - 70)
    said = str(late).replace("\n", " ")
    assert "more than the budget of 1 min: starting and reading 1 min" in said
    assert "more than the budget of 1 min" in late.report(tmp_path / "late.html").read_text()
    assert "more than the budget" not in str(quickly(home=tmp_path, budget=300))
    assert json.loads(json.dumps(late.to_dict()["timing"]))["budget"] == 60


def test_the_chosen_member_is_checked_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long its check takes, and though there is no time for a second one."""
    asked, true = [], certifying.certify

    def listed(family: Any, *given: Any, **options: Any) -> Any:
        asked.append(family.name)
        return true(family, *given, **options)

    monkeypatch.setattr(certifying, "certify", listed)
    for at, seed in enumerate((0, 1)):
        asked.clear()
        verdict = quickly(clouds(80, seed), models=CHEAP[:4], home=tmp_path / str(at))
        assert asked[0] == verdict.chosen["family"]
        assert sorted(asked) == sorted(CHEAP[:4])


@pytest.mark.usefixtures("trusted")
def test_after_ctrl_c_members_are_unchecked_because_of_it(tmp_path: Path) -> None:
    last = vn.GenericFamily("own", classifier=Interrupted(), seconds=lambda *_: 2e-2)
    found = quickly(models=["baseline", last], budget=600, home=tmp_path)
    assert found.to_dict()["certificates"] == [
        {
            "family": "baseline",
            "status": "not checked",
            "kind": "interrupted",
            "figures": {},
            "reason": "the run was interrupted",
            "power": None,
        }
    ]
    assert "not checked: baseline (the run was interrupted)" in str(found).replace("\n", " ")


def test_a_leaking_member_changes_the_judgement_and_nothing_else(tmp_path: Path) -> None:
    plain = vn.GenericFamily("bayes", classifier=GaussianNB(), seconds=quick)
    found = quickly(models=["baseline", "tree", plain], home=tmp_path)
    without = quickly(models=["baseline", "tree"], home=tmp_path)
    true = certifying.kept_certificate

    def leaks(evidence: Any, key: Any) -> Any:
        held = true(evidence, key)
        return certifying.Certificate("bayes", Status.LEAKS, KnowsAnswers("bayes", 20)) if key.name == "bayes" else held

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(certifying, "kept_certificate", leaks)
        cleared = quickly(models=["baseline", "tree", plain], home=tmp_path)
    names = [row["family"] for row in found.to_dict()["leaderboard"]]
    assert "bayes" in names
    assert cleared.to_dict()["leaderboard"] == without.to_dict()["leaderboard"]
