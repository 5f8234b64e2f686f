from itertools import pairwise

from tests.pictures.read_back import rows_with
from tests.report.samples import binary
from venire.report.charts.curves import hull
from venire.report.page.operating_panel import operating_panel, threshold_figure
from venire.report.page.panels import figure


def test_the_panel_starts_where_the_procedure_decides():
    _, pictures = binary()
    panel = operating_panel(pictures)
    assert panel.start == 6
    assert panel.cells == {"found": 28, "missed": 9, "alarms": 3, "passed": 340}  # the confusion matrix
    assert panel.cost == "1,000 rows cost 31.6 false alarms here; at the least, 31.6."  # (9 + 3) of 380
    assert len(panel.sentences) == 11
    assert operating_panel({"roc": {}}) is None


def test_the_parameters_of_the_pictures_are_the_decision():
    document, pictures = binary()
    roc = {p["name"]: p["value"] for p in figure("roc", document, pictures).to_dict()["params"]}
    assert roc == {"here_fpr": 3 / 343, "here_tpr": 28 / 37, "iso_slope": 343 / 37}
    cost = {p["name"]: p["value"] for p in figure("threshold_cost", document, pictures).to_dict()["params"]}
    assert cost == {"cost_ratio": 1.0, "here_threshold": 0.4, "here_missed": 9, "here_alarms": 3}
    (points,) = rows_with(figure("threshold_cost", document, pictures), "threshold", "missed")
    assert [p["missed"] for p in points] == [37 - p["found"] for p in pictures["operating"]["points"]]


def test_nothing_lies_above_the_hull():
    _, pictures = binary()
    curve = pictures["roc"]["procedure"]
    edge = hull(curve["fpr"], curve["tpr"])
    for x, y in zip(curve["fpr"], curve["tpr"], strict=True):
        for (a, low), (b, high) in pairwise(edge):
            if a <= x <= b and b > a:
                assert y <= low + (high - low) * (x - a) / (b - a) + 1e-9


def test_costs_are_written_out_in_full():
    document, pictures = binary()
    steep = {**pictures, "operating": {**pictures["operating"], "ratio": 40.0}}
    shown = threshold_figure(document, steep)
    costs = [row[-1] for row in shown.numbers.rows]
    assert max(float(cost.replace(",", "")) for cost in costs) > 1000
    assert not [text for text in (*costs, shown.caption) if "e+" in text]
