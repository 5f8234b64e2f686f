"""The pages of the guide, of the methods and for those who come from elsewhere: their code prints what they show."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    page.relative_to(ROOT).as_posix()
    for folder in ("guide", "methods", "coming-from")
    for page in (ROOT / "docs" / folder).glob("*.md")
)
OPTIONS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(page: str) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES)
def test_code_on_a_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    said: list[str] = []
    runner = doctest.DocTestRunner(optionflags=OPTIONS)
    text = "\n".join(blocks(page))
    runner.run(doctest.DocTestParser().get_doctest(text, {}, page, page, 0), out=said.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(said)


@pytest.mark.parametrize("page", [page for page in PAGES if not page.endswith("index.md")])
def test_a_page_shows_code_that_is_run(page: str) -> None:
    assert blocks(page)
    assert all(block.startswith(">>> ") for block in blocks(page)), "code that no test runs"


@pytest.mark.parametrize("page", [page for page in PAGES if "methods/" in page and not page.endswith("index.md")])
def test_a_method_has_its_parts(page: str) -> None:
    text = (ROOT / page).read_text()
    heads = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert heads[0] == "The idea"
    assert heads[1].startswith("When to use")
    assert heads[2:] == ["In venire", "Worked example"]
    idea = text[text.index("## The idea") : text.index("## In venire")]
    assert "```text" in idea, "a formula"
    assert [
        link for link in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", text) if (ROOT / page).parent.joinpath(link).is_file()
    ]


def test_every_method_is_on_the_overview() -> None:
    listed = re.findall(r"\(([\w-]+\.md)\)", (ROOT / "docs/methods/index.md").read_text())
    there = [Path(page).name for page in PAGES if page.startswith("docs/methods/")]
    assert sorted({*listed, "index.md"}) == there
