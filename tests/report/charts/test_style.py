import math
from itertools import combinations

import altair as alt
import numpy as np
import pytest

from venire.report.charts.style import DASHES, PALETTE, QUIET, finish, plot, thinned


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


def _linear(colour):
    shares = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


@pytest.mark.parametrize("paper", ["#ffffff", "#fbfbf9", "#1c2027", "#14171c"])
@pytest.mark.parametrize("mark", [*PALETTE, QUIET])
def test_marks_stand_out_from_light_and_dark_paper(mark, paper):
    low, high = sorted(float(_linear(one) @ [0.2126, 0.7152, 0.0722]) for one in (mark, paper))
    assert (high + 0.05) / (low + 0.05) >= 3  # WCAG 2.1, 1.4.11


# How people without one kind of cones see (Machado, Oliveira and Fernandes 2009, severity 1).
_SEEN = {
    "all": np.eye(3),
    "no long": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no middle": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "no short": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]],
}
_LMS = np.array([[0.41222, 0.53633, 0.05145], [0.21190, 0.68070, 0.10740], [0.08830, 0.28172, 0.62998]])
_LAB = np.array([[0.21045, 0.79362, -0.00407], [1.97800, -2.42859, 0.45059], [0.02590, 0.78277, -0.80868]])


@pytest.mark.parametrize("eyes", _SEEN)
def test_no_two_colours_look_alike_to_anyone(eyes):
    places = [_LAB @ np.cbrt(_LMS @ np.clip(np.asarray(_SEEN[eyes]) @ _linear(colour), 0, 1)) for colour in PALETTE]
    apart = [float(np.linalg.norm(one - other)) for one, other in combinations(places, 2)]
    assert min(apart) > 0.08  # in OKLab, where 0.02 is a difference that is just seen


def test_lines_of_one_picture_differ_without_colour():
    assert len(set(zip(PALETTE, DASHES, strict=True))) == len(PALETTE)
    assert len(set(DASHES)) == len(DASHES) - 1  # the first two are the widest, and the one that was chosen
