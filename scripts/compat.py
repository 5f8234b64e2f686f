"""scikit-learn's own test files with our classes in the place of theirs: a table, and the failures by reason.

    python -m scripts.compat [--details] [FILE ...]

The tests themselves are not changed. FILE is a module such as `sklearn.tree.tests.test_tree`.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]
FILES: Final = (
    "sklearn.ensemble.tests.test_forest",
    "sklearn.ensemble.tests.test_bagging",
    "sklearn.ensemble.tests.test_weight_boosting",
    "sklearn.ensemble.tests.test_stacking",
    "sklearn.ensemble.tests.test_voting",
    "sklearn.ensemble.tests.test_gradient_boosting",
    "sklearn.tree.tests.test_tree",
    "sklearn.tests.test_multiclass",
)
PATIENCE: Final = 1200  # seconds a file
# The first that fits the message of a failure names its group.
REASONS: Final = (
    ("sparse input", r"[Ss]parse"),
    ("several targets", r"multi-?output|multilabel|y should be a 1d array|1d array was expected|bad input shape"),
    ("a parameter that ours do not have", r"unexpected keyword argument|Invalid parameter|positional argument"),
    ("a value of a parameter that ours do not take", r"InvalidParameterError|parameter of .* must be"),
    ("an attribute or method that ours do not have", r"AttributeError|has no attribute"),
    ("another class or text of an error", r"DID NOT RAISE|Regex pattern|did not match|UsageError|DataError"),
    ("warnings that differ", r"DID NOT WARN|Warning"),
    ("other numbers", r"AssertionError|assert "),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test: its name, how it ended, and what was said if it failed."""

    name: str
    state: str  # passed, failed or skipped
    message: str = ""

    @property
    def reason(self) -> str:
        """The group of a failure."""
        return next((name for name, pattern in REASONS if re.search(pattern, self.message)), "other errors")


def outcomes(junit: str) -> list[Outcome]:
    """What pytest's report in XML says.

    >>> outcomes('<testsuites><testcase classname="a" name="b"><failure message="sparse X"/></testcase></testsuites>')
    [Outcome(name='a::b', state='failed', message='sparse X')]
    """
    found = []
    for case in ElementTree.fromstring(junit).iter("testcase"):
        name = f"{case.get('classname', '')}::{case.get('name', '')}"
        broken = next((each for each in case if each.tag in ("failure", "error")), None)
        if broken is not None:
            found.append(Outcome(name, "failed", broken.get("message") or broken.text or ""))
        else:
            found.append(Outcome(name, "skipped" if case.find("skipped") is not None else "passed"))
    return found


def run(module: str) -> list[Outcome]:
    """The tests of one file, in a process of their own."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "report.xml")
        plain = ["-q", "-c", "/dev/null", "--rootdir", folder, "-p", "no:cacheprovider", "--tb=no", "--no-header"]
        command = [sys.executable, "-m", "pytest", *plain, "-p", "scripts.compat_plugin"]
        try:
            subprocess.run(
                [*command, f"--junitxml={report}", "--pyargs", module],
                cwd=ROOT,
                timeout=PATIENCE,
                check=False,  # failures are what is counted
                capture_output=True,
            )
        except subprocess.TimeoutExpired:
            return [Outcome(module, "failed", f"not done after {PATIENCE} seconds")]
        if not report.exists():
            return [Outcome(module, "failed", "pytest wrote no report")]
        return outcomes(report.read_text())


def table(found: dict[str, list[Outcome]]) -> str:
    """Markdown: passed, failed and skipped of each file and in all."""
    lines = ["| file | passed | failed | skipped |", "|---|---:|---:|---:|"]
    counts = {name.rpartition(".")[2]: Counter(one.state for one in tests) for name, tests in found.items()}
    total: Counter[str] = sum(counts.values(), Counter())
    for name, one in (*((f"`{name}`", one) for name, one in counts.items()), ("**all**", total)):
        lines.append(f"| {name} | {one['passed']} | {one['failed']} | {one['skipped']} |")
    return "\n".join(lines)


def reasons(found: dict[str, list[Outcome]]) -> str:
    """Markdown: how many failures each group has, the largest first."""
    failed = [one for tests in found.values() for one in tests if one.state == "failed"]
    counted = Counter(one.reason for one in failed).most_common()
    return "\n".join(["| reason | failures |", "|---|---:|", *(f"| {name} | {count} |" for name, count in counted)])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", default=FILES, metavar="FILE")
    parser.add_argument("--details", action="store_true", help="name every test that failed, with its message")
    given = parser.parse_args(arguments)
    found = {module: run(module) for module in given.files}
    sys.stdout.write(f"{table(found)}\n\n{reasons(found)}\n")
    if given.details:
        for one in (one for tests in found.values() for one in tests if one.state == "failed"):
            sys.stdout.write(f"{one.reason}: {one.name}: {one.message[:200]!r}\n")


if __name__ == "__main__":
    main()
