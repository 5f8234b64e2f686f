"""`--help` in plain text, with the options under the headings they are grouped by."""

from __future__ import annotations

import re
from typing import Any

from typer.core import TyperCommand

_WORDED = re.compile(r"\[default: \((.*)\)\]$")  # typer puts a default that is told in words in brackets
_WIDEST = 26  # a longer name gets a line of its own


class GroupedCommand(TyperCommand):
    """A command whose help has a section for each group of options.

    Typer draws such groups as boxes; plain sections read as well in a pipe, in a log and on 80 columns.
    """

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """What follows the name of the command in the line that shows its use."""
        arguments = [param for param in self.get_params(ctx) if _is_argument(param)]
        names = [str(param.metavar) if param.required else f"[{param.metavar}]" for param in arguments]
        return [*names, "[OPTIONS]"]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options group by group, all in line."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = _record(param, ctx)
            if record is not None:
                sections.setdefault(_heading(param), []).append(record)
        width = max((len(name) for rows in sections.values() for name, _ in rows if len(name) <= _WIDEST), default=0)
        for heading, rows in sections.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), text) for name, text in rows], col_max=_WIDEST)


def _is_argument(param: Any) -> bool:
    return bool(param.param_type_name == "argument")


def _heading(param: Any) -> str:
    if _is_argument(param):
        return "Arguments"
    return getattr(param, "rich_help_panel", None) or "Help"


def _record(param: Any, ctx: Any) -> tuple[str, str] | None:
    if _is_argument(param):
        return str(param.metavar), param.help or ""
    record = param.get_help_record(ctx)
    return None if record is None else (record[0], _WORDED.sub(r"[default: \1]", record[1]))
