"""The command and the lines of Python ask the very question of the run."""

from __future__ import annotations

import shlex

from typer.testing import CliRunner

import venire as vn
from tests.studio.conftest import flowers
from venire.cli.commands import app
from venire.studio.recipe_lines import command_of, python_of
from venire.validation.evidence.recipes import read_recipe
from venire.validation.evidence.runs import Runs

ASKED = {
    "models": ["baseline", "tree"], "folds": 3, "seed": 4, "drop": ["width"], "positive": "rose", "budget": None,
    "costs": "1:3", "practical_difference": 0.01, "categorical": ["length"],
}  # fmt: skip


def test_the_lines_ask_the_same_question(tmp_path, monkeypatch):
    flowers().to_csv(tmp_path / "my flowers.csv", index=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("VENIRE_HOME", str(tmp_path / "home"))
    run = vn.compare("my flowers.csv", "kind", **ASKED).run
    home = Runs(tmp_path / "home")
    recipe = read_recipe(home.folder(home.find(run)))
    command = command_of(recipe)
    words = shlex.split(command)
    assert words[:2] == ["venire", "compare"]
    assert "none" in words
    done = CliRunner().invoke(app, [*words[1:], "--quiet"])
    assert done.exit_code == 0, done.output
    lines = python_of(recipe)
    found = {}
    exec(compile(lines, "lines", "exec"), found)
    assert [one.key for one in home.all()] == [run]
    assert found["verdict"].run == run


def test_what_no_line_can_hold_has_none():
    assert command_of({"source": "a.csv", "target": "y", "costs": [[0, 1], [2, 0]]}) is None
    assert "costs=[[0, 1], [2, 0]]" in python_of({"source": "a.csv", "target": "y", "costs": [[0, 1], [2, 0]]})
