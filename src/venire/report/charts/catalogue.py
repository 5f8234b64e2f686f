"""Every picture of a verdict, by name. Altair is imported with this module, so import it only to draw.

Each picture is a function of the document and the picture data. It gives one chart of a fixed size and plain colours,
which saves to PNG, SVG or HTML as it is; the page stretches it to its column and lends it the page's inks. Names and
labels are only ever data values or titles, never part of an expression, so no name can break or hijack a chart.
"""

from __future__ import annotations

from collections.abc import Callable

from venire.errors import UsageError
from venire.report.charts import curves as curve_charts
from venire.report.charts import errors as error_charts
from venire.report.charts import explanations as explanation_charts
from venire.report.charts import operating as operating_charts
from venire.report.charts import path as path_chart
from venire.report.charts import predictions as prediction_charts
from venire.report.charts.bars import measured
from venire.report.charts.style import Chart, Pictures
from venire.report.sentences.verdict import Document

DRAWN: dict[str, Callable[[Document, Pictures], Chart]] = {
    "errors": error_charts.errors,
    "fold_errors": error_charts.fold_errors,
    "roc": curve_charts.roc,
    "precision_recall": curve_charts.precision_recall,
    "threshold_cost": operating_charts.threshold_cost,
    "cost_curve": curve_charts.cost_curve,
    "calibration": curve_charts.calibration,
    "confusion": prediction_charts.confusion,
    "paths": path_chart.paths,
    "scatter": prediction_charts.scatter,
    "residuals": prediction_charts.residuals,
    "selection": error_charts.selection,
    "importance": explanation_charts.importance,
}


# Pictures drawn from the data of another one.
_DATA_OF = {"residuals": "scatter", "threshold_cost": "operating"}


def draw(name: str, document: Document, pictures: Pictures) -> Chart:
    """The picture of that name; an error lists those there are."""
    check(name, document, pictures)
    return DRAWN[name](document, pictures)


def check(name: str, document: Document, pictures: Pictures) -> None:
    """Refuse a picture that there is not, with a list of those there are."""
    there = available(document, pictures)
    if name not in there:
        raise UsageError(
            f"there is no picture {name!r} of this verdict",
            code="no_picture",
            hint=f"choose one of: {', '.join(there) or 'none could be drawn'}",
        )


def available(document: Document, pictures: Pictures) -> list[str]:
    """The names of the pictures that can be drawn from what is there."""
    there = [name for name in DRAWN if name == "errors" or pictures.get(_DATA_OF.get(name, name))]
    return there if measured(document.get("leaderboard") or ()) else [name for name in there if name != "errors"]
