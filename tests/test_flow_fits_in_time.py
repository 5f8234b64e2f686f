"""A model is there when the budget ends: what cannot be fitted by then has no part in it, and the verdict says so."""

from __future__ import annotations

from pathlib import Path
from time import monotonic

import numpy as np
import pytest

import venire as vn
from tests.flows import quickly
from venire.flow.fits_in_time import TooLate, late_fits
from venire.validation.trials import turns
from venire.validation.trials.family import Turn

_MODELS = ["baseline", "naive_bayes", "tree", "forest", "vote", "blend"]


def test_cheap_and_promising_fits_are_taken_first() -> None:
    turn_of = {"tree": Turn.LAST, "forest": Turn.PROMISING, "boosting": Turn.PROMISING, "linear": Turn.QUICK}
    seconds = {"tree": 1.0, "forest": 2.0, "boosting": 3.0, "linear": 0.5}
    assert set(late_fits(seconds, turn_of, 2.6).without) == {"boosting", "tree"}
    assert late_fits(seconds, turn_of, 6.5) == TooLate()
    assert set(late_fits(seconds, turn_of, 3.5).without) == {"boosting"}, "what comes later may still be short enough"


def test_what_left_models_of_the_folds_is_not_done_without() -> None:
    turn_of = dict.fromkeys(("forest", "boosting"), Turn.PROMISING)
    late = late_fits({"forest": 60.0, "boosting": 30.0}, turn_of, 3.0, bags={"boosting"})
    assert (set(late.of_folds), set(late.without)) == ({"boosting"}, {"forest"})


def test_something_is_handed_over_however_late_it_is() -> None:
    turn_of = dict.fromkeys(("forest", "boosting"), Turn.PROMISING)
    late = late_fits({"forest": 60.0, "boosting": 30.0}, turn_of, -5.0).without
    assert set(late) == {"forest"}
    assert late["forest"].left == 0.0


def test_what_cannot_be_fitted_in_time_is_not_handed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(seconds: float, trials: int, together: bool, threads: int) -> float:
        return 1000.0 if together else 0.01  # forests: their trials share the work

    monkeypatch.setattr(turns, "fit_seconds", said)
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
    monkeypatch.setattr(turns, "fit_seconds", lambda seconds, trials, together, threads: 1000.0 if together else 0.01)
    late = quickly(models=_MODELS, folds=3, budget=60, fit=True, home=tmp_path)
    assert late.to_dict()["not_fitted"]
    assert late.chosen == without.chosen


def test_the_models_of_the_folds_are_handed_over_where_there_is_no_time_for_a_fit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    models = ["baseline", "boosting"]
    fitted = quickly(models=models, folds=3, home=tmp_path / "fitted", metric="log_loss")
    monkeypatch.setattr(turns, "fit_seconds", lambda *_, **__: 1000.0)
    found = quickly(models=models, folds=3, budget=60, fit=True, home=tmp_path / "late", metric="log_loss")
    assert found.chosen == fitted.chosen, "which models are handed over has no say in the choice"
    assert found.to_dict()["not_fitted"] == []
    assert [item["family"] for item in found.to_dict()["models_of_folds"]] == ["boosting"]
    assert "the models of the folds, averaged" in " ".join(str(found).split())

    table, plan, model = found.table, found.plan, found.fit()
    (names, members) = zip(*model.members, strict=True)
    bag = [member for name, member in model.members if name.startswith("boosting")]
    assert [name for name in names if name.startswith("boosting")] == [f"boosting, without fold {i}" for i in (1, 2, 3)]
    assert len(members) == len(model.weights)
    family, (held, *_) = found.judgement.docket.families["boosting"], plan.finals
    setting = found.judgement.ledgers["boosting"].settings[found.judgement.candidate("boosting").final_setting]
    alone = family.refit(table.take(plan.train_rows(held.trial)), setting, held.trial.seed(plan.seed, "boosting"))
    np.testing.assert_array_equal(bag[0].predict_proba(table.X), alone.predict_proba(table.X))
    vn.save(model, tmp_path / "bag.venire")
    rows = table.X[:20]
    np.testing.assert_array_equal(vn.load(tmp_path / "bag.venire").outputs(rows), model.outputs(rows))


def test_without_a_fit_or_a_budget_nothing_is_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "fit_seconds", lambda *_, **__: 1000.0)
    for asked in ({"fit": False, "budget": 60}, {"fit": True, "budget": None}):
        found = quickly(models=["baseline", "tree"], folds=3, home=tmp_path, **asked)
        assert found.to_dict()["not_fitted"] == []
