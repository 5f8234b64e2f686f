import json
import math
import subprocess
import sys

import numpy as np
import pytest

from tests.report.samples import SAMPLES, binary, one_family, only_baseline, regression
from venire.errors import UsageError
from venire.report import charts
from venire.report.marks import PALETTE, QUIET, plot, thinned


def _values(chart, *keys):
    """The inline values of the layers that have all these keys."""
    sets = json.loads(json.dumps(chart.to_dict(), allow_nan=False))["datasets"].values()
    return next(rows for rows in sets if rows and set(keys) <= set(rows[0]))


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_picture_of_every_sample_is_valid(sample):
    document, pictures = SAMPLES[sample]()
    for name in charts.available(document, pictures):
        spec = charts.draw(name, document, pictures).to_dict(validate=True)
        assert spec["description"]
        json.dumps(spec, allow_nan=False)


def test_a_picture_renders_without_a_browser(tmp_path):
    document, pictures = binary()
    charts.draw("roc", document, pictures).save(str(tmp_path / "roc.svg"))
    assert "procedure 0.971" in (tmp_path / "roc.svg").read_text(encoding="utf-8")


def test_an_unknown_picture_lists_those_there_are():
    with pytest.raises(UsageError, match="there is no picture 'rock' of this verdict") as caught:
        charts.draw("rock", *binary())
    assert caught.value.hint.startswith("choose one of: errors, block_errors, roc")
    with pytest.raises(UsageError, match="there is no picture 'scatter'"):
        charts.draw("scatter", *binary())


def test_what_can_be_drawn_follows_what_is_there():
    assert charts.available(*only_baseline()) == ["errors"]
    assert charts.available({"leaderboard": []}, {}) == []


def test_errors_show_all_three_of_each_row():
    document, pictures = one_family()
    rows = _values(charts.errors(document, pictures), "what")
    assert len(rows) == 6
    assert {row["family"] for row in rows} == {"procedure", "tree"}


def test_huge_errors_are_drawn_in_the_unit_of_the_leaderboard():
    document, pictures = regression()
    chart = charts.block_errors(document, pictures)
    assert max(row["error"] for row in _values(chart, "block")) < 100
    assert "root mean squared error ×1e9" in json.dumps(chart.to_dict(), ensure_ascii=False)


def test_only_the_leading_curves_are_coloured():
    document, pictures = binary()
    spec = json.dumps(charts.roc(document, pictures).to_dict())
    assert all(colour in spec for colour in PALETTE)
    assert QUIET in spec


def test_a_scatter_draws_no_more_than_it_can_show():
    document, pictures = regression()
    drawn = _values(charts.scatter(document, pictures), "actual")
    assert len(drawn) == 1734
    assert charts.drawn_rows(document, pictures).endswith("; 1,734 of them drawn")
    assert min(point["actual"] for point in drawn) < 0


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


def test_names_are_values_never_expressions():
    document, pictures = binary()
    evil = "'];alert(1)//\\"
    pictures["block_errors"] = {evil: [0.1, 0.2]}
    spec = charts.block_errors(document, pictures).to_dict()
    spec.pop("datasets")
    text = json.dumps(spec)
    assert json.dumps(evil)[1:-1] not in text.replace(json.dumps({"sort": [evil]})[1:-1], "")


def test_altair_is_imported_only_to_draw():
    code = (
        "import sys, venire.report.text, venire.report.html, venire.report.progress;"
        "assert not {'altair', 'vl_convert'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
