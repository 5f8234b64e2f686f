"""Write the reference part of docs/cli.md from the commands themselves.

`make cli-page` writes the page; a test checks that it is up to date. Only what the commands say of themselves is
used (names, help, defaults), so that the page does not depend on the version of the library that lays out `--help`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

PAGE = Path(__file__).parents[1] / "docs/cli.md"
MARK = "<!-- From here on this page is written by `make cli-page`. -->\n"


def page(text: str, app: typer.Typer) -> str:
    """The page with its hand-written head kept and its reference written anew."""
    head = text.split(MARK)[0].rstrip() + "\n\n"
    return head + MARK + "\n" + reference(app)


def reference(app: typer.Typer) -> str:
    """One section a command, in the order they are declared."""
    group: Any = typer.main.get_command(app)
    shown = [(name, command) for name, command in group.commands.items() if not command.hidden]
    return "\n".join(section(name, command) for name, command in shown)


def section(name: str, command: Any) -> str:
    """What a command does, then its arguments and options."""
    params = [param for param in command.params if not getattr(param, "hidden", False) and param.name != "help"]
    arguments = [param for param in params if param.param_type_name == "argument"]
    options = [param for param in params if param.param_type_name == "option"]
    words = ["venire", name, *(spelled(argument) for argument in arguments), *(["[options]"] if options else [])]
    parts = [f"## venire {name}", f"```text\n{' '.join(words)}\n```", told(command.help)]
    rows = [row([word_of(argument)], argument) for argument in arguments]
    rows += [row([*option.opts, *option.secondary_opts], option) for option in options]
    if rows:
        parts.append("\n".join(["| | | default |", "|---|---|---|", *rows]))
    return "\n\n".join(part for part in parts if part) + "\n"


def spelled(argument: Any) -> str:
    """An argument as it stands in the call."""
    return word_of(argument) if argument.required else f"[{word_of(argument)}]"


def word_of(argument: Any) -> str:
    """What an argument is called: the word it was given, or its name."""
    return str(argument.metavar or argument.name.upper())


def row(names: list[str], param: Any) -> str:
    """One line of the table."""
    called = ", ".join(f"`{name}`" for name in names)
    return f"| {called} | {told(param.help).replace('|', chr(92) + '|')} | {default(param)} |"


def default(param: Any) -> str:
    """The value that holds when nothing is said, where there is one to show."""
    if param.required:
        return "required"
    shown = getattr(param, "show_default", True)
    if isinstance(shown, str):
        return shown
    value = param.default
    if callable(value) or value is None or value is False or value in ((), []) or "UNSET" in repr(value).upper():
        return ""
    return f"`{getattr(value, 'value', value)}`"


def told(text: str | None) -> str:
    """Help text, a line a paragraph, without the line breaks of the source."""
    paragraphs = (text or "").replace("\b", "").split("\n\n")
    return "\n\n".join(" ".join(each.split()) for each in paragraphs).strip()


if __name__ == "__main__":
    from venire.cli.commands import app as commands

    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), commands), encoding="utf-8")
