"""Combinations that are in fact one of their models, and so have no probability of being the best of their own."""

from __future__ import annotations

from venire.report.sentences.numbers import finite
from venire.report.sentences.scale import Document, Row
from venire.report.sentences.weights import heaviest


def rivals_words(document: Document) -> str:
    """Which combinations have no P(best) because they are, or equal, one model; empty where none is.

    >>> tree = {"family": "tree", "kind": "member", "error": 0.1, "interval": [0.05, 0.15], "p_best": 0.9}
    >>> vote = tree | {"family": "vote", "kind": "combination", "p_best": None}
    >>> rivals_words({"leaderboard": [tree, vote]})
    'vote has the same error as tree in every row, so only tree has a probability'
    """
    rows = document.get("leaderboard") or ()
    members = [row for row in rows if row.get("kind") == "member"]
    said = []
    for row in rows:
        if row.get("kind") != "combination" or finite(row.get("p_best")) is not None:
            continue
        twin = next((member for member in members if _same_errors(row, member)), None)
        if twin is not None:
            said.append(_alike(row.get("family"), twin.get("family")))
        elif alone := _only_member(row):
            said.append(f"{row.get('family')} gives all its weight to {alone}, so only {alone} has a probability")
    return "; ".join(said)


def _alike(combination: object, twin: object) -> str:
    return f"{combination} has the same error as {twin} in every row, so only {twin} has a probability"


def _only_member(row: Row) -> str:
    """The member that has all the weight; empty where several have a say."""
    heavy = heaviest(row.get("weights") or {})
    return heavy[0][0] if len(heavy) == 1 else ""


def _same_errors(row: Row, member: Row) -> bool:
    return finite(row.get("error")) is not None and all(
        row.get(key) == member.get(key) for key in ("error", "interval")
    )
