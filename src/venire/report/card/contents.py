"""What a model card says, as plain data: sections of sentences, and the table of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from venire.report.sentences.model_file import (
    decision_words,
    error_words,
    few,
    rows_words,
    split_words,
    values_words,
)
from venire.report.sentences.verdict import family_words
from venire.report.sentences.weights import heaviest
from venire.wording import count, size

MOST_COLUMNS = 300  # listed one by one
Facts = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading, sentences, and a table with its head where there is one."""

    heading: str
    lines: tuple[str, ...]
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class Card:
    """The whole card."""

    title: str
    sections: tuple[Section, ...]


def card_of(facts: Facts) -> Card:
    """The card of a model, from what `describe_model` says of its file, or of a model without one."""
    figures = facts.get("figures")
    if figures is None:
        sections = [
            Section("What it is", tuple(_bare(facts))),
            Section("How good it is", ("Not known: no verdict was saved with it.",)),
        ]
        return Card(f"Model card: {facts['model']}", (*sections, _kept(facts), _made(facts)))
    title = f"Model card: {figures['target']} by {family_words(figures['family'], figures['task'])}"
    return Card(
        title,
        (
            Section("What it predicts", tuple(map(_sentence, _predicts(figures)))),
            Section("How good it is", tuple(map(_sentence, _quality(figures)))),
            _columns(figures),
            Section("Limits", tuple(map(_sentence, _limits(figures)))),
            _kept(facts),
            _made(facts),
        ),
    )


def _predicts(figures: Facts) -> Iterator[str]:
    if figures["classes"]:
        interest = f"; the class of interest is {figures['positive']}" if figures["positive"] else ""
        yield f"it predicts {figures['target']}, one of {len(figures['classes'])} classes: {few(figures['classes'])}"
        yield f"it reads {count(len(figures['columns']), 'column')}{interest}"
    else:
        yield f"it predicts {figures['target']}, a number, from {count(len(figures['columns']), 'column')}"
    yield f"the model is {family_words(figures['family'], figures['task'])}, {figures['setting']}"
    if figures.get("parts"):
        shares = "; ".join(f"{part['family']}, {part['setting']}: {part['weight']:.2f}" for part in figures["parts"])
        yield f"its members, their settings and weights: {shares}"
    elif figures["weights"]:
        shares = ", ".join(f"{name} {weight:.2f}" for name, weight in heaviest(figures["weights"]))
        yield f"its members and their weights: {shares}"
    yield from decision_words(figures)
    yield rows_words(figures)


def _quality(figures: Facts) -> Iterator[str]:
    yield error_words(figures)
    yield f"that estimates the {figures['estimates']}"
    yield split_words(figures)
    if figures.get("certificate"):
        yield f"checked for leaks: {figures['certificate']}"
    elif "certificate" in figures:
        yield "not checked for leaks"


def _columns(figures: Facts) -> Section:
    listed = figures["columns"][:MOST_COLUMNS]
    more = len(figures["columns"]) - len(listed)
    rows = tuple((column["name"], column["kind"], values_words(column)) for column in listed)
    lines = (f"And {count(more, 'column')} more.",) if more else ()
    return Section("Columns", lines, ("column", "kind", "values in training"), rows)


def _limits(figures: Facts) -> Iterator[str]:
    yield "the error holds for new rows that come about as the training rows did: the same source, time and measurement"
    yield (
        "values beyond those listed above were not there in training: the model gives an answer, and nothing is known "
        "of its error there; a category that was not there counts as missing"
    )
    if figures["classes"] and figures["calibration"] is None:
        yield "probabilities are the model's own: they were not calibrated"
    yield from figures.get("findings") or ()
    yield "it finds what goes together in the table, not what causes what"


def _kept(facts: Facts) -> Section:
    kept: Sequence[Facts] = facts["keeps"]
    said = tuple(_sentence(one["what"]) for one in kept) or ("No row.",)
    return Section("What it keeps of the training data", said)


def _made(facts: Facts) -> Section:
    lines = [f"written by {', '.join(f'{name} {number}' for name, number in facts['written_by'].items())}"]
    if facts.get("checksum"):
        lines.append(f"file format {facts['format']}, {size(facts['bytes'])}, SHA-256 {facts['checksum']}")
    return Section("How it was made", tuple(map(_sentence, lines)))


def _bare(facts: Facts) -> Iterator[str]:
    inside = f" with {', '.join(facts['members'])}" if facts["members"] else ""
    yield _sentence(f"{facts['model']}{inside}")
    if facts["classes"]:
        yield _sentence(f"classes: {few(facts['classes'])}")
    if facts["columns"]:
        yield _sentence(f"reads {few(facts['columns'])}")


def _sentence(words: str) -> str:
    """With a large letter first and a full stop last.

    >>> _sentence("it reads 3 columns")
    'It reads 3 columns.'
    """
    words = words.strip()
    return f"{words[:1].upper()}{words[1:]}{'' if words.endswith(('.', '!', '?')) else '.'}"
