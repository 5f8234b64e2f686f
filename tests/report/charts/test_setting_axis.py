"""The axis of a complexity curve: round ticks along numbers, names where the settings are names."""

import pytest

from venire.report.charts.setting_axis import setting_axis


def test_settings_far_apart_stand_by_powers_of_ten():
    axis = setting_axis(["1e-4", "0.01", "1", "100", "1e4"], "C").to_dict()
    assert axis["field"] == "at"
    assert axis["scale"]["type"] == "log"
    assert axis["axis"]["values"] == pytest.approx([1e-4, 1e-2, 1.0, 100.0, 1e4])
    assert "'-4': '10⁻⁴'" in axis["axis"]["labelExpr"]


def test_settings_that_fall_run_backwards():
    assert setting_axis(["19", "9", "1"], "k").to_dict()["scale"] == {
        "domain": [1.0, 19.0],
        "nice": False,
        "padding": 10,
        "reverse": True,
    }


@pytest.mark.parametrize("settings", [["64 units", "128 units", "256 units"], ["2", "6"], ["0.1", "0.0001", "0"]])
def test_names_and_what_has_no_scale_keep_their_order(settings):
    axis = setting_axis(settings, "setting").to_dict()
    assert (axis["field"], axis["sort"]) == ("setting", settings)
