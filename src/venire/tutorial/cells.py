"""A lesson as a notebook: words and code in cells, as Jupyter keeps them on disk."""

from __future__ import annotations

from typing import Any

from venire.tutorial.steps import Lesson


def notebook(lesson: Lesson) -> dict[str, Any]:
    """The notebook of a lesson, ready for `json.dump`; the same lesson gives the same bytes."""
    cells: list[dict[str, Any]] = [_words(0, f"# {lesson.title}")]
    for number, step in enumerate(lesson.steps, start=1):
        cells += [_words(number, step.words), _code(number, step.code)]
    return {
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def _words(number: int, text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "id": f"words-{number}", "metadata": {}, "source": _lines(text)}


def _code(number: int, text: str) -> dict[str, Any]:
    cell = {"cell_type": "code", "id": f"code-{number}", "metadata": {}, "source": _lines(text)}
    return cell | {"execution_count": None, "outputs": []}


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)
