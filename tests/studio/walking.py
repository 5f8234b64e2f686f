"""Walks through the studio in a real browser: the studio as a process, windows, keys, and what must always hold."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pandas as pd

from tests.report.devtools import Tab, browser
from tests.studio.conftest import SECRET, flowers
from venire.studio.job_folders import Jobs
from venire.studio.job_process import main as carry_out
from venire.studio.opening import Open

Size = tuple[int, int]
DESK, PHONE = (1280, 900), (390, 844)
QUICK = ("naive_bayes", "tree")


@dataclass(frozen=True)
class Process:
    """`venire studio` at work: its address with the token, and its process."""

    address: str
    held: subprocess.Popen[bytes]

    def kill(self) -> None:
        """End it without a word."""
        self.held.send_signal(signal.SIGKILL)
        self.held.wait(30)


@contextmanager
def studio_of(folder: Path) -> Iterator[Process]:
    """The command on a folder, on a free port."""
    token, log = folder.with_name(f"{folder.name}.token"), folder.with_name(f"{folder.name}.log")
    token.write_text(SECRET)
    command = [sys.executable, "-m", "venire", "studio", str(folder), "--no-open", "--log", "--port", "0",
               "--token-file", str(token)]  # fmt: skip
    kept = {name: value for name, value in os.environ.items() if name not in ("VENIRE_HOME", "VENIRE_TOKEN")}
    with log.open("wb") as stream:
        held = subprocess.Popen(command, stdout=stream, stderr=stream, env=kept)
    try:
        end = time.monotonic() + 60
        while not (found := re.search(r"studio: (\S+)", log.read_text())):
            assert held.poll() is None, log.read_text()
            assert time.monotonic() < end, "the studio did not open"
            time.sleep(0.05)
        yield Process(found[1], held)
    finally:
        held.send_signal(signal.SIGTERM)
        held.wait(60)
        logged = log.read_text().partition("\n")[2]  # its first line is the address, for whoever started it
    assert "Traceback" not in logged
    assert SECRET not in logged


def furnished(folder: Path) -> Path:
    """A folder with a table of classes and, below it, one of a number."""
    flowers().to_csv(folder / "flowers.csv", index=False)
    (folder / "more").mkdir()
    numbers().to_csv(folder / "more" / "weights.csv", index=False)
    return folder


def numbers() -> pd.DataFrame:
    """The flowers with a weight that follows from their sizes."""
    frame = flowers(120).drop(columns="kind")
    return frame.assign(weight=(frame["length"] * frame["width"] + (frame["colour"] == "red")).round(3))


def compared(folder: Path, table: str, target: str, name: str) -> str:
    """A comparison as the studio carries it out, in this process; the key of its run."""
    jobs = Jobs(folder / ".venire")
    asked = {"source": str(folder / table), "target": target, "models": list(QUICK), "folds": 4, "name": name,
             "budget": None}  # fmt: skip
    if target == "weight":
        asked["models"] = ["linear", "tree"]
    job = jobs.add(asked, name)
    carry_out(job.folder, folder / ".venire")
    document = job.document()
    assert document["state"] == "done", document
    return str(document["run"])


@contextmanager
def window(studio: Process | Open, folder: Path, size: Size, *, dark: bool) -> Iterator[Tab]:
    """A browser that has entered by the address with the token."""
    folder.mkdir(exist_ok=True)
    blank = folder / "blank.html"
    blank.write_text('<!doctype html><link rel="icon" href="data:,">')
    with browser(folder) as tab:
        tab.open(blank, width=size[0], height=size[1], dark=dark)
        tab.go(studio.address)
        tab.until("document.body?.dataset.ready === 'yes'")
        assert "token" not in tab.ask("location.href")
        yield tab
        tidy(tab)


def visit(tab: Tab, path: str) -> None:
    """Load a page of the studio, and wait until its live parts are there."""
    tab.go(tab.ask("location.origin") + path)
    tab.until("document.querySelector('#actions') === null || document.body?.dataset.live === 'yes'")


def tidy(tab: Tab) -> None:
    """Nothing is wider than the window, nothing was logged, and nothing was asked of another host."""
    assert tab.ask("document.documentElement.scrollWidth <= window.innerWidth")
    assert not tab.logged, tab.logged
    assert all(one.startswith(("http://127.0.0.1:", "file:", "data:", "blob:", "about:")) for one in tab.requested)
    assert tab.ask("document.querySelector('#trouble')?.hidden ?? true"), tab.ask(
        "document.querySelector('#trouble').innerText"
    )


def click(tab: Tab, selector: str) -> None:
    """Press what a selector finds, as a pointer does."""
    tab.until(f"document.querySelector({selector!r}) !== null")
    tab.ask(f"document.querySelector({selector!r}).click()")


def choose(tab: Tab, selector: str, value: str) -> None:
    """Choose in a list, as a pointer does."""
    tab.ask(
        f"(() => {{ const one = document.querySelector({selector!r}); one.value = {value!r};"
        " one.dispatchEvent(new Event('change', {bubbles: true})); })()"
    )


def tab_to(tab: Tab, selector: str, most: int = 120) -> None:
    """Go on with the tab key until what a selector finds has the focus; each stop on the way can be seen."""
    for _ in range(most):
        tab.press("Tab")
        seen = tab.ask(
            "(() => { const one = document.activeElement, shown = one.closest('label') ?? one;"
            " return one === document.body || getComputedStyle(one).outlineStyle !== 'none'"
            " || getComputedStyle(shown).outlineStyle !== 'none' ? '' : one.outerHTML.slice(0, 200); })()"
        )
        assert not seen, f"the focus cannot be seen on {seen}"
        if tab.ask(f"document.activeElement.matches({selector!r})"):
            return
    raise AssertionError(f"the tab key does not lead to {selector}")


def start(tab: Tab, models: tuple[str, ...] = QUICK) -> None:
    """Ask for a comparison of these models, without a limit of time."""
    tab.until("document.querySelector('#start') && !document.querySelector('#start').disabled")
    click(tab, "#all-models")
    for name in models:
        click(tab, f"[name=model][value={name}]")
    tab.ask("document.querySelector('#folds').value = 4")
    tab.ask("document.querySelector('#budget').value = 'none'")
    click(tab, "#start")
