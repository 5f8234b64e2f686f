"""A model on labelled rows gives the figures of scikit-learn, and says what drifted."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from rich.console import Console
from sklearn.metrics import accuracy_score, confusion_matrix, f1_score, log_loss, r2_score, root_mean_squared_error

import venire as vn
from tests.use.conftest import rows_of
from venire.errors import DataError
from venire.report.terminal.evaluation import show
from venire.use.evaluating import evaluate

OLD = Path(__file__).parents[1] / "persist/files/verdict_tree.venire"


def figures(facts) -> dict[str, float]:
    return {one["metric"]: one["error"] for one in facts["metrics"]}


def test_classes_are_judged_as_by_scikit_learn(classes, tmp_path):
    model, rows = vn.load(classes), rows_of(400, 11)
    rows.to_csv(tmp_path / "new.csv", index=False)
    facts = evaluate(model, tmp_path / "new.csv", block_bytes=3000)
    found, said = figures(facts), model.predict(rows)
    assert found["error"] == pytest.approx(1 - accuracy_score(rows["kind"], said))
    assert found["f1"] == pytest.approx(1 - f1_score(rows["kind"], said, average="macro"))
    assert found["log_loss"] == pytest.approx(log_loss(rows["kind"], model.predict_proba(rows), labels=model.classes_))
    assert facts["confusion"] == confusion_matrix(rows["kind"], said, labels=model.classes_).tolist()
    assert facts["metrics"][0]["metric"] == "error"
    assert facts["promised"] == {"error": model.about_["error"], "interval": model.about_["interval"]}
    assert sum(each["rows"] for each in facts["calibration_bins"]) == 400
    assert facts["calibration"]["calibration_error"] < 0.2
    held = model.predict_sets(rows, 0.9)[np.arange(400), np.searchsorted(model.classes_, rows["kind"])]
    assert facts["covered"]["held"] == held.mean()


@pytest.mark.parametrize(("metric", "shown"), [("accuracy", "accuracy"), ("error", None), ("auc", "AUC")])
def test_the_metric_of_the_verdict_is_shown_as_it_was_asked_for(tmp_path, metric, shown):
    rows = rows_of(200, 21).drop(columns="amount")
    rows["kind"] = np.where(rows["kind"] == "high", "yes", "no")
    model = vn.compare(
        rows, "kind", models=["naive_bayes"], folds=3, home=tmp_path, progress=False, metric=metric
    ).fit()  # fmt: skip
    facts = evaluate(model, rows)
    first, *others = facts["metrics"]
    assert first["score_label"] == shown
    assert facts["promised"]["error"] == model.about_["error"]
    assert "accuracy" not in [one["score_label"] for one in others]
    console = Console(file=io.StringIO(), width=100)
    show(facts, console)
    said = next(line for line in console.file.getvalue().splitlines() if line.startswith("In training"))
    assert said.startswith(f"In training the verdict said: {shown or 'error rate'} ")


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_calibration_is_of_the_positive_class(tmp_path, positive):
    rows = rows_of(300, 21)
    rows["kind"] = np.where(rows["kind"] == "high", "yes", "no")
    verdict = vn.compare(
        rows.drop(columns="amount"), "kind", models=["naive_bayes"], folds=3, home=tmp_path, progress=False,
        positive=positive,
    )  # fmt: skip
    model, new = verdict.fit(), rows_of(300, 22)
    new["kind"] = np.where(new["kind"] == "high", "yes", "no")
    facts = evaluate(model, new)
    assert facts["calibrated_class"] == positive
    said = model.predict_proba(new)[:, ["no", "yes"].index(positive)]
    bins = facts["calibration_bins"]
    together = np.average([one["observed"] for one in bins], weights=[one["rows"] for one in bins])
    assert together == pytest.approx((new["kind"] == positive).mean())
    assert facts["calibration"]["bias"] == pytest.approx(said.mean() - together)


def test_the_verdict_speaks_of_the_positive_class_too(tmp_path):
    rows = rows_of(300, 21).drop(columns="amount")
    rows["kind"] = np.where(rows["kind"] == "high", "yes", "no")
    asked = {"models": ["naive_bayes"], "folds": 3, "home": tmp_path, "progress": False}
    no, yes = (
        vn.compare(rows, "kind", positive=label, **asked).to_dict()["calibration"][0]["bias"] for label in ("no", "yes")
    )
    assert no == pytest.approx(-yes)
    assert abs(yes) > 1e-6


def test_numbers_are_judged_as_by_scikit_learn(numbers):
    model, rows = vn.load(numbers), rows_of(400, 12)
    facts = evaluate(model, rows)
    found, said = figures(facts), model.predict(rows)
    assert found["rmse"] == pytest.approx(root_mean_squared_error(rows["amount"], said))
    assert found["r2"] == pytest.approx(1 - r2_score(rows["amount"], said))
    low, high = facts["metrics"][0]["interval"]
    assert low < found["rmse"] < high
    assert (facts["confusion"], facts["calibration"], facts["calibration_bins"]) == (None, None, [])
    assert abs(facts["covered"]["held"] - 0.9) < 0.07


def test_columns_that_moved_are_told_from_those_that_did_not(numbers):
    rows = rows_of(400, 13)
    rows["size"] += 1.5
    rows.loc[:99, "weight"] = np.nan
    rows.loc[:40, "colour"] = "pink"
    drift = {each["column"]: each for each in evaluate(vn.load(numbers), rows)["drift"]}
    assert list(drift) == ["size", "weight", "colour", "amount"]
    assert drift["size"]["drifted"] == drift["weight"]["drifted"] == "much"
    assert drift["size"]["out_of_range"] > 0
    assert (drift["weight"]["missing_training"], drift["weight"]["missing"]) == (0.0, 0.25)
    assert (drift["colour"]["unknown"], drift["colour"]["missing"]) == (41, 41 / 400)
    still = evaluate(vn.load(numbers), rows_of(400, 14))["drift"]
    assert {each["drifted"] for each in still} == {"no"}


def test_rows_without_a_target_are_left_out_and_counted(classes):
    rows = rows_of(100, 15)
    rows.loc[:9, "kind"] = None
    facts = evaluate(vn.load(classes), rows)
    assert (facts["rows"], facts["rows_without_target"]) == (100, 10)
    assert sum(map(sum, facts["confusion"])) == 90


def test_a_file_of_the_first_version_is_evaluated_without_distances():
    rows = rows_of(60, 16).assign(y="no")[["size", "weight", "colour", "y"]]
    rows.loc[:20, "y"] = "yes"
    facts = evaluate(vn.load(OLD), rows)
    assert {each["distance"] for each in facts["drift"]} == {None}
    assert facts["covered"] is None
    assert facts["metrics"][0]["metric"] == "cost"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.assign(kind="other"), "the target has 20 row.* of a class that the model does not know"),
        (lambda rows: rows.drop(columns="kind"), "the rows have no target 'kind'"),
        (lambda rows: rows.assign(kind=None), "no row has a target 'kind'"),
    ],
)
def test_rows_that_cannot_be_judged_are_refused(classes, change, message):
    with pytest.raises(DataError, match=message):
        evaluate(vn.load(classes), change(rows_of(20, 17)))
