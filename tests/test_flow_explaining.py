"""Explanations of what is handed over: on held-out rows where they judge, bounded, and the same for the same seed."""

from __future__ import annotations

import json
import time
import warnings
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import venire as vn
from tests.flows import own, quickly
from tests.report.drawn import inline_values
from venire.errors import UsageError
from venire.flow import explaining
from venire.flow.further_explanations import Allowance
from venire.report.page.html import write

RNG = np.random.default_rng(0)
ROWS = 160
FRAME = pd.DataFrame(
    {
        "size": RNG.normal(size=ROWS),
        "town": RNG.choice(["Aachen", "Bonn", "Kiel"], ROWS),
        "noise": RNG.normal(size=ROWS),
    }
)
SCORE = FRAME["size"] + 2.0 * (FRAME["town"] == "Bonn")
TWO = FRAME.assign(y=np.where(SCORE > 0.6, "yes", "no"))
THREE = FRAME.assign(y=np.where(SCORE > 1.5, "c", np.where(SCORE < -0.3, "a", "b")))
NUMBER = FRAME.assign(y=1000 * SCORE)
PIPELINE = make_pipeline(StandardScaler(), LogisticRegression())


def verdict_of(frame: pd.DataFrame, home: Path, **how: Any) -> vn.Verdict:
    return quickly(frame, "y", home=home, **how)


@pytest.fixture(scope="module")
def two(tmp_path_factory: pytest.TempPathFactory) -> vn.Verdict:
    models = ["baseline", "tree", "logistic", "svm", "vote", "stack", own(PIPELINE)]
    return verdict_of(TWO, tmp_path_factory.mktemp("home"), models=models)


@pytest.fixture(scope="module")
def number(tmp_path_factory: pytest.TempPathFactory) -> vn.Verdict:
    return verdict_of(NUMBER, tmp_path_factory.mktemp("home"), models=["baseline", "tree", "linear", "vote"])


@pytest.mark.parametrize("model", ["tree", "logistic", "svm", "vote", "stack", "own", None])
def test_whatever_is_handed_over_is_explained(two: vn.Verdict, model: str | None) -> None:
    found = two._explainer.importance(model)
    rise = dict(zip(found["names"], found["values"], strict=True))
    assert rise["size"] > 0.1
    assert rise["size"] > rise["noise"]
    low, high = (dict(zip(found["names"], found[end], strict=True)) for end in ("low", "high"))
    assert low["size"] > 0
    assert all(low[name] <= rise[name] <= high[name] for name in rise)
    shown = two.plot.importance(model)
    assert f"160 rows of 4 folds, each predicted by {found['model']} trained without its fold" in shown.caption
    assert next(row["column"] for row in inline_values(shown.chart, "rise", "low")) == max(rise, key=rise.__getitem__)
    assert "Held-out" not in two.plot.dependence("size", model).caption
    assert two.plot.shapley(5, model).caption.startswith("5 rows at equal distances")


def test_importance_is_that_of_the_plain_loop(number: vn.Verdict) -> None:
    """Fit without each fold, shuffle with the same generator, and take the mean of the folds' losses."""
    table, plan = number.table, number.plan
    family, setting = number.judgement.docket.families["linear"], number.judgement.candidate("linear").final_setting
    path = number.judgement.ledgers["linear"].settings
    rows = np.concatenate([np.flatnonzero(plan.fold_of[0] == fold) for fold in range(4)])
    fold = plan.fold_of[0][rows]
    parts = [table.take(np.flatnonzero(plan.fold_of[0] != fold)) for fold in range(4)]
    models = [family.refit(part, path[setting], plan.seed) for part in parts]

    def loss(X: Any) -> float:
        each = [np.sqrt(np.mean((models[b].predict(X[fold == b]) - table.y[rows[fold == b]]) ** 2)) for b in range(4)]
        return float(np.average(each, weights=np.bincount(fold)))

    X = table.X[rows]
    rng = np.random.default_rng(plan.seed)
    rng.permutation(np.arange(len(rows)) % 20)  # the parts of the jackknife come first
    for at, name in enumerate(column.name for column in table.columns):
        rises = []
        for _ in range(explaining.REPEATS):
            shuffled = X.copy()
            shuffled[:, at] = X[rng.permutation(len(rows)), at]
            rises.append(loss(shuffled) - loss(X))
        found = number._explainer.importance("linear")
        assert dict(zip(found["names"], found["values"], strict=True))[name] == pytest.approx(np.mean(rises))


def test_no_row_is_judged_by_a_model_that_has_seen_it(two: vn.Verdict, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[set[float]] = []
    true = explaining.refit

    def watched(judgement: Any, name: str, table: Any = None) -> Any:
        seen.append(set(table.X[:, 0]))
        return true(judgement, name, table)

    monkeypatch.setattr(explaining, "refit", watched)
    jury: list[Any] = []
    measured = explaining.held_out_importance
    monkeypatch.setattr(explaining, "held_out_importance", lambda *a, **k: jury.append(a) or measured(*a, **k))
    explaining.Explainer(two.judgement).importance("tree")
    models, X, _, _, fold = jury[0]
    assert len(seen) == len(models.models) == 4
    for at, rows in enumerate(seen):
        assert not rows & set(X[fold == at, 0])


def test_large_tables_take_fewer_folds_and_a_sample(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explaining, "HELD_OUT_ROWS", 50)
    found = verdict_of(TWO, tmp_path, models=["tree"])._explainer.importance()
    assert (found["rows"], found["folds"]) == (50, 2)


def test_of_many_columns_those_are_measured_that_go_with_the_predictions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(explaining, "MOST_COLUMNS", 2)
    wide = TWO.assign(**{f"n{j}": np.random.default_rng(j).normal(size=ROWS) for j in range(6)})
    verdict = verdict_of(wide, tmp_path, models=["tree"])
    assert set(verdict._explainer.importance()["names"]) == {"size", "town"}
    assert "Measured for the 2 of 9 columns that go with the predictions" in verdict.plot.importance().caption


def test_the_same_seed_gives_the_same_figures(two: vn.Verdict) -> None:
    first, again = (explaining.Explainer(two.judgement) for _ in range(2))
    assert json.dumps(first.pictures(3)) == json.dumps(again.pictures(3))
    assert json.dumps(first.shapley(7, "stack")) == json.dumps(again.shapley(7, "stack"))


def test_dependence_is_the_mean_of_what_the_model_says(two: vn.Verdict) -> None:
    found = two._explainer.dependence("town", "stack")
    assert found["grid"] == ["Aachen", "Bonn", "Kiel"]
    model = two.fit("stack")
    yes = list(model.classes_).index("yes")
    wanted = [model.predict_proba(FRAME.assign(town=town))[:, yes].mean() for town in found["grid"]]
    assert found["lines"][0]["of"] == "yes"
    assert found["lines"][0]["mean"] == pytest.approx(wanted)
    drawn = inline_values(two.plot.dependence("town", "stack").chart, "mean")
    assert [row["at"] for row in drawn] == found["grid"]


def test_the_first_class_can_be_the_one_of_interest(tmp_path: Path) -> None:
    verdict = verdict_of(TWO, tmp_path, models=["tree", "logistic"], positive="no")
    model = verdict.fit("tree")
    wanted = model.predict_proba(FRAME.assign(town="Bonn"))[:, list(model.classes_).index("no")].mean()
    found = verdict._explainer.dependence("town", "tree")
    assert found["lines"][0]["of"] == "no"
    assert found["lines"][0]["mean"][1] == pytest.approx(wanted)
    values = verdict._explainer.shapley(10, "tree")
    rows = np.unique(np.linspace(0, ROWS - 1, 10).round().astype(int))
    said = model.predict_proba(FRAME.iloc[rows])[:, list(model.classes_).index("no")]
    assert values["of"] == "no"
    assert np.sum(values["values"], axis=0) + values["base"] == pytest.approx(said)
    log_odds = verdict._explainer.shapley(10, "logistic")
    chance = verdict.fit("logistic").predict_proba(FRAME.iloc[rows])[:, list(model.classes_).index("no")]
    added = np.sum(log_odds["values"], axis=0) + log_odds["base"]
    assert 1 / (1 + np.exp(-added)) == pytest.approx(chance)


def test_several_classes_have_a_line_each_and_are_asked_for_by_name(tmp_path: Path) -> None:
    verdict = verdict_of(THREE, tmp_path, models=["baseline", "tree", "logistic", "stack"])
    assert [line["of"] for line in verdict._explainer.dependence("size")["lines"]] == ["a", "b", "c"]
    for of in ("a", "c"):
        found = verdict._explainer.shapley(6, "stack", of)
        assert found["of"] == of
        rows = np.unique(np.linspace(0, ROWS - 1, 6).round().astype(int))
        said = verdict.fit("stack").predict_proba(FRAME.iloc[rows])[:, "abc".index(of)]
        assert np.sum(found["values"], axis=0) + found["base"] == pytest.approx(said)
        assert f"'{of}'" in verdict.plot.shapley(6, "stack", of).caption
    with pytest.raises(UsageError, match="there is no class 'd'") as caught:
        verdict.plot.shapley(of="d")
    assert caught.value.hint == "there are: 'a', 'b', 'c'"


def test_every_dot_is_drawn_categories_in_grey(number: vn.Verdict) -> None:
    chart = number.plot.shapley(8, "linear").chart.to_dict()
    sets = [rows for rows in chart["datasets"].values() if rows and "aside" in rows[0]]
    assert sum(map(len, sets)) == 8 * 3
    grey = [row for rows in sets for row in rows if row["place"] is None]
    assert {row["column"] for row in grey} == {"town"}


def test_what_is_not_there_is_refused(two: vn.Verdict) -> None:
    with pytest.raises(UsageError, match="there is no column 'age' among 3") as caught:
        two.plot.dependence("age")
    assert "size, town, noise" in caught.value.hint
    with pytest.raises(UsageError, match="there is no model 'forest' on the leaderboard"):
        two.plot.importance("forest")
    with pytest.raises(UsageError, match="rows must be a whole number from 1 on, not 0"):
        two.plot.shapley(0)
    with pytest.raises(UsageError, match="whole number from 1 on, not 'stack'") as caught:
        two.plot.shapley("stack")
    assert caught.value.hint == "name a model with model='stack'"


def test_the_report_has_them_and_keeps_them(tmp_path: Path) -> None:
    verdict = verdict_of(TWO, tmp_path / "home", models=["baseline", "tree"])
    page = verdict.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'data-chart="importance"' in page
    assert page.count('data-chart="dependence_') == 3
    assert "The mean prediction of tree, fitted on all rows" in page
    kept = json.loads(next((tmp_path / "home").rglob("verdict.json")).read_text())
    again = write(kept["document"], kept["pictures"], tmp_path / "again.html").read_text(encoding="utf-8")
    assert 'data-chart="importance"' in again
    assert 'id="worst"' not in page
    bare = verdict_of(TWO, tmp_path / "home", models=["baseline", "tree"], seed=1)
    assert 'data-chart="importance"' not in bare.report(tmp_path / "bare.html", explanations=False).read_text()


def test_a_budget_without_time_for_them_is_said(tmp_path: Path) -> None:
    verdict = verdict_of(TWO, tmp_path / "home", models=["baseline", "tree"], budget=600.0)
    verdict._document["timing"]["seconds"] = 600.0
    page = verdict.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'data-chart="importance"' not in page
    assert "The budget left no time to fit the model again for this part." in page
    verdict._document["timing"]["seconds"] = 1.0
    page = verdict.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'data-chart="importance"' in page
    assert "The budget left no time" not in page


def test_slow_explanations_are_drawn_within_a_tenth_of_the_run_or_if_asked_for(tmp_path: Path) -> None:
    verdict = verdict_of(TWO, tmp_path / "home", models=["baseline", "tree"])
    verdict._document["timing"]["seconds"] = 1e-3  # a tenth of it is nothing
    verdict.ran = replace(verdict.ran, jobs=1_000_000)  # nor of what the trials took
    page = verdict.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert 'data-chart="importance"' in page
    assert 'data-chart="shapley"' not in page
    assert [one["picture"] for one in verdict.pictures["left_out"]] == ["shapley", "learning_curve"]
    assert all(one["seconds"] > 0 for one in verdict.pictures["left_out"])
    assert "Left out, because it would take more than a tenth of the run's time: Shapley values (" in unescape(page)
    page = verdict.report(tmp_path / "page.html", explanations="all").read_text(encoding="utf-8")
    assert page.count('data-chart="shapley"') == page.count('data-chart="learning_curve"') == 1
    assert "--explain all" not in page
    kept = json.loads(next((tmp_path / "home").rglob("verdict.json")).read_text())["pictures"]
    assert kept["shapley"]["model"] == kept["learning_curve"]["family"] == "tree"
    assert kept["left_out"] == []
    again = verdict_of(TWO, tmp_path / "home", models=["baseline", "tree"])
    again._document["timing"]["seconds"] = 1e4
    again.report(tmp_path / "page.html")
    assert again.pictures["left_out"] == []


def test_what_may_be_spent_is_a_tenth_of_the_run_and_no_more_than_the_budget_leaves() -> None:
    now = time.monotonic()
    assert Allowance.of({"budget": None, "seconds": 300.0}, now, everything=False).covers(29.0)
    assert not Allowance.of({"budget": None, "seconds": 300.0}, now, everything=False).covers(30.1)
    assert not Allowance.of({"budget": 305.0, "seconds": 300.0}, now, everything=False).covers(6.0)
    assert not Allowance.of({"budget": 305.0, "seconds": 300.0}, now - 10, everything=False).covers(0.0)
    from_disk = {"budget": None, "seconds": 2.0}
    assert Allowance.of(from_disk, now, everything=False, trials=300.0).covers(29.0), "as long as when it was computed"
    assert not Allowance.of({**from_disk, "budget": 5.0}, now, everything=False, trials=300.0).covers(6.0)
    assert Allowance.of({"budget": 305.0, "seconds": 300.0}, now, everything=True).covers(1e6)


class Moody(LogisticRegression):  # type: ignore[misc]  # scikit-learn has no types
    """Warns when it predicts, and is fitted on all rows only once."""

    fits = 0

    def fit(self, X: Any, y: Any) -> Moody:
        Moody.fits += len(X) == ROWS
        if Moody.fits > 1:
            raise ValueError("not again <b>\nand more")
        return super().fit(X, y)  # type: ignore[no-any-return]  # as above

    def predict_proba(self, X: Any) -> Any:
        warnings.warn("I predict", UserWarning, stacklevel=1)
        return super().predict_proba(X)


def test_what_a_model_warns_of_stays_off_the_screen_and_an_error_is_said(tmp_path: Path) -> None:
    Moody.fits = 0
    verdict = verdict_of(TWO, tmp_path / "home", models=[own(Moody())])
    assert verdict.plot.importance().numbers is not None  # warnings are errors here
    assert verdict.plot.dependence("size").numbers is not None
    again = verdict_of(TWO, tmp_path / "home", models=[own(Moody())])
    page = again.report(tmp_path / "page.html").read_text(encoding="utf-8")
    said = "own could not be explained: own could not be fitted on all rows: ValueError: not again &lt;b&gt;"
    assert f"{said}</p>" in page
    assert 'data-chart="errors"' in page


def test_the_worst_rows_are_listed_if_asked_for(two: vn.Verdict, number: vn.Verdict, tmp_path: Path) -> None:
    for verdict, words in ((two, "−log of the probability"), (number, "the absolute error")):
        page = verdict.report(tmp_path / "page.html", explanations=False, worst_rows=4).read_text(encoding="utf-8")
        part = page.split('id="worst"')[1].split("</section>")[0]
        assert part.count("<tr>") == 5
        assert words in part
        assert f'<td class="n">{verdict.worst_rows(1)["row"][0]}</td>' in part


def test_a_learning_curve_of_a_family(number: vn.Verdict) -> None:
    from venire.validation import learning_curve

    shown = number.plot.learning_curve("linear", sizes=[30, 100])
    family = number.judgement.docket.families["linear"]
    curve = learning_curve(family, number.table, sizes=[30, 100], folds=4, metric="rmse")
    assert [row[0] for row in shown.numbers.rows] == ["30", "100"]
    drawn = inline_values(shown.chart, "size", "error", "rows")
    assert [row["error"] for row in drawn if row["rows"] == "held-out rows"] == pytest.approx(curve.errors.tolist())
    assert "on the held-out rows of 4 folds" in shown.caption
    assert number.plot.learning_curve(sizes=[30, 100]).title == "Learning curve of linear"
    with pytest.raises(UsageError, match="vote is a combination, and a learning curve is of a single family"):
        number.plot.learning_curve("vote")
