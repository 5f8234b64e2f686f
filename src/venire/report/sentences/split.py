"""Which rows a figure comes from: how they were split into folds, and what was trained and tested on which."""

from __future__ import annotations

from venire.report.sentences.scale import Facts, measure
from venire.wording import count, folds


def folds_words(document: Facts) -> str:
    """How the rows were split into folds.

    >>> folds_words({"folds": 5, "splitting": "grouped", "repeats": 2})
    '5 folds of whole groups, split 2 times'
    """
    splitting, repeats = str(document.get("splitting")), document.get("repeats") or 1
    return folds(document.get("folds"), splitting, classes=bool(document.get("classes")), repeats=repeats)


def rows_words(document: Facts) -> str:
    """Which rows the held-out figures come from."""
    return f"{_tested(document, document.get('rows'))}{_repeated(document)}"


def pooled_words(document: Facts) -> str:
    """Which rows the confusion matrix and the curves pool: of several splits the first alone."""
    rows = (document.get("confusion") or {}).get("rows") or document.get("rows")
    repeats = document.get("repeats") or 1
    return _tested(document, rows) + (f"; only the first of {repeats} splits" if repeats > 1 else "")


def held_out_words(document: Facts, *, pooled: bool = True) -> str:
    """The rows of a picture in a few words, for a caption: how they were tested is said once for all pictures.

    >>> held_out_words({"rows": 380, "folds": 10}), held_out_words({"rows": 380, "folds": 10, "repeats": 3})
    ('380 held-out rows in 10 folds', '380 held-out rows in 10 folds; only the first of 3 splits')
    >>> held_out_words({"rows": 380, "folds": 10, "repeats": 3}, pooled=False)
    '380 held-out rows in 10 folds, repeated with 3 different splits'
    """
    repeats, folds_there = document.get("repeats") or 1, count(document.get("folds"), "fold")
    rows = (document.get("confusion") or {}).get("rows") if pooled else None
    rows = rows or document.get("rows")
    if document.get("splitting") == "time":
        return f"{count(rows, 'row')} in time order, the last {_judged(document)} of {folds_there} held out"
    first = f"; only the first of {repeats} splits" if repeats > 1 else ""
    return f"{count(rows, 'held-out row')} in {folds_there}{first if pooled else _repeated(document)}"


def estimates_words(document: Facts) -> str:
    """What the figure of the leaderboard estimates, with the number of rows behind it.

    >>> words = estimates_words({"rows": 380, "folds": 10, "metric": "error", "metric_label": "error rate"})
    >>> print(words.replace(". ", ".\\n"))
    Expected error rate of the procedure when it is trained on 342 rows (9 of 10 folds).
    Nested (two-layer) cross-validation: the test rows had no part in training or in choosing.
    """
    label, number = measure(document), document.get("folds") or 0
    if document.get("splitting") == "time":
        return (
            f"Expected {label} of the procedure on the rows that follow its training rows in time. Measured on the "
            f"last {_judged(document)} of {number} folds in time order: nested (two-layer) validation, where each "
            f"fold is predicted from the folds before it."
        )
    trained = round((document.get("rows") or 0) * (number - 1) / number) if number else 0
    first = f"Expected {label} of the procedure when it is trained on {trained:,} rows ({number - 1} of {number} folds)"
    two_layer = "Nested (two-layer) cross-validation: the test rows had no part in training or in choosing"
    return f"{first}. {two_layer}{_repeated(document)}."


def _tested(document: Facts, rows: object) -> str:
    folds_there = count(document.get("folds"), "fold")
    if document.get("splitting") == "time":
        judged = f"the last {_judged(document)} of {folds_there}"
        return f"{count(rows, 'row')} in time order, {judged} tested, each by models trained on the folds before it"
    return f"{count(rows, 'row')} in {folds_there}, each fold tested by models trained on the others"


def _judged(document: Facts) -> int:
    """The folds that are tested: in time order two layers need two folds before the first of them."""
    folds = document.get("folds") or 0
    return int(document.get("judged_folds") or (folds - 2 if document.get("splitting") == "time" else folds))


def _repeated(document: Facts) -> str:
    repeats = document.get("repeats") or 1
    return f", repeated with {repeats} different splits" if repeats > 1 else ""
