"""The hearing: members are assessed as their trials come in, each once, and what is known so far gives a judgement."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from venire.validation.choice import Rule
from venire.verdict.candidates import Candidate, member, unit_of
from venire.verdict.combinations import combinations
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import leaderboard
from venire.verdict.ledger import Docket, Ledger
from venire.verdict.procedure import procedure


class Hearing:
    """What the members of one docket came to; `rule` is how a member chooses its setting."""

    def __init__(self, docket: Docket, rule: Rule = "best") -> None:
        self.docket = docket
        self._rule = rule
        self._heard: dict[str, tuple[Ledger, Candidate]] = {}

    def error(self, family: str) -> float:
        """The two-layer error of a family whose trials are complete: the figure the leaderboard will have."""
        return self._hear(family)[1].error

    def judgement(self, families: Sequence[str], combined: Sequence[str]) -> Judgement:
        """The judgement of these families and their combinations, before anything is looked for in it."""
        heard = {name: self._hear(name) for name in families}
        members = [candidate for _, candidate in heard.values()]
        candidates = (*members, *combinations(self.docket, members, combined))
        chosen = procedure(candidates, self.docket.plan.repeats, partial(unit_of, self.docket))
        rows = leaderboard(self.docket, candidates, chosen)
        return Judgement(self.docket, {name: ledger for name, (ledger, _) in heard.items()}, candidates, chosen, rows)

    def _hear(self, family: str) -> tuple[Ledger, Candidate]:
        if family not in self._heard:
            ledger = self.docket.ledger(family)
            self._heard[family] = ledger, member(self.docket, ledger, self._rule)
        return self._heard[family]
