"""What is known about a model in a file, in words: the terminal and the model card say the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from venire.report.sentences.evidence import decisions
from venire.report.sentences.scale import measured_by
from venire.wording import count, folds

_SHOWN = 8  # categories named one by one


def error_words(figures: Mapping[str, Any]) -> str:
    """The error on rows that were not used to train it, with its interval."""
    measure = measured_by(figures, [figures])
    ends = measure.ends(figures["interval"])
    between = "" if ends is None else f", 95 % interval {measure.scale.show_interval(ends)}"
    return f"{measure.axis} on rows it has not seen: {measure.show(figures['error'])}{between}"


def decision_words(figures: Mapping[str, Any]) -> Iterator[str]:
    """What is done to its outputs before they are handed over, in the words of the verdict."""
    yield from decisions(figures)
    if figures["threshold"] is not None and "threshold_class" not in figures:  # a file of an earlier version
        yield f"it predicts {figures['classes'][-1]} from a threshold of {figures['threshold']:.3g} on"


def split_words(figures: Mapping[str, Any]) -> str:
    """How the rows were split to validate it."""
    split = folds(figures["folds"], figures["splitting"], classes=bool(figures["classes"]), repeats=figures["repeats"])
    return f"validated by {split}, seed {figures['seed']}"


def rows_words(figures: Mapping[str, Any]) -> str:
    """Which rows it was trained on."""
    return f"trained on {count(figures['rows'], 'row')} of {figures['source']}"


def values_words(column: Mapping[str, Any]) -> str:
    """What a column held in training."""
    gaps = f"; {count(column['missing'])} missing" if column["missing"] else ""
    if column.get("categories"):
        return f"{few(column['categories'])}{gaps}"
    ends = column.get("range")
    return f"{ends[0]:.6g} to {ends[1]:.6g}{gaps}" if ends else f"none{gaps}"


def few(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = f" and {count(len(names) - _SHOWN)} more" if len(names) > _SHOWN else ""
    return f"{', '.join(names[:_SHOWN])}{more}"
