"""What people read is in the words of the field: messages, hints, pages of the documentation, and its reference."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
MODULES = sorted((ROOT / "src/venire").rglob("*.py"))
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *(page for page in sorted((ROOT / "docs").rglob("*.md")) if page.parent.name != "decisions"),
]
PRIVATE = re.compile(
    r"\b(dealt|deal(s|ing|ings)? out|dear(er|est)?|err|errs|told|spoken for|by a bit|garbled?"
    r"|the (whole |default )?bucket)\b",
    re.IGNORECASE,
)


def found(text: str) -> list[str]:
    """The private words of a text, with what stands around them; code between ticks is code."""
    plain = re.sub(r"`[^`\n]*`", "", text)
    return [plain[max(0, match.start() - 40) : match.end() + 40] for match in PRIVATE.finditer(plain)]


def sentences(tree: ast.Module) -> Iterator[str]:
    """The texts of a module that are no docstrings: what it says to people is among them."""
    silent = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in silent:
            yield node.value


def public() -> list[str]:
    """The names that the reference builds from docstrings."""
    pages = sorted((ROOT / "docs/reference").glob("*.md"))
    return [name for page in pages for name in re.findall(r"^::: (\S+)", page.read_text(), re.MULTILINE)]


def looked_up(name: str) -> Any:
    parts = name.split(".")
    for length in range(len(parts), 0, -1):
        try:
            thing: Any = importlib.import_module(".".join(parts[:length]))
        except ImportError:
            continue
        for part in parts[length:]:
            thing = getattr(thing, part)
        return thing
    raise AssertionError(f"{name} is not there")


def test_the_scan_sees_what_it_looks_for() -> None:
    said = "rows dealt into folds: it errs by a bit, spoken for, too dear; train the whole bucket as told"
    assert len(found(said)) == 7
    assert found("Read `garble.py` and a deal of error in some models: dearth") == []
    told = ast.parse('"""told"""\nx = f"{1} is told"\n')
    assert list(sentences(told)) == [" is told"]


def test_no_message_has_a_private_word() -> None:
    said = {
        module.relative_to(ROOT).as_posix(): words
        for module in MODULES
        if (words := [one for text in sentences(ast.parse(module.read_text())) for one in found(text)])
    }
    assert said == {}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_a_page_has_no_private_word(page: Path) -> None:
    assert found(page.read_text()) == []


def test_the_reference_has_no_private_word() -> None:
    names = public()
    assert len(names) > 100
    said = {}
    for name in names:
        thing = looked_up(name)
        parts = [thing, *(vars(thing).values() if inspect.isclass(thing) else ())]
        texts = [inspect.getdoc(part) for part in parts if inspect.isroutine(part) or isinstance(part, property | type)]
        if words := [one for text in texts if text for one in found(text)]:
            said[name] = words
    assert said == {}
