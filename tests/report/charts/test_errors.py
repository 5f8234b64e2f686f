import json

from tests.report.drawn import inline_values
from tests.report.samples import binary, one_family, regression
from venire.report.charts import errors as error_charts
from venire.report.page.panels import figures


def test_errors_show_all_three_of_each_row():
    document, pictures = one_family()
    rows = inline_values(error_charts.errors(document, pictures), "what")
    assert len(rows) == 6
    assert {row["family"] for row in rows} == {"procedure", "tree"}


def test_huge_errors_are_drawn_in_the_unit_of_the_leaderboard():
    document, pictures = regression()
    chart = error_charts.fold_errors(document, pictures)
    assert max(row["error"] for row in inline_values(chart, "fold")) < 100
    assert "root mean squared error ×1e9" in json.dumps(chart.to_dict(), ensure_ascii=False)


def test_an_error_off_the_scale_is_a_word_and_not_a_mark_at_the_edge():
    document, pictures = binary()
    document["leaderboard"][-1] |= {"error": 0.9, "interval": [0.85, 0.95]}
    pictures["fold_errors"]["baseline"] = [0.9] * 10
    assert error_charts.astray(document) == {"baseline": "0.900 ›"}
    for chart, key in (
        (error_charts.errors(document, pictures), "what"),
        (error_charts.fold_errors(document, pictures), "fold"),
    ):
        marks = inline_values(chart, key)
        assert max(mark["error"] for mark in marks) < 0.2
        assert "baseline" not in {mark["family"] for mark in marks}
        (word,) = inline_values(chart, "said")
        assert (word["family"], word["said"]) == ("baseline", "0.900 ›")
        assert word["at"] < 0.2
    captions = {figure.name: figure.caption for figure in figures(document, pictures)}
    assert all(
        captions[name].endswith("A number with an arrow lies outside the axis.") for name in ("errors", "fold_errors")
    )
    assert "outside the axis" not in "".join(figure.caption for figure in figures(*binary()))


def test_a_score_is_drawn_as_itself_and_what_is_far_off_stands_on_the_left():
    document, pictures = binary()
    document |= {"metric": "auc", "metric_label": "1 − AUC", "higher_is_better": True, "score_label": "AUC"}
    document["leaderboard"][-1] |= {"error": 0.9, "interval": [0.85, 0.95]}
    assert error_charts.astray(document) == {"baseline": "‹ 0.100"}
    chart = error_charts.errors(document, pictures)
    rows = inline_values(chart, "what")
    forest = {row["what"]: row["error"] for row in rows if row["family"] == "forest"}
    losses = next(row for row in document["leaderboard"] if row["family"] == "forest")
    assert forest["two-layer (nested)"] == 1.0 - losses["error"]
    assert max(row["error"] for row in rows) <= 1.0
    spec = json.dumps(chart.to_dict())
    assert '"align": "left"' in spec
    assert '"title": "AUC"' in spec
    assert "1 \u2212 AUC" not in spec


def test_names_are_values_never_expressions():
    document, pictures = binary()
    evil = "'];alert(1)//\\"
    pictures["fold_errors"] = {evil: [0.1, 0.2]}
    spec = error_charts.fold_errors(document, pictures).to_dict()
    spec.pop("datasets")
    text = json.dumps(spec)
    assert json.dumps(evil)[1:-1] not in text.replace(json.dumps({"sort": [evil]})[1:-1], "")
