"""What no module of the package does: unpickle, keep things between calls, draw numbers nobody gave, act on import."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/venire"
MODULES = sorted(PACKAGE.rglob("*.py"))


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def imported(tree: ast.AST) -> set[str]:
    """The top-level names of all modules a file imports, wherever in the file."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            names.add(node.module.split(".")[0])
    return names


def unpickles(tree: ast.AST) -> set[str]:
    """What a module imports or calls that can run code from a file.

    joblib moves work between processes of one run, which is another matter; `joblib.load` is not.
    """
    made = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    calls = {ast.unparse(call.func) for call in made}
    words = {word.arg for call in made for word in call.keywords if word.arg}
    readers = {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "runpy"}
    return imported(tree) & readers | calls & {"joblib.load", "eval", "exec", "__import__"} | words & {"allow_pickle"}


def test_no_module_unpickles() -> None:
    assert unpickles(ast.parse("import pickle\njoblib.load('x')")) == {"pickle", "joblib.load"}
    assert unpickles(ast.parse("np.load(file, allow_pickle=True)")) == {"allow_pickle"}
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


def listed(front: ast.Module) -> list[str]:
    """What `__all__` has."""
    values = [node.value for node in front.body if isinstance(node, ast.Assign) and _name(node) == "__all__"]
    return [str(ast.literal_eval(name)) for value in values for name in getattr(value, "elts", [])]


def _name(node: ast.Assign) -> str:
    return ", ".join(map(ast.unparse, node.targets))


def test_what_a_package_re_exports_is_listed() -> None:
    # Two open their rooms when first entered, and have no names before; MLflow looks for one by its private name.
    late = {"src/venire/__init__.py", "src/venire/cluster/__init__.py"}
    private = {"src/venire/mlflow/__init__.py": {"_load_pyfunc"}}
    wrong = {}
    for front in sorted(PACKAGE.rglob("__init__.py")):
        tree, name = ast.parse(front.read_text()), name_of(front)
        names = [
            *(
                alias.asname or alias.name
                for node in tree.body
                if isinstance(node, ast.ImportFrom)
                for alias in node.names
            ),
            *(_name(node) for node in tree.body if isinstance(node, ast.Assign)),
        ]
        if name not in late and sorted({*names} - private.get(name, set()) - {"__all__"}) != sorted(listed(tree)):
            wrong[name] = names
    assert not wrong


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


KEPT_BY_A_FUNCTION = {  # what is the same for as long as the process runs, whoever asks
    "inference/quadrature.py: unit_nodes": "a table of numbers",
    "persist/registry.py: kinds": "the classes that a model file may hold",
    "persist/registry.py: kinds_by_class": "the same by class",
    "report/page/html.py: _source": "a file of this package",
    "report/page/html.py: vega": "a script of a library",
    "studio/whole_pages.py: _source": "a file of this package",
    "validation/evidence/questions.py: _made_by": "versions of what is installed",
    "validation/trials/workers/one_thread.py: _libraries": "which libraries are loaded",
}


def keeps(tree: ast.Module) -> set[str]:
    """What a module keeps between calls: functions that remember what they gave, containers that begin empty."""
    remember = ("cache", "lru_cache", "functools.cache", "functools.lru_cache")
    found = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for decorator in map(ast.unparse, node.decorator_list)
        if decorator.partition("(")[0] in remember
    }
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            target = _name(node) if isinstance(node, ast.Assign) else ast.unparse(node.target)
            empty = re.fullmatch(
                r"(\w+\.)?(dict|list|set|deque|defaultdict|WeakKeyDictionary)\(\w*\)|\{\}|\[\]", ast.unparse(node.value)
            )
            found |= {target} if empty else set()
    return found


def test_what_a_function_remembers_is_the_same_for_everybody() -> None:
    assert keeps(ast.parse("_seen: dict[str, int] = {}\n@lru_cache(maxsize=9)\ndef f(): ...\n")) == {"_seen", "f"}
    found = {
        f"{module.relative_to(PACKAGE).as_posix()}: {name}"
        for module in MODULES
        for name in keeps(ast.parse(module.read_text()))
    }
    assert found == set(KEPT_BY_A_FUNCTION), "an exemption that is needed no more goes"


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
