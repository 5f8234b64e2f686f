"""The tree keeps its own rules: what is said about it is true, and no file knows the machine it came from."""

from __future__ import annotations

import ast
import re
import socket
import subprocess
import tomllib
from pathlib import Path

import pytest

import venire

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/venire"
MODULES = sorted(PACKAGE.rglob("*.py"))
DECISIONS = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def text_files() -> list[Path]:
    """Every text file of the tree that is, or is about to be, under version control."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    if listed.returncode != 0:
        pytest.skip("not a git checkout")
    files = [ROOT / name for name in listed.stdout.splitlines()]
    return [file for file in files if file.is_file() and b"\0" not in file.read_bytes()[:4096]]


def test_no_file_names_a_machine() -> None:
    # Assembled, so that this file does not find itself.
    places = ["/".join(["", part, ""]) for part in ("root", "work", "Users", "home/[a-z]+", "opt", "mnt")]
    pattern = re.compile(r"(?<![\w.*}$~])(?:" + "|".join(places) + r")[\w.]")
    found = [
        f"{name_of(file)}: {line.strip()[:100]}"
        for file in text_files()
        for line in file.read_text(encoding="utf-8", errors="replace").splitlines()
        if pattern.search(line)
    ]
    assert not found


def test_every_module_says_what_it_is() -> None:
    silent = [name_of(module) for module in MODULES if not ast.get_docstring(ast.parse(module.read_text()))]
    assert not silent, "a module starts with a sentence on what it holds"


def test_every_public_name_is_there() -> None:
    assert [name for name in venire.__all__ if not hasattr(venire, name)] == []
    assert set(venire.__all__) <= set(dir(venire))


def test_tests_mirror_the_package() -> None:
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir() and list(path.glob("test_*.py"))}
    # Rings of tests that cut across packages; C++ stages; what stands beside the package.
    beyond = {"contract", "oracle", "core", "benchmarks", "scripts", "compat"}
    assert folders - beyond <= {path.parent.name for path in PACKAGE.glob("*/__init__.py")}


def test_warnings_are_errors_in_tests() -> None:
    options = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["pytest"]["ini_options"]
    assert options["filterwarnings"] == ["error"]
    assert options["xfail_strict"]


def test_no_test_reaches_the_network() -> None:
    # tests/conftest.py sees to it; an address of the documentation range, which nobody has.
    with socket.socket() as line, pytest.raises(RuntimeError, match="a test asked for the network"):
        line.connect(("192.0.2.1", 80))


def test_every_raises_has_a_match() -> None:
    calls = [
        (name_of(file), node)
        for file in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(file.read_text()))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in {"pytest.raises", "pytest.warns"}
    ]
    bare = [f"{name}:{call.lineno}" for name, call in calls if "match" not in {word.arg for word in call.keywords}]
    assert not bare


def test_every_exemption_has_its_reason() -> None:
    exemption = re.compile(
        r"#\s*(?:type:\s*ignore(?:\[[\w, -]+\])?|noqa(?::\s*[A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*)?)(?P<reason>.*)$"
    )
    bare: list[str] = []
    for folder in ("src", "tests", "benchmarks", "examples", "scripts"):
        for file in sorted((ROOT / folder).rglob("*.py")):
            for number, line in enumerate(file.read_text().splitlines(), start=1):
                found = exemption.search(line)
                if found and not found["reason"].strip(" #-—"):
                    bare.append(f"{name_of(file)}:{number}: {line.strip()}")
    assert not bare, "write the reason behind it"


def test_the_readme_starts_with_the_two_commands() -> None:
    top = "\n".join((ROOT / "README.md").read_text().splitlines()[:25])
    assert "make demo" in top
    assert "make test" in top


def test_ci_runs_what_people_run() -> None:
    assert "make test" in (ROOT / ".ci/run").read_text()
    assert "make test" in (ROOT / ".github/workflows/ci.yml").read_text()


def test_every_command_named_in_a_page_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    pages = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
    pages += [ROOT / ".ci/run", *sorted((ROOT / ".github").rglob("*.yml"))]
    named = {
        (name_of(page), target)
        for page in pages
        for target in re.findall(r"(?:`|^\s*|run: )make ([a-z-]+)", page.read_text(), re.MULTILINE)
    }
    assert not {(page, target) for page, target in named if target not in targets}


def test_the_layout_page_names_every_folder() -> None:
    page = (ROOT / "docs/architecture.md").read_text()
    section = page.split("## Layout")[1].split("\n## ")[0]
    rows = re.findall(r"^\| `([^`]+)` \|", section, re.MULTILINE)
    packages = {f"{path.parent.name}/" for path in PACKAGE.glob("*/__init__.py")}
    modules = {path.name for path in PACKAGE.glob("[a-z]*.py")}
    assert set(rows) == packages | modules


def test_the_layers_page_is_the_import_contract() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    drawn = " > ".join(layer.replace(" : ", " | ") for layer in layers)
    for page in ("docs/architecture.md", "CONTRIBUTING.md"):
        assert drawn in " ".join((ROOT / page).read_text().split()), f"{page} draws other layers than pyproject.toml"
    assert not [contract for contract in contracts if contract.get("ignore_imports")], "no exemption"


def test_decisions_are_numbered_without_gaps() -> None:
    assert [int(path.name[:4]) for path in DECISIONS] == list(range(1, len(DECISIONS) + 1))


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda path: path.stem)
def test_a_decision_has_its_parts(decision: Path) -> None:
    text = decision.read_text()
    assert re.match(rf"# {int(decision.name[:4])}\. \S", text), "the title repeats the number"
    status = re.search(r"^Status: (accepted|proposed|superseded by \d{4})", text, re.MULTILINE)
    assert status, "a status line: accepted, proposed or superseded by NNNN"
    for heading in ("## Context", "## Decision", "## Consequences"):
        assert heading in text


def test_the_index_lists_every_decision() -> None:
    index = (ROOT / "docs/decisions/index.md").read_text()
    assert [path.name for path in DECISIONS if f"({path.name})" not in index] == []


def test_every_page_is_in_the_navigation() -> None:
    navigation = (ROOT / "mkdocs.yml").read_text().split("\nnav:")[1]
    shown = re.findall(r"^ +- (?:[^:\n]+: )?(\S+\.md)$", navigation, re.MULTILINE)
    pages = [path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert sorted(shown) == sorted(pages)


def test_a_commit_runs_what_people_run() -> None:
    assert "entry: make lint\n" in (ROOT / ".pre-commit-config.yaml").read_text()


def test_the_changelog_knows_the_version() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert f"## {version}" in (ROOT / "CHANGELOG.md").read_text()
