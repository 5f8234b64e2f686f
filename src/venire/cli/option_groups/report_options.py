"""The options that say what the report of a comparison explains."""

from __future__ import annotations

from typing import Annotated

from venire.cli.options import OUTPUT, text

By = Annotated[
    str | None,
    text(OUTPUT, "List the errors of each group of this column in the report.", "--by", metavar="COLUMN"),
]
SavePlot = Annotated[
    list[str] | None,
    text(
        OUTPUT,
        "Save a picture, such as roc=roc.svg, or of some models or columns: roc:tree,svm=roc.svg, "
        "dependence:age=age.png. Files are .svg, .png, .pdf, .html or .json. May be given several times.",
        "--save-plot",
        metavar="NAME=FILE",
    ),
]
Plot = Annotated[
    list[str] | None,
    text(
        OUTPUT,
        "Draw this picture in the report as well, such as boundary:age,income or forest_curves. May be given several "
        "times.",
        "--plot",
        metavar="NAME",
    ),
]
Compare = Annotated[
    str | None,
    text(OUTPUT, "Write this run and that one side by side, on one page.", "--compare", metavar="RUN"),
]
Explain = Annotated[
    str,
    text(
        OUTPUT,
        "What the report explains. auto: the columns, and Shapley values and the learning curve where they take at "
        "most a tenth of the time; all: both in any case, also after the budget; none: nothing.",
        "--explain",
        metavar="WHAT",
    ),
]
