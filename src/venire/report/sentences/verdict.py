"""The sentences of a verdict, from the document alone. The page and the terminal print the same ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from venire.report.sentences.evidence import beside_guessing, cost_words, decision_words, guessing_words
from venire.report.sentences.numbers import count, finite, interval_of, probability
from venire.report.sentences.scale import SCORES, Document, Row, figure, measure, width_of
from venire.verdict.leaderboard import CLEARLY
from venire.verdict.simplicity import simpler_than

__all__ = [
    "FAMILIES",
    "PROCEDURE",
    "Document",
    "Row",
    "Verdict",
    "choice_words",
    "dealing_words",
    "family_words",
    "figure",
    "in_order",
    "joined",
    "measure",
    "member_rows",
    "optimism_words",
    "pooled_words",
    "procedure_row",
    "rows_words",
    "selection_words",
    "stopped_words",
    "verdict",
]

PROCEDURE = "procedure"
SURE = 0.95  # a probability of being best from which we call the winner clear

FAMILIES = {
    "baseline": "the baseline",
    "naive_bayes": "naive Bayes",
    "knn": "k nearest neighbours",
    "tree": "a decision tree",
    "linear": "linear regression",
    "logistic": "logistic regression",
    "perceptron": "a perceptron",
    "svm": "a support vector machine",
    "neural_net": "a neural network",
    "bagging": "bagging",
    "forest": "a random forest",
    "forest_rc": "a random forest on combined columns",
    "adaboost": "AdaBoost",
    "boosting": "gradient boosting",
    "vote": "a vote",
    "stack": "a stack",
}
_DEALING = {
    "random": "dealt at random",
    "stratified": "dealt with the same class shares in every block",
    "grouped": "dealt by group, so that no group straddles two blocks",
    "time": "cut in time order, so that the past predicts the future",
}


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


def family_words(family: Any) -> str:
    """A family's name inside a sentence; a user's own family is called what the user called it."""
    return FAMILIES.get(str(family), str(family))


def choice_words(document: Document) -> str:
    """The chosen model, short enough for a headline."""
    chosen = document.get("chosen") or {}
    if not chosen.get("family"):
        return "nothing"
    words = family_words(chosen["family"])
    # The members of a combination and their weights are said on their own.
    return f"{words} ({chosen['setting']})" if chosen.get("setting") and not chosen.get("weights") else words


def procedure_row(document: Document) -> Row | None:
    """The leaderboard row of the procedure itself: what the user would be handed."""
    rows: Sequence[Row] = document.get("leaderboard") or ()
    return next((row for row in rows if row.get("kind") == PROCEDURE), None)


def member_rows(document: Document) -> list[Row]:
    """The leaderboard rows that can be chosen: families and combinations."""
    return [row for row in document.get("leaderboard") or () if row.get("kind") != PROCEDURE]


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


def rows_words(document: Document) -> str:
    """Which rows the held-out figures come from."""
    rows, blocks = document.get("rows"), document.get("blocks")
    words = f"{count(rows, 'row')} in {count(blocks, 'block')}, each predicted by models trained without its block"
    if document.get("dealing") == "time":
        words = f"{count(rows, 'row')} in {count(blocks, 'block')}, predicted by models trained on earlier blocks"
    repeats = document.get("repeats") or 1
    return f"{words}, in {repeats} separate dealings" if repeats > 1 else words


def pooled_words(document: Document) -> str:
    """Which rows the confusion matrix and the curves pool: of several dealings the first alone."""
    return str((document.get("confusion") or {}).get("measured_on") or rows_words(document))


def dealing_words(document: Document) -> str:
    """How rows got into their blocks."""
    dealing = str(document.get("dealing"))
    if dealing == "stratified" and not document.get("classes"):
        return "dealt with low and high values of the target alike in every block"
    return _DEALING.get(dealing, dealing)


def optimism_words(document: Document) -> str:
    """What the winner's own cross-validation score would have claimed; empty where it is not known."""
    row = procedure_row(document) or {}
    honest, flattering = finite(row.get("error")), finite(row.get("one_layer_error"))
    if honest is None or flattering is None:
        return ""
    width = width_of(row)
    return (
        f"Quoting the winner's own cross-validation score would have claimed {figure(document, flattering, width)} "
        f"({measure(document)}); on rows that had no part in the choice it is {figure(document, honest, width)}."
    )


def stopped_words(document: Document) -> str:
    """Why not everything was tried, where the run was cut short; else empty."""
    cut = {"budget": "The budget ran out", "interrupted": "Interrupted"}.get(str(document.get("stopped")))
    return f"{cut}: this is what is known so far. The same comparison again goes on from there." if cut else ""


def selection_words(chosen_per_block: Sequence[str]) -> str:
    """How steady the choice was over the blocks.

    >>> selection_words(["forest", "svm", "forest"])
    'forest in 2 of 3, svm in 1 of 3'
    """
    total = len(chosen_per_block)
    return ", ".join(f"{family} in {times} of {total}" for family, times in Counter(chosen_per_block).most_common())


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
        return f"Decided by a model chosen this way, {costs}."
    ends, width = interval_of(chosen), width_of(chosen)
    words = _measured(document, figure(document, error, width))
    if ends:
        low, high = sorted(ends, reverse=document.get("metric") in SCORES)
        words += f" (95 % interval {figure(document, low, width)} to {figure(document, high, width)})"
    return f"{words}{_against_baseline(document, width)}."


def _measured(document: Document, shown: str) -> str:
    if document.get("metric") == "error":
        return f"A model chosen this way is wrong on {shown} of the rows it has not seen"
    return f"On rows it has not seen, the {measure(document)} of a model chosen this way is {shown}"


def _against_baseline(document: Document, width: float) -> str:
    row = next((row for row in member_rows(document) if row.get("family") == "baseline"), None)
    error = finite(row.get("error")) if row else None
    if error is None or (document.get("chosen") or {}).get("family") == "baseline":
        return ""
    better = guessing_words(document)
    words = f"; the baseline, which looks at no attribute, {figure(document, error, max(width, width_of(row or {})))}"
    return f"{words}: {better}" if better else words


def _is_it_real(document: Document) -> str:
    rows = [row for row in member_rows(document) if finite(row.get("p_best")) is not None]
    if len(rows) < 2 <= len(member_rows(document)):
        return "Too few blocks could be judged to tell the models apart."
    if len(rows) < 2:
        return "There was nothing to compare it with."
    chosen = (document.get("chosen") or {}).get("family")
    ranked = sorted(rows, key=lambda row: -row["p_best"])
    first, second, among = ranked[0], ranked[1], f"of the {len(rows)} compared"
    p_first = probability(first["p_best"])
    as_good = _as_good(document, chosen)
    if (
        len(perfect := [str(row.get("family")) for row in rows if finite(row.get("error")) == 0]) > 1
        and chosen in perfect
    ):
        return f"There is no telling who leads: {among}, {', '.join(perfect)} make no error at all{as_good}."
    if first["p_best"] >= SURE and first.get("family") == chosen:
        return f"The lead is clear: {among}, {chosen} is the best with probability {p_first}{as_good}."
    if first.get("family") == chosen:
        return (
            f"The lead is not settled: {among}, {chosen} is the best with probability {p_first}, "
            f"{second.get('family')} with {probability(second['p_best'])}{as_good}."
        )
    own = next((row["p_best"] for row in rows if row.get("family") == chosen), None)
    words = f"The lead is not settled: {among}, {first.get('family')} is the best with probability {p_first}"
    return (
        f"{words}, the chosen {chosen} with {probability(own)}{as_good}." if own is not None else f"{words}{as_good}."
    )


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
        if finite(ahead) is not None and ahead < CLEARLY:
            close.add(other)
    simpler = [name for name in simpler_than(chosen, list(FAMILIES)) if name in close]
    if not simpler:
        return ""
    return f"; {chosen} is not clearly better than the simpler {simpler[0]}: take that if speed or explanation matter"
