"""The figures of a verdict that a model file carries: checked like everything else, for they are printed."""

from __future__ import annotations

from typing import Any

from venire.data.table import Kind, Task
from venire.ensembles.table_model import TableModel
from venire.errors import ModelFormatError
from venire.states.constraints import (
    Refused,
    Sizes,
    entries,
    flag,
    mapping,
    maybe,
    number,
    optional,
    require,
    sequence,
    text,
    whole,
    within,
)

_ENDS = maybe(sequence(maybe(number()), 2))
_RANGE = maybe(sequence(number(), 2))
_EDGES = optional(sequence(number()))
_COUNTS = optional(sequence(whole()))
_ENTRIES = entries(
    name=text(),
    kind=text(*Kind),
    missing=whole(),
    range=optional(_RANGE),
    categories=optional(sequence(text())),
    edges=_EDGES,
    counts=_COUNTS,
)


def _column(value: Any, sizes: Sizes) -> None:
    _ENTRIES(value, sizes)
    parts = len(value["edges"]) + 1 if "edges" in value else len(value.get("categories", ()))
    require("counts" not in value or len(value["counts"]) == parts, "counts something else")
    require(sorted(value.get("edges", ())) == value.get("edges", []), "has edges that do not ascend")


_FIGURES = entries(
    family=text(),
    setting=text(),
    weights=maybe(mapping(text(), number(0))),
    parts=optional(sequence(entries(family=text(), setting=text(), weight=number(0)))),
    metric=text(),
    metric_label=text(),
    higher_is_better=flag,
    score_label=maybe(text()),
    error=maybe(number()),
    interval=_ENDS,
    score=maybe(number()),
    score_interval=_ENDS,
    estimates=text(),
    source=text(),
    rows=whole(),
    task=text(*Task),
    target=text(),
    classes=sequence(text()),
    positive=maybe(text()),
    calibration=maybe(text()),
    decision=maybe(text()),
    threshold=maybe(number()),
    threshold_class=optional(text()),
    threshold_of=optional(text("probability", "score")),
    columns=sequence(_column),
    target_edges=_EDGES,
    target_counts=_COUNTS,
    folds=whole(),
    repeats=whole(),
    splitting=text(),
    seed=whole(),
    certificate=optional(text()),
    findings=optional(sequence(text())),
)


def checked_figures(model: Any) -> None:
    """Refuse figures that are not what a verdict gives."""
    about = getattr(model, "about_", None)
    if isinstance(model, TableModel) and about is not None:
        try:
            within("about_", _FIGURES, about, {})
        except Refused as refused:
            raise ModelFormatError(f"the figures of the verdict are damaged: {refused}") from None
