"""The figures of the page: each chart with its title, a caption that names its rows, and its numbers as a table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from venire.report.charts.catalogue import available, check
from venire.report.charts.curves import (
    MOST_CALIBRATED,
    area,
    calibration,
    cost_curve,
    curve_order,
    decision,
    of_interest,
    precision_recall,
    roc,
    three,
)
from venire.report.charts.errors import astray, errors, fold_errors, selection
from venire.report.charts.figure import Figure, Numbers
from venire.report.charts.path import chosen_of, drawn_lines, lines_of, path, setting_words, shown_family
from venire.report.charts.predictions import confusion, drawn_rows, residuals, scatter
from venire.report.charts.style import Pictures
from venire.report.page.explanation_panels import importance_figure
from venire.report.page.operating_panel import threshold_figure
from venire.report.sentences.numbers import finite, probability
from venire.report.sentences.scale import scale_of
from venire.report.sentences.split import held_out_words, pooled_words
from venire.report.sentences.verdict import (
    FAMILIES,
    PROCEDURE,
    Document,
    family_words,
    in_order,
    selection_words,
)
from venire.wording import count, share

_OFF_THE_SCALE = " A number with an arrow lies outside the axis."
_READ_AT = (0.1, 0.3, 0.5, 0.7, 0.9)  # where the numbers of a cost curve are read off


def figures(document: Document, pictures: Pictures) -> list[Figure]:
    """The figures that can be drawn, in reading order; complexity curves come apart, see `path_figures`."""
    return [_FIGURES[name](document, pictures) for name in available(document, pictures) if name not in _APART]


def figure(name: str, document: Document, pictures: Pictures) -> Figure:
    """The figure of that name; an error lists those there are."""
    check(name, document, pictures)
    return _FIGURES[name](document, pictures)


def path_figures(document: Document, pictures: Pictures) -> list[Figure]:
    """One complexity curve a family, for families with more than one setting."""
    curves: Mapping[str, Mapping[str, Any]] = pictures.get("paths") or {}
    return [
        path_figure(document, pictures, family)
        for family in in_order(document, curves)
        if len(curves[family]["settings"]) > 1
    ]


def _errors(document: Document, pictures: Pictures) -> Figure:
    shown = scale_of(document)
    caption = (
        f"{held_out_words(document, pooled=False)}. Dots: nested (two-layer) cross-validation, with the 95 % interval. "
        f"Diamonds: one layer, where the setting was chosen on the test rows. Triangles: the training rows. The gaps "
        f"show by how much the simpler measurements look too good."
    )
    caption += _OFF_THE_SCALE if astray(document) else ""
    title = f"The {shown.label} of every family, measured in three ways"
    return Figure("errors", title, caption, errors(document, pictures))


def _fold_errors(document: Document, pictures: Pictures) -> Figure:
    folds: Mapping[str, Sequence[float]] = pictures["fold_errors"]
    order = in_order(document, folds)
    scale = scale_of(document)
    most = max((len(folds[family]) for family in order), default=0)
    rows = tuple((family, *(scale.show(error) for error in folds[family])) for family in order)
    unit = f" {scale.unit}" if scale.unit else ""
    numbers = Numbers((f"family{unit}", *(f"fold {index + 1}" for index in range(most))), rows)
    caption = (
        f"{held_out_words(document, pooled=False)}. Each dot is the {scale.label} on one test fold; the tick is the "
        f"mean. Point at a dot to see the same fold in every family."
    )
    caption += _OFF_THE_SCALE if astray(document) else ""
    title = f"The {scale.label}, fold by fold"
    return Figure("fold_errors", title, caption, fold_errors(document, pictures), numbers)


def _roc(document: Document, pictures: Pictures) -> Figure:
    curves: Mapping[str, Mapping[str, Any]] = pictures["roc"]
    rows = tuple((family, area(document, curves[family].get("auc"))) for family in curve_order(document, curves))
    caption = (
        f"{held_out_words(document)}. The closer to the upper left, the better; the dashed line is "
        f"guessing. The curve takes all folds together; the AUC compares rows of one fold{_with_pairs(curves)}."
    )
    if pictures.get("operating") and PROCEDURE in curves:
        caption += (
            " The dot is what the procedure decides; the orange line through it joins points of equal cost, and above "
            "it is cheaper. Dotted: the convex hull." + _beside(pictures)
        )
    if ranked := _by_rank(pictures):
        caption += f" By their rank in each fold, because they are scores and not probabilities: {', '.join(ranked)}."
    return Figure("roc", "ROC curves", caption, roc(document, pictures), Numbers(("family", "AUC"), rows))


def _with_pairs(curves: Mapping[str, Mapping[str, Any]]) -> str:
    """Which folds count in an AUC, if not all: those that have rows of both classes."""
    one = next(iter(curves.values()))
    defined, every = one.get("auc_folds"), one.get("folds")
    return "" if defined == every else f", in the {defined} of {every} folds with rows of both classes"


def _precision_recall(document: Document, pictures: Pictures) -> Figure:
    drawn: Mapping[str, Any] = pictures["precision_recall"]
    curves: Mapping[str, Mapping[str, Any]] = drawn["curves"]
    rows = tuple((family, three(curves[family].get("average_precision"))) for family in curve_order(document, curves))
    caption = (
        f"{held_out_words(document)}. The closer to the upper right, the better. The dashed line is "
        f"flagging at random: its precision is the share of {of_interest(document)}, {share(drawn['share'])}."
    )
    if decision(pictures) is not None:
        caption += " The dot shows the decisions of the procedure (the confusion matrix)." + _beside(pictures)
    numbers = Numbers(("family", "average precision"), rows)
    chart = precision_recall(document, pictures)
    return Figure("precision_recall", "Precision-recall curves", caption, chart, numbers)


def _cost_curve(document: Document, pictures: Pictures) -> Figure:
    drawn: Mapping[str, Any] = pictures["cost_curve"]
    curves: Mapping[str, Mapping[str, Any]] = drawn["curves"]
    rows = tuple(
        (family, *(three(cost) for cost in np.interp(_READ_AT, curve["probability_cost"], curve["expected_cost"])))
        for family in curve_order(document, curves)
        for curve in [curves[family]]
    )
    caption = (
        f"{held_out_words(document)}. On the left, false alarms cost most; on the right, missed "
        f"{of_interest(document)}. The dashed line is flagging nothing, or everything. Each point uses the threshold "
        f"that costs least on these same rows, so the curves look a little too good."
    )
    if finite(drawn.get("here")) is not None:
        costs = "at the costs given" if document.get("costs") else "if both mistakes cost the same"
        caption += f" The vertical line, at {drawn['here']:.2f}, is this table {costs}."
    numbers = Numbers(("family", *(f"at {at}" for at in _READ_AT)), rows)
    return Figure("cost_curve", "Cost curves", caption, cost_curve(document, pictures), numbers)


def _calibration(document: Document, pictures: Pictures) -> Figure:
    curves: Mapping[str, Mapping[str, Any]] = pictures["calibration"]
    rows = tuple(
        (family, probability(predicted), probability(observed), count(number))
        for family in curve_order(document, curves)
        for predicted, observed, number in zip(
            curves[family]["predicted"], curves[family]["observed"], curves[family]["count"], strict=True
        )
    )
    caption = (
        f"{held_out_words(document)}. On the dashed line the probabilities are right: of the rows given "
        f"30 %, 30 % are of the class."
    )
    if len(curves) > MOST_CALIBRATED:
        caption += f" The first {MOST_CALIBRATED} of {len(curves)} are drawn; the table has the numbers of all."
    if ranked := _by_rank(pictures):
        caption += f" Not drawn, because they are scores and not probabilities: {', '.join(ranked)}."
    numbers = Numbers(("family", "predicted", "observed", "rows"), rows)
    return Figure(
        "calibration", "Calibration: are the probabilities right?", caption, calibration(document, pictures), numbers
    )


def _beside(pictures: Pictures) -> str:
    """Why the dot need not lie on the curve: each fold decided by a threshold of its own."""
    found = pictures.get("operating")
    return "" if not found or found.get("pooled", True) else " It lies beside the curve: each fold decides for itself."


def _by_rank(pictures: Pictures) -> list[str]:
    """The families that give scores and no probabilities, in the order of their curves."""
    return [family for family, curve in (pictures.get("roc") or {}).items() if not curve.get("pooled", True)]


def _scatter(document: Document, pictures: Pictures) -> Figure:
    caption = f"{drawn_rows(document, pictures)}. On the dashed line a prediction is exact."
    return Figure("scatter", _of("Predicted against actual", pictures), caption, scatter(document, pictures))


def _residuals(document: Document, pictures: Pictures) -> Figure:
    caption = (
        f"{drawn_rows(document, pictures)}. The residual is the actual value minus the prediction. "
        f"Above the dashed line the prediction was too low. A bend or a funnel shows what the model does not say yet."
    )
    return Figure(
        "residuals", _of("Residuals against the prediction", pictures), caption, residuals(document, pictures)
    )


def _of(title: str, pictures: Pictures) -> str:
    """The title, with whose predictions these are if they are not the procedure's."""
    family = pictures["scatter"].get("family", PROCEDURE)
    return title if family == PROCEDURE else f"{title}: {family}"


def _confusion(document: Document, pictures: Pictures) -> Figure:
    family = pictures["confusion"].get("family", PROCEDURE)
    caption = (
        f"Held-out rows of all folds together: {pooled_words(document)}. Numbers count rows; the shade is the share of "
        f"the actual class."
    )
    return Figure("confusion", f"Confusion matrix of {family}", caption, confusion(document, pictures))


def _paths(document: Document, pictures: Pictures) -> Figure:
    return path_figure(document, pictures, shown_family(document, pictures))


def _selection(document: Document, pictures: Pictures) -> Figure:
    words = selection_words([str(family) for family in pictures["selection"]["per_fold"]])
    caption = f"The choice when each fold is held out: {words}. If it changes often, the models are close."
    return Figure("selection", "How steady is the choice?", caption, selection(document, pictures))


def path_figure(document: Document, pictures: Pictures, family: str) -> Figure:
    """The complexity curve of one family."""
    curve: Mapping[str, Any] = pictures["paths"][family]
    scale = scale_of(document)
    lines, drawn = lines_of(curve), drawn_lines(curve)
    caption = "From simple (left) to complex."
    if (chosen := chosen_of(curve)) is not None:
        caption += f" Chosen, at the dashed line: {setting_words(curve, chosen)}."
    if len(drawn) > 1:
        caption += " Faint and dashed: the training rows."
    if len(drawn) < len(set(lines)):
        caption += f" {len(drawn)} of {len(set(lines))} lines are drawn; the table has the numbers of all."
    head = (str(curve.get("label") or "setting"), f"held out {scale.unit}".strip(), f"training {scale.unit}".strip())
    errors_of = zip(curve["settings"], curve["held_out"], curve["training"], strict=True)
    rows = [(str(setting), scale.show(held_out), scale.show(training)) for setting, held_out, training in errors_of]
    numbers = Numbers(head, tuple(rows))
    if any(lines):
        numbers = Numbers(("line", *head), tuple((line, *row) for line, row in zip(lines, rows, strict=True)))
    return Figure(
        f"path_{family}", _title(family, document.get("task")), caption, path(document, pictures, family), numbers
    )


def _title(family: str, task: Any) -> str:
    words = family_words(family, task)
    return words[0].upper() + words[1:] if family in FAMILIES else words  # a user's own name stays as it is


_FIGURES: dict[str, Callable[[Document, Pictures], Figure]] = {
    "errors": _errors,
    "fold_errors": _fold_errors,
    "roc": _roc,
    "precision_recall": _precision_recall,
    "threshold_cost": threshold_figure,
    "cost_curve": _cost_curve,
    "calibration": _calibration,
    "confusion": _confusion,
    "paths": _paths,
    "scatter": _scatter,
    "residuals": _residuals,
    "selection": _selection,
    "importance": importance_figure,
}
_APART = ("confusion", "paths", "importance")  # the page has the first as a table, the others in parts of their own
