"""Advice that names options: every option there is in Python and on the command line, and no hint spells one out."""

from __future__ import annotations

import ast
import copy
import inspect
import json
import pickle
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

import pytest
import typer

from venire import compare, read_table
from venire.advice import Advice, Option, parts_of, said
from venire.cli.commands import app
from venire.selection.select import select
from venire.use.predicting import Wish
from venire.validation import bootstrap, holdout, one_layer, two_layer
from venire.validation.ways import Way

PACKAGE = Path(__file__).parents[1] / "src/venire"
# Estimators have parameters of their own, which no command has: their hints are Python's alone.
OF_ESTIMATORS = ("ensembles", "models", "reductions", "explain", "families/polynomial", "data/ranges")
TAKERS = (compare, one_layer, two_layer, holdout, bootstrap, select, read_table)


def arguments() -> set[str]:
    named = {name for taker in TAKERS for name in inspect.signature(taker).parameters}
    asked = (Way, Wish)  # `validate` and `predict` on the command line
    return named | {field.name for kind in asked for field in fields(kind)}


def options() -> set[str]:
    commands = typer.main.get_command(app).commands.values()
    return {word for command in commands for param in command.params for word in param.opts}


def trees() -> Iterator[tuple[str, ast.AST]]:
    for path in sorted(PACKAGE.rglob("*.py")):
        yield path.relative_to(PACKAGE).as_posix(), ast.parse(path.read_text())


def named_options() -> list[tuple[str, str]]:
    """Every option that is named by a literal, with where."""
    return [
        (f"{name}:{node.lineno}", node.args[0].value)
        for name, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "Option" and isinstance(node.args[0], ast.Constant)
    ]


def test_every_option_named_in_a_hint_is_there_in_python_and_on_the_command_line() -> None:
    found = named_options()
    assert len(found) > 30, "they are looked for in the right place"
    in_python, on_the_line = arguments(), options()
    assert [(where, name) for where, name in found if name not in in_python] == []
    assert [(where, name) for where, name in found if f"--{name.replace('_', '-')}" not in on_the_line] == []


def test_no_hint_spells_an_option_out() -> None:
    """A text that names an argument as Python writes it could not be said on the command line."""
    both = {name for name in arguments() if f"--{name.replace('_', '-')}" in options()}
    spelled = re.compile(rf"(?<![\w'\"])(?:{'|'.join(sorted(both))})=(?=[\s.,;:)'\"\[\d…]|$)")
    found = []
    for name, tree in trees():
        if name.startswith((*OF_ESTIMATORS, "cli/")):
            continue
        for node in ast.walk(tree):
            for word in getattr(node, "keywords", ()):
                texts = [part.value for part in ast.walk(word.value) if isinstance(part, ast.Constant)]
                if word.arg == "hint" and any(isinstance(text, str) and spelled.search(text) for text in texts):
                    found.append(f"{name}:{node.lineno}")
    assert found == []


@pytest.mark.parametrize(
    ("option", "shown"),
    [
        (Option("folds"), "folds="),
        (Option("folds", 5), "folds=5"),
        (Option("metric", "mae"), "metric='mae'"),
        (Option("drop", ["a", "b"]), "drop=['a', 'b']"),
        (Option("drop", ("a",)), "drop=['a']"),
    ],
)
def test_options_as_python_writes_them(option: Option, shown: str) -> None:
    assert str(option) == shown


def test_advice_is_a_text_that_keeps_its_parts() -> None:
    advice = Advice("use ", Option("folds", 5), Advice(" or ", Option("drop", ["a"])), ".")
    assert advice == "use folds=5 or drop=['a']."
    parts = parts_of(advice)
    assert parts == ["use ", {"option": "folds", "value": 5}, " or ", {"option": "drop", "value": ["a"]}, "."]
    assert said(parts, lambda part: part["option"].upper()) == "use FOLDS or DROP."
    for same in (copy.deepcopy(advice), pickle.loads(pickle.dumps(advice))):  # noqa: S301  # our own bytes
        assert (same, parts_of(same)) == (advice, parts)
    assert json.loads(json.dumps(advice)) == advice
    assert parts_of("folds= is a text") == ["folds= is a text"]
