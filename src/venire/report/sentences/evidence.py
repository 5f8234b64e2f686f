"""Further sentences of a verdict, from the document alone: guessing, more rows, costs, decisions, honesty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from venire.report.sentences.numbers import amount, count, decimals_for, finite, interval_of, probability
from venire.report.sentences.scale import SCORES, Document, figure, measure, width_of
from venire.verdict.standing import SURE, standing

_UNLIKELY = 0.2
_NAMED = 4
_RATES = ("error", "balanced_error")


def more_rows_words(document: Document) -> str:
    """Would more rows help? Empty where it is not known. All figures are those of the leaderboard, or start there."""
    found = document.get("more_rows") or {}
    now, most, gain, helps = (finite(found.get(key)) for key in ("error", "most", "gain", "p_helps"))
    if now is None:
        return ""
    little = finite(document.get("practical_difference"))
    if most is not None and little is not None and most <= little:
        shown = figure(document, now, width_of(document.get("chosen") or {}))
        return f"At {shown} the {measure(document)} leaves little for more rows to gain."
    if found.get("judged") is False:
        open_ = "The folds leave open whether more rows would help: twice the rows may change nothing"
        return f"{open_}, or {_step(document, now, most)}." if most else f"{open_}."
    if gain is None or helps is None:
        return ""
    if helps > SURE:
        said = f"probability {probability(helps)} that they help"
        return f"Twice the rows would {_step(document, now, gain)} ({_gain_words(document)}{said})."
    if helps > 0.5:
        ends = _gain_words(document).removesuffix("; ")
        step = f"{_step(document, now, gain)}{f' ({ends})' if ends else ''}"
        return f"Twice the rows might {step}; that they help is not certain (probability {probability(helps)})."
    said = f"probability {probability(helps)} that they do"
    if helps > _UNLIKELY:
        return f"More rows of the same kind may or may not help noticeably ({said})."
    return f"More rows of the same kind are not expected to help noticeably ({said})."


def _step(document: Document, now: float, gain: float) -> str:
    """From the error measured to that of twice the rows, with digits enough to tell them apart."""
    width = min(width_of(document.get("chosen") or {}) or 10 * gain, 10 * gain)
    before, after = (figure(document, error, width) for error in (now, now - gain))
    verb = "raise" if document.get("metric") in SCORES else "lower"
    return f"{verb} the {measure(document)} from {before} to about {after}"


def _gain_words(document: Document) -> str:
    """How little two sizes tell about the gain."""
    ends = interval_of({"interval": document["more_rows"].get("gain_interval")})
    if ends is None:
        return ""
    width = ends[1] - ends[0]
    if document.get("metric") in _RATES:
        decimals = decimals_for(100 * width)
        shown = " to ".join(f"{100 * end:.{decimals}f}" for end in ends)
        return f"95 % interval of the gain: {shown} percentage points; "
    return f"95 % interval of the gain: {amount(ends[0], width)} to {amount(ends[1], width)}; "


def beside_guessing(document: Document) -> str:
    """How the choice stands beside guessing (see `standing`); empty where it is not known, or guessing was chosen."""
    found = document.get("guessing") or {}
    p = finite(found.get("p_better"))
    if p is None or (document.get("chosen") or {}).get("family") == "baseline":
        return ""
    return standing(p, finite(found.get("difference")))


def guessing_words(document: Document) -> str:
    """Is it better than guessing? A clause to put behind the error; empty where it is not known."""
    stands = beside_guessing(document)
    if not stands:
        return ""
    p = probability(document["guessing"]["p_better"])
    return {
        "better": f"better than guessing with probability {p}",
        "likely": f"probably better than guessing (probability {p}), but not beyond doubt",
        "unclear": f"not clearly better than guessing (probability {p})",
        "no better": "no better than guessing, which errs alike in every block",
        "worse": f"worse than guessing (probability of being better {p})",
    }[stands]


def cost_rows(document: Document) -> list[tuple[str, str, str]]:
    """What 1,000 rows cost, each way of deciding with its interval; empty without costs."""
    ways: Sequence[Any] = (document.get("costs") or {}).get("per_thousand") or ()
    shown = []
    for way in ways:
        cost, ends = finite(way.get("cost")), interval_of(way)
        if cost is None:
            continue
        width = ends[1] - ends[0] if ends else 0.0
        told = f"[{amount(ends[0], width)}, {amount(ends[1], width)}]" if ends else "–"
        shown.append((str(way["name"]), amount(cost, width), told))
    return shown


def cost_words(document: Document) -> str:
    """What 1,000 rows cost, beside always saying the same; empty without costs."""
    rows = cost_rows(document)
    if not rows:
        return ""
    (_, cost, ends), *always = rows
    between = "" if ends == "–" else " (95 % interval {} to {})".format(*ends.strip("[]").split(", "))
    others = ", ".join(f"{name} costs {paid}" for name, paid, _ in always[:_NAMED])
    better = guessing_words(document)
    return f"1,000 new rows cost about {cost}{between}; {others}{f': {better}' if better else ''}"


def decision_words(document: Document) -> str:
    """How the chosen model decides, where costs or calibration have a say; else empty."""
    chosen = document.get("chosen") or {}
    said = []
    if chosen.get("calibration"):
        said.append(f"its probabilities are calibrated ({chosen['calibration']})")
    threshold, label = finite(chosen.get("threshold")), chosen.get("threshold_class")
    if chosen.get("decision") == "threshold" and threshold is not None and label is not None:
        said.append(f"it says {label} from a {chosen['threshold_of']} of {threshold:.3g} on")
    elif chosen.get("decision") == "least expected cost":
        said.append("it takes the class of least expected cost")
    elif chosen.get("decision") == "one class":
        said.append("at these costs it always says the same class")
    return " and ".join(said)


def certificate_words(document: Document) -> str:
    """What is certified, what leaks, what was not checked; empty where nothing is known."""
    parts = certificate_parts(document)
    said = [parts["certified"]] if "certified" in parts else []
    if "leaks" in parts:
        said.append(f"leaking, and taking no part: {parts['leaks']}")
    if "not checked" in parts:
        said.append(f"not checked: {parts['not checked']}")
    return "; ".join(said)


def certificate_parts(document: Document) -> dict[str, str]:
    """The same by status: what a certificate says, who leaks, and who was not checked for which reason."""
    found: Sequence[Any] = document.get("certificates") or ()
    by_status = {status: [c for c in found if c.get("status") == status] for status in _STATUSES}
    certified, leaking, unchecked = (by_status[status] for status in _STATUSES)
    parts = {}
    if certified:
        who, out = "every member was", "it leaves"
        if len(certified) < len(found):
            who = f"{count(len(certified), 'member')} {'was' if len(certified) == 1 else 'were'}"
            out = out if len(certified) == 1 else "they leave"
        again = f"run again on one training part with the rows {out} out garbled"
        parts["certified"] = f"{who} {again}, and no prediction changed by a bit"
    if leaking:
        parts["leaks"] = ", ".join(str(c["family"]) for c in leaking)
    if unchecked:
        parts["not checked"] = "; ".join(_by_reason(unchecked))
    return parts


def _by_reason(unchecked: Sequence[Any]) -> list[str]:
    """Those that were not checked, together where they share the reason."""
    together: dict[str, list[str]] = {}
    for certificate in unchecked:
        together.setdefault(str(certificate.get("reason") or ""), []).append(str(certificate["family"]))
    return [", ".join(names) + (f" ({reason})" if reason else "") for reason, names in together.items()]


_STATUSES = ("certified", "leaks", "not checked")
