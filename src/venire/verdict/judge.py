"""From evidence to everything that may be said: a pure function that fits no model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from venire.validation.choice import Rule
from venire.validation.trials.certificate import Certificate
from venire.verdict.findings.catalogue import review
from venire.verdict.hearing import Hearing
from venire.verdict.judgement import Judgement
from venire.verdict.ledger import Docket

__all__ = ["Judgement", "judge", "reviewed"]


def judge(
    docket: Docket,
    families: Sequence[str],
    combined: Sequence[str],
    rule: Rule = "best",
    *,
    certificates: Mapping[str, Certificate] | None = None,
    mute: Collection[str] = (),
) -> Judgement:
    """Assess the families whose evidence is complete, their combinations, and the procedure that chooses among them.

    `rule` is how a member chooses its setting; `certificates` are of all families that were checked, those that leak
    among them; `mute` are codes of findings that are left out.
    """
    return reviewed(Hearing(docket, rule).judgement(families, combined), certificates or {}, mute)


def reviewed(bare: Judgement, certificates: Mapping[str, Certificate], mute: Collection[str] = ()) -> Judgement:
    """A judgement with the certificates, and with what is found in it."""
    checked = replace(bare, certificates=certificates)
    findings, checks = review(checked, frozenset(mute))
    return replace(checked, findings=findings, checks=checks)
