"""What trials came to, as types: the parts that the documents of `compare`, `validate` and `select` have in common."""

from __future__ import annotations

from typing import Annotated, Any, TypedDict, get_args

from venire.data.document import one_of
from venire.validation.honesty.certificate import Certificate
from venire.validation.honesty.leaking import Leaking
from venire.validation.trials import reasons

CHECKED: tuple[type[reasons.Reason], ...] = get_args(reasons.NotChecked | Leaking)
_KINDS = sorted({why.kind for why in CHECKED})

StoppedBy = Annotated[str | None, one_of(*reasons.Stopped, None), "what ended the run before all of it was done"]


class CertificateFacts(TypedDict):
    """What the check for leaks came to."""

    family: str
    status: Annotated[str, one_of(*reasons.Status)]
    kind: Annotated[str | None, one_of(*_KINDS, None), "of the reason; null for a certified one"]
    figures: Annotated[dict[str, Any], CHECKED, "behind the reason, by its kind"]
    reason: Annotated[str, "as people read it; empty for a certified one"]
    power: Annotated[float | None, "the probability with which a leak of half of the answers would have been seen"]


def certificate_facts(certificate: Certificate) -> CertificateFacts:
    """A certificate as plain data."""
    why = certificate.reason
    return {
        "family": certificate.family,
        "status": str(certificate.status),
        "kind": None if why is None else why.kind,
        "figures": {} if why is None else why.figures,
        "reason": "" if why is None else str(why),
        "power": None if certificate.power is None else round(certificate.power, 4),
    }
