"""Model cards say what is known, and what is not."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import venire as vn
from venire.report.card.contents import MOST_COLUMNS, card_of
from venire.report.card.markdown import to_markdown
from venire.report.card.page import to_html, write_card
from venire.report.sentences.evidence import decision_words
from venire.report.sentences.model_file import decision_words as file_decides
from venire.report.sentences.model_file import error_words


@pytest.fixture(scope="module")
def verdict() -> vn.Verdict:
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"size|<b>": rng.normal(size=90), "colour": rng.choice(["red", "*blue*"], 90)})
    table.loc[::8, "colour"] = None
    table["sold"] = np.where(table["size|<b>"] + rng.normal(scale=0.5, size=90) > 0, "yes", "no")
    return vn.compare(table, "sold", models=["baseline", "naive_bayes", "tree"], folds=3, budget=None, jobs=1)


def facts(verdict: vn.Verdict, tmp_path: Path) -> dict:
    return vn.describe_model(verdict.save(tmp_path / "m.venire"))


def test_a_card_tells_what_is_in_the_file(verdict: vn.Verdict, tmp_path: Path) -> None:
    told = facts(verdict, tmp_path)
    card = card_of(told)
    said = {section.heading: section for section in card.sections}
    assert list(said) == [
        "What it predicts", "How good it is", "Columns", "Limits", "What it keeps of the training data",
        "How it was made",
    ]  # fmt: skip
    assert "It predicts sold, one of 2 classes: no, yes." in said["What it predicts"].lines
    assert any("95 % interval" in line for line in said["How good it is"].lines)
    assert any("seed 0" in line for line in said["How good it is"].lines)
    assert any(line.startswith("That estimates the expected ") for line in said["How good it is"].lines)
    assert any(
        line.startswith("Checked for leaks: every model was trained again") for line in said["How good it is"].lines
    )
    assert said["Columns"].rows[1][:2] == ("colour", "categorical")
    assert "12 missing" in said["Columns"].rows[1][2]
    assert any(told["checksum"] in line for line in said["How it was made"].lines)


@pytest.mark.parametrize(("metric", "called"), [("accuracy", "accuracy"), ("roc_auc", "AUC"), ("error", "error rate")])
def test_a_score_is_told_with_its_own_interval(metric: str, called: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"size": rng.normal(size=90)})
    table["sold"] = np.where(table["size"] + rng.normal(scale=0.5, size=90) > 0, "yes", "no")
    found = vn.compare(
        table, "sold", models=["baseline", "naive_bayes"], folds=3, metric=metric, home=tmp_path, progress=False
    )
    told = facts(found, tmp_path)
    figures = told["figures"]
    figure, low, high = (float(one) for one in re.findall(r"\d\.\d+", error_words(figures)))
    ends = figures["interval"] if metric == "error" else [1 - end for end in reversed(figures["interval"])]
    assert [low, high] == pytest.approx(ends, abs=0.01)
    assert low <= figure <= high
    good = next(section for section in card_of(told).sections if section.heading == "How good it is")
    assert good.lines[0].lower().startswith(f"{called.lower()} on rows it has not seen")
    assert good.lines[1].startswith(f"That estimates the expected {called} of the procedure")


@pytest.mark.parametrize("positive", ["no", "yes"])
@pytest.mark.parametrize("model", ["naive_bayes", "linear"])
def test_a_file_decides_in_the_words_of_the_verdict(positive: str, model: str, tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"size": rng.normal(size=90)})
    table["sold"] = np.where(table["size"] + rng.normal(scale=0.5, size=90) > 0, "yes", "no")
    found = vn.compare(
        table, "sold", models=[model], folds=3, costs="1:4", positive=positive, home=tmp_path, progress=False
    )
    said = decision_words(found.to_dict())
    assert ("it predicts no from a " if positive == "no" else "it predicts the class of least expected") in said
    figures = facts(found, tmp_path)["figures"]
    assert " and ".join(file_decides(figures)) == said


def test_findings_are_limits(verdict: vn.Verdict, tmp_path: Path) -> None:
    found = [f"{finding['code']}: {finding['message']}" for finding in verdict.to_dict()["findings"]]
    assert found
    limits = next(section for section in card_of(facts(verdict, tmp_path)).sections if section.heading == "Limits")
    assert all(any(line.startswith(one.rstrip(".")) for line in limits.lines) for one in found)


def test_names_cannot_break_the_markup(verdict: vn.Verdict, tmp_path: Path) -> None:
    card = card_of(facts(verdict, tmp_path))
    text = to_markdown(card)
    assert r"| size\|\<b\> | numeric |" in text
    assert r"\*blue\*" in text
    page = to_html(card)
    assert "size|&lt;b&gt;" in page
    assert "<script" not in page


def test_a_verdict_writes_its_card_without_a_file(verdict: vn.Verdict, tmp_path: Path) -> None:
    text = verdict.card(tmp_path / "card.md").read_text()
    assert text.startswith("# Model card: sold by ")
    assert "SHA-256" not in text
    assert verdict.card(tmp_path / "card.html", "baseline").read_text().startswith("<!doctype html>")
    with pytest.raises(vn.UsageError, match=r"a model card is Markdown or an HTML page, and \.pdf is neither"):
        verdict.card(tmp_path / "card.pdf")


def test_a_model_without_a_verdict_has_a_card_too(tmp_path: Path) -> None:
    tree = vn.DecisionTreeClassifier().fit([[1.0], [2.0]], ["a", "b"])
    card = card_of(vn.describe_model(vn.save(tree, tmp_path / "t.venire")))
    text = write_card(card, tmp_path / "t.md").read_text()
    assert "Not known: no verdict was saved with it." in text
    assert "- No row." in text


def test_many_columns_are_counted(verdict: vn.Verdict, tmp_path: Path) -> None:
    told = facts(verdict, tmp_path)
    told["figures"]["columns"] = told["figures"]["columns"][:1] * (MOST_COLUMNS + 5)
    columns = next(section for section in card_of(told).sections if section.heading == "Columns")
    assert (len(columns.rows), columns.lines) == (MOST_COLUMNS, ("And 5 columns more.",))
