"""The tree keeps its own rules: what is said about it is true, and no file knows the machine it came from."""

from __future__ import annotations

import ast
import re
import socket
import subprocess
import sys
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


def imported(tree: ast.AST) -> set[str]:
    """The top-level names of all modules a file imports, wherever in the file."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


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


def unpickles(tree: ast.AST) -> set[str]:
    """What a module imports or calls that can run code from a file.

    joblib moves work between processes of one run, which is another matter; `joblib.load` is not.
    """
    calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    readers = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve"}
    return imported(tree) & readers | calls & {"joblib.load", "eval", "exec"}


def test_no_module_unpickles() -> None:
    assert unpickles(ast.parse("import pickle\njoblib.load('x')")) == {"pickle", "joblib.load"}
    found = {name_of(module): unpickles(ast.parse(module.read_text())) for module in MODULES}
    assert not {name: reasons for name, reasons in found.items() if reasons}


def test_a_package_only_re_exports() -> None:
    other = {
        (name_of(front), ast.unparse(node))
        for front in sorted(PACKAGE.rglob("__init__.py"))
        for node in ast.parse(front.read_text()).body[1:]
        if not isinstance(node, ast.Import | ast.ImportFrom | ast.Assign)
    }
    # The front door opens its rooms when first entered; so does the cluster's, for the models that stand above it.
    fronts = {"src/venire/__init__.py", "src/venire/cluster/__init__.py"}
    doors = ("if TYPE_CHECKING:", "def __getattr__(", "def __dir__(")
    opened = {each for each in other if each[0] in fronts and each[1].startswith(doors)}
    assert other == opened, "public means listed; an __init__ does nothing else"


def test_only_models_metrics_and_readers_touch_the_compiled_core() -> None:
    # import-linter reads sources only, and the core has none in Python. Metrics count in it (decision 15), and plain
    # numbers are read in it (decision 46). Checksums of files are its.
    rooms = {"models", "ensembles", "families", "metrics", "data", "disk"}
    touching = {
        module.relative_to(PACKAGE).parts[0]
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Import | ast.ImportFrom) and re.search(r"\b_core\b", ast.unparse(node))
    }
    assert touching <= rooms


def private_of_scikit_learn(node: ast.AST) -> bool:
    """Whether a statement imports a private module of scikit-learn, or a private name of a public one."""
    if isinstance(node, ast.Import):
        paths = [alias.name for alias in node.names]
    elif isinstance(node, ast.ImportFrom) and node.module:
        paths = [f"{node.module}.{alias.name}" for alias in node.names]
    else:
        return False
    return any(path.startswith("sklearn.") and "._" in path for path in paths)


@pytest.mark.parametrize(
    ("line", "private"),
    [
        ("from sklearn.utils._param_validation import Interval", True),
        ("from sklearn.utils.validation import _num_samples", True),
        ("import sklearn.svm._base", True),
        ("from sklearn.utils.validation import check_is_fitted", False),
        ("from venire.verdict import _private", False),
    ],
)
def test_private_imports_are_told_from_others(line: str, private: bool) -> None:
    assert private_of_scikit_learn(ast.parse(line).body[0]) == private


def test_private_names_of_scikit_learn_come_through_one_module() -> None:
    found = {
        name_of(file)
        for folder in ("src", "tests", "benchmarks", "examples", "scripts")
        for file in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        if private_of_scikit_learn(node)
    }
    assert found == {"src/venire/sklearn_private.py"}


def test_results_are_frozen() -> None:
    thawed = {
        "cli/signals.py: Signals": "counts the signals that come in while a command runs",
        "data/readers/loading.py: Part": "a file that turns out to need another copy gets it here",
        "models/boosters/engines.py: _Asked": "the sum over a model's rounds, as far as it has been asked for",
    }
    found = {
        f"{module.relative_to(PACKAGE).as_posix()}: {node.name}"
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.ClassDef)
        for decorator in map(ast.unparse, node.decorator_list)
        if decorator.startswith("dataclass") and "frozen=True" not in decorator
    }
    assert found == set(thawed), "results are values; an exemption that is needed no more goes"


def test_nothing_is_kept_in_a_global() -> None:
    # A worker process serves one run and is given its work by the initializer; there is no other way to hand it over.
    found = {
        name_of(module): node.names
        for module in MODULES
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Global)
    }
    assert found == {"src/venire/validation/trials/workers/process.py": ["_bench"]}


def test_every_random_number_comes_from_a_generator_that_was_given() -> None:
    makers = {"Random", "RandomState", "Generator", "SeedSequence", "default_rng"}
    wrong = []
    for module in MODULES:
        tree = ast.parse(module.read_text())
        sources = {"np.random", "random"} if "random" in imported(tree) else {"np.random"}
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and ast.unparse(node.value) in sources and node.attr not in makers:
                wrong.append(f"{name_of(module)}: {ast.unparse(node)}")
            unseeded = isinstance(node, ast.Call) and not node.args and not node.keywords
            if unseeded and ast.unparse(node.func).rpartition(".")[2] in makers:
                wrong.append(f"{name_of(module)}: {ast.unparse(node)}")
    assert not wrong


def test_nothing_happens_on_import(tmp_path: Path) -> None:
    code = (
        "import importlib, pkgutil, threading, venire\n"
        "for info in pkgutil.walk_packages(venire.__path__, 'venire.'):\n"
        "    info.name.endswith('__main__') or importlib.import_module(info.name)\n"
        "print([thread.name for thread in threading.enumerate()])\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "['MainThread']\n", "")
    assert list(tmp_path.iterdir()) == []


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
