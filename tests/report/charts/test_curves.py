import json

import numpy as np
import pytest

from tests.report.drawn import inline_values
from tests.report.samples import binary
from venire.report.charts import curves as curve_charts
from venire.report.charts.style import ACCENT, PALETTE, QUIET


@pytest.mark.parametrize("draw", [curve_charts.roc, curve_charts.precision_recall, curve_charts.cost_curve])
def test_only_the_leading_curves_are_coloured(draw):
    spec = json.dumps(draw(*binary()).to_dict())
    assert all(colour in spec for colour in PALETTE)
    assert QUIET in spec


def test_a_family_has_one_colour_in_every_picture():
    document, pictures = binary()
    found = []
    for draw in (curve_charts.roc, curve_charts.precision_recall, curve_charts.cost_curve, curve_charts.calibration):
        scales = [
            layer["encoding"].get("color", {}).get("scale") for layer in draw(document, pictures).to_dict()["layer"]
        ]
        scale = next(scale for scale in scales if scale)
        found.append({name.split()[0]: colour for name, colour in zip(scale["domain"], scale["range"], strict=True)})
    assert found[0] == found[1] == found[2]
    assert found[3].items() <= found[0].items()
    assert found[0]["procedure"] == ACCENT


@pytest.mark.parametrize("draw", [curve_charts.roc, curve_charts.precision_recall, curve_charts.cost_curve])
def test_what_is_handed_over_is_the_widest_and_drawn_last(draw):
    points = inline_values(draw(*binary()), "family", "width")
    widths = {point["family"].split()[0]: point["width"] for point in points}
    assert list(widths)[-1] == "procedure"
    assert {name for name, width in widths.items() if width == max(widths.values())} == {"procedure"}


def test_the_steps_drawn_enclose_the_average_precision():
    document, pictures = binary()
    chart = curve_charts.precision_recall(document, pictures)
    lines = next(layer for layer in chart.to_dict()["layer"] if "color" in layer["encoding"])
    assert lines["mark"]["interpolate"] == "step-before"  # the precision of a step is that of its right end
    of_forest = [p for p in inline_values(chart, "family", "recall") if p["family"].startswith("forest")]
    recall, precision = (np.array([p[key] for p in of_forest]) for key in ("recall", "precision"))
    wanted = pictures["precision_recall"]["curves"]["forest"]["average_precision"]
    assert np.sum(np.diff(recall) * precision[1:]) == pytest.approx(wanted)
    assert of_forest[0]["family"] == f"forest {wanted:.3f} (chosen)"


def test_guessing_is_the_share_of_the_class():
    drawn = inline_values(curve_charts.precision_recall(*binary()), "precision")
    assert drawn == [{"recall": 0.0, "precision": 0.1}, {"recall": 1.0, "precision": 0.1}]
    corners = inline_values(curve_charts.cost_curve(*binary()), "expected_cost")
    assert [(corner["probability_cost"], corner["expected_cost"]) for corner in corners] == [(0, 0), (0.5, 0.5), (1, 0)]


def test_without_a_decision_or_a_place_there_is_no_mark_of_them():
    document, pictures = binary()
    layers = [len(draw(document, pictures).layer) for draw in (curve_charts.precision_recall, curve_charts.cost_curve)]
    pictures["precision_recall"]["decided"] = {"recall": 0.0, "precision": None}  # nothing was flagged
    pictures["cost_curve"]["here"] = None
    fewer = [len(draw(document, pictures).layer) for draw in (curve_charts.precision_recall, curve_charts.cost_curve)]
    assert [before - after for before, after in zip(layers, fewer, strict=True)] == [1, 1]


def test_the_decision_has_the_colour_of_its_curve():
    document, pictures = binary()
    mark = curve_charts.precision_recall(document, pictures).to_dict()["layer"][-1]["mark"]
    assert mark["fill"] == ACCENT
    del pictures["precision_recall"]["curves"]["procedure"]
    mark = curve_charts.precision_recall(document, pictures).to_dict()["layer"][-1]["mark"]
    assert mark["fill"] == QUIET


def test_the_class_that_is_looked_for():
    assert curve_charts.of_interest({"positive": "no", "classes": ["no", "yes"]}) == "'no'"
    assert curve_charts.of_interest({"positive": None, "classes": ["no", "yes"]}) == "'yes'"
    assert curve_charts.of_interest({}) == "the class"


def test_the_model_handed_over_is_drawn_right_after_the_procedure():
    document, pictures = binary()
    document["chosen"]["family"] = "naive_bayes"  # the last but one of the leaderboard
    assert curve_charts.curve_order(document, pictures["roc"])[:3] == ["procedure", "naive_bayes", "forest"]
    drawn = {point["family"] for point in inline_values(curve_charts.calibration(document, pictures), "predicted")}
    assert drawn == {"procedure", "naive_bayes (chosen)", "forest", "stack"}


def test_what_has_no_probabilities_keeps_its_colour_for_itself():
    document, pictures = binary()
    del pictures["calibration"]["procedure"]
    pictures["roc"]["procedure"]["pooled"] = False
    scale = curve_charts.calibration(document, pictures).to_dict()["layer"][-1]["encoding"]["color"]["scale"]
    assert dict(zip(scale["domain"], scale["range"], strict=True))["forest (chosen)"] == PALETTE[1]
