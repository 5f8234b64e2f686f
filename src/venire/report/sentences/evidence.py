"""Further sentences of a verdict, from the document alone: guessing, more rows, costs, decisions, honesty."""

from __future__ import annotations

from collections.abc import Sequence

from venire.report.sentences.numbers import amount, count, decimals_for, finite, interval_of, probability
from venire.report.sentences.scale import SCORES, Document, figure, measure, width_of
from venire.validation.trials.document import CertificateFacts
from venire.validation.trials.reasons import Status
from venire.verdict.standing import SURE, standing

_UNLIKELY = 0.2
_NAMED = 4
_RATES = ("error", "balanced_error")


def more_rows_words(document: Document) -> str:
    """Would more rows help? Empty where it is not known. All figures are those of the leaderboard, or start there."""
    found = document.get("more_rows")
    if found is None:
        return ""
    now, most, gain, helps = (finite(found.get(key)) for key in ("error", "most", "gain", "p_helps"))
    if now is None:
        return ""
    little = finite(document.get("practical_difference"))
    if most is not None and little is not None and most <= little:
        shown = figure(document, now, width_of(document.get("chosen") or {}))
        return f"At {shown} the {measure(document)} leaves little for more rows to gain."
    if found.get("judged") is False:
        few = f"Whether more rows would help cannot be judged from so few ({count(found.get('rows'), 'row')})"
        return f"{few}: no help at all and as much as rows can give are both possible."
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
    found = document.get("more_rows")
    ends = interval_of({"interval": found.get("gain_interval") if found else None})
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
    found = document.get("guessing")
    p = finite(found.get("p_better")) if found else None
    if found is None or p is None or (document.get("chosen") or {}).get("family") == "baseline":
        return ""
    return standing(p, finite(found.get("difference")))


def guessing_words(document: Document) -> str:
    """Is it better than guessing? A clause to put behind the error; empty where it is not known."""
    stands, found = beside_guessing(document), document.get("guessing")
    if not stands or found is None:
        return ""
    p = probability(found["p_better"])
    return {
        "better": f"better than guessing with probability {p}",
        "likely": f"probably better than guessing (probability {p}), but not beyond doubt",
        "unclear": f"not clearly better than guessing (probability {p})",
        "no better": "no better than guessing, which errs alike in every block",
        "worse": f"worse than guessing (probability of being better {p})",
    }[stands]


def cost_rows(document: Document) -> list[tuple[str, str, str]]:
    """What 1,000 rows cost, each way of deciding with its interval; empty without costs."""
    return [(name, cost, f"[{ends[0]}, {ends[1]}]" if ends else "–") for name, cost, ends in _ways(document)]


def cost_words(document: Document) -> str:
    """What 1,000 rows cost, beside always saying the same; empty without costs."""
    ways = _ways(document)
    if not ways:
        return ""
    (_, _, ends), *always = ways
    between = f" (95 % interval {ends[0]} to {ends[1]})" if ends else ""
    others = ", ".join(f"{name} costs {paid}" for name, paid, _ in always[:_NAMED])
    better = guessing_words(document)
    return f"{expected_cost(document)}{between}; {others}{f': {better}' if better else ''}"


def expected_cost(document: Document) -> str:
    """What 1,000 rows cost, and no more; empty without costs."""
    ways = _ways(document)
    return f"1,000 new rows cost about {ways[0][1]}" if ways else ""


def _ways(document: Document) -> list[tuple[str, str, tuple[str, str] | None]]:
    """Each way of deciding: its name, what 1,000 rows cost, and both ends of the interval, if there is one."""
    costs = document.get("costs")
    shown = []
    for way in costs["per_thousand"] if costs else ():
        cost, ends = finite(way.get("cost")), interval_of(way)
        if cost is None:
            continue
        width = ends[1] - ends[0] if ends else 0.0
        told = (amount(ends[0], width), amount(ends[1], width)) if ends else None
        shown.append((str(way["name"]), amount(cost, width), told))
    return shown


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
    said = [parts[Status.CERTIFIED]] if Status.CERTIFIED in parts else []
    if Status.LEAKS in parts:
        said.append(f"leaking, and taking no part: {parts[Status.LEAKS]}")
    if Status.NOT_CHECKED in parts:
        said.append(f"not checked: {parts[Status.NOT_CHECKED]}")
    return "; ".join(said)


def certificate_parts(document: Document) -> dict[str, str]:
    """The same by status: what a certificate says, who leaks, and who was not checked for which reason."""
    found = document.get("certificates") or ()
    by_status = {status: [c for c in found if c.get("status") == status] for status in _STATUSES}
    certified, leaking, unchecked = (by_status[status] for status in _STATUSES)
    parts: dict[str, str] = {}
    if certified:
        who, out = "every member was", "it leaves"
        if len(certified) < len(found):
            who = f"{count(len(certified), 'member')} {'was' if len(certified) == 1 else 'were'}"
            out = out if len(certified) == 1 else "they leave"
        again = f"run again on one training part with the rows {out} out garbled"
        parts[Status.CERTIFIED] = f"{who} {again}, and no prediction changed by a bit"
    if leaking:
        parts[Status.LEAKS] = ", ".join(str(c["family"]) for c in leaking)
    if unchecked:
        parts[Status.NOT_CHECKED] = "; ".join(_by_reason(unchecked))
    return parts


def _by_reason(unchecked: Sequence[CertificateFacts]) -> list[str]:
    """Those that were not checked, together where they share the reason."""
    together: dict[str, list[str]] = {}
    for certificate in unchecked:
        together.setdefault(str(certificate.get("reason") or ""), []).append(str(certificate["family"]))
    return [", ".join(names) + (f" ({reason})" if reason else "") for reason, names in together.items()]


_STATUSES = (Status.CERTIFIED, Status.LEAKS, Status.NOT_CHECKED)
