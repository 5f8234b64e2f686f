"""The form of what is handed over: coefficients that add up to what it says, and a tree, in the report and by name."""

import json

import numpy as np
import pandas as pd
import pytest

import venire as vn
from tests.report.devtools import browser
from venire.data.datasets import load
from venire.errors import UsageError
from venire.flow.forms import encoded_names, last_step


@pytest.fixture(scope="module")
def people():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "age": rng.normal(40, 10, 160),
            "height": rng.normal(170, 9, 160),
            "city": rng.choice(["Ghent", "Delft", "Bonn"], 160),
        }
    )
    frame.loc[frame.index % 13 == 0, "age"] = np.nan
    chance = (frame["height"] - 170) / 6 + (frame["city"] == "Bonn") * 2 + rng.normal(0, 1, 160)
    return frame.assign(grown=np.where(chance > 0, "yes", "no"))


def compared(people, model, **words):
    return vn.compare(people, target="grown", models=[model], folds=3, jobs=1, seed=1, **words)


@pytest.mark.parametrize("positive", ["yes", "no"])
def test_the_coefficients_add_up_to_the_log_odds(people, positive):
    verdict = compared(people, "logistic", positive=positive)
    found = verdict._explainer.coefficients()
    model, table = verdict.fit(), verdict.judgement.docket.table
    encoder = model.members[0][1][0]
    assert found["names"] == encoded_names(encoder, table)
    assert {"age", "age is missing", "city = Bonn"} <= set(found["names"])
    (line,) = found["lines"]
    told = encoder.transform(table.X) @ np.array(line["values"]) + line["intercept"]
    said = model.predict_proba(people.drop(columns="grown"))[:, list(model.classes_).index(positive)]
    assert told == pytest.approx(np.log(said / (1 - said)), abs=1e-6)
    assert found["what"] == f"log-odds of '{positive}'"


def test_of_several_classes_each_has_its_own_coefficients():
    iris = load("iris")
    found = vn.compare(iris, models=["logistic"], folds=3, jobs=1, seed=1)._explainer.coefficients()
    assert [line["of"] for line in found["lines"]] == list(iris.target.labels)
    assert np.sum([line["values"] for line in found["lines"]], axis=0) == pytest.approx(np.zeros(4), abs=1e-4)


def test_the_report_has_the_coefficients_of_what_is_chosen(people, tmp_path):
    verdict = compared(people, "logistic")
    figure = verdict.plot.coefficients()
    assert figure.numbers.rows[-1][0] == "intercept"
    assert abs(float(figure.numbers.rows[0][1])) >= abs(float(figure.numbers.rows[1][1]))
    assert "Coefficients of logistic" in verdict.report(tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_report_has_the_tree_that_is_chosen_and_opens_it_by_its_slider(people, tmp_path):
    verdict = compared(people, "tree")
    page = verdict.report(tmp_path / "page.html")
    shown = verdict.plot.tree()
    kept = verdict.pictures["tree_diagram"]
    assert kept["rows"] == [list(row) for row in shown.numbers.rows]
    assert json.loads(json.dumps(kept["spec"])) == kept["spec"]
    with browser(tmp_path) as tab:
        tab.open(page, width=390)
        tab.ask("document.querySelectorAll('details.fold').forEach((each) => { each.open = true; })")
        boxes = "document.querySelectorAll('[data-chart=tree_diagram] svg path[aria-roledescription=point]').length"
        tab.until(f"{boxes} > 0")
        assert tab.ask("document.documentElement.scrollWidth") == 390
        assert tab.logged == []


def test_other_models_have_no_coefficients(people):
    verdict = compared(people, "knn")
    assert not {"coefficients", "tree_diagram"} & set(verdict._explainer.pictures(1))
    assert type(last_step(verdict.fit())).__name__ == "KNeighborsClassifier"
    with pytest.raises(UsageError, match="knn has no coefficients of columns"):
        verdict.plot.coefficients()
