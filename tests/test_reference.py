"""The reference: every public name is on a page, and its docstring has the sections of numpydoc, with an example."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re
from collections import Counter
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

import venire

ROOT = Path(__file__).parents[1]
PAGES = sorted((ROOT / "docs/reference").glob("*.md"))
HEADING = re.compile(r"^(\w+)\n-{3,}$", re.MULTILINE)


def public_names() -> dict[str, Any]:
    """What the packages list in `__all__`, by the path under which it is shortest."""
    found: dict[int, tuple[str, Any]] = {}
    packages = [info.name for info in pkgutil.walk_packages(venire.__path__, "venire.") if info.ispkg]
    for package in ["venire", *sorted(packages, key=lambda name: (name.count("."), name))]:
        module = importlib.import_module(package)
        for name in getattr(module, "__all__", ()):
            thing = getattr(module, name)
            found.setdefault(id(thing), (f"{package}.{name}", thing))
    return dict(found.values())


PUBLIC = public_names()


def shown(page: Path) -> list[Any]:
    """The objects a page asks mkdocstrings for."""
    paths = re.findall(r"^::: (\S+)$", page.read_text(), re.MULTILINE)
    homes = [path.rpartition(".") for path in paths]
    return [getattr(importlib.import_module(home), name) for home, _, name in homes]


def sections(thing: Any) -> dict[str, str]:
    """The sections of a docstring by their headings; what stands before the first is its summary."""
    parts = HEADING.split(inspect.cleandoc(thing.__doc__ or ""))
    return {"Summary": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def entries(section: str) -> list[str]:
    """The names a section of parameters or attributes describes: lines that are not indented."""
    lines = [line.split(" : ")[0] for line in section.splitlines() if line and not line.startswith(" ")]
    return [name.strip().lstrip("*") for line in lines for name in line.split(",")]


def parameters(thing: Any) -> list[str]:
    try:
        return [name for name in inspect.signature(thing).parameters if not name.startswith("_")]
    except ValueError:  # a built-in constructor without a signature, as of a plain exception
        return []


def is_value(thing: Any) -> bool:
    """A result or a kind, whose fields are described as attributes."""
    return inspect.isclass(thing) and (dataclasses.is_dataclass(thing) or issubclass(thing, Enum))


def fields(thing: Any) -> list[str]:
    return list(thing.__members__) if issubclass(thing, Enum) else parameters(thing)


def test_the_sections_of_a_docstring_are_found() -> None:
    def example(first: int, *rest: int, last: int = 0) -> int:
        """Add.

        Parameters
        ----------
        first, last : int
            Ends.
        *rest
            Between:
            anything.

        Returns
        -------
        int
            The sum.
        """
        return first + sum(rest) + last

    found = sections(example)
    assert list(found) == ["Summary", "Parameters", "Returns"]
    assert entries(found["Parameters"]) == ["first", "last", "rest"]


def test_every_public_name_is_on_one_page() -> None:
    counts = Counter(id(thing) for page in PAGES for thing in shown(page))
    assert {name: counts[id(thing)] for name, thing in PUBLIC.items() if counts[id(thing)] != 1} == {}
    assert set(counts) == {id(thing) for thing in PUBLIC.values()}, "a page shows what no package lists"


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_is_described(name: str) -> None:
    thing = PUBLIC[name]
    found = sections(thing)
    assert found["Summary"].strip()
    assert set(found) <= {"Summary", "Parameters", "Attributes", "Returns", "Notes", "Examples"}
    if is_value(thing):
        assert sorted(entries(found.get("Attributes", ""))) == sorted(fields(thing))
    elif not getattr(thing, "_is_protocol", False):
        assert sorted(entries(found.get("Parameters", ""))) == sorted(parameters(thing))
    if inspect.isfunction(thing):
        returns = inspect.signature(thing).return_annotation not in (None, "None")
        assert ("Returns" in found) == returns


@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_name_has_an_example(name: str) -> None:
    # tests/test_docs.py runs the examples of every module of the package, and so this one.
    thing = PUBLIC[name]
    assert ">>> " in sections(thing).get("Examples", "")
    assert thing.__module__.startswith("venire.")
