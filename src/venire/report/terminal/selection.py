"""A selection of columns as people see it: the path in the terminal, and the verdict in words."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from venire.report.sentences.evidence import leak_check
from venire.report.sentences.left_out import account, bonds
from venire.report.sentences.numbers import finite
from venire.report.sentences.scale import Measure, measured_by
from venire.report.sentences.verdict import joined
from venire.report.terminal.console import Plain, make_console, printable, short_path, words
from venire.report.terminal.listings import Layout, listing
from venire.selection.document import AllColumnsFacts, SelectionDocument, Subset
from venire.verdict.standing import standing
from venire.wording import MISSING, count

_CHOSEN = "chosen"
_SHOWN = 12  # columns named in a sentence


def path(document: SelectionDocument, console: Console) -> None:
    """Print the path, step by step, and the error of the selection on rows it has not seen."""
    _say(console, title(document), "bold")
    console.print()
    shown = _measure(document)
    change = "added" if document.get("direction") == "forward" else "removed"
    layout: Layout = (
        ("step", "step", str),
        ("change", change, None),
        ("attributes", "columns", str),
        ("training_error", "training", shown.show),
        ("error", f"cross-validated {shown.head}", shown.show),
        ("mark", "", None),
    )
    rows = [
        {**step, "change": step.get("change") or "", "mark": _CHOSEN if step.get("chosen") else ""}
        for step in document.get("path") or ()
    ]
    listing(rows, layout, console)
    for line in sentences(document):
        _say(console, line)
    if checked := leak_check(document.get("certificates") or ()):
        _say(console, f"leak check: {checked}.", "dim")
    account(document, console)


def to_text(document: SelectionDocument, *, width: int = 80) -> str:
    """The same, as a string without colour."""
    target = StringIO()
    path(document, make_console(target, width=width))
    return "\n".join(line.rstrip() for line in target.getvalue().splitlines())


def sentences(document: SelectionDocument) -> list[str]:
    """What was chosen, what to expect of it, how steady the choice is, and how many subsets it took."""
    chosen = document.get("chosen") or {}
    lines = (
        _choice(document),
        _error(document, chosen),
        _all_columns(document),
        _seen(document),
        _steady(document),
        _tried(document),
        _stopped(document),
    )
    return [line for line in lines if line]


def _stopped(document: SelectionDocument) -> str:
    if not document.get("stopped"):
        return ""
    why = "the budget" if document["stopped"] == "budget" else "an interruption"
    folds = count(document.get("choices"), "fold")
    return f"Stopped by {why}: the two-layer error is of {folds} only. The same command goes on from there."


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(Plain(words(text, console, style)))


def title(document: SelectionDocument) -> str:
    """What was selected from, how, and by what."""
    parts = [
        f"{document.get('target')} in {short_path(document.get('source'))}",
        count(document.get("rows"), "row"),
        *bonds(document),
        f"{document.get('direction')} selection by {document.get('model')}",
        count(document.get("folds"), "fold"),
        _measure(document).label,
    ]
    return " · ".join(parts)


def _measure(document: SelectionDocument) -> Measure:
    """One format for all figures: what the interval of the selection supports."""
    chosen = dict(document.get("chosen") or {})
    if finite(chosen.get("error")) is None:
        chosen["error"] = chosen.get("one_layer_error")
    return measured_by(document, [chosen])


def _choice(document: SelectionDocument) -> str:
    names = [printable(name) for name in (document.get("chosen") or {}).get("attributes") or ()]
    total = len(document.get("attributes") or ())
    if not names:
        better = "raises the score" if _measure(document).higher_is_better else "lowers the error"
        return f"Chosen: none of {count(total, 'column')}; no column {better}."
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    return f"Chosen: {len(names)} of {count(total, 'column')}: {shown}."


def _error(document: SelectionDocument, chosen: Subset) -> str:
    shown = _measure(document)
    if finite(chosen.get("error")) is None:
        return f"The {shown.label} of the selection is not defined on any fold ({MISSING})."
    between = shown.say_interval(chosen.get("interval"))
    two_layer = f"Two-layer {shown.label} of the selection: {shown.say(chosen.get('error'))}"
    plain = finite(chosen.get("one_layer_error"))
    return joined(
        f"{two_layer}, 95 % interval {between}" if between else two_layer,
        ""
        if plain is None
        else f"One layer says {shown.say(plain)} for the chosen columns: too good on average, because it is the best "
        "of many",
    )


def _all_columns(document: SelectionDocument) -> str:
    """What comes of not selecting, and whether that is really different; empty where it is not known."""
    found, shown = document.get("all_attributes"), _measure(document)
    if found is None or finite(found.get("error")) is None:
        return ""
    between = shown.say_interval(found.get("interval"))
    known = f"With all {count(len(document.get('attributes') or ()), 'column')}: {shown.say(found['error'])}"
    return joined(f"{known}, 95 % interval {between}" if between else known, _difference(found, shown))


def _difference(found: AllColumnsFacts, shown: Measure) -> str:
    p_better, difference = finite(found.get("p_better")), finite(found.get("difference"))
    if p_better is None or difference is None:
        return "One fold cannot say whether that is a real difference"
    if difference == 0 and p_better == 0:
        return "Selecting makes no difference in any fold"
    words = {"better": "Selecting is better", "likely": "Selecting is probably better", "worse": "Selecting is worse"}
    said = words.get(standing(p_better, difference), "It is not clear which of the two is better")
    by = shown.say_difference(difference, found.get("difference_interval"))
    return f"{said}: difference {by}" if by else said


def _seen(document: SelectionDocument) -> str:
    """Why another step than the chosen one may be the best shown: in time order the choice sees one fold more."""
    if document.get("splitting") != "time":
        return ""
    return "The choice also uses one earlier fold, which the figures above leave out."


def _steady(document: SelectionDocument) -> str:
    """How often each chosen column was chosen again without one of the folds."""
    total, often = document.get("choices") or 0, document.get("chosen_in") or {}
    names = (document.get("chosen") or {}).get("attributes") or ()
    if not total or not names:
        return ""
    always = [name for name in names if often.get(name) == total]
    rest = [f"{printable(name)} in {often.get(name, 0)}" for name in names if often.get(name) != total]
    if not rest:
        return f"All of them were also chosen in each of the {total} training parts."
    shown = ", ".join(rest[:_SHOWN]) + (f" and {len(rest) - _SHOWN} more less often" if len(rest) > _SHOWN else "")
    head = (
        f"Also chosen in all {total} training parts: {count(len(always), 'column')}"
        if always
        else f"Also chosen, of {total} training parts"
    )
    return f"{head}{'; ' if always else ': '}{shown}."


def _tried(document: SelectionDocument) -> str:
    subsets, most = document.get("subsets"), document.get("most_subsets")
    total = len(document.get("attributes") or ())
    return (
        f"{count(subsets, 'set')} of columns were tried. This search tries at most {count(most)} "
        f"of the 2^{total} there are."
    )
