"""The whole way in a real browser, by keyboard and by pointer: from a table to a verdict to a prediction."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tests.studio.conftest import flowers, opened
from tests.studio.walking import (
    DESK,
    PHONE,
    choose,
    click,
    compared,
    furnished,
    start,
    studio_of,
    tab_to,
    tidy,
    visit,
    window,
)
from venire.cli.commands import app
from venire.disk.locks import marked
from venire.studio.job_folders import PROGRESS, RUNNING_SIGN, Jobs, write_plain

DRAWN = "!document.querySelector('[data-chart]:not([data-drawn])')"
JOB = "document.querySelector('.job')"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return furnished(tmp_path_factory.mktemp("garden"))


@pytest.fixture(scope="module")
def runs(folder):
    """Two runs of the classes and one of the number, carried out as the studio does."""
    return [
        compared(folder, "flowers.csv", "kind", "flowers"),
        compared(folder, "flowers.csv", "colour", "colours"),
        compared(folder, "more/weights.csv", "weight", "weights"),
    ]


@pytest.fixture(scope="module")
def studio(folder, runs):
    with studio_of(folder) as found:
        yield found


def test_by_keyboard_alone_from_a_table_to_a_verdict_to_a_prediction(studio, tmp_path):
    with window(studio, tmp_path, DESK, dark=False) as tab:
        tab.press("Tab")
        assert tab.ask("document.activeElement.className") == "skip"
        tab_to(tab, "#path")
        tab.type("flowers.csv")
        tab.press("Enter")
        tab.until("document.activeElement.id === 'setup-title'")
        tab_to(tab, "[data-kind-of=colour]")
        assert tab.ask("document.activeElement.value") == "categorical"
        tab_to(tab, "#target")
        assert tab.ask("document.activeElement.value") == "kind"
        tab_to(tab, "#costs")
        tab.type("1:3")
        tab_to(tab, "details:nth-of-type(2) > summary")
        tab.press("Enter")
        tab_to(tab, "#all-models")
        tab.press(" ")
        for name in ("naive_bayes", "tree"):
            tab_to(tab, f"[name=model][value={name}]")
            tab.press(" ")
        tab_to(tab, "#budget")
        tab.press("ArrowUp")
        assert tab.ask("document.activeElement.value") == "30"
        tab_to(tab, "#start")
        tab.press("Enter")
        tab.until("document.activeElement.dataset.does === 'open'")  # the focus waits where the way goes on
        assert tab.ask("document.querySelectorAll('.filling tbody tr').length") == 2
        tidy(tab)
        tab.press("Enter")
        tab.until("document.querySelector('#prediction')?.textContent.length > 0")
        tab.until(DRAWN)
        tab_to(tab, "#actions summary")
        tab.press("Enter")
        assert "--costs 1:3" in tab.ask("document.querySelector('#command').innerText")
        assert tab.ask("document.querySelector('#python').innerText").startswith("import venire as vn\n\nverdict = ")
        tab_to(tab, "#at")
        before = tab.ask("document.querySelector('#said').innerText")
        tab.press("ArrowLeft", 5)
        assert tab.ask("document.querySelector('#said').innerText") != before
        tab_to(tab, "#value-0")
        before = tab.ask("document.querySelector('#adds').innerText")
        tab.press("Backspace", 6)
        tab.type("9.5")
        tab.until(f"document.querySelector('#adds').innerText !== {before!r}")
        tab.until("document.querySelector('#prediction').dataset.said === 'rose'")
        tab_to(tab, "#second")
        tab.press("ArrowUp")
        assert "Choose two different" in tab.ask("document.querySelector('#pair-said').innerText")
        tab_to(tab, "[data-ladder=boost]")
        tab.press("Enter")
        tab.until("document.querySelector('#step-errors').dataset.steps === '1'")
        tab.press("Enter")
        tab.until("document.querySelector('#step-errors').dataset.steps === '2'")
        assert "Round 2" in tab.ask("document.querySelector('#step-said').innerText")


def test_on_a_phone_a_dropped_table_is_stopped_resumed_and_predicts_a_file(studio, tmp_path):
    flowers().to_csv(tmp_path / "dropped flowers.csv", index=False)
    flowers(10).drop(columns="kind").to_csv(tmp_path / "new.csv", index=False)
    with window(studio, tmp_path, PHONE, dark=True) as tab:
        tab.choose_file("#file", tmp_path / "dropped flowers.csv")
        start(tab, ("naive_bayes", "bagging", "svm", "forest"))
        tab.until("document.querySelectorAll('.filling tbody tr').length >= 1")
        click(tab, "[data-does=stop]")
        tab.until(f"{JOB}.dataset.state === 'stopped'")
        assert "kept" in tab.ask(f"{JOB}.innerText")
        click(tab, "[data-does=resume]")
        tab.until(f"{JOB}.dataset.state === 'done'")
        assert tab.ask("document.querySelectorAll('.filling tbody tr').length") == 4
        click(tab, "[data-does=open]")
        tab.until("document.body?.dataset.live === 'yes'")
        tab.choose_file("#predict-file", tmp_path / "new.csv")
        tab.until("document.querySelector('#predicted') !== null")
        assert "10 rows" in tab.ask("document.querySelector('#predict-state').innerText")
        text = tab.ask("fetch(document.querySelector('#predicted').href).then((answer) => answer.text())")
        assert len(text.splitlines()) == 11
        assert text.startswith("predicted")


def test_a_killed_studio_is_opened_again_and_sees_runs_of_the_command_line(tmp_path, monkeypatch):
    folder = furnished_in(tmp_path)
    with studio_of(folder) as studio, window(studio, tmp_path / "window", DESK, dark=True) as tab:
        click(tab, "#tables li:last-child button")
        start(tab, ("naive_bayes", "forest", "bagging"))
        tab.until("document.querySelectorAll('.filling tbody tr').length >= 1")
        click(tab, "#tables li:first-child button")
        start(tab, ("linear", "tree"))
        tab.until("document.querySelector('.job[data-state=waiting]') !== null")
        tidy(tab)
        studio.kill()
        tab.until("document.querySelector('.job[data-state=running]') !== null")  # the page stays as it was
        tab.ask("location.replace('about:blank')")  # left, or it goes on asking for who is not there
        tab.until("location.href === 'about:blank'")
        tab.logged.clear()  # the browser notes that nobody is there
    monkeypatch.chdir(folder)
    monkeypatch.delenv("VENIRE_HOME", raising=False)
    by_hand = ["compare", "flowers.csv", "--target", "colour", "--models", "naive_bayes,tree", "--folds", "4",
               "--quiet", "--name", "by hand"]  # fmt: skip
    assert CliRunner().invoke(app, by_hand).exit_code == 0
    with opened(folder) as studio, window(studio, tmp_path / "again", DESK, dark=True) as tab:
        # What ran went on without the studio; what waited is begun by the one that is open now.
        tab.until("document.querySelectorAll('#run-table tbody a').length === 3")
        names = tab.ask("[...document.querySelectorAll('#run-table tbody a')].map((link) => link.innerText)")
        assert sorted(names) == ["by hand", "flowers.csv", "weights.csv"]
        tab.ask("[...document.querySelectorAll('#run-table a')].find((a) => a.innerText === 'by hand').click()")
        tab.until("location.pathname !== '/' && document.body?.dataset.live === 'yes'")
        click(tab, "#prepare")
        tab.until("document.querySelector('#prediction')?.textContent.length > 0")
        tidy(tab)
        visit(tab, "/")
        tab.until("document.querySelectorAll('#run-table tbody tr').length === 3")
        for number in (1, 2):
            click(tab, f"#run-table tbody tr:nth-child({number}) input")
        click(tab, "#compare-two")
        tab.until("location.pathname.startsWith('/compare/')")
        tab.until("document.readyState === 'complete'")
        tidy(tab)
        assert tab.ask("document.querySelector('.actions a').pathname.startsWith('/runs/')")
        assert tab.ask("document.querySelector('.topbar .home').pathname === '/'")
        visit(tab, "/")
        delete = "#run-table tbody tr:first-child button"
        click(tab, delete)
        assert tab.ask(f"document.querySelector('{delete}').innerText") == "Really?"
        click(tab, delete)
        tab.until("document.querySelectorAll('#run-table tbody tr').length === 2")


def furnished_in(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    return furnished(folder)


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [DESK, PHONE], ids=["1280", "390"])
def test_every_page_in_every_window(studio, runs, tmp_path, size, dark):
    with window(studio, tmp_path, size, dark=dark) as tab:
        click(tab, "#tables li:last-child button")
        tab.until("document.querySelector('#start') && !document.querySelector('#start').disabled")
        tidy(tab)
        ground = tab.ask("getComputedStyle(document.body).backgroundColor")
        assert (sum(int(part) for part in ground[4:-1].split(",")) < 150) is dark
        for run in (runs[0], runs[2]):
            visit(tab, f"/runs/{run}")
            tab.until(DRAWN)
            tab.until("document.querySelector('#boundary-chart').dataset.liveDrawn === 'yes'")
            click(tab, "[data-ladder=grow]")
            tab.until("document.querySelector('#step-errors').dataset.steps === '1'")
            assert tab.ask("document.querySelector('#step-chart').dataset.liveDrawn") == "yes"
            click(tab, "[data-ladder=vote]")
            tab.until("document.querySelector('#step-said').innerText.includes('Member 1')")
            tidy(tab)
        visit(tab, f"/compare/{runs[0]}/{runs[1]}")
        tidy(tab)


def test_a_target_that_cannot_be_one_is_said_and_another_is_chosen(studio, tmp_path):
    with window(studio, tmp_path, DESK, dark=False) as tab:
        click(tab, "#tables li:first-child button")  # the table of a number
        tab.until("document.querySelector('#start') && !document.querySelector('#start').disabled")
        choose(tab, "#target", "colour")
        tab.until("document.querySelector('.ask .read')?.innerText.includes('Classes')")
        choose(tab, "#task", "regression")
        tab.until("!document.querySelector('#trouble').hidden")
        assert tab.ask("document.querySelector('#start').disabled")
        tab.logged.clear()  # the browser notes the refused request
        choose(tab, "#target", "weight")
        tab.until("!document.querySelector('#start').disabled && document.querySelector('#trouble').hidden")
        choose(tab, "[data-kind-of=length]", "categorical")
        tab.until("document.querySelector('[data-kind-of=length]').value === 'categorical'")
        tab.until("document.activeElement.dataset.kindOf === 'length'")


def test_a_long_queue_leaves_the_page_free(tmp_path):
    """A browser keeps six connections to one place: a stream a card would leave none for anything else."""
    folder = furnished_in(tmp_path)
    jobs = Jobs(folder / ".venire")
    asked = {"source": str(folder / "flowers.csv"), "target": "kind", "budget": None}
    first, *others = [jobs.add(asked, f"number {at}") for at in range(9)]
    with (
        marked(first.folder, RUNNING_SIGN),
        studio_of(folder) as studio,
        window(studio, tmp_path / "window", DESK, dark=False) as tab,
    ):
        tab.until("document.querySelectorAll('.job[data-state=waiting]').length === 8")
        write_plain(first.folder / PROGRESS, {"note": "trials of tree", "done": 3, "total": 9})
        tab.until("document.querySelector('.job[data-state=running]').innerText.includes('3 of 9 trials')")
        click(tab, "#tables li:last-child button")
        tab.until("document.querySelector('#start') && !document.querySelector('#start').disabled")
        others[0].delete()
        tab.until("document.querySelectorAll('.job').length === 8")
        click(tab, ".job[data-state=waiting] [data-does=stop]")
        tab.until("document.querySelectorAll('.job[data-state=stopped]').length === 1")
