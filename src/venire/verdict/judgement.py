"""What the evidence says, as one value: the candidates, the procedure, the leaderboard and what was found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from venire.validation.trials.certificate import Certificate
from venire.verdict.candidates import Candidate
from venire.verdict.leaderboard import Row
from venire.verdict.ledger import Docket, Ledger
from venire.verdict.procedure import Procedure


@dataclass(frozen=True)
class Finding:
    """One thing worth knowing before acting on the verdict."""

    code: str
    message: str
    advice: str


@dataclass(frozen=True)
class Checked:
    """What a check came to: "found", "clear", "muted", or "not applicable" with the reason.

    Where not all rows were looked at, the reason of the first two says in how many.
    """

    code: str
    title: str
    status: str
    reason: str = ""


@dataclass(frozen=True, eq=False)
class Judgement:
    """What the evidence says."""

    docket: Docket
    ledgers: Mapping[str, Ledger]
    candidates: tuple[Candidate, ...]
    procedure: Procedure
    rows: tuple[Row, ...]
    certificates: Mapping[str, Certificate] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    checks: tuple[Checked, ...] = ()

    @property
    def top(self) -> Row:
        """The line of the procedure."""
        return self.rows[0]

    @property
    def handed_over(self) -> list[str]:
        """The members that would be handed over: the chosen one, or those of the chosen combination by their weight."""
        chosen = self.procedure.chosen
        weights = chosen.weights or {chosen.name: 1.0}
        return sorted((name for name in weights if weights[name] > 0), key=lambda name: -weights[name])

    def candidate(self, name: str) -> Candidate:
        """The member or combination of that name."""
        return next(c for c in self.candidates if c.name == name)

    def has(self, name: str) -> bool:
        """Whether there is a member or combination of that name."""
        return any(c.name == name for c in self.candidates)
