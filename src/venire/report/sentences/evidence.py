"""Further sentences of a verdict, from the document alone: guessing, more rows, costs, decisions, the leak check."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from venire.combine.calibrate import SOBER
from venire.inference.certainty import SURE
from venire.report.document.shapes.verdict import Expense
from venire.report.sentences.numbers import Scale, decimals_for, finite, interval_of, probability, rounded
from venire.report.sentences.scale import Document, figure, measure, scale_of, score_label
from venire.validation.honesty.document import CertificateFacts
from venire.validation.trials.reasons import Status
from venire.verdict.standing import standing
from venire.wording import MISSING, count

_UNLIKELY = 0.2
_NAMED = 4
HIDDEN = "random values in place of all the data that must stay unseen"
_STATUSES = ("certified", "leaks", "not checked")


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
        return f"The {measure(document)} is {figure(document, now)} already: more rows can gain little."
    if found.get("judged") is False:
        open_ = "The folds leave open whether more rows would help: twice the rows may change nothing"
        return f"{open_}, or {_step(document, now, most)}." if most else f"{open_}."
    if gain is None or helps is None:
        return ""
    if helps > SURE:
        said = f"probability {probability(helps)} that they help"
        known = "; ".join(filter(None, (_gain_words(document), said)))
        return f"Twice the rows would {_step(document, now, gain)} ({known})."
    if helps > 0.5:
        ends = _gain_words(document)
        step = f"{_step(document, now, gain)}{f' ({ends})' if ends else ''}"
        return (
            f"Twice the rows might {step}, but this is not certain (probability {probability(helps)} that they help)."
        )
    whole = interval_of({"interval": found.get("gain_interval")})
    if whole is not None and little is not None and whole[1] <= little:
        return f"More rows of the same kind would not help: twice the rows {_at_most(document, now, whole[1])}."
    said = f"probability {probability(helps)} that they do"
    if helps > _UNLIKELY:
        return f"More rows of the same kind may or may not help noticeably ({said})."
    return f"More rows of the same kind are not expected to help noticeably ({said})."


def _step(document: Document, now: float, gain: float) -> str:
    """From the error measured to that of twice the rows, with digits enough to tell them apart."""
    before, after = (figure(document, error, apart=gain) for error in (now, now - gain))
    verb = "lower" if score_label(document) is None else "raise"
    return f"{verb} the {measure(document)} from {before} to about {after}"


def _at_most(document: Document, now: float, most: float) -> str:
    """How far the error measured can come down."""
    return f"would {_step(document, now, most)} at most (95 % interval)" if most > 0 else "would change nothing"


def _gain_words(document: Document) -> str:
    """How little two sizes say about the gain."""
    found = document.get("more_rows")
    ends = interval_of({"interval": found.get("gain_interval") if found else None})
    if ends is None:
        return ""
    places = decimals_for(ends[1] - ends[0])
    if scale_of(document).rate:
        shown = " to ".join(f"{100 * end:.{max(places - 2, 0)}f}" for end in ends)
        return f"95 % interval of the gain: {shown} percentage points"
    return f"95 % interval of the gain: {' to '.join(rounded(end, places) for end in ends)}"


def beside_guessing(document: Document) -> str:
    """How the choice stands beside guessing (see `standing`); empty where it is not known, or guessing was chosen."""
    found = document.get("guessing")
    p = finite(found.get("p_better")) if found else None
    if found is None or p is None or (document.get("chosen") or {}).get("family") == "baseline":
        return ""
    return standing(p, finite(found.get("difference")))


def guessing_words(document: Document) -> str:
    """Is it better than guessing? What can be said of the choice behind "is"; empty where it is not known."""
    stands, found = beside_guessing(document), document.get("guessing")
    if not stands or found is None:
        return ""
    p = probability(found["p_better"])
    return {
        "better": f"better than guessing with probability {p}",
        "likely": f"probably better than guessing (probability {p}), but this is not certain",
        "unclear": f"not clearly better than guessing (probability {p})",
        "no better": f"no better than guessing: both have the same {scale_of(document).kind} in every row",
        "worse": f"worse than guessing (probability of being better {p})",
    }[stands]


def cost_rows(document: Document) -> list[tuple[str, str, str]]:
    """What 1,000 rows cost, each way of deciding with its interval, all to the same digits; empty without costs."""
    shown = []
    for way in _ways(document):
        ends = interval_of(way)
        between = f"[{', '.join(thousand_rows(document, end) for end in ends)}]" if ends else MISSING
        shown.append((str(way["name"]), thousand_rows(document, way["cost"]), between))
    return shown


def thousand_rows(document: Document, cost: float | None) -> str:
    """A cost of 1,000 rows, to the digits that all of them have."""
    scale = Scale.of([{"error": way["cost"], "interval": way.get("interval")} for way in _ways(document)])
    return rounded(cost, scale.places_of(cost))


def expected_cost(document: Document) -> str:
    """What 1,000 new rows cost; empty without costs."""
    ways = _ways(document)
    return f"1,000 new rows cost about {thousand_rows(document, ways[0]['cost'])}" if ways else ""


def cost_words(document: Document) -> str:
    """What 1,000 rows cost, beside always saying the same; empty without costs."""
    if not _ways(document):
        return ""
    between, others = cost_interval(document), cost_otherwise(document)
    better = guessing_words(document)
    known = f"{expected_cost(document)}{f' (95 % interval {between})' if between else ''}; {others}"
    return f"{known}. The choice is {better}" if better else known


def cost_interval(document: Document) -> str:
    """Between what 1,000 rows cost with what was chosen; empty where that is not known."""
    ways = _ways(document)
    return " to ".join(thousand_rows(document, end) for end in (interval_of(ways[0]) or ())) if ways else ""


def cost_otherwise(document: Document) -> str:
    """What 1,000 rows cost when always the same is said."""
    ways = _ways(document)[1 : 1 + _NAMED]
    return ", ".join(f"{way['name']} costs {thousand_rows(document, way['cost'])}" for way in ways)


def _ways(document: Document) -> list[Expense]:
    """The ways of deciding whose cost is known, the procedure first."""
    costs = document.get("costs")
    return [way for way in (costs["per_thousand"] if costs else ()) if finite(way.get("cost")) is not None]


def decision_words(document: Document) -> str:
    """How the chosen model decides, where costs or calibration have a say; else empty."""
    return " and ".join(decisions(document.get("chosen") or {}))


def decisions(chosen: Mapping[str, Any]) -> Iterator[str]:
    """What is done to a model's outputs before they are handed over, a clause each."""
    if chosen.get("calibration") == SOBER:
        yield "its probabilities are no surer than held-out rows can show: none is 0 or 1"
    elif chosen.get("calibration"):
        yield f"its probabilities are calibrated ({chosen['calibration']})"
    threshold, label = finite(chosen.get("threshold")), chosen.get("threshold_class")
    if chosen.get("decision") == "threshold" and threshold is not None and label is not None:
        yield f"it predicts {label} from a {chosen['threshold_of']} threshold of {threshold:.3g} on"
    elif chosen.get("decision") == "least expected cost":
        yield "it predicts the class of least expected cost"
    elif chosen.get("decision") == "one class":
        yield "at these costs it always predicts the same class"


def certificate_words(document: Document) -> str:
    """What is certified, what leaks, what was not checked; empty where nothing is known."""
    parts = certificate_parts(document)
    said = [parts[Status.CERTIFIED]] if Status.CERTIFIED in parts else []
    if Status.LEAKS in parts:
        said.append(f"leaks, and takes no part: {parts[Status.LEAKS]}")
    if Status.NOT_CHECKED in parts:
        said.append(f"not checked: {parts[Status.NOT_CHECKED]}")
    return "; ".join(said)


def leak_check(checks: Sequence[CertificateFacts]) -> str:
    """What came of the check of a single model; empty where none was made."""
    said = {
        Status.CERTIFIED: f"it was trained again on one training part, with {HIDDEN}: no prediction changed",
        Status.LEAKS: "it leaks, and the figures above are not to be trusted",
        Status.NOT_CHECKED: "not checked",
    }
    found = [(said[Status(check["status"])], str(check["reason"] or "")) for check in checks]
    return "; ".join(f"{what} ({why})" if why else what for what, why in found)


def certificate_parts(document: Document) -> dict[str, str]:
    """The same by status: what a certificate says, who leaks, and who was not checked for which reason."""
    found = document.get("certificates") or ()
    by_status = {status: [c for c in found if c.get("status") == status] for status in _STATUSES}
    certified, leaking, unchecked = (by_status[status] for status in _STATUSES)
    parts: dict[str, str] = {}
    if certified:
        who = "every model was" if len(certified) == len(found) else f"{count(len(certified), 'model')} were"
        who = "1 model was" if len(certified) == 1 < len(found) else who
        parts[Status.CERTIFIED] = f"{who} trained again on one training part, with {HIDDEN}: no prediction changed"
        powers = [power for c in certified if (power := c.get("power")) is not None]
        if powers:
            seen = f"{min(powers):.2f}" if min(powers) < 0.995 else "above 0.99"
            parts[Status.CERTIFIED] += f"; a leak of half of the answers would have been seen with probability {seen}"
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
