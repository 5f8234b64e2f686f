"""`scripts/tidy.py` reads a file again when something it depends on has changed, and only then."""

from __future__ import annotations

from pathlib import Path

import pytest

from scripts.tidy import CORE, digest, read_with_includes


@pytest.fixture
def core(tmp_path: Path) -> Path:
    """A file that includes a header, which includes another; and a header that it does not include."""
    (tmp_path / "tree").mkdir()
    (tmp_path / "base").mkdir()
    (tmp_path / "tree/grow.cpp").write_text('#include "tree/grow.hpp"\n#include <vector>\n')
    (tmp_path / "tree/grow.hpp").write_text('#pragma once\n  #  include "base/types.hpp"\n')
    (tmp_path / "base/types.hpp").write_text("using Row = unsigned;\n")
    (tmp_path / "base/other.hpp").write_text("using Code = unsigned char;\n")
    return tmp_path


def test_headers_are_followed(core: Path) -> None:
    assert set(read_with_includes(core / "tree/grow.cpp", core)) == {"tree/grow.cpp", "tree/grow.hpp", "base/types.hpp"}


@pytest.mark.parametrize(
    ("name", "again"), [("tree/grow.cpp", True), ("base/types.hpp", True), ("base/other.hpp", False)]
)
def test_a_change_is_seen_where_it_matters(core: Path, name: str, again: bool) -> None:
    before = digest(core / "tree/grow.cpp", "checks", core=core)
    with (core / name).open("a") as file:
        file.write("// changed\n")
    assert (digest(core / "tree/grow.cpp", "checks", core=core) != before) == again


def test_other_checks_are_another_matter(core: Path) -> None:
    source = core / "tree/grow.cpp"
    assert digest(source, "checks", core=core) != digest(source, "other checks", core=core)


def test_every_source_of_the_core_can_be_followed() -> None:
    for source in CORE.rglob("*.cpp"):
        assert source.relative_to(CORE).as_posix() in read_with_includes(source)
