"""The threshold section in a real browser: one slider moves everything, by keyboard and on a phone."""

import base64

import pytest

from tests.report.devtools import browser
from tests.report.samples import binary
from venire.report.page.html import write
from venire.report.sentences.operating import cheapest, point_words
from venire.wording import unbroken

CELLS = (
    "['found', 'missed', 'alarms', 'passed'].map(name => document.getElementById('cell-' + name).textContent).join()"
)
SAID = "document.getElementById('said').textContent"
COST = "document.getElementById('cost').textContent"


@pytest.fixture
def page(tmp_path):
    return write(*binary(), tmp_path / "page.html")


@pytest.mark.parametrize("width", [390, 1280])
def test_the_keyboard_moves_matrix_sentence_cost_and_pictures_together(page, tmp_path, width):
    found = binary()[1]["operating"]
    with browser(tmp_path) as tab:
        tab.open(page, width=width)
        before = tab.ask("document.querySelector('[data-chart=roc] svg').outerHTML")
        assert tab.ask(CELLS) == "28,9,3,340"
        tab.ask("document.getElementById('at').focus()")
        tab.press("ArrowRight", times=2)
        assert tab.ask("document.getElementById('at').value") == "8"
        assert tab.ask(SAID) == unbroken(point_words(found, 8))
        assert tab.ask(CELLS) == "35,2,60,283"
        assert tab.ask(COST).startswith("1,000 rows cost 163.2 false alarms here")  # (2 + 60) of 380
        tab.until(f"document.querySelector('[data-chart=roc] svg').outerHTML !== {before!r}")
        tab.ask("document.getElementById('to-decided').click()")
        assert tab.ask(SAID) == unbroken(point_words(found, 6))
        assert tab.ask("document.documentElement.scrollWidth") <= width
        assert tab.logged == []
        assert [url for url in tab.requested if not url.startswith(("file:", "data:"))] == []


def test_the_costs_move_the_least_point(page, tmp_path):
    found = binary()[1]["operating"]
    with browser(tmp_path) as tab:
        tab.open(page)
        tab.ask("document.getElementById('ratio').focus()")
        tab.press("End")
        tab.ask("document.getElementById('to-cheapest').click()")
        assert tab.ask("Number(document.getElementById('at').value)") == cheapest(found, 100.0)
        assert tab.ask("document.getElementById('ratio-value').textContent") == "100"


def test_the_leaderboard_is_shown_by_another_metric(page, tmp_path):
    shown = "[...document.querySelectorAll('.board tbody tr')[1].querySelectorAll('td.n')].filter(cell => !cell.hidden)"
    with browser(tmp_path) as tab:
        tab.open(page)
        tab.ask("const by = document.getElementById('metric'); by.value = 'auc'; by.dispatchEvent(new Event('change'))")
        assert tab.ask(f"{shown}.slice(0, 2).map(cell => cell.textContent).join(' ')") == "0.949 [0.930, 0.960]"


def test_without_scripts_the_chosen_point_is_there(page, tmp_path):
    with browser(tmp_path) as tab:
        tab.open(page, scripts=False)
        shown = tab.send("Page.captureScreenshot")
        assert len(base64.b64decode(shown["data"])) > 10_000
        words = tab.send("DOM.getDocument", depth=-1)
        assert "28 of 37" in str(words)
    assert 'class="controls scripted" hidden' in page.read_text(encoding="utf-8")
