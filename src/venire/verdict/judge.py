"""From evidence to everything that may be said: a pure function that fits no model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial

from venire.validation.certificate import Certificate
from venire.validation.choice import Rule
from venire.verdict.candidates import member, unit_of
from venire.verdict.combinations import combinations
from venire.verdict.findings import review
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import leaderboard
from venire.verdict.ledger import Docket
from venire.verdict.procedure import procedure

__all__ = ["Judgement", "judge"]


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
    ledgers = {name: docket.ledger(name) for name in families}
    members = [member(docket, ledger, rule) for ledger in ledgers.values()]
    candidates = (*members, *combinations(docket, members, combined))
    chosen = procedure(candidates, docket.plan.repeats, partial(unit_of, docket))
    rows = leaderboard(docket, candidates, chosen)
    bare = Judgement(docket, ledgers, candidates, chosen, rows, certificates or {})
    findings, checks = review(bare, frozenset(mute))
    return replace(bare, findings=findings, checks=checks)
