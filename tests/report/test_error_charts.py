import json

from tests.report.drawn import inline_values
from tests.report.samples import binary, one_family, regression
from venire.report import error_charts


def test_errors_show_all_three_of_each_row():
    document, pictures = one_family()
    rows = inline_values(error_charts.errors(document, pictures), "what")
    assert len(rows) == 6
    assert {row["family"] for row in rows} == {"procedure", "tree"}


def test_huge_errors_are_drawn_in_the_unit_of_the_leaderboard():
    document, pictures = regression()
    chart = error_charts.block_errors(document, pictures)
    assert max(row["error"] for row in inline_values(chart, "block")) < 100
    assert "root mean squared error ×1e9" in json.dumps(chart.to_dict(), ensure_ascii=False)


def test_names_are_values_never_expressions():
    document, pictures = binary()
    evil = "'];alert(1)//\\"
    pictures["block_errors"] = {evil: [0.1, 0.2]}
    spec = error_charts.block_errors(document, pictures).to_dict()
    spec.pop("datasets")
    text = json.dumps(spec)
    assert json.dumps(evil)[1:-1] not in text.replace(json.dumps({"sort": [evil]})[1:-1], "")
