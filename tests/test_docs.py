"""Documents are run: examples in docstrings, the code of the tutorial, the links of the site."""

from __future__ import annotations

import doctest
import importlib
import re
import shutil
import subprocess
import sys
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.naive_bayes import GaussianNB

import venire
from scripts import cli_page
from tests.report.browser import document_after_scripts
from venire.cli.commands import app

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/venire"
MODULES = sorted(
    ".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__")
    for path in PACKAGE.rglob("*.py")
    if path.name != "__main__.py"
)
# NORMALIZE_WHITESPACE because NumPy pads arrays differently from version to version.
DOCTEST_OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS

ASK = """addEventListener("load", () => {
  const query = document.querySelector("[data-md-component=search-query]");
  query.focus();
  query.value = "stacking";
  query.dispatchEvent(new KeyboardEvent("keyup", {bubbles: true}));
});"""


@pytest.mark.parametrize("name", MODULES)
def test_examples_in_docstrings(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=DOCTEST_OPTIONS)
    for example in doctest.DocTestFinder(exclude_empty=True).find(importlib.import_module(name)):
        runner.run(example, out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert built.returncode == 0, built.stderr
    page = tmp_path / "site/guide/start.html"
    scripts = re.findall(r"<script[^>]* src=\"([^\"]+)", page.read_text())
    assert not [script for script in scripts if "//" in script], "a page that asks for something elsewhere"
    # The search answers in a folder, without a server.
    asked = page.with_name("asked.html")
    asked.write_text(page.read_text().replace("</body>", f"<script>{ASK}</script></body>"))
    found = re.findall(r'<a href="([^"]+)" class="md-search-result__link"', document_after_scripts(asked))
    assert any("methods/stacking.html" in link for link in found)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "CHANGELOG.md"])
def test_links_of_pages_outside_the_site(page: str) -> None:
    links = re.findall(r"\]\((?!https?://)([^)#]+)", (ROOT / page).read_text())
    assert not [link for link in links if not (ROOT / link).exists()]


def python_of(page: str) -> list[tuple[int, str]]:
    """The Python blocks of a page, each with the line it starts on."""
    text = (ROOT / page).read_text()
    found = re.finditer(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [(text[: block.start(1)].count("\n"), block[1]) for block in found]


def run_page(page: str, **given: object) -> None:
    """Run the blocks of a page one after the other; a failure points at the line of the page."""
    names: dict[str, object] = {"__name__": "page", **given}
    for line, code in python_of(page):
        exec(compile("\n" * line + code, str(ROOT / page), "exec"), names)


def test_the_tutorial_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run_page("docs/tutorial.md")
    assert (tmp_path / "loans.html").stat().st_size > 10_000


@pytest.mark.parametrize("page", ["docs/model-files.md", "docs/selection.md", "docs/validation.md"])
def test_examples_on_pages(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # An empty line inside a block belongs to what is printed: pages need not spell it out.
    text = "\n".join(re.sub(r"^$", "<BLANKLINE>", code.rstrip(), flags=re.MULTILINE) for _, code in python_of(page))
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=DOCTEST_OPTIONS)
    runner.run(doctest.DocTestParser().get_doctest(text, {}, page, page, 0), out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_front_pages_run(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    # The pages show the whole bucket on ten folds, which takes minutes; their code is what is tried here.
    quick = partial(venire.compare, models=["baseline", "logistic", "tree"], folds=4)
    monkeypatch.setattr(venire, "compare", quick)
    shutil.copy(PACKAGE / "data/tables/banknotes.csv", tmp_path / "bank.csv")
    run_page(page)
    assert (tmp_path / "bank.html").stat().st_size > 10_000


def test_the_page_on_explanations_runs() -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(size=60), "town": rng.choice(["A", "B"], 60)})
    y = np.where(X["size"] + 0.3 * rng.normal(size=60) > 0, "yes", "no")
    model = venire.DecisionTreeClassifier(max_depth=3, categorical_features="from_dtype").fit(
        X.astype({"town": "category"}), y
    )
    run_page(
        "docs/explanations.md",
        model=model,
        X=X.astype({"town": "category"}),
        X_new=X.astype({"town": "category"}),
        y_new=y,
    )


def test_the_page_on_estimators_of_ones_own_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(venire, "compare", partial(venire.compare, folds=3))
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"age": rng.normal(size=60), "fare": rng.normal(size=60)})
    table.assign(survived=(table["age"] > 0).map({True: "yes", False: "no"})).to_csv("titanic.csv", index=False)
    run_page("docs/own_estimators.md", MyClassifier=GaussianNB)


def test_the_page_on_honesty_runs() -> None:
    run_page("docs/honesty.md")


def test_the_code_of_every_page_is_run() -> None:
    with_code = {
        page
        for page in ("README.md", *(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")))
        if python_of(page)
    }
    here = {
        *("README.md", "docs/index.md", "docs/tutorial.md", "docs/model-files.md", "docs/selection.md"),
        *("docs/validation.md", "docs/explanations.md", "docs/own_estimators.md", "docs/honesty.md"),
    }
    elsewhere = {page for page in with_code if page.split("/")[1:2] in (["guide"], ["methods"], ["coming-from"])}
    assert with_code - here - elsewhere == {"docs/cluster.md"}, "that page asks for the machines of a cluster"


def test_the_page_on_the_command_line_is_up_to_date() -> None:
    written = cli_page.PAGE.read_text()
    assert written == cli_page.page(written, app), "run `make cli-page` and commit the result"


def test_every_finding_has_its_place_on_the_page() -> None:
    codes = re.findall(r'"(V\d{3})"', (PACKAGE / "verdict/findings/catalogue.py").read_text())
    headings = re.findall(r"^## (V\d{3}) — .* \{ #(V\d{3}) \}$", (ROOT / "docs/findings.md").read_text(), re.MULTILINE)
    assert headings == [(code, code) for code in sorted(set(codes))]
