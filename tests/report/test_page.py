"""The page in a real browser: every chart is drawn, nothing breaks, nothing spills over the edge of a phone."""

import re
import struct
import zlib

import pytest

from tests.report.browser import document_after_scripts, screenshot
from tests.report.samples import binary, many_classes, regression
from venire.report.html import write


@pytest.mark.parametrize("sample", [binary, many_classes, regression])
def test_every_chart_is_drawn(tmp_path, sample):
    page = write(*sample(), tmp_path / "page.html")
    text = document_after_scripts(page)
    assert text.count("could not be drawn") == 1  # in the script itself
    charts = text.count("data-chart=")
    assert charts >= 5
    assert text.count('data-drawn="yes"') == charts
    assert text.count("<svg") > charts


def test_light_and_dark_differ(tmp_path):
    page = write(*binary(), tmp_path / "page.html")
    light, dark = (_corner(screenshot(page, 800, 600, dark=dark)) for dark in (False, True))
    assert min(light) > 230
    assert max(dark) < 60


def test_a_phone_needs_no_sideways_scrolling(tmp_path):
    page = write(*many_classes(), tmp_path / "page.html")
    # Headless windows are never narrower than 500 pixels: the phone is a frame inside one.
    frame = tmp_path / "phone.html"
    # The chart library has a "</body>" in one of its strings: only the last one ends the page.
    head, _, tail = page.read_text(encoding="utf-8").rpartition("</body>")
    probe = (
        "<script>addEventListener('load', () => setTimeout(() => parent.postMessage("
        "[document.documentElement.scrollWidth, innerWidth], '*'), 1500))</script>"
    )
    page.write_text(f"{head}{probe}</body>{tail}", encoding="utf-8")
    frame.write_text(
        "<!doctype html><script>onmessage = (e) => { document.body.dataset.widths = e.data.join(' of ') }</script>"
        '<body><iframe src="page.html" style="width:390px;height:900px;border:0"></iframe></body>',
        encoding="utf-8",
    )
    found = re.search(r'data-widths="([^"]*)"', document_after_scripts(frame))
    assert found is not None
    assert found[1] == "390 of 390"


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
