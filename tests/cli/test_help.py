import re

import pytest
import typer

from venire.cli.commands import app

COMMANDS = [
    "compare", "fit", "predict", "evaluate", "explain", "serve", "studio", "validate", "select", "show", "model",
    "card", "export", "models", "runs", "report", "schema", "tutorial", "demo",
]  # fmt: skip


def test_the_commands_are_listed_and_none_is_cut_short(venire):
    shown = venire("--help")
    assert shown.code == 0
    assert re.findall(r"^  (\w+)  ", shown.out, re.MULTILINE) == COMMANDS
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "..." not in shown.out.partition("Commands:")[2]


@pytest.mark.parametrize("command", COMMANDS)
def test_every_option_is_explained_on_80_columns(venire, command):
    shown = venire(command, "--help")
    assert shown.code == 0
    assert shown.err == ""
    assert max(map(len, shown.out.splitlines())) <= 80
    assert "list[" not in shown.out  # a type is no word for a person
    assert "<" not in shown.out
    every = typer.main.get_command(app).commands[command].params
    params = [param for param in every if not getattr(param, "hidden", False)]  # old names still work, unlisted
    assert [param.name for param in params if not param.help] == []
    for param in params:
        assert param.metavar in shown.out if param.metavar else param.opts[0] in shown.out


@pytest.mark.parametrize("command", COMMANDS)
def test_only_help_stands_under_help(venire, command):
    last = venire(command, "--help").out.partition("\nHelp:\n")[2]
    assert re.findall(r"^  (-.*?)  ", last, re.MULTILINE) == ["-h, --help"]


def test_the_options_of_compare_are_grouped(venire):
    headings = re.findall(r"^(\S.*):$", venire("compare", "--help").out, re.MULTILINE)
    assert headings == [
        "Arguments",
        "The question",
        "Models and validation",
        "Limits",
        "Output",
        "Reading the table",
        "Help",
    ]


def test_defaults_are_told_once_and_without_double_brackets(venire):
    shown = " ".join(venire("compare", "--help").out.split())
    assert "[default: 10; 5 above 5,000 rows, 3 above 50,000; fewer where a budget is short]" in shown
    assert "[default: 10m]" in shown
    assert "[default: (" not in shown


def test_the_use_of_a_command(venire):
    assert venire("compare", "--help").out.startswith("Usage: venire compare TABLE... [OPTIONS]\n")
    assert venire("report", "--help").out.startswith("Usage: venire report RUN [OPTIONS]\n")


def test_the_short_way_to_ask_for_help(venire):
    assert venire("compare", "-h").out == venire("compare", "--help").out
