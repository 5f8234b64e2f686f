"""Two runs side by side on one page: what changed in data, options and error, and whether the difference is real."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import erf, nan, sqrt
from pathlib import Path
from typing import Any

from venire.inference.certainty import SURE
from venire.inference.comparisons import compare_learners
from venire.report.page.file_names import refuse_other_formats
from venire.report.page.html import asset, environment, write_text
from venire.report.sentences.file_names import file_words
from venire.report.sentences.headline import headline
from venire.report.sentences.numbers import finite, interval_of, probability
from venire.report.sentences.scale import scale_of
from venire.report.sentences.verdict import PROCEDURE, Document, choice_words
from venire.wording import MISSING, count

Side = tuple[Document, Mapping[str, Any]]
_MOST_NAMES = 8  # of columns, in a cell of the page
_REACH = 1.96  # standard deviations from the middle to an end of a 95 % interval


@dataclass(frozen=True, slots=True)
class Line:
    """One fact of both runs, as the page prints it."""

    name: str
    first: str
    second: str

    @property
    def differs(self) -> bool:
        """Whether the two are not the same."""
        return self.first != self.second


def write(first: Side, second: Side, path: Path, *, paired: bool, names: Sequence[str] = ()) -> Path:
    """Write the page; `paired` says that both runs predicted the same rows in the same folds.

    `names` are what the runs are called; without them they go by their tables.
    """
    refuse_other_formats(path)
    return write_text(render(first, second, paired=paired, names=names), path)


def render(first: Side, second: Side, *, paired: bool, names: Sequence[str] = ()) -> str:
    """The page as a string."""
    given = page_of_two(first, second, paired=paired, names=names)
    return environment().get_template("two_runs.html.j2").render(given)


def page_of_two(first: Side, second: Side, *, paired: bool, names: Sequence[str] = ()) -> dict[str, Any]:
    """What the template of the page is given."""
    documents = first[0], second[0]
    return {
        "titles": list(names) or [file_words(one.get("source")) for one in documents],
        "headlines": [headline(one) for one in documents],
        "facts": facts(*documents),
        "board": board(*documents),
        "measured": [f": {scale_of(one).axis}" for one in documents],
        "answer": answer(first, second, paired=paired).split(". ", 1),
        "version": documents[0].get("venire"),
        "style": asset("page.css"),
    }


def facts(first: Document, second: Document) -> list[Line]:
    """What was read, what was asked for, and what was chosen."""
    shown: dict[str, Callable[[Document], str]] = {
        "table": lambda one: file_words(one.get("source")),
        "target": lambda one: str(one.get("target")),
        "rows": lambda one: count(one.get("rows")),
        "columns": lambda one: count(len(one.get("columns") or ())),
        "metric": lambda one: scale_of(one).label,
        "folds": _folds,
        "seed": lambda one: str(one.get("seed")),
        "models": lambda one: count(len(one.get("leaderboard") or ()) - 1),
        "choice": choice_words,
        "findings": lambda one: ", ".join(str(each.get("code")) for each in one.get("findings") or ()) or "none",
        "version": lambda one: str(one.get("venire")),
    }
    lines = [Line(name, say(first), say(second)) for name, say in shown.items()]
    names = [{str(column["name"]) for column in one.get("columns") or ()} for one in (first, second)]
    if names[0] != names[1]:
        only = [_listed(sorted(names[at] - names[1 - at])) for at in (0, 1)]
        lines.insert(4, Line("columns of this run alone", *only))
    return lines


def _folds(document: Document) -> str:
    """How many, how they are drawn, and how often."""
    repeats = int(document.get("repeats") or 1)
    again = f", {count(repeats, 'time')}" if repeats > 1 else ""
    return f"{document.get('folds')}, {document.get('splitting')}{again}"


def _listed(names: Sequence[str]) -> str:
    """The first names, and how many more there are."""
    more = len(names) - _MOST_NAMES
    if more <= 1:
        return ", ".join(names) or MISSING
    return f"{', '.join(names[:_MOST_NAMES])} and {count(more)} more"


def board(first: Document, second: Document) -> list[Line]:
    """The leaderboards joined by the names of models: figure and interval of each, in the order of the first."""
    rows = [{str(row["family"]): row for row in one.get("leaderboard") or ()} for one in (first, second)]
    scales = scale_of(first), scale_of(second)

    def cell(at: int, family: str) -> str:
        row = rows[at].get(family)
        if row is None:
            return MISSING
        return f"{scales[at].show(row.get('error'))} {scales[at].show_interval(row.get('interval'))}"

    return [Line(name, cell(0, name), cell(1, name)) for name in dict.fromkeys([*rows[0], *rows[1]])]


def answer(first: Side, second: Side, *, paired: bool) -> str:
    """Is the difference real? In a sentence or two; the second run is spoken of beside the first."""
    one, other = first[0], second[0]
    if one.get("metric") != other.get("metric") or one.get("target") != other.get("target"):
        return "The two runs do not measure the same thing, so their figures cannot be compared."
    if _of_other_things(one, other):
        return "The two runs are of different tables, so their figures cannot be compared."
    errors = [finite((each.get("chosen") or {}).get("error")) for each in (one, other)]
    if None in errors:
        return "One of the runs has no figure, so there is nothing to compare."
    losses = [list((each.get("fold_errors") or {}).get(PROCEDURE) or ()) for each in (first[1], second[1])]
    if paired and len(losses[0]) == len(losses[1]) >= 2 and None not in losses[0] + losses[1]:
        if losses[0] == losses[1]:
            return "There is no difference: both runs have the same error in every fold."
        found = compare_learners(losses[1], losses[0], test_over_train=1 / (int(one.get("folds") or 2) - 1))
        chance, how = found.p_better, "Paired, fold by fold: both predicted the same rows in the same folds."
    else:
        chance, how = _apart(one, other), "Not paired: the rows or the folds differ, so much of it may be chance."
    if chance != chance:
        return f"Whether the difference is real cannot be said from these folds. {how}"
    better = "the second" if chance >= 0.5 else "the first"
    sure = max(chance, 1 - chance)
    words = "The difference is real" if sure > SURE else "The difference is not certain"
    return f"{words}: {better} run is better with probability {probability(sure)}. {how}"


def _of_other_things(first: Document, second: Document) -> bool:
    """Whether the tables have other classes, or no column in common: then no error of one tells of the other."""
    if (first.get("classes") or ()) != (second.get("classes") or ()):
        return True
    names = [{str(column["name"]) for column in one.get("columns") or ()} for one in (first, second)]
    return all(names) and not names[0] & names[1]


def _apart(first: Document, second: Document) -> float:
    """The probability that the second's error is lower, from two intervals that know nothing of each other."""
    chosen: list[dict[str, Any]] = [dict(each.get("chosen") or {}) for each in (first, second)]
    ends = [interval_of(each) for each in chosen]
    if ends[0] is None or ends[1] is None:
        return nan
    spread = sqrt(sum(((high - low) / (2 * _REACH)) ** 2 for low, high in (ends[0], ends[1])))
    gap = float(chosen[0]["error"]) - float(chosen[1]["error"])
    return nan if spread == 0 else 0.5 * (1 + erf(gap / (spread * sqrt(2))))
