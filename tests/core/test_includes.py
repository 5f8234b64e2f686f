"""The folders of the core include each other in one direction, and only its bindings know Python."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

CORE = Path(__file__).parents[2] / "core"
SOURCES = sorted(CORE.rglob("*.[ch]pp"))
FOLDERS = {path.name for path in CORE.iterdir() if path.is_dir()}


def name_of(path: Path) -> str:
    return path.relative_to(CORE).as_posix()


def drawn_order(page: str) -> dict[str, set[str]]:
    """Which folders each folder may include, from the lines `a > b | c > d` of a page."""
    allowed: dict[str, set[str]] = {}
    for line in re.findall(r"^ {4}(\w+(?: [>|] \w+)+)$", page, re.MULTILINE):
        ranks = [rank.split(" | ") for rank in line.split(" > ")]
        for place, rank in enumerate(ranks):
            below = {folder for lower in ranks[place + 1 :] for folder in lower}
            for folder in rank:
                allowed.setdefault(folder, set()).update(below)
    return allowed


def includes(text: str) -> list[str]:
    return re.findall(r'^\s*#\s*include "([^"]+)"', text, re.MULTILINE)


ORDER = drawn_order((CORE / "README.md").read_text())


def refused(source: str, text: str, order: dict[str, set[str]]) -> list[str]:
    """The includes of a file that name no folder, or one that its own folder must not include."""
    folder = source.split("/")[0]
    return [
        other for other in includes(text) if "/" not in other or other.split("/")[0] not in {folder} | order[folder]
    ]


def test_every_folder_has_its_place_in_the_order() -> None:
    assert set(ORDER) == FOLDERS
    assert not [folder for folder, below in ORDER.items() for lower in below if folder in ORDER[lower]], "a cycle"


def test_every_source_is_in_a_folder() -> None:
    assert not [name_of(source) for source in SOURCES if source.parent.parent != CORE]


def test_no_folder_has_more_files_than_a_reader_takes_in() -> None:
    assert not {folder for folder in FOLDERS if len(list((CORE / folder).iterdir())) > 24}


@pytest.mark.parametrize("folder", sorted(FOLDERS))
def test_every_folder_says_what_it_holds(folder: str) -> None:
    lines = (CORE / folder / "README.md").read_text().splitlines()
    assert lines[0].startswith(f"# {folder}: ")
    assert 5 <= len(lines) <= 25
    named = set(re.findall(r"`(?:\w+/)*(\w+\.[ch]pp)`", "\n".join(lines)))
    there = {source.name for source in SOURCES}
    assert named <= there, "the page names a file that is not there"
    ways_in = {f"{path.stem}.hpp" for path in (CORE / folder).glob("*.hpp")}
    assert folder == "bind" or ways_in <= named, "the page leaves out a file"


def test_includes_go_one_way() -> None:
    texts = {name_of(source): source.read_text() for source in SOURCES}
    found = {name: refused(name, text, ORDER) for name, text in texts.items()}
    assert not {name: others for name, others in found.items() if others}
    assert not [(name, other) for name, text in texts.items() for other in includes(text) if other not in texts]


def test_a_forbidden_include_is_seen() -> None:
    assert refused("base/x.hpp", '#include "tree/grow.hpp"\n', ORDER) == ["tree/grow.hpp"]
    assert refused("metrics/x.cpp", '#include "bins/keys.hpp"\n', ORDER) == ["bins/keys.hpp"]
    assert refused("tree/x.cpp", '#include "grow.hpp"\n', ORDER) == ["grow.hpp"]
    assert refused("boost/x.cpp", '#include "tree/grow.hpp"\n#include "base/types.hpp"\n', ORDER) == []


def test_only_the_bindings_know_python() -> None:
    python = re.compile(r"nanobind|Python\.h|#include \"bind/")
    assert {name_of(source) for source in SOURCES if python.search(source.read_text())} <= {
        name_of(source) for source in SOURCES if source.parent.name == "bind"
    }
