"""The exact command and the exact lines of Python that ask the question of a run again."""

from __future__ import annotations

import csv
import io
import shlex
from collections.abc import Mapping
from typing import Any

_DEFAULTS: Mapping[str, Any] = {
    "repeats": 1, "stratified": False, "seed": 0, "budget": 600.0, "rule": "best", "duplicates": "together", "mute": [],
    "default_missing": True,
}  # fmt: skip
_LISTS = ("models", "drop", "numeric", "categorical", "boolean", "date", "mute")
_REPEATED = ("missing",)


def _asked(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """What was said besides the table and the defaults; a budget of None is said."""
    given = {"budget": None, **recipe} if "budget" not in recipe else dict(recipe)
    return {
        name: value
        for name, value in given.items()
        if name != "source" and value not in ([], "") and (name not in _DEFAULTS or value != _DEFAULTS[name])
    }


def command_of(recipe: Mapping[str, Any]) -> str | None:
    """The line for a terminal; None where an option takes what no line can hold.

    >>> command_of({"source": "bank.csv", "target": "class", "budget": 600.0, "drop": ["id"]})
    'venire compare bank.csv --target class --drop id'
    """
    source = recipe["source"]
    words = ["venire", "compare", *([source] if isinstance(source, str) else source)]
    for name, value in _asked(recipe).items():
        option = f"--{name.replace('_', '-')}"
        if isinstance(value, dict) or (name == "costs" and not isinstance(value, str)):
            return None
        if name == "budget":
            words += [option, "none" if value is None else f"{value:g}s"]
        elif name == "default_missing":
            words.append("--only-missing")
        elif name == "header":
            words.append("--header" if value else "--no-header")
        elif value is True:
            words.append(option)
        elif name in _LISTS:
            words += [option, _listed(value)]
        elif name in _REPEATED:
            words += [word for one in value for word in (option, one)]
        else:
            words += [option, str(value)]
    return shlex.join(words)


def python_of(recipe: Mapping[str, Any]) -> str:
    """The lines for Python.

    >>> print(python_of({"source": "bank.csv", "target": "class", "budget": 600.0, "seed": 3}))
    import venire as vn
    <BLANKLINE>
    verdict = vn.compare("bank.csv", target="class", seed=3)
    model = verdict.fit()
    """
    given = ", ".join([_literal(recipe["source"]), *(f"{name}={_literal(v)}" for name, v in _asked(recipe).items())])
    return f"import venire as vn\n\nverdict = vn.compare({given})\nmodel = verdict.fit()"


def _listed(names: list[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(names)
    return line.getvalue()


def _literal(value: Any) -> str:
    text = repr(value)
    if isinstance(value, str) and text.startswith("'") and '"' not in text and "\\" not in text:
        return f'"{text[1:-1]}"'
    return text
