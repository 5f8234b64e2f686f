"""The verdict in a sentence or two: what to take and what to expect of it, or that nothing was found."""

from __future__ import annotations

from venire.report.document.shapes.verdict import ClassFigures
from venire.report.sentences.evidence import beside_guessing, expected_cost, thousand_rows
from venire.report.sentences.numbers import finite, probability
from venire.report.sentences.operating import RARE
from venire.report.sentences.scale import Document, figure, measure, shown_as_wrong
from venire.report.sentences.verdict import choice_words, member_rows
from venire.wording import percent

_NOTHING = {
    "unclear": "Nothing was found that is clearly better than guessing.",
    "no better": "Nothing was found that is better than guessing.",
    "worse": "Nothing was found: a model chosen this way is worse than guessing.",
}
_AN = "AEFHILMNORSX"  # letters whose names begin with a vowel


def headline(document: Document) -> str:
    """The verdict in a sentence or two."""
    chosen = document.get("chosen") or {}
    if not chosen.get("family") or finite(chosen.get("error")) is None:
        return "There is no verdict: nothing could be measured."
    stands = beside_guessing(document)
    if stands in _NOTHING:
        return f"{_NOTHING[stands]} {_both(document)}"
    if chosen["family"] == "baseline":
        alone = all(row.get("family") == "baseline" for row in member_rows(document))
        take = "Only the baseline could be measured." if alone else "No model did better than the baseline."
    else:
        take = f"Take {choice_words(document)}."
    return f"{take} {_expected(document)}{_reserve(document)}."


def _expected(document: Document) -> str:
    """What new rows will bring."""
    chosen = document["chosen"]
    if costs := expected_cost(document):
        return f"Expect that {costs}"
    if (rare := rare_class(document)) is not None:
        return f"Expect it to {finds_words(rare)}"
    shown = figure(document, chosen["error"])
    if shown_as_wrong(document):
        return f"Expect it to be wrong on about {shown} of new rows"
    return f"Expect {_measure(document)} of about {shown} on new rows"


def rare_class(document: Document) -> ClassFigures | None:
    """Of two classes the rare one, where an error rate would speak of the other; what decides finds some of it.

    None where no class is rare, or where another metric was asked for.
    """
    return rarer_class(document) if shown_as_wrong(document) else None


def rarer_class(document: Document) -> ClassFigures | None:
    """Of two classes the one that is rare, whatever is measured; None where none is, or none of it can be found."""
    found, counts = document.get("confusion"), document.get("class_counts") or ()
    if found is None or len(counts) != 2 or not sum(counts):
        return None
    if min(counts) / sum(counts) >= RARE:
        return None
    one = found["classes"][counts.index(min(counts))]
    return one if finite(one.get("sensitivity")) is not None else None


def finds_words(rare: ClassFigures) -> str:
    """How much of a class is found, and how many of the alarms are false."""
    return f"find {_rate(rare['sensitivity'])} of the '{rare['label']}' rows{_false_alarms(rare)}"


def _false_alarms(rare: ClassFigures) -> str:
    precision = finite(rare.get("precision"))
    return "" if precision is None else f"; {_rate(1.0 - precision)} of its alarms are false"


def _rate(value: float | None) -> str:
    """A share in whole percents; only all is 100 %, and only none is 0 %.

    >>> _rate(0.583), _rate(0.999), _rate(0.0), _rate(1.0)
    ('58 %', 'more than 99 %', '0 %', '100 %')
    """
    number = value or 0.0
    if number in (0.0, 1.0):
        return percent(number)
    return "less than 1 %" if number < 0.01 else "more than 99 %" if number > 0.99 else percent(number)


def _reserve(document: Document) -> str:
    """How sure one can be that it is better than guessing, where that is not certain."""
    guessing = document.get("guessing")
    if guessing is None or beside_guessing(document) != "likely":
        return ""
    p = probability(guessing["p_better"])
    return f"; it is probably better than guessing (probability {p})"


def _both(document: Document) -> str:
    """What the choice and guessing come to, side by side."""
    chosen, name, guessing = document["chosen"], choice_words(document), document.get("guessing")
    guessed = finite(guessing.get("baseline_error")) if guessing else None
    if costs := expected_cost(document):
        without = "" if guessed is None else f", and {thousand_rows(document, 1000 * guessed)} by guessing"
        return f"Expect that {costs} with {name}{without}."
    shown = figure(document, chosen["error"])
    other = None if guessed is None else figure(document, guessed)
    if shown_as_wrong(document):
        without = "" if other is None else f", and on {other} by guessing"
        return f"Expect to be wrong on about {shown} of new rows with {name}{without}."
    without = "" if other is None else f", and of {other} by guessing"
    return f"Expect {_measure(document)} of about {shown} on new rows with {name}{without}."


def _measure(document: Document) -> str:
    """What is measured, with its article.

    >>> [_measure({"metric": metric, "metric_label": label}) for metric, label in (("f1", ""), ("rmse", "RMSE"))]
    ['an F1', 'an RMSE']
    >>> _measure({"metric": "log_loss", "metric_label": "log loss"})
    'a log loss'
    """
    name = measure(document)
    spelled = name.split()[0].isupper()
    return f"an {name}" if name[:1] in (_AN if spelled else "AEIOUaeiou") else f"a {name}"
