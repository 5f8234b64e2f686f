"""What the chosen model looks like inside, where it can be read: a tree, or the coefficients of a linear model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from venire.report.charts.coefficients import MOST_DRAWN, coefficients, largest
from venire.report.charts.figure import Figure, Numbers
from venire.report.charts.style import Pictures
from venire.report.page.kept_figures import KeptFigure, kept_figure
from venire.wording import count


def form_figure(pictures: Pictures) -> Figure | KeptFigure | None:
    """The picture of the chosen model itself; None where it is none that can be read."""
    if found := pictures.get("coefficients"):
        return coefficient_figure(found)
    if found := pictures.get("tree_diagram"):
        return kept_figure(found, "tree_diagram")
    return None


def coefficient_figure(found: Mapping[str, Any]) -> Figure:
    """The coefficients of a linear model."""
    several = len(found["lines"]) > 1
    order = largest(found)
    caption = (
        f"{count(len(order), 'coefficient')} of {found['model']}, fitted on all rows. A dot says by how much the "
        f"{found['what']} moves when a number rises by its standard deviation, or when a row is of a category. Columns "
        f"that say the same share their weight: read them together. None of them need be a cause."
    )
    if len(order) > MOST_DRAWN:
        caption += f" Drawn: the {MOST_DRAWN} largest; the table has all."
    last = ("intercept", *(f"{line['intercept']:+.4g}" for line in found["lines"]))
    rows = (*((found["names"][at], *(f"{line['values'][at]:+.4g}" for line in found["lines"])) for at in order), last)
    numbers = Numbers(
        ("column", *((str(line["of"]) for line in found["lines"]) if several else ("coefficient",))), rows
    )
    return Figure("coefficients", f"Coefficients of {found['model']}", caption, coefficients(found), numbers)
