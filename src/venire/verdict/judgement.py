"""From evidence to a judgement, a pure function that fits no model: candidates, procedure, leaderboard, findings.

Members are assessed as their trials come in, each once, and what is known so far gives a judgement.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from venire.validation.choice import Rule
from venire.validation.honesty.certificate import Certificate
from venire.validation.trials.docket import Docket
from venire.validation.trials.forecast import FitTooSlow
from venire.validation.trials.ledger import Ledger
from venire.verdict.candidates import Candidate, member, unit_of
from venire.verdict.combinations import combinations
from venire.verdict.held_out_figures import HeldOutRows
from venire.verdict.leaderboard import Row, leaderboard
from venire.verdict.procedure import Procedure, procedure


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
    not_fitted: Mapping[str, FitTooSlow] = field(
        default_factory=dict
    )  # families no choice could take, for want of time
    of_folds: Mapping[str, FitTooSlow] = field(
        default_factory=dict
    )  # members handed over as the models of the folds, averaged, for want of time

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

    def as_models_of_folds(self, late: Mapping[str, FitTooSlow]) -> Judgement:
        """The same judgement, where some of what is handed over is not fitted on all rows."""
        return replace(self, of_folds={name: late[name] for name in self.handed_over if name in late})

    def candidate(self, name: str) -> Candidate:
        """The member or combination of that name."""
        return next(c for c in self.candidates if c.name == name)

    def has(self, name: str) -> bool:
        """Whether there is a member or combination of that name."""
        return any(c.name == name for c in self.candidates)


class Assessment:
    """What the members of one docket came to; `rule` is how a member chooses its setting."""

    def __init__(self, docket: Docket, rule: Rule = "best") -> None:
        self.docket = docket
        self._rule = rule
        self._assessed: dict[str, tuple[Ledger, Candidate]] = {}

    def error(self, family: str) -> float:
        """The two-layer error of a family whose trials are complete: the figure the leaderboard will have."""
        return HeldOutRows(self.docket, dict.fromkeys(self.docket.plan.places, self._assess(family)[1])).value()

    def judgement(
        self, families: Sequence[str], combined: Sequence[str], without: Mapping[str, FitTooSlow] | None = None
    ) -> Judgement:
        """The judgement of these families and their combinations, before anything is looked for in it.

        Families that are to be done `without` are on the leaderboard, but nothing that is chosen takes them.
        """
        late = without or {}
        assessed = {name: self._assess(name) for name in families}
        ledgers = {name: ledger for name, (ledger, _) in assessed.items()}
        members = [candidate for _, candidate in assessed.values()]
        able = [candidate for candidate in members if candidate.name not in late]
        together = combinations(self.docket, ledgers, able, combined)
        chosen = procedure([*able, *together], self.docket.plan.repeats, partial(unit_of, self.docket))
        candidates = (*members, *together)
        rows = leaderboard(self.docket, candidates, chosen)
        return Judgement(self.docket, ledgers, candidates, chosen, rows, not_fitted=late)

    def _assess(self, family: str) -> tuple[Ledger, Candidate]:
        if family not in self._assessed:
            ledger = self.docket.ledger(family)
            self._assessed[family] = ledger, member(self.docket, ledger, self._rule)
        return self._assessed[family]
