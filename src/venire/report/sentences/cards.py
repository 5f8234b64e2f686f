"""The cards below the headline: what it does not say yet. They are pages' own; the terminal says the verdict whole."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from venire.report.sentences.evidence import (
    beside_guessing,
    cost_interval,
    cost_otherwise,
    decision_words,
    guessing_words,
)
from venire.report.sentences.headline import finds_words, rare_class, rarer_class
from venire.report.sentences.numbers import finite, interval_of
from venire.report.sentences.scale import Document, figure, measure, scale_of, shown_as_wrong
from venire.report.sentences.verdict import (
    FAMILIES,
    family_words,
    joined,
    member_rows,
    of_baseline,
    selection_words,
    verdict,
)
from venire.report.sentences.weights import heaviest


@dataclass(frozen=True, slots=True)
class Part:
    """One member of a combination, in percent of the whole; `start` is where its part of the bar begins."""

    name: str
    percent: float
    start: float


@dataclass(frozen=True, slots=True)
class Cards:
    """The three answers, as the page gives them."""

    which: str
    how_good: str
    is_it_real: str
    parts: tuple[Part, ...]  # of a combination, the heaviest first


def cards(document: Document, per_fold: Sequence[str] = ()) -> Cards:
    """The answers; `per_fold` is what was chosen when each fold was held out."""
    said = verdict(document)
    return Cards(
        _which(document, per_fold), _how_good(document) or said.how_good, said.is_it_real, parts(_weights(document))
    )


def parts(weights: Mapping[str, float] | None) -> tuple[Part, ...]:
    """The members of a combination that have a say, the heaviest first; empty of a single model.

    >>> [(part.name, part.start) for part in parts({"tree": 0.25, "svm": 0.75, "knn": 0.0})]
    [('svm', 0.0), ('tree', 75.0)]
    """
    heavy = heaviest(weights or {})
    whole = sum(weight for _, weight in heavy) or 1.0
    found, start = [], 0.0
    for name, weight in heavy:
        percent = round(100 * weight / whole, 1)
        found.append(Part(name, percent, round(start, 1)))
        start += percent
    return tuple(found)


def _which(document: Document, per_fold: Sequence[str]) -> str:
    chosen = document.get("chosen") or {}
    family = chosen.get("family")
    if not family:
        return "No model could be chosen."
    members = parts(_weights(document))
    words = ""
    if len(members) > 1:
        words = f"{_upper(family_words(family, document.get('task')))} of {len(members)} models, by these weights"
    elif not members and family in FAMILIES:
        words = f"The setting was chosen with the model: {chosen['setting']}" if chosen.get("setting") else ""
    decides = decision_words(document)
    steady = f"When each fold was held out, the choice was {selection_words(list(per_fold))}" if per_fold else ""
    return joined(words, _upper(decides) if decides else "", steady) or verdict(document).which


def _weights(document: Document) -> Mapping[str, float] | None:
    return (document.get("chosen") or {}).get("weights")


def _how_good(document: Document) -> str:
    """The interval and what to compare the figure with; the figure itself is in the headline."""
    chosen: Any = document.get("chosen") or {}
    error, between = finite(chosen.get("error")), scale_of(document).say_interval(interval_of(chosen))
    better = "" if beside_guessing(document) == "likely" else guessing_words(document)  # the headline says how likely
    if ends := cost_interval(document):
        found = rarer_class(document)
        finds = f"Its decisions {finds_words(found)}" if found else ""
        costs = f"The 95 % interval is {ends}; {cost_otherwise(document)}"
        return joined(costs, finds, f"The choice is {better}" if better else "")
    if error is None or not between:
        return ""
    if rare_class(document) is not None:
        words = f"Of all rows {figure(document, error)} are wrong (95 % interval {between})"
    elif shown_as_wrong(document):
        words = f"The 95 % interval is {between}: these rows do not say it more closely"
    else:
        words = f"The 95 % interval of the {measure(document)} is {between}"
    return joined(words, of_baseline(document), f"The choice is {better}" if better else "", _rows(document))


def _rows(document: Document) -> str:
    return "All of it on rows that had no part in training or choosing" if member_rows(document) else ""


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]
