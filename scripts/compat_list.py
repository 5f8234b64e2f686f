"""The list of scikit-learn's tests that pass with our classes, which may only grow, and the page of those that do not.

`tests/compat/passing.txt` names scikit-learn's version in its first line, then a test a line, behind the seconds it
took when it was added. `tests/compat/differences.txt` says why a test does not pass, by its name without parameters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
PASSING: Final = ROOT / "tests" / "compat" / "passing.txt"
DIFFERENCES: Final = ROOT / "tests" / "compat" / "differences.txt"
PAGE: Final = ROOT / "docs" / "scikit-learn-tests.md"
QUICK_TEST: Final = 0.5  # seconds that a test of the quick run takes at most, by the clock of a busy machine
QUICK_ALL: Final = 60.0  # and all of them together
PRIVATE: Final = "The test reads or patches a private name of scikit-learn."
_HEAD: Final = "# scikit-learn "


@dataclass(frozen=True, slots=True)
class Listed:
    """The tests that pass, with their seconds, under one version of scikit-learn."""

    version: str
    seconds: Mapping[str, float]

    def quick(self) -> list[str]:
        """The fastest, as many as fit into the time of the quick run.

        >>> Listed("1", {"slow": 9.0, "fast": 0.01}).quick()
        ['fast']
        """
        chosen, total = [], 0.0
        for name, seconds in sorted(self.seconds.items(), key=lambda item: item[1]):
            total += seconds
            if seconds > QUICK_TEST or total > QUICK_ALL:
                break
            chosen.append(name)
        return sorted(chosen)

    def grown(self, passed: Mapping[str, float]) -> Listed:
        """With the tests that passed now, too; those listed keep their line."""
        return Listed(self.version, {**passed, **self.seconds})


def read_list(path: Path = PASSING) -> Listed:
    """The list as it is stored."""
    first, *lines = path.read_text(encoding="utf-8").splitlines()
    pairs = (line.split(" ", 1) for line in lines if line and not line.startswith("#"))
    return Listed(first.removeprefix(_HEAD), {name: float(seconds) for seconds, name in pairs})


def write_list(listed: Listed, path: Path = PASSING) -> None:
    """Store a list, in the order of the names."""
    lines = [f"{_HEAD}{listed.version}", *(f"{listed.seconds[name]:.3f} {name}" for name in sorted(listed.seconds))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def lost(listed: Listed, passed: Iterable[str], version: str) -> list[str]:
    """What is listed and does not pass any more. Under another version, tests that are not there are nobody's loss.

    >>> lost(Listed("1", {"a": 0.0, "b": 0.0}), ["a"], "1")
    ['b']
    """
    return sorted(set(listed.seconds) - set(passed)) if version == listed.version else []


def plain_name(name: str) -> str:
    """A test without its parameters.

    >>> plain_name("tree/tests/test_tree.py::test_mae[a-b]")
    'test_tree.py::test_mae'
    """
    return name.rpartition("/")[2].partition("[")[0]


def read_differences(path: Path = DIFFERENCES) -> dict[str, str]:
    """Why tests do not pass: `test_tree.py::test_mae: reason`, a line each."""
    lines = (line for line in path.read_text(encoding="utf-8").splitlines() if line and not line.startswith("#"))
    pairs = (re.match(r"(\S+::\w+): (.+)", line) for line in lines)
    return {pair[1]: pair[2] for pair in pairs if pair is not None}


def is_private(name: str) -> bool:
    """Does this test fail because it reads or patches a private name?"""
    return read_differences().get(plain_name(name)) == PRIVATE


def page(table: str, failures: Sequence[tuple[str, str]], version: str) -> str:
    """Markdown: the table, and every test that does not pass, under its reason; `failures` has names and groups."""
    known = read_differences()
    by_reason: dict[str, list[str]] = {}
    for name, group in failures:
        by_reason.setdefault(known.get(plain_name(name), f"Not looked into: {group}."), []).append(name)
    lines = [
        "# scikit-learn's tests, one by one",
        "",
        f"Written by `make compat COMPAT=--write` with scikit-learn {version}. [Beside scikit-learn](scikit-learn.md) "
        "says what is the same and what differs.",
        "",
        table,
        "",
        "## Tests that do not pass",
        "",
    ]
    for reason, names in sorted(by_reason.items(), key=lambda item: (-len(item[1]), item[0])):
        lines += [f"**{reason}** ({len(names)})", "", *(f"- `{name}`" for name in sorted(names)), ""]
    return "\n".join(lines)
