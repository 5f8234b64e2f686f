from io import BytesIO, StringIO, TextIOWrapper

import pytest
from rich.console import Console

from venire.report.terminal.console import make_console
from venire.report.terminal.progress import Progress


class Clock:
    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_plain_lines_where_there_is_no_terminal():
    target, clock = StringIO(), Clock()
    with Progress(make_console(target), clock=clock) as progress:
        assert target.getvalue() == "venire: getting ready\n"  # at once, before anything is known
        progress.start(100)
        for done in range(1, 101):
            clock.now += 0.5
            progress.advance("tree", done, 100, ("tree [x]", 0.0312), left=140.0 - done)
        progress.note("forest left out")
    lines = target.getvalue().splitlines()
    assert lines[1] == "venire: 100 trials to run"
    assert lines[2] == "venire: 20 of 100 trials; about 2 min left; best so far tree [x] 0.0312"
    assert lines[-2] == "venire: 100 of 100 trials; best so far tree [x] 0.0312"
    assert lines[-1] == "venire: forest left out"
    assert len(lines) == 8


def test_where_the_time_left_is_not_known_nothing_is_said_of_it():
    target, clock = StringIO(), Clock()
    with Progress(make_console(target), clock=clock) as progress:
        progress.start(100)
        clock.now += 30
        progress.advance("tree", 1, 100)
    assert target.getvalue().splitlines()[2] == "venire: 1 of 100 trials"


def test_the_live_line_counts_the_time_down_and_then_says_nothing(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    clock = Clock()

    def shown(passed):
        clock.now = 0.0
        target = StringIO()
        with Progress(Console(file=target, force_terminal=True, width=100), clock=clock) as progress:
            progress.start(770)
            progress.advance("svm", 35, 770, left=132.0)
            clock.now = passed
            progress.note("still there")
        return target.getvalue().rpartition("still there")[2]

    assert "about 2 min 10 s left" in shown(0.0)
    assert "about 32 s left" in shown(100.0)
    assert "left" not in shown(140.0)


def test_an_undefined_error_leads_nobody():
    target = StringIO()
    with Progress(make_console(target), clock=Clock()) as progress:
        progress.start(1)
        progress.advance("tree", 1, 1, ("tree", float("nan")))
    assert "best so far" not in target.getvalue()


def test_quiet_says_nothing():
    target = StringIO()
    console = Console(file=target, force_terminal=True)
    with Progress(console, quiet=True) as progress:
        progress.start(2)
        progress.note("hello")
        progress.advance("tree", 2, 2, None)
    assert target.getvalue() == ""


def test_a_terminal_gets_one_live_line(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    target = StringIO()
    console = Console(file=target, force_terminal=True, width=100, markup=False)
    with Progress(console) as progress:
        assert "getting ready" in target.getvalue()
        progress.start(770)
        progress.advance("[bold]forest", 35, 770, ("svm", 0.0312))
        progress.note("[red]a note")
    text = target.getvalue()
    assert "[bold]forest" in text
    assert "35 of 770" in text
    assert "best so far svm 0.0312" in text
    assert "[red]a note\n" in text.replace("\r", "")


def test_a_dumb_terminal_gets_plain_lines(monkeypatch):
    monkeypatch.setenv("TERM", "dumb")
    target = StringIO()
    with Progress(Console(file=target, force_terminal=True)) as progress:
        progress.start(3)
    assert target.getvalue() == "venire: getting ready\nvenire: 3 trials to run\n"


def test_an_ascii_terminal_gets_ascii(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    stream = TextIOWrapper(BytesIO(), encoding="ascii")
    with Progress(Console(file=stream, force_terminal=True, width=80)) as progress:
        progress.start(2)
        progress.advance("λ…", 1, 2, None)
        stream.flush()
    assert "\\u03bb~" in stream.buffer.getvalue().decode("ascii")


def test_an_error_inside_ends_the_display_and_passes(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    console = Console(file=StringIO(), force_terminal=True)
    progress = Progress(console)

    def interrupted():
        with progress:
            progress.start(2)
            raise KeyboardInterrupt("stop")

    with pytest.raises(KeyboardInterrupt, match="stop"):
        interrupted()
    progress.stop()  # harmless a second time
    with Progress(console):
        pass  # the console is free again


def test_the_last_state_is_said_once_with_the_last_leader():
    target = StringIO()
    with Progress(make_console(target), clock=Clock()) as progress:
        progress.start(2)
        progress.advance("tree", 2, 2, None)
        progress.advance("tree", 2, 2, ("tree", 0.25))
    assert target.getvalue().splitlines()[1:] == [
        "venire: 2 trials to run",
        "venire: 2 of 2 trials; best so far tree 0.250",
    ]


def test_a_run_with_nothing_to_do_says_so():
    target = StringIO()
    with Progress(make_console(target), clock=Clock()) as progress:
        progress.start(0)
        progress.advance("tree", 0, 0, ("tree", 0.25))
    assert target.getvalue().splitlines()[1:] == ["venire: every trial is kept from an earlier run"]
