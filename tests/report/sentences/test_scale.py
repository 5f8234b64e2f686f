"""Losses as people see them: one name, one direction and one number of digits for a whole document."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.report.samples import SAMPLES, binary
from venire.report.page.html import render
from venire.report.sentences.headline import headline
from venire.report.sentences.scale import measured_by, scale_of, score_label
from venire.report.sentences.verdict import verdict
from venire.report.terminal.verdict import fields, to_text

AUC = {"metric": "auc", "metric_label": "1 − AUC", "higher_is_better": True, "score_label": "AUC"}
ACCURACY = {"metric": "error", "metric_label": "error rate", "higher_is_better": True, "score_label": "accuracy"}


def scored(**metric: Any) -> dict[str, Any]:
    return dict(binary()[0] | metric)


def test_a_score_is_one_minus_its_loss_and_its_interval_flips() -> None:
    auc = scale_of(scored(**AUC))
    assert (auc.value(0.2), auc.ends([0.1, 0.4]), auc.kind) == (0.8, (0.6, 0.9), "score")
    assert auc.ends([0.1, None]) is None
    assert auc.show_interval([0.1, 0.4]) == "[0.600, 0.900]"
    assert auc.say_interval(None) == ""


@pytest.mark.parametrize(("metric", "head"), [(AUC, "AUC"), (ACCURACY, "accuracy")])
def test_leaderboard_sentence_and_page_say_the_same_score(metric: dict[str, Any], head: str) -> None:
    document = scored(**metric)
    columns = {field.title: field.cells for field in fields(document)}
    figure = f"{1 - document['leaderboard'][0]['error']:.3f}"
    assert columns[head][0] == figure
    assert f'<td class="n" data-by="">{figure}</td>' in render(document), "the cell by the metric of the verdict"
    said = f"{float(figure):.1%}".replace("%", " %") if head == "accuracy" else figure
    assert f"{head} of a model chosen this way is {said} (95 % interval" in verdict(document).how_good
    assert f"of about {said} on new rows" in headline(document)
    assert metric["metric_label"] not in to_text(document)


def test_a_document_that_does_not_say_is_read_by_its_metric() -> None:
    assert [score_label({"metric": name}) for name in ("auc", "r2", "f1", "error", "rmse")] == [
        "AUC", "R²", "F1", None, None,
    ]  # fmt: skip
    assert score_label(AUC | {"higher_is_better": False}) is None


def test_a_long_name_has_a_short_head() -> None:
    heads = {"error rate": "error", "RMSE": "RMSE", "Brier score": "error", "mean cost": "mean cost"}
    for label, head in heads.items():
        assert measured_by({"metric": "x", "metric_label": label}, []).head == head
    assert measured_by(ACCURACY | {"score_label": "balanced accuracy"}, []).head == "score"


@pytest.mark.parametrize("error", [79_712.0, 0.1262])
def test_table_and_text_round_alike(error: float) -> None:
    """79,700 in the table was 80,000 in the text, because each looked at another interval."""
    rows = [
        {"family": "procedure", "kind": "procedure", "error": error, "interval": [0.97 * error, 1.03 * error]},
        {"family": "tree", "kind": "member", "error": error, "interval": [0.7 * error, 1.3 * error], "p_best": 0.7},
        {"family": "baseline", "kind": "member", "error": 1.9 * error, "interval": [error, 3 * error], "p_best": 0.3},
    ]
    chosen = {"family": "tree", "error": error, "interval": [0.7 * error, 1.3 * error]}
    document = {"metric": "rmse", "metric_label": "RMSE", "chosen": chosen, "leaderboard": rows}
    numbers = re.findall(r"\d[\d,]*\.?\d*", verdict(document).how_good.replace("95 %", ""))
    shown = [scale_of(document).show(value) for value in (error, *chosen["interval"], 1.9 * error)]
    assert [number.rstrip(".") for number in numbers] == shown


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_row_of_a_column_ends_at_the_same_digit(sample: str) -> None:
    document = SAMPLES[sample]()[0]
    shown = [scale_of(document).show(row["error"]) for row in document["leaderboard"]]
    assert len({len(text.partition(".")[2]) for text in shown}) == 1
