"""The verdict in a notebook: escaped, drawn without a script, and readable on light and dark paper."""

import re

import pytest

from tests.report.samples import SAMPLES, binary
from venire.report.notebook.verdict import to_html


@pytest.mark.parametrize("sample", SAMPLES)
def test_every_sample_is_a_table_with_its_intervals_drawn(sample):
    document, _ = SAMPLES[sample]()
    shown = to_html(document)
    rows = document["leaderboard"]
    assert shown.count("<tr>") == 1 + len(rows)
    assert shown.count("<svg") == sum(row["error"] is not None for row in rows)
    assert not re.search(r"<script|https?:|url\(|src=|href=|<style", shown)
    for row in rows:
        assert row["family"] in shown


def test_names_are_escaped_and_control_signs_spelled_out():
    document, _ = binary()
    document["leaderboard"][1]["family"] = "<script>alert('x')</script>\x1b[31m"
    document["findings"][0]["message"] = "<img src=x onerror=alert(1)>"
    document["target"] = "<b>"
    shown = to_html(document)
    assert "<script" not in shown
    assert "<img" not in shown
    assert "&lt;script&gt;" in shown
    assert "\x1b" not in shown


def test_the_interval_is_where_its_figures_are():
    document, _ = binary()
    drawn = r'<line x1="([\d.]+)" x2="([\d.]+)"[^>]*stroke-width[^>]*>\s*<circle cx="([\d.]+)"'
    low, high, at = map(float, re.search(drawn, to_html(document)).groups())
    assert 0 <= low < at < high <= 170


def test_a_member_far_off_is_an_arrow():
    document, _ = binary()
    document["leaderboard"][-1] |= {"error": 90.0, "interval": [80.0, 100.0]}
    assert to_html(document).count("›") == 1


def test_what_failed_is_said():
    document, _ = binary()
    document["failed"] = [{"family": "mine", "reason": "ValueError: no"}]
    shown = to_html(document)
    assert "Failed: mine (ValueError: no)." in shown
    assert "Not tried: forest_rc" in shown
