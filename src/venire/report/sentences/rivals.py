"""Rows of the leaderboard that are no rivals of the others, and so have no probability of being the best."""

from __future__ import annotations

from venire.report.sentences.numbers import finite
from venire.report.sentences.scale import Document, Row
from venire.report.sentences.weights import heaviest


def rivals_words(document: Document) -> str:
    """Which combinations have no P(best) because they are, or err as, one member; empty where none is.

    >>> tree = {"family": "tree", "kind": "member", "error": 0.1, "interval": [0.05, 0.15], "p_best": 0.9}
    >>> vote = tree | {"family": "vote", "kind": "combination", "p_best": None}
    >>> rivals_words({"leaderboard": [tree, vote]})
    'vote errs as tree does in every block, and is no rival of it'
    """
    rows = document.get("leaderboard") or ()
    members = [row for row in rows if row.get("kind") == "member"]
    said = []
    for row in rows:
        if row.get("kind") != "combination" or finite(row.get("p_best")) is not None:
            continue
        twin = next((member for member in members if _errs_alike(row, member)), None)
        if twin is not None:
            said.append(f"{row.get('family')} errs as {twin.get('family')} does in every block, and is no rival of it")
        elif alone := _only_member(row):
            said.append(f"{row.get('family')} came down to {alone}, and is no rival of it")
    return "; ".join(said)


def _only_member(row: Row) -> str:
    """The member that has all the weight; empty where several have a say."""
    heavy = heaviest(row.get("weights") or {})
    return heavy[0][0] if len(heavy) == 1 else ""


def _errs_alike(row: Row, member: Row) -> bool:
    return finite(row.get("error")) is not None and all(
        row.get(key) == member.get(key) for key in ("error", "interval")
    )
