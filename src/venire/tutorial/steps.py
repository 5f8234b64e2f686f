"""A lesson: a function that stops before each step to say what comes next.

It is a generator. What it yields is said to the reader; the lines up to the next `yield` are the step's code. So the
code that is shown is the code that runs, in the terminal and in a notebook, and no text is ever run as code.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Generator
from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """What is said before some lines of code, and these lines."""

    words: str
    code: str


@dataclass(frozen=True)
class Lesson:
    """One example of the course: its name, and the function that goes through it."""

    name: str
    play: Callable[[], Generator[str, None, None]]

    @property
    def title(self) -> str:
        """The first line of the function's docstring."""
        return (inspect.getdoc(self.play) or "").partition("\n")[0]

    @property
    def steps(self) -> list[Step]:
        """The words and the code of every step, read off the source."""
        source = textwrap.dedent(inspect.getsource(self.play))
        (function,) = ast.parse(source).body
        assert isinstance(function, ast.FunctionDef)
        lines = source.splitlines()
        stops = [node for node in function.body if _said(node) is not None]
        ends = [node.lineno - 1 for node in stops[1:]] + [len(lines)]
        return [
            Step(str(_said(node)), textwrap.dedent("\n".join(lines[node.end_lineno : end])).strip())
            for node, end in zip(stops, ends, strict=True)
        ]


def _said(node: ast.stmt) -> str | None:
    """The words of a statement `yield "…"`; None for any other one."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Yield) and isinstance(node.value.value, ast.Constant):
        return str(node.value.value.value)
    return None
