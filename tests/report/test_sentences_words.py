"""What people read is in the words of the field: no private word is left in help, terminal, page or charts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser
from io import StringIO
from typing import Any

import numpy as np
import pandas
import pytest
from sklearn.neighbors import KNeighborsRegressor
from typer.main import get_command

from tests.report.samples import SAMPLES
from venire.cli.commands import app
from venire.data import describe, read_table
from venire.report.charts.selection import picture
from venire.report.document.validation import document_of
from venire.report.page.html import render
from venire.report.page.panels import figures, path_figures
from venire.report.terminal import listings
from venire.report.terminal import runs as runs_text
from venire.report.terminal import selection as selection_text
from venire.report.terminal import validation as validation_text
from venire.report.terminal import verdict as verdict_text
from venire.report.terminal.console import make_console
from venire.selection.select import select
from venire.validation.layers import one_layer, two_layer
from venire.validation.ways import Way

OURS = re.compile(
    r"\b(dealt|deal(s|ing|ings)?|dear(er|est)?|errs?|told|spoken for|buckets?|by a bit|garbled?|blocks?|attributes?)\b",
    re.IGNORECASE,
)

CERTIFICATES = [
    {"family": "tree", "status": "certified", "reason": ""},
    {"family": "own", "status": "leaks", "reason": "it peeked"},
    {"family": "svm", "status": "not checked", "reason": "no time was left"},
]
PAIRS = [{"first": "forest", "second": "tree", "p_better": 0.5, "p_equal": 0.3, "p_worse": 0.2}]
GROWTH = {
    "rows": 380, "error": 0.03, "most": 0.02, "judged": True, "gain": 0.01, "gain_interval": [0.0, 0.02],
    "twice": 0.02, "p_helps": 0.7,
}  # fmt: skip
COSTS = {"per_thousand": [{"name": name, "cost": 50.0, "interval": [40, 60]} for name in ("procedure", "always no")]}
# Each change of a document brings sentences out that it does not have as it is.
CHANGES: dict[str, dict[str, Any]] = {
    "as it is": {},
    "everything known": {"certificates": CERTIFICATES, "pairwise": PAIRS, "more_rows": GROWTH, "costs": COSTS},
    "out of time": {"stopped": "budget", "timing": {"seconds": 95.0, "budget": 60.0, "stages": {"trials": 94.0}}},
    "a score": {"metric": "auc", "metric_label": "1 − AUC", "higher_is_better": True, "score_label": "AUC"},
    "in time order": {"splitting": "time", "time": True},
    "in groups, twice": {"splitting": "grouped", "groups": 12, "repeats": 2},
    "no better than guessing": {"guessing": {"p_better": 0.0, "difference": 0.0, "baseline_error": 0.1}},
    "perhaps better": {"guessing": {"p_better": 0.93, "difference": -0.1, "baseline_error": 0.1}},
    "too few rows": {"more_rows": GROWTH | {"judged": False, "gain": None, "p_helps": None}},
}


class Read(HTMLParser):
    """All that a reader of a page meets, and what is read aloud to one who does not see it."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden = tag in ("script", "style")
        self.parts += [value for name, value in attrs if name in ("title", "aria-label") and value]

    def handle_endtag(self, tag: str) -> None:
        self.hidden = False

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)


def ours(text: str) -> list[str]:
    return [text[max(0, found.start() - 40) : found.end() + 40] for found in OURS.finditer(text)]


def titles(spec: Any) -> Iterator[str]:
    """What a chart says: the titles of its axes, legends and tooltips, and its description."""
    if isinstance(spec, dict):
        for key, value in spec.items():
            if key in ("title", "description") and isinstance(value, str):
                yield value
            elif key not in ("data", "datasets"):
                yield from titles(value)
    elif isinstance(spec, list):
        for value in spec:
            yield from titles(value)


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_verdict_in_the_terminal_and_on_the_page(sample: str, change: str) -> None:
    document, pictures = SAMPLES[sample]()
    document |= CHANGES[change]
    assert ours(verdict_text.to_text(document, width=120)) == []
    assert ours(" ".join(Read(render(document)).parts)) == []
    for figure in (*figures(document, pictures), *path_figures(document, pictures)):
        assert ours(" ".join((figure.title, figure.caption, *titles(figure.spec)))) == []
        assert figure.numbers is None or ours(" ".join(figure.numbers.head)) == []


def test_the_scan_sees_what_it_looks_for() -> None:
    assert len(ours("rows dealt into 10 blocks; it errs by a bit, spoken for, too dear: garbled attributes")) == 8
    assert ours("Read the fold again: a deaf blockade, an error, dearth") == []
    page = '<p title="dealt">two</p><style>display: block</style><script>block</script><b>blocks</b>'
    assert Read(page).parts == ["dealt", "two", "blocks"]
    assert list(titles({"layer": [{"x": {"title": "blocks"}}], "datasets": {"title": "no"}})) == ["blocks"]


COMMANDS = sorted(get_command(app).commands)  # type: ignore[attr-defined]  # a group, which typer's types do not say


@pytest.mark.parametrize("command", ["", *COMMANDS])
def test_every_help_text(command: str) -> None:
    group = get_command(app)
    found = group.commands[command] if command else group  # type: ignore[attr-defined]  # as above
    with found.make_context(command or "venire", [], resilient_parsing=True) as ctx:
        assert ours(found.get_help(ctx)) == []


@pytest.fixture(scope="module")
def table() -> Any:
    rng = np.random.default_rng(0)
    x = rng.normal(size=36)
    frame = {"x": x, "z": rng.normal(size=36), "g": np.arange(36) % 6, "y": x + rng.normal(size=36)}
    return read_table(pandas.DataFrame(frame), "y", drop=("g",))


WAYS = [Way(folds=3), Way(folds=3, layers=1), Way(folds=3, inner_folds=2), Way("holdout"), Way("bootstrap", samples=3)]


@pytest.mark.parametrize("metric", ["rmse", "r2"])
@pytest.mark.parametrize("way", WAYS)
def test_a_validation(table: Any, way: Way, metric: str) -> None:
    found = way.validate(KNeighborsRegressor(), table, grid={"n_neighbors": [3, 1]}, metric=metric)
    target = StringIO()
    validation_text.show(document_of(found, way, table, 0, 0.0), make_console(target, width=100))
    assert ours(target.getvalue()) == []
    assert ours(str(found)) == []
    assert ("R²" in target.getvalue()) == ("R²" in str(found)) == (metric == "r2")
    assert "1 − R²" not in target.getvalue() + str(found)


def test_results_in_python(table: Any) -> None:
    for validate in (one_layer, two_layer):
        assert ours(str(validate(KNeighborsRegressor(), table, grid={"n_neighbors": [3, 1]}, folds=3))) == []


def test_a_selection(table: Any) -> None:
    selected = select(table, folds=3)
    assert ours(str(selected)) == []
    assert ours(selection_text.to_text(selected.to_dict(), width=100)) == []
    assert ours(" ".join(titles(picture(selected.to_dict()).to_dict()))) == []


def test_the_lists(table: Any) -> None:
    target = StringIO()
    console = make_console(target, width=120)
    states = ("complete", "budget", "interrupted", "no verdict")
    runs_text.runs([{"key": "a", "chosen": "tree", "error": 0.1, "state": state} for state in states], console)
    listings.columns(describe(table), console)
    assert ours(target.getvalue()) == []
