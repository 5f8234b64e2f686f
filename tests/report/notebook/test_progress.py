"""Progress in a notebook: one display that is replaced, never one more, and empty when it is over."""

import sys
from types import SimpleNamespace

import pytest

from venire.report.notebook.progress import NotebookProgress, in_notebook


class Shell:
    """A front end that keeps what it was shown: what is left of each display, and all updates in order."""

    def __init__(self):
        self.displays, self.updates = [], []

    def HTML(self, text):  # IPython's name
        return text

    def display(self, text, *, display_id):
        assert display_id is True
        self.displays.append(text)
        at = len(self.displays) - 1
        return SimpleNamespace(update=lambda new: (self.displays.__setitem__(at, new), self.updates.append(new)))


@pytest.fixture
def shell(monkeypatch):
    front = Shell()
    kernel = SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=object()), display=front)
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    monkeypatch.setitem(sys.modules, "IPython.display", front)
    return front


def test_one_display_is_replaced_and_nothing_is_left(shell):
    with NotebookProgress() as progress:
        progress.start(2)
        progress.advance("<tree>", 2, 2, ("tree", 0.25), left=90.0)
        assert "2 of 2 trials · &lt;tree&gt; · about 1 min 30 s left · best so far tree 0.25" in shell.displays[0]
    assert shell.displays == [""]


def test_an_error_leaves_nothing_either(shell):
    with pytest.raises(ValueError, match="broken"), NotebookProgress():
        raise ValueError("broken")
    assert shell.displays == [""]


def test_a_front_end_is_not_asked_to_draw_every_step(shell):
    now = iter([0.0, 0.01, 0.02, 0.5, 0.51])
    with NotebookProgress(clock=lambda: next(now)) as progress:
        progress.start(9)
        for done in range(1, 6):
            progress.advance("tree", done, 9)
    drawn = [update for update in shell.updates if "tree" in update]
    assert [update.split("value=")[1][1] for update in drawn] == ["1", "4"]


def test_a_terminal_is_no_notebook(monkeypatch):
    monkeypatch.delitem(sys.modules, "IPython", raising=False)
    assert not in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: None))
    assert not in_notebook()
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace()))
    assert not in_notebook()


def test_a_kernel_is_one(shell):
    assert in_notebook()
