"""The page in a real browser: every chart is drawn, nothing breaks, nothing spills over the edge of a phone."""

import re
import struct
import zlib

import pytest

from tests.report.browser import document_after_scripts, screenshot
from tests.report.devtools import browser
from tests.report.samples import binary, many_classes, regression
from venire.report.page.html import write


@pytest.mark.parametrize("sample", [binary, many_classes, regression])
def test_every_chart_is_drawn(tmp_path, sample):
    page = write(*sample(), tmp_path / "page.html")
    text = document_after_scripts(page)
    assert text.count("could not be drawn") == 1  # in the script itself
    charts = text.count("data-chart=")
    assert charts >= 5
    folded = text.count('data-drawn="when opened"')  # drawn when somebody unfolds them
    assert text.count('data-drawn="yes"') == charts - folded
    assert charts - folded >= 5
    assert text.count("<svg") > charts - folded


def test_what_is_folded_is_drawn_when_it_is_opened(tmp_path):
    page = write(*binary(), tmp_path / "page.html")
    with browser(tmp_path) as tab:
        tab.open(page)
        folded = "document.querySelector('details.more [data-chart]')"
        assert tab.ask(f"{folded}.dataset.drawn") == "when opened"
        tab.ask("document.querySelector('details.more summary').focus()")
        tab.press("Enter")
        tab.until(f"{folded}.dataset.drawn === 'yes'")
        assert tab.ask(f"{folded}.querySelector('svg').getBoundingClientRect().width") > 200
        assert tab.logged == []


def test_light_and_dark_differ(tmp_path):
    page = write(*binary(), tmp_path / "page.html")
    light, dark = (_corner(screenshot(page, 800, 600, dark=dark)) for dark in (False, True))
    assert min(light) > 230
    assert max(dark) < 60


def test_a_phone_needs_no_sideways_scrolling(tmp_path):
    page = write(*many_classes(), tmp_path / "page.html")
    assert _asked(page, 390, "[document.documentElement.scrollWidth, innerWidth]") == "390,390"


def test_on_a_phone_the_errors_of_the_leaderboard_are_in_view(tmp_path):
    page = write(*binary(), tmp_path / "page.html")
    edges = (
        "[...document.querySelectorAll('.board tbody td.n:nth-of-type(2)')].map(cell => cell.getBoundingClientRect())"
    )
    inside = "document.querySelector('.board').getBoundingClientRect().right"
    found = _asked(page, 390, f"[{edges}.every(edge => edge.width > 0 && edge.right <= {inside}), {edges}.length]")
    assert found == f"true,{len(binary()[0]['leaderboard'])}"


@pytest.mark.parametrize("width", [390, 500, 1200])
def test_labels_stand_under_their_ticks_and_apart(tmp_path, width):
    page = write(*binary(), tmp_path / "page.html")
    # The horizontal axes: of their labels that are shown, the smallest gap, and how far one is from its tick at most.
    probe = """(() => {
      let gap = Infinity, off = 0, seen = 0;
      for (const axis of document.querySelectorAll('.chart .role-axis')) {
        const boxes = selector => [...axis.querySelectorAll(selector)]
          .filter(mark => mark.getAttribute('opacity') !== '0').map(mark => mark.getBoundingClientRect())
          .sort((one, other) => one.left - other.left);  // a chart drawn again adds labels at the end
        const labels = boxes('.role-axis-label text'), ticks = boxes('.role-axis-tick line');
        if (labels.length < 2 || Math.abs(labels[0].top - labels[1].top) > 2) continue;
        seen += 1;
        labels.forEach((label, at) => {
          const centre = (label.left + label.right) / 2;
          off = Math.max(off, Math.min(...ticks.map(tick => Math.abs((tick.left + tick.right) / 2 - centre))));
          if (at) gap = Math.min(gap, label.left - labels[at - 1].right);
        });
      }
      return [seen >= 5, gap >= 3, off <= 1.5];
    })()"""
    assert _asked(page, width, probe) == "true,true,true"


def _asked(page, width, expression):
    """What a script says of the page, once drawn, in a frame of that width: headless windows are never narrower."""
    head, _, tail = page.read_text(encoding="utf-8").rpartition("</body>")  # the chart library has one in a string
    probe = (
        "<script>addEventListener('load', () => setTimeout(() => parent.postMessage("
        f"String({expression}), '*'), 1500))\n"
        "addEventListener('load', () => document.querySelectorAll('.fold').forEach((one) => { one.open = true }))"
        "</script>"
    )
    page.write_text(f"{head}{probe}</body>{tail}", encoding="utf-8")
    frame = page.with_name("frame.html")
    frame.write_text(
        "<!doctype html><script>onmessage = (e) => { document.body.dataset.said = e.data }</script>"
        f'<body><iframe src="page.html" style="width:{width}px;height:900px;border:0"></iframe></body>',
        encoding="utf-8",
    )
    found = re.search(r'data-said="([^"]*)"', document_after_scripts(frame, max(width + 20, 500)))
    assert found is not None
    return found[1]


def _corner(png):
    """The colour of the first pixel of a PNG file."""
    data, at, packed = png.read_bytes(), 8, b""
    while at < len(data):
        (length,) = struct.unpack(">I", data[at : at + 4])
        if data[at + 4 : at + 8] == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += length + 12
    # The filters of a first row add the pixel to its left or above, which for the first pixel are zero.
    return tuple(zlib.decompress(packed)[1:4])
