"""From evidence to everything that may be said: a pure function that fits no model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from venire.verdict.candidates import Candidate, member
from venire.verdict.combinations import combinations
from venire.verdict.findings import Finding, find
from venire.verdict.leaderboard import Row, leaderboard
from venire.verdict.ledger import Docket, Ledger
from venire.verdict.procedure import Procedure, procedure


@dataclass(frozen=True, eq=False)
class Judgement:
    """What the evidence says."""

    docket: Docket
    ledgers: Mapping[str, Ledger]
    candidates: tuple[Candidate, ...]
    procedure: Procedure
    rows: tuple[Row, ...]
    findings: tuple[Finding, ...]

    def candidate(self, name: str) -> Candidate:
        """The member or combination of that name."""
        return next(c for c in self.candidates if c.name == name)


def judge(docket: Docket, families: Sequence[str], combined: Sequence[str]) -> Judgement:
    """Assess the families whose evidence is complete, their combinations, and the procedure that chooses among them."""
    ledgers = {name: docket.ledger(name) for name in families}
    members = [member(docket, ledger) for ledger in ledgers.values()]
    candidates = (*members, *combinations(docket, members, combined))
    chosen = procedure(candidates, docket.plan.repeats)
    rows = leaderboard(docket, candidates, chosen)
    return Judgement(docket, ledgers, candidates, chosen, rows, find(docket, ledgers, candidates, chosen, rows))
