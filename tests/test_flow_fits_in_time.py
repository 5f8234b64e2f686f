"""A model is there when the budget ends: what cannot be fitted by then has no part in it, and the verdict says so."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import pytest

from tests.flows import quickly
from venire.flow.fits_in_time import late_fits
from venire.validation.trials import runner
from venire.validation.trials.family import Turn

_MODELS = ["baseline", "naive_bayes", "tree", "forest", "vote", "blend"]


def test_cheap_and_promising_fits_are_taken_first() -> None:
    turns = {"tree": Turn.LAST, "forest": Turn.PROMISING, "boosting": Turn.PROMISING, "linear": Turn.QUICK}
    seconds = {"tree": 1.0, "forest": 2.0, "boosting": 3.0, "linear": 0.5}
    assert set(late_fits(seconds, turns, 2.6)) == {"boosting", "tree"}
    assert set(late_fits(seconds, turns, 6.5)) == set()
    assert set(late_fits(seconds, turns, 3.5)) == {"boosting"}, "what comes later may still be short enough"


def test_something_is_handed_over_however_late_it_is() -> None:
    turns = dict.fromkeys(("forest", "boosting"), Turn.PROMISING)
    late = late_fits({"forest": 60.0, "boosting": 30.0}, turns, -5.0)
    assert set(late) == {"forest"}
    assert late["forest"].left == 0.0


def test_what_cannot_be_fitted_in_time_is_not_handed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(seconds: float, trials: int, together: bool, threads: int) -> float:
        return 1000.0 if together else 0.01  # forests: their trials share the work

    monkeypatch.setattr(runner, "fit_seconds", said)
    began = monotonic()
    found = quickly(models=_MODELS, folds=3, budget=60, fit=True, home=tmp_path)
    document = found.to_dict()
    assert monotonic() - began < 30
    assert [(item["family"], item["kind"]) for item in document["not_fitted"]] == [("forest", "fit_too_slow")]
    lines = {row["family"]: row for row in document["leaderboard"]}
    assert "forest" in lines, "it was judged like the others"
    assert document["chosen"]["family"] != "forest"
    for name in ("vote", "blend"):
        assert "forest" not in (lines[name]["weights"] or {})
    assert "forest" not in [name for name, _ in found.fit().members]
    assert "Not handed over" in str(found)
    assert "a fit on all rows takes about 16 min 40 s" in " ".join(str(found).split())


def test_the_choice_without_a_family_is_judged_as_if_it_had_never_been_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = quickly(models=[name for name in _MODELS if name != "forest"], folds=3, home=tmp_path)
    monkeypatch.setattr(runner, "fit_seconds", lambda seconds, trials, together, threads: 1000.0 if together else 0.01)
    late = quickly(models=_MODELS, folds=3, budget=60, fit=True, home=tmp_path)
    assert late.to_dict()["not_fitted"]
    assert late.chosen == without.chosen


def test_without_a_fit_or_a_budget_nothing_is_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "fit_seconds", lambda *_, **__: 1000.0)
    for asked in ({"fit": False, "budget": 60}, {"fit": True, "budget": None}):
        found = quickly(models=["baseline", "tree"], folds=3, home=tmp_path, **asked)
        assert found.to_dict()["not_fitted"] == []
