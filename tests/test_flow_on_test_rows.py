"""Every model on a separate test file, whose rows have no part in any choice."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import accuracy_score
from sklearn.tree import DecisionTreeClassifier

import venire as vn
from tests.use.conftest import rows_of
from venire.errors import DataError
from venire.report.document.schema import schema

ASKED = {"models": ["baseline", "naive_bayes", "tree", "vote"], "folds": 4, "progress": False}


@pytest.fixture(scope="module")
def train() -> pd.DataFrame:
    return rows_of(200, 21).drop(columns="amount")


@pytest.fixture(scope="module")
def fresh() -> pd.DataFrame:
    return rows_of(150, 22).drop(columns="amount")


@pytest.fixture(scope="module")
def verdict(train, fresh, tmp_path_factory) -> vn.Verdict:
    return vn.compare(train, "kind", test=fresh, home=tmp_path_factory.mktemp("home"), **ASKED)


def test_every_line_is_the_fitted_model_on_the_test_rows(verdict, fresh):
    test = verdict.to_dict()["test"]
    assert (test["rows"], test["copies"], test["notes"]) == (150, 0, [])
    assert [line["family"] for line in test["models"]] == [
        row["family"] for row in verdict.to_dict()["leaderboard"] if row["kind"] != "procedure"
    ]
    for line in test["models"]:
        said = verdict.fit(line["family"]).predict(fresh)
        assert line["error"] == pytest.approx(1 - accuracy_score(fresh["kind"], said))
        assert line["interval"][0] < line["error"] < line["interval"][1]
    assert [line["family"] for line in test["models"] if line["chosen"]] == [verdict.chosen["family"]]


def test_other_labels_of_the_test_rows_change_no_choice(verdict, train, fresh, tmp_path):
    flipped = fresh.assign(kind=fresh["kind"].map({"=low": "high", "middle": "=low", "high": "middle"}))
    other = vn.compare(train, "kind", test=flipped, home=tmp_path, **ASKED).to_dict()
    without = vn.compare(train, "kind", home=tmp_path, **ASKED).to_dict()
    first = verdict.to_dict()
    assert first["test"]["models"] != other["test"]["models"]
    for facts in (first, other, without):
        facts.pop("timing")
        facts.pop("test", None)
    assert first == other == without


def test_each_test_file_is_a_question_of_its_own(train, fresh, tmp_path):
    for rows in (fresh, fresh[:100], fresh):
        vn.compare(train, "kind", test=rows, home=tmp_path, **ASKED)
    assert len(list((tmp_path / "runs").iterdir())) == 2


def test_copies_of_training_rows_are_told(train, fresh, tmp_path):
    test = pd.concat([fresh[:50], train[:30]])
    verdict = vn.compare(train, "kind", test=test, home=tmp_path, **ASKED)
    assert verdict.to_dict()["test"]["copies"] == 30
    assert "30 test rows equal a training row in every column and the target" in " ".join(str(verdict).split())


def test_terminal_page_and_schema_have_it(verdict, tmp_path):
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.validate(verdict.to_dict(), schema("verdict", closed=True))
    shown = str(verdict)
    assert "On the 150 rows of frame, which had no part in any choice:" in shown
    assert max(map(len, shown.splitlines())) <= 80
    page = Path(verdict.report(tmp_path / "page.html", explanations=False)).read_text()
    assert "On the 150 rows of frame, which had no part in any choice." in page


def test_numbers_and_arrays(tmp_path):
    rng = np.random.default_rng(0)
    X, more = rng.normal(size=(80, 2)), rng.normal(size=(60, 2))
    verdict = vn.compare(
        X, X[:, 0], test=(more, more[:, 0]), models=["linear"], folds=4, home=tmp_path, metric="r2", progress=False
    )
    (line,) = verdict.to_dict()["test"]["models"]
    assert line["score"] == pytest.approx(1.0)


class Moody(DecisionTreeClassifier):
    """Fits parts of the table, and never all of it."""

    def fit(self, X, y, **options):
        if len(y) == 200:
            raise RuntimeError("too many rows for me")
        return super().fit(X, y, **options)


def test_a_member_that_fails_has_a_line_that_says_so(train, fresh, tmp_path):
    models = ["naive_bayes", Moody(random_state=0)]
    test = vn.compare(train, "kind", test=fresh, models=models, folds=4, home=tmp_path, progress=False).to_dict()[
        "test"
    ]
    lines = {line["kind"] + line["family"]: line for line in test["models"]}
    assert lines["membernaive_bayes"]["problem"] is None
    (failed,) = [line for line in test["models"] if line["problem"]]
    assert failed["problem"] == "RuntimeError: too many rows for me"
    assert failed["error"] is None


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda rows: rows.assign(kind="other"), "of a class that the model does not know: 'other'"),
        (lambda rows: rows.drop(columns="kind"), "the rows have no target 'kind'"),
        (lambda rows: rows.drop(columns="size"), "the rows lack 1 column"),
        (lambda rows: rows.assign(kind=None), "no row has a target 'kind'"),
    ],
)
def test_a_test_file_that_makes_no_sense_is_refused_at_once(train, fresh, tmp_path, change, message):
    with pytest.raises(DataError, match=message):
        vn.compare(train, "kind", test=change(fresh), home=tmp_path, **ASKED)
    assert not (tmp_path / "runs").exists()
