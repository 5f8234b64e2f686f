"""scikit-learn's own test files with our classes in the place of theirs: a table, and the failures by reason.

    python -m scripts.compat [--details] [--write] [--json FILE] [--seconds 20] [--jobs 2] [FILE ...]

The tests themselves are not changed. FILE is a module such as `sklearn.tree.tests.test_tree`. A test that takes longer
than `--seconds` of the processor has failed. A test of `tests/compat/passing.txt` that does not pass is an error;
`--write` adds those that pass to that list, and writes the page of those that do not.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

import sklearn

from scripts.compat_list import PAGE, PASSING, Listed, is_private, lost, page, read_list, write_list

ROOT = Path(__file__).parents[1]
FILES: Final = (  # the longest first
    "sklearn.tree.tests.test_tree",
    "sklearn.ensemble.tests.test_forest",
    "sklearn.ensemble.tests.test_gradient_boosting",
    "sklearn.tests.test_multiclass",
    "sklearn.ensemble.tests.test_bagging",
    "sklearn.ensemble.tests.test_weight_boosting",
    "sklearn.ensemble.tests.test_stacking",
    "sklearn.ensemble.tests.test_voting",
    "sklearn.ensemble.tests.test_common",
)
PATIENCE: Final = 1800  # seconds a file
# The first that fits the message of a failure names its group.
REASONS: Final = (
    ("out of time", r"not done after|pytest died"),
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
    """One test: its name, how it ended, how long it took, and what was said if it failed."""

    name: str
    state: str  # passed, failed or skipped
    seconds: float = 0.0
    message: str = ""

    @property
    def reason(self) -> str:
        """The group of a failure."""
        return next((name for name, pattern in REASONS if re.search(pattern, self.message)), "other errors")


def outcomes(lines: Iterable[str]) -> list[Outcome]:
    """What the lines of the plugin say; a test that began and has no end was where the process died.

    >>> outcomes(['{"begins": "a"}', '{"name": "a", "state": "passed"}', '{"begins": "b"}'])[1].message
    'pytest died in this test'
    """
    found: dict[str, Outcome] = {}
    for line in map(json.loads, lines):
        if "begins" in line:
            found[line["begins"]] = Outcome(line["begins"], "failed", message="pytest died in this test")
        elif found.get(line["name"], Outcome("", "")).message in ("", "pytest died in this test"):
            found[line["name"]] = Outcome(**line)
    return list(found.values())


def file_of(module: str) -> str:
    """Where the tests of a module are."""
    return str(Path(sklearn.__file__).parent.joinpath(*module.split(".")[1:])) + ".py"


def run(chosen: Sequence[str], seconds: float) -> list[Outcome]:
    """Tests, by files or names as pytest takes them, in a process of their own, and in another one if it dies."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "outcomes.jsonl")
        log.touch()
        where = Path(sklearn.__file__).parent
        plain = ["-q", "-c", "/dev/null", "--rootdir", str(where.parent), "-p", "no:cacheprovider", "--tb=short"]
        command = [sys.executable, "-m", "pytest", *plain, "-p", "scripts.compat_plugin", "--import-mode=importlib"]
        environment = {**os.environ, "VENIRE_COMPAT_LOG": str(log), "VENIRE_COMPAT_SECONDS": str(seconds)}
        while True:
            done = outcomes(log.read_text().splitlines())
            skipped = [f"--deselect=sklearn/{one.name}" for one in done]
            try:
                ended = subprocess.run(
                    [*command, *skipped, *chosen],
                    cwd=ROOT,
                    env=environment,
                    timeout=PATIENCE,
                    check=False,  # failures are what is counted
                    capture_output=True,
                    text=True,
                )
            except subprocess.TimeoutExpired:
                return [*done, Outcome(chosen[0], "failed", message=f"not done after {PATIENCE} seconds")]
            if 0 <= ended.returncode <= 1 or ended.returncode == 5:  # done: all passed, some failed, none left
                return outcomes(log.read_text().splitlines())
            if len(outcomes(log.read_text().splitlines())) == len(done):
                return [*done, Outcome(chosen[0], "failed", message=f"pytest could not begin: {ended.stdout[-2000:]}")]


def table(found: dict[str, list[Outcome]]) -> str:
    """Markdown: what passes of each file and in all, and the share of those that use public names alone."""
    lines = [
        "| file | passed | failed | of private names | skipped | of public names |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    counts = {name.rpartition(".")[2]: Counter(map(_state, tests)) for name, tests in found.items()}
    total: Counter[str] = sum(counts.values(), Counter())
    for name, one in (*((f"`{name}`", one) for name, one in counts.items()), ("**all**", total)):
        public = one["passed"] + one["failed"]
        share = f"{one['passed'] / public:.1%}" if public else ""
        numbers = f"{one['passed']} | {one['failed']} | {one['private']} | {one['skipped']} | {share}"
        lines.append(f"| {name} | {numbers} |")
    return "\n".join(lines)


def _state(test: Outcome) -> str:
    """How a test ended; `private` if it failed because it reads a private name."""
    return "private" if test.state == "failed" and is_private(test.name) else test.state


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
    parser.add_argument("--write", action="store_true", help="add to the list what passes, and write the page")
    parser.add_argument("--json", type=Path, help="write the outcomes of all tests to this file")
    parser.add_argument("--seconds", type=float, default=20, help="what one test may take of the processor")
    parser.add_argument("--jobs", type=int, default=2, help="files that run at the same time")
    given = parser.parse_args(arguments)
    with ThreadPoolExecutor(given.jobs) as pool:
        every = pool.map(lambda module: run([file_of(module)], given.seconds), given.files)
        found = dict(zip(given.files, every, strict=True))
    if given.json is not None:
        rows = {module: [asdict(one) for one in tests] for module, tests in found.items()}
        given.json.write_text(json.dumps({"scikit-learn": sklearn.__version__, "tests": rows}, indent=1) + "\n")
    sys.stdout.write(f"{table(found)}\n\n{reasons(found)}\n")
    if given.details:
        for one in (one for tests in found.values() for one in tests if one.state == "failed"):
            sys.stdout.write(f"{one.reason}: {one.name}: {one.message[:200]!r}\n")
    if given.write:
        write(found)
    elif missing := _lost(found):
        sys.exit("listed, and not passed: " + ", ".join(missing))


def write(found: dict[str, list[Outcome]]) -> None:
    """The list with what passes now, too, and the page of what does not."""
    tests = [one for of_file in found.values() for one in of_file]
    passed = {one.name: one.seconds for one in tests if one.state == "passed"}
    listed = read_list() if PASSING.exists() else Listed(sklearn.__version__, {})
    write_list(listed.grown(passed) if listed.version == sklearn.__version__ else Listed(sklearn.__version__, passed))
    failures = [(one.name, one.reason) for one in tests if one.state == "failed"]
    PAGE.write_text(page(table(found), failures, sklearn.__version__), encoding="utf-8")


def _lost(found: dict[str, list[Outcome]]) -> list[str]:
    looked_at = {file_of(module).rpartition("sklearn/")[2] for module in found}
    listed = read_list()
    mine = {name: seconds for name, seconds in listed.seconds.items() if name.partition("::")[0] in looked_at}
    passed = [one.name for tests in found.values() for one in tests if one.state == "passed"]
    return lost(Listed(listed.version, mine), passed, sklearn.__version__)


if __name__ == "__main__":
    main()
