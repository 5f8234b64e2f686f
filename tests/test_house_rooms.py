"""The rooms of the house: how large a package, a module and a function may be, and how modules and tests are named."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

from venire.families.bucket import COMBINATIONS, default_bucket
from venire.report.sentences.verdict import FAMILIES

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src/venire"
TESTS = ROOT / "tests"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if path.name not in ("__init__.py", "__main__.py"))
CODE = [
    *MODULES,
    *(file for room in ("benchmarks", "examples", "scripts") for file in sorted((ROOT / room).rglob("*.py"))),
]
FUNCTION = ast.FunctionDef | ast.AsyncFunctionDef

MOST_MODULES = 20
MOST_LINES = 300
SCREEN = 60
MOST_BY_PLACE = 8

DRAWERS = {"utils", "util", "helpers", "helper", "misc", "common", "tools", "stuff", "shared"}

LONG_FUNCTIONS = {"src/venire/families/bucket.py: default_bucket": "the list of models, an entry each"}

# Names that mean "the … of this folder", wherever the folder is.
OF_THE_FOLDER = {"base", "classifier", "estimators", "input", "path", "rounds", "search", "view"}

# Modules in different packages that share a name, and why. A module of report/ is called after what it shows, and one
# of verdict/findings/ after what it looks at: these need no reason of their own.
SHARED_NAMES = {
    "classes": "what a target's classes are, and labels as codes for a learner",
    "comparing": "the whole flow, and the command that calls it",
    "document": "the types of what that room contributes to printed documents",
    "bucket": "the estimator that picks a model, and the list of families a comparison tries",
    "growth": "of a loss with the rows, and of a tree",
    "held_out": "predictions of ensembles' members, and of a verdict's candidates",
}

# Tests of the tree as a whole stand at the top and are named after what they look at.
OF_THE_TREE = {"build", "docs", "examples", "house", "names", "reference", "tour"}
# Rings of tests that cut across packages; C++ stages; what stands beside the package.
BEYOND = {"contract", "oracle", "core", "benchmarks", "scripts", "compat"}


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def docstring_lines(node: ast.AST) -> int:
    """How many lines of a module, class or function are docstrings, those of its parts included."""
    total = 0
    for each in ast.walk(node):
        if isinstance(each, ast.Module | ast.ClassDef | FUNCTION) and ast.get_docstring(each, clean=False):
            total += each.body[0].end_lineno - each.body[0].lineno + 1
    return total


def body_lines(function: FUNCTION) -> int:
    """The lines between the signature and the end, docstring aside."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return body[-1].end_lineno - body[0].lineno + 1 if body else 0


def test_a_package_can_be_overlooked() -> None:
    modules = {
        name_of(front.parent): len([path for path in front.parent.glob("*.py") if path.name != "__init__.py"])
        for front in PACKAGE.rglob("__init__.py")
    }
    large = {name: count for name, count in modules.items() if count > MOST_MODULES}
    assert not large, "prefixes that do a folder's work become a folder"


def code_lines(text: str) -> int:
    return len(text.splitlines()) - docstring_lines(ast.parse(text))


def test_a_file_is_short() -> None:
    assert code_lines('"""What it is.\n\nAnd why.\n"""\n\nx = 1\n') == 2
    lines = {name_of(module): code_lines(module.read_text()) for module in CODE}
    assert not {name: count for name, count in lines.items() if count >= MOST_LINES}


def test_the_lines_of_any_function_are_counted() -> None:
    (waits,) = ast.parse('async def f():\n    """Wait."""\n    await g()\n    return 1\n').body
    assert (body_lines(waits), docstring_lines(waits)) == (2, 1)


def test_a_function_fits_on_a_screen() -> None:
    long = {
        f"{name_of(module)}: {node.name}"
        for module in CODE
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, FUNCTION) and body_lines(node) > SCREEN
    }
    assert long == set(LONG_FUNCTIONS), "shorten it; an exemption that is needed no more goes"


def test_a_call_names_what_it_gives() -> None:
    by_place = [
        f"{name_of(module)}:{node.lineno}"
        for module in CODE
        for node in ast.walk(ast.parse(module.read_text()))
        if isinstance(node, ast.Call) and len(node.args) > MOST_BY_PLACE
    ]
    assert not by_place, "a reader cannot count so far: name the arguments, or give one value"


def test_there_is_no_drawer_for_leftovers() -> None:
    parts = {part for path in [*CODE, *TESTS.rglob("*.py")] for part in (path.stem, path.parent.name)}
    assert not parts & DRAWERS


def test_modules_of_one_name_are_few_and_have_a_reason() -> None:
    rooms: defaultdict[str, set[str]] = defaultdict(set)
    for module in MODULES:
        place = module.relative_to(PACKAGE).parent.as_posix()
        if not place.startswith(("report", "verdict/findings")):
            rooms[module.stem].add(place)
    twice = {name for name, places in rooms.items() if len(places) > 1}
    assert twice - OF_THE_FOLDER == set(SHARED_NAMES), "give it another name; a reason that is needed no more goes"


def test_a_test_is_named_after_a_module_of_its_room() -> None:
    # tests/<room>/test_<module>[_<aspect>].py, where the room is a folder of the package; a folder in it counts too.
    lost = []
    for test in sorted(TESTS.rglob("test_*.py")):
        room, name = PACKAGE / test.parent.relative_to(TESTS), test.stem.removeprefix("test_")
        if test.parent.relative_to(TESTS).parts[:1] in {(folder,) for folder in BEYOND}:
            continue
        known = {path.stem for path in room.glob("*.py")} | {path.name for path in room.glob("*/")}
        if test.parent == TESTS:
            known |= OF_THE_TREE
        if not any(name == module or name.startswith(f"{module}_") for module in known):
            lost.append(name_of(test))
    assert not lost


def test_the_rings_of_tests_are_there() -> None:
    assert [folder for folder in sorted(BEYOND) if not list((TESTS / folder).glob("test_*.py"))] == []


def test_a_new_family_is_named_for_readers() -> None:
    assert set(FAMILIES) == {*(family.name for family in default_bucket()), *COMBINATIONS}
