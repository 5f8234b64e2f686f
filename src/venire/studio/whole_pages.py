"""The pages of the studio: the first one, the verdict of a run with its live parts, and two runs side by side."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import jinja2
from markupsafe import Markup

from venire.report.page import two_runs
from venire.report.page.html import asset, environment, page_facts, vega
from venire.report.terminal.console import printable
from venire.studio.page_words import document_in_fields

_TYPES = {"js": "text/javascript", "css": "text/css"}
ASSETS = ("studio.css", "asking.js", "building.js", "home.js", "setting_up.js", "job_cards.js", "live.js")
_OF_THE_REPORT = ("page.css", "page.js")


def asset_named(name: str) -> tuple[bytes, str] | None:
    """A file that pages load, and its type; None where there is none of that name."""
    kind = f"{_TYPES.get(name.rpartition('.')[2], '')}; charset=utf-8"
    if name in ASSETS:
        return _source(name).encode(), kind
    if name in _OF_THE_REPORT:
        return str(asset(name)).encode(), kind
    return (str(vega()).encode(), kind) if name == "vega.js" else None


def first_page(folder: str, version: str) -> str:
    """Where a table is chosen, and where jobs and runs are listed."""
    return _environment().get_template("home.html.j2").render(folder=folder, version=version)


def verdict_page(document: Any, pictures: Mapping[str, Any], facts: Mapping[str, Any]) -> str:
    """The report of a run, with its live parts."""
    given = page_facts(document_in_fields(document), pictures)
    facts = {**facts, "command": _in_pieces(facts.get("command")), "python": _as_typed(facts.get("python"))}
    return _environment().get_template("verdict.html.j2").render({**given, **facts})


def _as_typed(text: str | None) -> Markup | None:
    """Lines to be copied: line ends stay, and nothing is put between figures and signs, as sentences have it."""
    return None if text is None else Markup("\n").join(printable(line) for line in text.split("\n"))


def _in_pieces(command: str | None) -> Markup | None:
    """A command whose lines end before an option, and never inside of one."""
    if command is None:
        return None
    first, *options = command.split(" --")
    pieces = [first, *(f"--{option}" for option in options)]
    return Markup(" ").join(Markup('<span class="piece">{}</span>').format(printable(piece)) for piece in pieces)


def two_runs_page(
    first: two_runs.Side, second: two_runs.Side, *, paired: bool, names: list[str], keys: list[str]
) -> str:
    """What changed between two runs."""
    given = two_runs.page_of_two(first, second, paired=paired, names=names)
    return _environment().get_template("two.html.j2").render(given, keys=keys, called="two runs")


def _environment() -> jinja2.Environment:
    made = environment()
    assert made.loader is not None
    return made.overlay(loader=jinja2.ChoiceLoader([jinja2.FunctionLoader(_template), made.loader]))


def _template(name: str) -> str | None:
    return _source(name) if name in ("home.html.j2", "verdict.html.j2", "two.html.j2", "bar.html.j2") else None


@cache
def _source(name: str) -> str:
    return resources.files("venire.studio").joinpath("pages", name).read_text(encoding="utf-8")
