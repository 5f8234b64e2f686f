"""The whole way in a real browser: from a table to a verdict to a prediction, and what is there when it opens again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.report.devtools import Tab, browser
from tests.studio.conftest import flowers, opened
from venire.studio.opening import Open

CHOSEN = ("baseline", "naive_bayes", "tree")
PHONE = {"width": 390, "height": 844, "dark": True}
DESK = {"width": 1280, "height": 900, "dark": False}


def blank(folder: Path) -> Path:
    page = folder / "blank.html"
    page.write_text('<!doctype html><link rel="icon" href="data:,">')
    return page


def enter(tab: Tab, studio: Open, folder: Path, window: dict[str, int | bool]) -> None:
    """Open the address with its token, in a window of that kind."""
    tab.open(blank(folder), **window)
    tab.go(studio.address)
    tab.until("document.querySelectorAll('#tables li').length > 0")


def compared(tab: Tab) -> None:
    """Choose the table, three models and no limit of time, and wait for the verdict."""
    tab.ask("[...document.querySelectorAll('#tables button')].find((b) => b.textContent.includes('flowers')).click()")
    tab.until("document.querySelector('#start') && !document.querySelector('#start').disabled")
    boxes = ", ".join(f"[name=model][value={name}]" for name in CHOSEN)
    tab.ask("document.querySelector('#all-models').click()")
    tab.ask(f"document.querySelectorAll('{boxes}').forEach((box) => {{ box.checked = true; }})")
    tab.ask("document.querySelector('#budget').value = 'none'")
    tab.ask("document.querySelector('#start').click()")
    tab.until("document.querySelector('[data-does=open]') !== null")


def tidy(tab: Tab) -> None:
    """Nothing is wider than the window, nothing was logged, and nothing was asked of another host."""
    assert tab.ask("document.documentElement.scrollWidth <= window.innerWidth")
    assert tab.logged == []
    assert all(one.startswith(("http://127.0.0.1:", "file:", "data:", "blob:", "about:")) for one in tab.requested)


@pytest.mark.parametrize("window", [DESK, PHONE], ids=["1280 light", "390 dark"])
def test_from_a_table_to_a_verdict_to_a_prediction(tmp_path: Path, window: dict[str, int | bool]) -> None:
    flowers().to_csv(tmp_path / "flowers.csv", index=False)
    with opened(tmp_path) as studio, browser(tmp_path) as tab:
        enter(tab, studio, tmp_path, window)
        assert "token" not in tab.ask("location.href")
        compared(tab)
        tidy(tab)
        tab.ask("document.querySelector('[data-does=open]').click()")
        tab.until("document.querySelector('#prediction')?.textContent.length > 0")
        tab.until("!document.querySelector('[data-chart]:not([data-drawn])')")
        assert "rose" in tab.ask("document.body.innerText")
        before = tab.ask("document.querySelector('#adds').innerText")
        tab.ask(
            "(() => { const one = document.querySelector('#fields input[type=number], #fields input');"
            " one.value = '9.5'; one.dispatchEvent(new Event('input', {bubbles: true}));"
            " one.dispatchEvent(new Event('change', {bubbles: true})); })()"
        )
        tab.until(f"document.querySelector('#adds').innerText !== {before!r}")
        assert "rose" in tab.ask("document.querySelector('#prediction').innerText")
        tidy(tab)
    # The studio is opened again, and has the run.
    with opened(tmp_path) as studio, browser(tmp_path) as tab:
        enter(tab, studio, tmp_path, window)
        tab.until("document.querySelectorAll('#run-table tbody a').length === 1")
        tidy(tab)
