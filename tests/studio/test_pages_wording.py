"""The studio's scripts say sizes and lengths of time as the terminal does."""

from __future__ import annotations

import html
import json
import re
from datetime import timedelta
from importlib import resources
from pathlib import Path

from tests.report.browser import document_after_scripts
from venire.flow.listing import _ago
from venire.wording import duration, size

BYTES = [0, 1, 999, 1000, 45_678, 999_499, 999_500, 9_950_000, 123_456_789, 1.9e9, 2.5e13]
SECONDS = [0.004, 0.4, 4.52, 3, 9.96, 59.4, 59.7, 60, 95, 600, 3599.6, 4000, 7200, 86_400, 2e5]
PASSED = [0, 59, 60, 3599, 3600, 86_399, 86_400, 2 * 86_400, 40 * 86_400]


def test_scripts_and_terminal_say_the_same(tmp_path: Path) -> None:
    source = resources.files("venire.studio").joinpath("pages", "building.js").read_text(encoding="utf-8")
    asked = (
        f"const past = (s) => ago(new Date(Date.now() - 1000 * s - 100).toISOString());"
        f"const all = [{BYTES}.map(size), {SECONDS}.map(duration), {PASSED}.map(past)];"
        "document.body.textContent = JSON.stringify(all);"
    )
    page = tmp_path / "page.html"
    page.write_text(f"<body><script>{source.replace('export ', '')}{asked}</script></body>", encoding="utf-8")
    said = re.search(r"<body>(.*)</body>", document_after_scripts(page), re.DOTALL)
    assert said
    sizes, lengths, passed = json.loads(html.unescape(said[1].strip()))
    assert sizes == [size(number) for number in BYTES]
    assert lengths == [duration(seconds) for seconds in SECONDS]
    assert passed == [_ago(timedelta(seconds=seconds)) for seconds in PASSED]
