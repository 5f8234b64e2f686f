"""The sentences of a verdict, from the document alone. The page and the terminal print the same ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from venire.inference.certainty import SURE
from venire.report.sentences.evidence import beside_guessing, cost_words, decision_words, guessing_words
from venire.report.sentences.numbers import finite, interval_of, probability
from venire.report.sentences.scale import Document, Row, figure, measure, scale_of, shown_as_wrong
from venire.verdict.leaderboard import CLEARLY
from venire.verdict.simplicity import simpler_than

__all__ = [
    "FAMILIES",
    "PROCEDURE",
    "Document",
    "Row",
    "Verdict",
    "choice_words",
    "family_words",
    "figure",
    "in_order",
    "joined",
    "measure",
    "member_rows",
    "of_baseline",
    "optimism_words",
    "procedure_row",
    "selection_words",
    "stopped_words",
    "verdict",
]

PROCEDURE = "procedure"

FAMILIES = {
    "baseline": "the baseline",
    "naive_bayes": "naive Bayes",
    "knn": "k nearest neighbours",
    "tree": "a decision tree",
    "linear": "ridge regression",
    "logistic": "logistic regression",
    "perceptron": "a perceptron",
    "svm": "a support vector machine",
    "neural_net": "a neural network",
    "bagging": "bagging",
    "forest": "a random forest",
    "extra_trees": "trees with random cuts",
    "forest_rc": "a random forest on combined columns",
    "adaboost": "AdaBoost",
    "boosting": "gradient boosting",
    "boosting_small": "gradient boosting of small trees",
    "boosting_slow": "gradient boosting in small steps",
    "boosting_large": "gradient boosting of large trees",
    "boosting_log": "gradient boosting on a logarithmic scale",
    "boosting_searched": "gradient boosting with settings it searched for",
    "vote": "a vote",
    "stack": "a stack",
    "blend": "a blend",
}
_OF_CLASSES = {"linear": "a ridge classifier"}  # what a family is called where it predicts classes


@dataclass(frozen=True, slots=True)
class Verdict:
    """The answers to the three questions: which model, how good is it really, is the difference real?"""

    which: str
    how_good: str
    is_it_real: str

    def __str__(self) -> str:
        return " ".join((self.which, self.how_good, self.is_it_real))


def verdict(document: Document) -> Verdict:
    """The verdict in plain words."""
    return Verdict(_which(document), _how_good(document), _is_it_real(document))


def family_words(family: Any, task: Any = None) -> str:
    """A family's name inside a sentence; a user's own family is called what the user called it.

    >>> family_words("linear", "classification"), family_words("linear", "regression"), family_words("mine")
    ('a ridge classifier', 'ridge regression', 'mine')
    """
    names = FAMILIES | _OF_CLASSES if task == "classification" else FAMILIES
    return names.get(str(family), str(family))


def choice_words(document: Document) -> str:
    """The chosen model, short enough for a headline."""
    chosen = document.get("chosen") or {}
    if not chosen.get("family"):
        return "nothing"
    words = family_words(chosen["family"], document.get("task"))
    # The members of a combination and their weights are said on their own.
    return f"{words} ({chosen['setting']})" if chosen.get("setting") and not chosen.get("weights") else words


def procedure_row(document: Document) -> Row | None:
    """The leaderboard row of the procedure itself: what the user would be handed."""
    rows: Sequence[Row] = document.get("leaderboard") or ()
    return next((row for row in rows if row.get("kind") == PROCEDURE), None)


def member_rows(document: Document) -> list[Row]:
    """The leaderboard rows that can be chosen: families and combinations."""
    return [row for row in document.get("leaderboard") or () if row.get("kind") != PROCEDURE]


def class_order(document: Document, labels: Sequence[str]) -> list[int]:
    """The places of the classes as a matrix is read: of two the class of interest first, as the page speaks of it."""
    places = list(range(len(labels)))
    return sorted(places, key=lambda at: labels[at] != str(document.get("positive"))) if len(places) == 2 else places


def in_order(document: Document, names: Mapping[str, Any]) -> list[str]:
    """The names in the order of the leaderboard; those it does not know come last."""
    ranked = [PROCEDURE, *(str(row.get("family")) for row in member_rows(document))]
    return [name for name in ranked if name in names] + [name for name in names if name not in ranked]


def joined(*sentences: Any) -> str:
    """Sentences in a row, each with its full stop.

    >>> joined("few rows of 'fraud'", "", "Look at the AUC too.")
    "few rows of 'fraud'. Look at the AUC too."
    """
    said = [str(sentence).strip() for sentence in sentences if sentence]
    return " ".join(text if text.endswith((".", "!", "?")) else f"{text}." for text in said)


def optimism_words(document: Document) -> str:
    """What the winner's own cross-validation score would have claimed; empty where it is not known."""
    row = procedure_row(document)
    if row is None:
        return ""
    nested, plain = finite(row.get("error")), finite(row.get("one_layer_error"))
    if nested is None or plain is None:
        return ""
    return (
        f"By one-layer cross-validation of the winner, the {measure(document)} would have been "
        f"{figure(document, plain)}. On rows that had no part in the choice it is {figure(document, nested)}."
    )


def stopped_words(document: Document) -> str:
    """Why not everything was tried, where the run was cut short; else empty."""
    cut = {"budget": "Out of time", "interrupted": "Interrupted"}.get(str(document.get("stopped")))
    return f"{cut}: this is what is known so far. Run the same comparison again to resume it." if cut else ""


def selection_words(chosen_per_fold: Sequence[str]) -> str:
    """How steady the choice was over the folds.

    >>> selection_words(["forest", "svm", "forest"])
    'forest in 2 of 3, svm in 1 of 3'
    """
    total = len(chosen_per_fold)
    return ", ".join(f"{family} in {times} of {total}" for family, times in Counter(chosen_per_fold).most_common())


def _which(document: Document) -> str:
    chosen = document.get("chosen") or {}
    if not chosen.get("family"):
        return "No model could be chosen."
    weights = {name: w for name, w in (chosen.get("weights") or {}).items() if (finite(w) or 0) >= 0.005}
    words = f"The choice is {choice_words(document)}"
    if weights:
        ranked = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
        words += " of " + ", ".join(f"{name} ({weight:.2f})" for name, weight in ranked)
    decides = decision_words(document)
    return f"{words}; {decides}." if decides else f"{words}."


def _how_good(document: Document) -> str:
    chosen = document.get("chosen") or {}
    error = finite(chosen.get("error"))
    if error is None:
        return "How good it is could not be measured."
    if costs := cost_words(document):
        return f"With a model chosen this way, {costs}."
    words, between = _measured(document, figure(document, error)), scale_of(document).say_interval(interval_of(chosen))
    if between:
        words += f" (95 % interval {between})"
    return joined(words, of_baseline(document), _beside_guessing(document))


def _measured(document: Document, shown: str) -> str:
    if shown_as_wrong(document):
        return f"A model chosen this way is wrong on {shown} of the rows it has not seen"
    return f"On rows it has not seen, the {measure(document)} of a model chosen this way is {shown}"


def of_baseline(document: Document) -> str:
    """What the baseline comes to; empty where it is not there, or is the choice itself."""
    row = next((row for row in member_rows(document) if row.get("family") == "baseline"), None)
    error = finite(row.get("error")) if row else None
    if row is None or error is None or (document.get("chosen") or {}).get("family") == "baseline":
        return ""
    if shown_as_wrong(document):
        return f"The baseline, which uses no column, is wrong on {figure(document, error)}"
    return f"For the baseline, which uses no column, it is {figure(document, error)}"


def _beside_guessing(document: Document) -> str:
    better = guessing_words(document)
    return f"The choice is {better}" if better else ""


def _is_it_real(document: Document) -> str:
    rows = [row for row in member_rows(document) if finite(row.get("p_best")) is not None]
    if len(rows) < 2 <= len(member_rows(document)):
        return "Too few folds could be measured to tell the models apart."
    if len(rows) < 2:
        return "There was nothing to compare it with."
    chosen = (document.get("chosen") or {}).get("family")
    return joined(_lead(rows, chosen), _as_good(document, chosen))


def _lead(rows: Sequence[Row], chosen: str | None) -> str:
    """Who is ahead among the models that have a probability of being the best, and how surely."""
    ranked = sorted(rows, key=lambda row: -(row["p_best"] or 0.0))
    first, second, among = ranked[0], ranked[1], f"of the {len(rows)} models compared"
    p_first = probability(first["p_best"])
    perfect = [str(row.get("family")) for row in rows if finite(row.get("error")) == 0]
    if len(perfect) > 1 and chosen in perfect:
        return f"Several models lead together: {among}, {', '.join(perfect)} make no error at all"
    if (first["p_best"] or 0.0) >= SURE and first.get("family") == chosen:
        return f"The lead is clear: {among}, {chosen} is the best with probability {p_first}"
    best = f"The lead is not certain: {among}, {first.get('family')} is the best with probability {p_first}"
    if first.get("family") == chosen:
        return f"{best}, {second.get('family')} with {probability(second['p_best'])}"
    own = next((row["p_best"] for row in rows if row.get("family") == chosen), None)
    return best if own is None else f"{best}, the chosen {chosen} with {probability(own)}"


def _as_good(document: Document, chosen: Any) -> str:
    """The simplest that the choice is not clearly better than, and what to do about it; else empty."""
    if chosen not in FAMILIES or beside_guessing(document) in ("unclear", "no better", "worse"):
        return ""  # where nothing was found there is nothing to take
    close = set()
    for pair in document.get("pairwise") or ():
        ahead, other = pair.get("p_better"), pair.get("second")
        if other == chosen:
            ahead, other = pair.get("p_worse"), pair.get("first")
        elif pair.get("first") != chosen:
            continue
        if ahead is not None and ahead < CLEARLY:
            close.add(other)
    simpler = [name for name in simpler_than(chosen, list(FAMILIES)) if name in close]
    if not simpler:
        return ""
    return f"The simpler {simpler[0]} is not clearly worse: take it if speed or explanation matters"
