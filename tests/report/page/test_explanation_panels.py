import pytest

from tests.report.drawn import inline_values
from tests.report.samples import binary, many_classes, regression
from venire.report.page.explanation_panels import (
    dependence_figure,
    dependence_figures,
    explanation_figures,
    importance_figure,
    learning_figure,
    left_out_words,
)
from venire.report.page.html import render, worst_rows
from venire.report.sentences.numbers import amount


@pytest.mark.parametrize("sample", [binary, many_classes, regression])
def test_captions_say_which_rows(sample):
    document, pictures = sample()
    shown = importance_figure(document, pictures)
    assert shown.caption.startswith("Held-out rows: 1,000 rows of 3 folds, each predicted by")
    assert len(shown.numbers.rows) == 4
    for found in pictures["dependence"]:
        alone = dependence_figure(document, found)
        assert "fitted on all rows" in alone.caption
        assert "300 rows at equal distances" in alone.caption
        assert len(alone.numbers.rows) == len(found["grid"])
    assert [figure.name for figure in dependence_figures(document, pictures)] == [f"dependence_{at}" for at in range(4)]


def test_columns_stand_in_the_order_of_their_importance():
    document, pictures = binary()
    pictures["importance"]["values"] = [0.01, None, 0.05, 0.03]
    pictures["importance"]["low"][1] = pictures["importance"]["high"][1] = None
    shown = importance_figure(document, pictures)
    assert [row[0] for row in shown.numbers.rows] == ["bank", "diagonal", "length", "left"]
    assert shown.numbers.rows[-1][1:] == ("–", "–", "–")
    drawn = inline_values(shown.chart, "rise", "low")
    assert [row["column"] for row in drawn] == ["bank", "diagonal", "length", "left"]


def test_names_that_look_alike_stay_apart():
    document, pictures = binary()
    pictures["importance"]["names"] = [f"{'x' * 50}{at}" for at in range(4)]
    drawn = inline_values(importance_figure(document, pictures).chart, "rise", "low")
    assert len({row["column"] for row in drawn}) == 4


def test_a_score_falls_and_an_error_rises():
    document, pictures = binary()
    assert importance_figure(document, pictures).numbers.head[1] == "rise of the error rate"
    document |= {"metric": "auc", "higher_is_better": True, "score_label": "AUC"}
    assert importance_figure(document, pictures).numbers.head[1] == "fall of the AUC"


def test_several_classes_have_no_band():
    document, pictures = many_classes()
    shown = dependence_figure(document, pictures["dependence"][0])
    assert "band" not in shown.caption
    assert len(shown.numbers.head) == 7
    assert "The band holds the middle 80 %" in dependence_figure(binary()[0], binary()[1]["dependence"][0]).caption


def test_a_learning_curve_shows_scores_as_scores():
    document, _ = binary()
    document |= {"metric": "auc", "higher_is_better": True, "score_label": "AUC"}
    found = {
        "family": "tree",
        "folds": 5,
        "rows": [20, 40],
        "training": [0.1, 0.2],
        "held_out": [0.4, 0.3],
        "low": [0.3, float("nan")],
        "high": [0.5, float("nan")],
    }
    shown = learning_figure(document, found)
    drawn = inline_values(shown.chart, "size", "error")
    assert [row["error"] for row in drawn] == pytest.approx([0.6, 0.7, 0.9, 0.8])
    assert len(inline_values(shown.chart, "low")) == 1
    assert shown.caption.startswith("AUC of tree on the held-out rows of 5 folds")


def test_the_page_has_shapley_values_and_the_learning_curve():
    document, pictures = binary()
    page = render(document, pictures)
    assert page.count('data-chart="shapley"') == page.count('data-chart="learning_curve"') == 1
    assert 'href="#learning"' in page
    drawn = explanation_figures(document, pictures)
    values = pictures["shapley"]["values"][0]
    assert drawn["shapley"].numbers.rows[0][1] == amount(sum(map(abs, values)) / len(values))
    assert drawn["learning_curve"].numbers.rows[-1][0] == "900"
    bare = render(document, {name: value for name, value in pictures.items() if name not in ("shapley", "importance")})
    assert 'data-chart="shapley"' not in bare


def test_what_is_left_out_is_said_with_its_time_and_how_to_have_it():
    late = [{"picture": name, "seconds": at, "error": None} for name, at in (("shapley", 12.0), ("learning_curve", 95))]
    said = left_out_words({"left_out": late})
    assert said == (
        "Left out, because it would take more than a tenth of the run's time: Shapley values (about 12 s) and the "
        "learning curve (about 1 min 35 s). On the command line --explain all adds them; in Python, "
        'verdict.report(path, explanations="all").'
    )
    document, pictures = binary()
    page = render(document, pictures | {"left_out": late})
    assert '<span class="option">--explain all</span> adds them' in page
    failed = [{"picture": "learning_curve", "seconds": None, "error": "ValueError: not <b>"}]
    assert left_out_words({"left_out": failed}) == "The learning curve could not be drawn: ValueError: not <b>."
    assert left_out_words({}) == left_out_words({"left_out": []}) == ""


def test_the_worst_rows_are_cells_of_text():
    cells = {"actual": [1.23456789, 2.0], "predicted": ["<b>", "no"], "loss": [0.7345, 1.0]}
    assert worst_rows({"worst_rows": {"row": [1200, 3], "fold": [1, 2], **cells}}) == [
        ("1,200", "1", "1.23457", "<b>", "0.735"),
        ("3", "2", "2", "no", "1.00"),
    ]
    assert worst_rows({}) == worst_rows({"worst_rows": {}}) == []
