"""A selection of attributes as people see it: the path in the terminal, and the verdict in words."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from venire.report.sentences.left_out import account, bonds
from venire.report.sentences.numbers import MISSING, Scale, count, finite, interval_of
from venire.report.sentences.scale import SCORES, figure, measure
from venire.report.sentences.verdict import joined
from venire.report.terminal.console import Plain, make_console, printable, short_path, words
from venire.report.terminal.listings import Layout, listing
from venire.report.terminal.validation import honesty
from venire.selection.document import SelectionDocument, Subset

_CHOSEN = "chosen"
_SHOWN = 12  # attributes named in a sentence


def path(document: SelectionDocument, console: Console) -> None:
    """Print the path, step by step, and what the selection errs on rows it has not seen."""
    _say(console, title(document), "bold")
    console.print()
    scale = _scale(document)
    change = "added" if document.get("direction") == "forward" else "removed"
    layout: Layout = (
        ("step", "step", str),
        ("change", change, None),
        ("attributes", "attributes", str),
        ("training_error", "training", scale.show),
        ("error", f"cross-validated {scale.unit}".strip(), scale.show),
        ("mark", "", None),
    )
    rows = [
        {**step, "change": step.get("change") or "", "mark": _CHOSEN if step.get("chosen") else ""}
        for step in document.get("path") or ()
    ]
    listing(rows, layout, console)
    for line in sentences(document):
        _say(console, line)
    if checked := honesty(document):
        _say(console, f"honesty: {checked}.", "dim")
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
        _seen(document),
        _steady(document),
        _looked(document),
        _stopped(document),
    )
    return [line for line in lines if line]


def _stopped(document: SelectionDocument) -> str:
    if not document.get("stopped"):
        return ""
    why = "the budget" if document["stopped"] == "budget" else "an interruption"
    blocks = count(document.get("choices"), "block")
    return f"Stopped by {why}: the two-layer error is of {blocks} only. The same command goes on from there."


def _say(console: Console, text: str, style: str = "") -> None:
    console.print(Plain(words(text, console, style)))


def title(document: SelectionDocument) -> str:
    """What was selected from, how, and by what."""
    parts = [
        f"{document.get('target')} in {short_path(document.get('source'))}",
        count(document.get("rows"), "row"),
        *bonds(document),
        f"{document.get('direction')} selection by {document.get('model')}",
        count(document.get("blocks"), "block"),
        str(document.get("metric_label")),
    ]
    return " · ".join(parts)


def _scale(document: SelectionDocument) -> Scale:
    chosen = dict(document.get("chosen") or {})
    if finite(chosen.get("error")) is None:
        chosen["error"] = chosen.get("one_layer_error")
    return Scale.of([chosen])


def _choice(document: SelectionDocument) -> str:
    names = [printable(name) for name in (document.get("chosen") or {}).get("attributes") or ()]
    total = len(document.get("attributes") or ())
    if not names:
        return f"Chosen: none of {count(total, 'attribute')}; no attribute lowers the error."
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else "")
    return f"Chosen: {len(names)} of {count(total, 'attribute')}: {shown}."


def _error(document: SelectionDocument, chosen: Subset) -> str:
    error, flattering = finite(chosen.get("error")), finite(chosen.get("one_layer_error"))
    if error is None:
        return f"The error of the selection is not defined on any block ({MISSING})."
    ends = interval_of(chosen)
    width = 0.0 if ends is None else ends[1] - ends[0]
    between = ""
    if ends:  # a score rises where its loss falls
        low, high = (figure(document, end, width) for end in sorted(ends, reverse=document.get("metric") in SCORES))
        between = f", 95 % interval {low} to {high}"
    honest = f"Two-layer {measure(document)} of the selection: {figure(document, error, width)}{between}"
    if flattering is None:
        return joined(honest)
    return joined(
        honest,
        f"The cross-validated {figure(document, flattering, width)} of the chosen subset is the best of many, and "
        "no promise",
    )


def _seen(document: SelectionDocument) -> str:
    """Why another step than the chosen one may have the lowest error: in time order the choice sees one block more."""
    if document.get("dealing") != "time":
        return ""
    return "The choice has also seen the block before those judged, which the errors above leave out."


def _steady(document: SelectionDocument) -> str:
    """How often each chosen attribute was chosen again without one of the blocks."""
    total, often = document.get("choices") or 0, document.get("chosen_in") or {}
    names = (document.get("chosen") or {}).get("attributes") or ()
    if not total or not names:
        return ""
    always = [name for name in names if often.get(name) == total]
    rest = [f"{printable(name)} in {often.get(name, 0)}" for name in names if often.get(name) != total]
    if not rest:
        return f"All of them were chosen again in every one of {total} training parts."
    shown = ", ".join(rest[:_SHOWN]) + (f" and {len(rest) - _SHOWN} more less often" if len(rest) > _SHOWN else "")
    head = (
        f"Chosen again in all {total} training parts: {count(len(always), 'attribute')}"
        if always
        else (f"Chosen again, of {total} training parts")
    )
    return f"{head}{'; ' if always else ': '}{shown}."


def _looked(document: SelectionDocument) -> str:
    subsets, most = document.get("subsets"), document.get("most_subsets")
    total = len(document.get("attributes") or ())
    return f"Subsets looked at: {count(subsets)} of 2^{total} (no more than {count(most)})."
