"""`compare` and `Verdict`, end to end, with families that cost little."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

import venire as vn
from tests.flows import CHEAP, NUMBERS, own, quickly, without_timing, written
from tests.validation.estimators import Failing, Interrupted, Slow, quick
from tests.validation.tables import plain, regression
from venire.data.table import Table
from venire.errors import UsageError, VenireError
from venire.flow import compare
from venire.validation.evidence.trial_files import TrialFile
from venire.validation.plans.plan import Plan
from venire.validation.trials.family import Cost
from venire.validation.trials.workers import places


@pytest.fixture(scope="module")
def verdict(tmp_path_factory: pytest.TempPathFactory) -> vn.Verdict:
    return quickly(home=tmp_path_factory.mktemp("flow"))


def test_the_document_has_every_field(verdict: vn.Verdict) -> None:
    document = verdict.to_dict()
    wanted = "schema_version rows task metric folds seed chosen leaderboard not_tried findings timing"
    assert set(wanted.split()) <= set(document)
    assert document["schema_version"] == 2
    assert (document["rows"], document["task"], document["metric"]) == (60, "classification", "error")
    assert (document["folds"], document["seed"]) == (4, 0)
    assert {"family", "setting", "error", "interval"} <= set(document["chosen"])
    fields = {"family", "setting", "error", "interval", "training_error", "one_layer_error", "p_best"}
    assert all(fields <= set(row) for row in document["leaderboard"])
    assert document["leaderboard"][0]["family"] == "procedure"
    assert {row["family"] for row in document["leaderboard"]} == {"procedure", *CHEAP}
    assert all({"code", "message"} <= set(finding) for finding in document["findings"])
    assert document["chosen"]["error"] == document["leaderboard"][0]["error"]
    assert document["timing"]["trials"] == 4 * 10


def test_the_document_is_strict_json_with_null_for_what_is_undefined(verdict: vn.Verdict) -> None:
    json.dumps(verdict.to_dict(), allow_nan=False)
    assert verdict.to_dict()["leaderboard"][0]["p_best"] is None


def test_the_document_is_a_copy(verdict: vn.Verdict) -> None:
    verdict.to_dict()["chosen"]["family"] = "changed"
    assert verdict.to_dict()["chosen"]["family"] != "changed"


def test_what_was_computed_before_is_not_computed_again(tmp_path: Path) -> None:
    first = quickly(home=tmp_path)
    again = quickly(home=tmp_path)
    assert again.to_dict()["timing"]["trials"] == 0
    assert again.to_dict()["timing"]["reused"] == 40
    assert without_timing(first) == without_timing(again)
    wider = quickly(home=tmp_path, models=[*CHEAP, "linear"], metric="brier")
    assert wider.to_dict()["timing"]["trials"] == 10, "those of ridge, as probabilities; the rest is known"
    kept = [json.loads(file.read_text()) for file in tmp_path.glob("runs/*/verdict.json")]
    assert sorted(each["document"]["metric"] for each in kept) == ["brier", "error"]
    assert all(each["pictures"] for each in kept)


def test_the_same_bytes_with_workers_and_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = quickly(home=tmp_path / "here")
    monkeypatch.setattr(places, "WORTH_A_POOL", 0.0)
    monkeypatch.setattr(places, "_PATIENCE", 0.0)
    there = quickly(home=tmp_path / "there", jobs=2)
    monkeypatch.undo()
    assert without_timing(here) == without_timing(there)
    assert without_timing(here) != without_timing(quickly(home=tmp_path / "other", seed=1))

    def predicted(home: Path) -> dict[str, bytes]:
        files = sorted(home.glob("evidence/*/*/*.trial"))
        return {f"{file.parent.name}/{file.name}": TrialFile(file).outcome().outputs.tobytes() for file in files}

    assert len(predicted(tmp_path / "here")) == 40
    assert predicted(tmp_path / "here") == predicted(tmp_path / "there")


def test_the_kept_model_predicts_as_the_table_is_written(verdict: vn.Verdict) -> None:
    model, rows = verdict.fit(), written(verdict.table)
    assert set(model.predict(rows)) <= {"class 0", "class 1"}
    for name in ("tree", "vote", "stack", "knn"):
        kept = verdict.fit(name)
        shares = kept.predict_proba(rows)
        assert shares.shape == (60, 2)
        np.testing.assert_allclose(shares.sum(axis=1), 1)
        errors = np.mean(kept.predict(rows) != np.array(["class 0", "class 1"])[verdict.table.y])
        assert errors < 0.5
    with pytest.raises(UsageError, match="there is no candidate 'forest'"):
        verdict.fit("forest")


def test_a_model_kept_of_numbers(tmp_path: Path) -> None:
    table = regression(60)
    found = quickly(table, models=NUMBERS, home=tmp_path)
    assert found.to_dict()["metric"] == "rmse"
    said = found.fit("stack").predict(written(table))
    assert np.corrcoef(said, table.y)[0, 1] > 0.9
    with pytest.raises(AttributeError, match="no class probabilities"):
        found.fit("linear").predict_proba(written(table))


def test_a_combination_is_the_average_of_its_members(verdict: vn.Verdict) -> None:
    vote, rows = verdict.fit("vote"), written(verdict.table)
    members = verdict.judgement.candidate("vote").weights
    assert members is not None
    expected = np.mean([verdict.fit(name).predict_proba(rows) for name in members], axis=0)
    np.testing.assert_allclose(vote.predict_proba(rows), expected)


@pytest.mark.usefixtures("trusted")
def test_a_failing_member_is_listed_and_the_others_go_on(tmp_path: Path) -> None:
    found = quickly(models=["baseline", "tree", own(Failing())], home=tmp_path).to_dict()
    assert [entry["family"] for entry in found["failed"]] == ["own"]
    assert "ValueError: cannot take" in found["failed"][0]["reason"]
    with pytest.raises(VenireError, match=r"no model was finished \(own: .*cannot take") as caught:
        quickly(models=[own(Failing())], home=tmp_path)
    assert caught.value.code == "nothing_finished"
    assert str(caught.value.hint).startswith("the model itself raised this: fit it by hand"), "time would not help"


@pytest.mark.usefixtures("trusted")
def test_ctrl_c_gives_what_is_known(tmp_path: Path) -> None:
    found = quickly(models=["baseline", vn.GenericFamily("own", classifier=Interrupted())], home=tmp_path).to_dict()
    assert found["stopped"] == "interrupted"
    assert [row["family"] for row in found["leaderboard"]] == ["procedure", "baseline"]
    with pytest.raises(VenireError, match="interrupted before any model was finished") as caught:
        quickly(models=[own(Interrupted())], home=tmp_path)
    assert caught.value.code == "interrupted"


def test_a_budget_that_is_too_small_says_what_it_would_take(tmp_path: Path) -> None:
    dear = vn.GenericFamily("dear", classifier=Slow(), seconds=lambda *_: 1e4)
    found = quickly(models=["baseline", dear], budget=60, home=tmp_path).to_dict()
    (entry,) = found["not_tried"]
    assert (entry["family"], entry["kind"]) == ("dear", "too_slow")
    assert (entry["figures"]["room"], entry["figures"]["budget"]) == (pytest.approx(42.0, abs=0.1), 60)
    assert entry["reason"].startswith("too slow: it needs about ")
    assert found["stopped"] is None


@pytest.mark.usefixtures("trusted")
def test_a_budget_counts_from_when_it_is_said_to_have_begun(tmp_path: Path) -> None:
    """What is done in a moment is done all the same."""
    own = vn.GenericFamily("own", classifier=Slow(0.3), seconds=quick)
    found = quickly(models=["baseline", own], budget=60, began=time.monotonic() - 61, home=tmp_path).to_dict()
    assert (found["stopped"], found["chosen"]["family"]) == ("budget", "baseline")
    assert [(entry["family"], entry["kind"]) for entry in found["not_tried"]] == [("own", "out_of_time")]


class Vast(vn.GenericFamily):
    """A family that needs more memory than there is."""

    def cost(self, table: Table, plan: Plan) -> Cost:
        return replace(super().cost(table, plan), bytes=1e18)


@pytest.mark.parametrize(
    ("family", "hint"),
    [
        (vn.GenericFamily("dear", classifier=Slow(), seconds=lambda *_: 1e4), "give more time with budget="),
        (Vast("vast", classifier=Slow()), "use fewer workers with jobs="),
    ],
)
def test_the_way_out_is_that_of_the_reason(family: vn.GenericFamily, hint: str, tmp_path: Path) -> None:
    with pytest.raises(VenireError, match="no model was finished") as caught:
        quickly(models=[family], budget=60, home=tmp_path)
    assert str(caught.value.hint).startswith(hint)


def test_a_home_that_can_only_be_read_still_gives_its_verdict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = quickly(home=tmp_path)

    def refused(*_: object) -> None:
        refusals.append(PermissionError(13, "Permission denied"))
        raise refusals[-1]

    refusals: list[PermissionError] = []
    monkeypatch.setattr("venire.validation.evidence.atomic_writes._beside", refused)
    assert without_timing(quickly(home=tmp_path)) == without_timing(first)
    assert refusals


@pytest.mark.parametrize("how", [{}, {"costs": [[0, 1], [20, 0]]}, {"metric": "log_loss"}, {"metric": "auc"}])
def test_the_training_error_stands_beside_the_error_always(tmp_path: Path, how: dict[str, Any]) -> None:
    rows = quickly(home=tmp_path, **how).to_dict()["leaderboard"]
    assert {"procedure", "vote", "stack"} < {row["family"] for row in rows}
    assert all(row["training_error"] is not None for row in rows)
    assert quickly(home=tmp_path, **how).to_dict()["leaderboard"] == rows, "the same from kept evidence"


def test_costs_choose(tmp_path: Path) -> None:
    costs = [[0, 1], [20, 0]]
    found = quickly(metric="cost", costs=costs, home=tmp_path).to_dict()
    assert found["leaderboard"][0]["training_error"] >= 0
    assert found["chosen"]["error"] >= 0


def test_costs_are_told_per_thousand_rows_beside_always_the_same(tmp_path: Path) -> None:
    found = quickly(costs="1:20", home=tmp_path)
    document = found.to_dict()
    assert document["metric"] == "cost"
    assert document["costs"]["matrix"] == [[0.0, 1.0], [20.0, 0.0]]
    ways = document["costs"]["per_thousand"]
    assert [way["name"] for way in ways] == ["procedure", "always saying class 0", "always saying class 1"]
    assert ways[0]["cost"] == pytest.approx(1000 * document["chosen"]["error"])
    assert ways[0]["cost"] < ways[1]["cost"]
    assert "1,000 new rows cost about" in found.explain()
    json.dumps(document, allow_nan=False)


def quiet_signal(rows: int, seed: int) -> Table:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(rows, 3))
    return plain(x, (x[:, 0] + rng.normal(size=rows) > 1).astype(int), classes=2)


@pytest.mark.parametrize("family", ["naive_bayes", "perceptron", "vote"])
def test_the_model_handed_over_decides_as_it_was_judged(family: str, tmp_path: Path) -> None:
    costs = [[0, 1], [9, 0]]
    table = quiet_signal(150, 0)
    found = compare(
        table, costs=costs, models=["naive_bayes", "perceptron", "tree", "vote"], folds=4, jobs=1, home=tmp_path
    )
    finish = found.judgement.candidate(family).finish
    model = found.fit(family)
    fresh = quiet_signal(3000, 1)
    said = model.predict(fresh.X)
    careless = found.fit(family)
    careless.finish = None
    paid = [
        np.asarray(costs)[fresh.y, np.asarray(labels == "c1", int)].mean()
        for labels in (said, careless.predict(fresh.X))
    ]
    assert paid[0] < 0.8 * paid[1], "the threshold moved with the costs"
    assert paid[0] < 1.3 * found.judgement.candidate(family).error + 0.05, "and costs what was measured"
    if family == "perceptron":
        assert finish.threshold is not None
    else:
        probabilities = model.predict_proba(fresh.X)
        np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)


def test_a_calibrated_model_hands_over_calibrated_probabilities(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)

    def witnesses(rows: int) -> tuple[Any, Any]:
        y = rng.integers(0, 2, rows)
        one = rng.normal(size=rows) + y
        return np.column_stack([one + 0.05 * rng.normal(size=rows) for _ in range(8)]), y

    X, y = witnesses(300)
    found = compare(plain(X, y, classes=2), models=["naive_bayes"], metric="log_loss", folds=5, jobs=1, home=tmp_path)
    assert found.chosen["calibration"] in ("sigmoid", "isotonic")
    assert "calibrated" in found.explain()
    fresh, truth = witnesses(4000)
    p = found.fit().predict_proba(fresh)[:, 1]
    assert np.abs([p[truth == c].mean() for c in (0, 1)]).max() < 0.75, "no longer sure of everything"
    assert -np.log(np.where(truth == 1, p, 1 - p)).mean() == pytest.approx(found.chosen["error"], abs=0.12)


def test_every_member_is_certified_and_the_second_run_asks_no_more(tmp_path: Path) -> None:
    first = quickly(home=tmp_path).to_dict()
    assert {c["family"]: c["status"] for c in first["certificates"]} == dict.fromkeys(CHEAP[:4], "certified")
    kept = sorted(tmp_path.rglob("certificate.json"))
    assert len(kept) == 4
    times = [path.stat().st_mtime_ns for path in kept]
    again = quickly(home=tmp_path).to_dict()
    assert again["certificates"] == first["certificates"]
    assert [path.stat().st_mtime_ns for path in kept] == times


class Peeking(LinearDiscriminantAnalysis):  # type: ignore[misc]  # scikit-learn has no types
    """Has a table of all answers, and learns nothing from the rows it is given."""

    answers: dict[bytes, int] = {}  # noqa: RUF012  # shared by all, which is the planted leak

    def predict_proba(self, X: Any) -> Any:
        said = np.array([self.answers.get(row.tobytes(), 0) for row in np.ascontiguousarray(X)])
        return np.column_stack([1.0 - said, said])

    def predict(self, X: Any) -> Any:
        return self.predict_proba(X).argmax(axis=1)


@pytest.mark.usefixtures("trusted")
def test_an_estimator_that_peeks_is_named_and_takes_no_part(tmp_path: Path) -> None:
    table = quiet_signal(120, 0)
    Peeking.answers = {row.tobytes(): int(y) for row, y in zip(np.ascontiguousarray(table.X), table.y, strict=True)}
    peeking = vn.GenericFamily("peeking", classifier=Peeking(), encoding="none", seconds=quick)
    found = quickly(table, models=["baseline", "naive_bayes", peeking], home=tmp_path)
    document = found.to_dict()
    assert {c["family"]: c["status"] for c in document["certificates"]}["peeking"] == "leaks"
    assert "peeking" not in {row["family"] for row in document["leaderboard"]}
    assert document["chosen"]["error"] > 0.05
    (finding,) = [f for f in document["findings"] if f["code"] == "V017"]
    assert "it takes no part in the verdict" in finding["message"]
    assert "leaks, and takes no part: peeking" in str(found).replace("\n", " ")
    alone = quickly(table, models=[peeking], home=tmp_path).to_dict()
    assert "there is no other model" in next(f["message"] for f in alone["findings"] if f["code"] == "V017")


def test_findings_are_muted_and_checks_are_listed(tmp_path: Path) -> None:
    found = quickly(home=tmp_path, mute=["v001"]).to_dict()
    assert "V001" not in {f["code"] for f in found["findings"]}
    statuses = {check["code"]: check["status"] for check in found["checks"]}
    assert statuses["V001"] == "muted"
    assert set(statuses.values()) <= {"found", "clear", "muted", "not applicable"}
    with pytest.raises(UsageError, match="no finding 'V404' to mute"):
        quickly(home=tmp_path, mute=["V404"])


def test_the_rule_for_settings(tmp_path: Path) -> None:
    simple = quickly(home=tmp_path, rule="one_standard_error", models=["baseline", "knn", "tree"])
    assert (
        simple.judgement.candidate("tree").final_setting
        <= quickly(home=tmp_path, models=["baseline", "knn", "tree"]).judgement.candidate("tree").final_setting
    )
    with pytest.raises(UsageError, match="there is no rule 'worst'"):
        quickly(home=tmp_path, rule="worst")


def test_three_sentences_explain(verdict: vn.Verdict) -> None:
    said = verdict.explain()
    assert said.startswith("The choice is ")
    assert "95 % interval" in said
    assert "than guessing" in said or "from guessing" in said
    document = verdict.to_dict()
    pairs = document["pairwise"]
    assert len(pairs) == 15
    assert all(
        p["p_better"] + p["p_equal"] + p["p_worse"] == pytest.approx(1) for p in pairs if p["p_better"] is not None
    )
    assert {c["family"] for c in document["calibration"]} >= {"baseline", "naive_bayes", "tree"}


def test_evidence_by_name(verdict: vn.Verdict) -> None:
    assert verdict.evidence["tree"].outputs.shape == (60, 2)
    assert next(iter(verdict.evidence.values())).family == "procedure"
    assert "tree" in verdict.evidence
    assert "oak" not in verdict.evidence
    with pytest.raises(vn.UsageError, match="there is no evidence for 'oak'"):
        verdict.evidence["oak"]
    assert repr(verdict).startswith("<Verdict: ")
    assert verdict.chosen["family"] in CHEAP
    assert "procedure" in str(verdict)


SCRIPT = """
import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
import venire as vn

class Mine(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        self.middle_ = np.array([X[y == c].mean(axis=0) for c in self.classes_])
        return self
    def predict(self, X):
        return self.classes_[((X[:, None] - self.middle_) ** 2).sum(axis=2).argmin(axis=1)]

rng = np.random.default_rng(0)
y = np.arange(40) % 2
table = vn.read_table((rng.normal(size=(40, 2)) + y[:, None], y))
mine = vn.GenericFamily("mine", classifier=Mine())
verdict = vn.compare(table, models=["baseline", mine], folds=4, jobs=2, budget=60)
print(sorted(row["family"] for row in verdict.to_dict()["leaderboard"]), verdict.to_dict()["failed"])
"""


def test_a_class_of_a_script_without_a_guard_works_in_workers(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    ran = subprocess.run([sys.executable, script], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "['baseline', 'mine', 'procedure'] []\n"
    assert ran.stderr == ""


def test_a_notebook_shows_the_leaderboard(verdict: vn.Verdict) -> None:
    shown = verdict._repr_html_()
    rows = verdict.to_dict()["leaderboard"]
    assert shown.count("<tr>") == 1 + len(rows)
    assert shown.count("<circle") == len(rows)  # an interval drawn for each
    assert "95 % interval" in shown
    assert not re.search(r"<script|https?:|url\(|src=|href=", shown)


def test_columns_and_rows_left_out_are_printed(tmp_path: Path) -> None:
    lines = ["one,a,y", *(f"1,{i * 0.37 % 1},{'uv'[i % 2] if i % 7 else ''}" for i in range(60))]
    (tmp_path / "t.csv").write_text("\n".join(lines))
    found = quickly(str(tmp_path / "t.csv"), "y", models=["baseline", "tree"], home=tmp_path / "home")
    text = str(found)
    assert "Left out" in text
    assert "9 rows  the target is missing" in text
    assert "one     every row has the value 1" in text


def test_the_rmse_is_that_of_all_rows_and_is_called_so(tmp_path: Path) -> None:
    found = quickly(regression(20), home=tmp_path, models=["baseline", "linear"], folds=5)
    held = found.evidence["baseline"]
    of_all = np.sqrt(np.mean(np.square(held.outputs[:, 0] - held.actual)))
    assert found.to_dict()["leaderboard"][-1]["error"] == pytest.approx(of_all)
    assert "mean over folds" not in str(found) + found.to_dict()["estimates"]
