"""Figures as plain data, which a run can keep and a page can show: drawn by somebody who knows models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from venire.report.charts.figure import Figure, Numbers


@dataclass(frozen=True, slots=True)
class KeptFigure:
    """A figure whose specification is plain data, in a size of its own."""

    name: str
    title: str
    caption: str
    spec: Mapping[str, Any]
    numbers: Numbers | None
    kind: str  # the picture that it is


def as_kept(figure: Figure) -> dict[str, Any]:
    """A figure as JSON has it."""
    numbers = figure.numbers
    return {
        "kind": figure.name,
        "title": figure.title,
        "caption": figure.caption,
        "spec": figure.to_dict(),
        "head": [] if numbers is None else list(numbers.head),
        "rows": [] if numbers is None else [list(row) for row in numbers.rows],
    }


def kept_figure(found: Mapping[str, Any], name: str) -> KeptFigure:
    """The figure again, for the page."""
    numbers = Numbers(tuple(found["head"]), tuple(tuple(row) for row in found["rows"])) if found["rows"] else None
    spec = {key: value for key, value in found["spec"].items() if key != "config"}
    return KeptFigure(name, found["title"], found["caption"], spec, numbers, str(found.get("kind", "")))
