"""A chart with its title, a caption that names its rows, and its numbers; it shows itself in a notebook, offline."""

from __future__ import annotations

import os
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from io import StringIO
from pathlib import Path
from typing import Any

# White paper under dark ink, so that it reads in a dark notebook too.
_PAPER = "background:#fff;color:#1b1f26;padding:.6em .8em;max-width:46em;margin:0;border-radius:6px"

# Whoever looks at the drawing may have a wider font than the one it was measured with.
_PADDING = {"left": 5, "top": 5, "right": 40, "bottom": 5}


@dataclass(frozen=True, slots=True)
class Numbers:
    """The numbers behind a figure, for those who cannot or will not look at it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, repr=False)
class Figure:
    """One picture of a verdict. In a notebook it shows itself as a drawing that asks for nothing and runs nothing.

    Attributes
    ----------
    name
        Of the picture.
    title, caption
        What it shows, and of which rows.
    chart
        The Altair chart, to change or to put beside others.
    numbers
        What is drawn, as a table; None where the chart has too many points for one.

    Examples
    --------
    >>> import numpy as np
    >>> from venire import compare
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> verdict = compare(X, X[:, 0] > 0, models=["baseline", "naive_bayes"], folds=4)
    >>> verdict.plot.roc("naive_bayes").title
    'ROC curves'
    """

    name: str
    title: str
    caption: str
    chart: Any
    numbers: Numbers | None = None

    def __repr__(self) -> str:
        return f"<Figure {self.name}: {self.title}>"

    @property
    def spec(self) -> Mapping[str, Any]:
        """For the page, which lends its own inks and the width of its column."""
        spec: dict[str, Any] = self.chart.to_dict()
        spec.pop("config", None)
        return spec | {"width": "container", "description": f"{self.title}. {self.caption}"}

    def to_dict(self) -> dict[str, Any]:
        """The chart as a Vega-Lite specification."""
        spec: dict[str, Any] = self.chart.to_dict()
        return spec

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the chart: .svg, .png, .pdf, .json or .html, by the ending of the name. A page opens offline."""
        target = Path(path)
        page = {"inline": True} if target.suffix.lower() == ".html" else {}
        self._plain.save(str(target), **page)
        return target

    def svg(self) -> str:
        """The chart as a drawing."""
        drawn = StringIO()
        self._plain.save(drawn, format="svg")
        return drawn.getvalue()

    @property
    def _plain(self) -> Any:
        """The chart on white paper, in the letters of the page."""
        plain = self.chart.configure(background="white", font="Arial, Helvetica, sans-serif", padding=_PADDING)
        return plain.configure_axis(titleFontWeight="normal").configure_legend(titleFontWeight="normal")

    def _repr_html_(self) -> str:
        # As an image: marks inside of one drawing have names that would meet those of another on the same page.
        image = b64encode(self.svg().encode()).decode()
        words = escape(f"{self.title}. {self.caption}")
        return (
            f'<figure style="{_PAPER}"><figcaption style="font-size:.9em;margin-bottom:.4em">'
            f"<b>{escape(self.title)}</b><br>{escape(self.caption)}</figcaption>"
            f'<img alt="{words}" style="max-width:100%" src="data:image/svg+xml;base64,{image}"></figure>'
        )
