import math

import altair as alt
import numpy as np

from venire.report.charts.style import finish, plot, thinned


def test_a_long_curve_keeps_its_ends_and_its_corners():
    x = np.concatenate([np.zeros(5000), np.linspace(0, 1, 5000)])
    y = np.concatenate([np.linspace(0, 1, 5000), np.ones(5000)])
    points = thinned(x, y, 300)
    assert len(points) <= 302
    assert points[0] == (0.0, 0.0)
    assert points[-1] == (1.0, 1.0)
    assert min(abs(a) + abs(b - 1) for a, b in points) < 0.01


def test_what_json_cannot_say_becomes_null():
    spec = plot([{"a": math.nan, "b": np.float32(0.5), "c": "x", "d": np.inf}]).mark_point().to_dict()
    assert next(iter(spec["datasets"].values())) == [{"a": None, "b": 0.5, "c": "x", "d": None}]


def test_charts_can_stand_side_by_side():
    one = finish(plot([{"at": 1}]).mark_point(), "One point.")
    assert len(alt.hconcat(one, one).to_dict()["hconcat"]) == 2
