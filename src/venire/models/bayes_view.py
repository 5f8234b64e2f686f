"""Why naive Bayes says what it says: one line an attribute, and they add up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Term:
    """What one attribute of a row contributes to the log-odds; 0 when it is missing or was never seen."""

    attribute: str
    value: Any
    log_odds: float


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a row is of one class rather than of another: log-odds of the priors and of each attribute.

    >>> print(Explanation("no", "yes", -0.5, (Term("humidity", "high", 0.9), Term("windy", None, 0.0))))
    no rather than yes: log-odds 0.40 (odds 1.49 to 1)
      prior            -0.50
      humidity = high  +0.90
      windy = ?        +0.00
    """

    favoured: Any
    against: Any
    prior: float
    terms: tuple[Term, ...]

    @property
    def log_odds(self) -> float:
        """The whole: log P(favoured | row) − log P(against | row)."""
        return math.fsum([self.prior, *(term.log_odds for term in self.terms)])

    def __str__(self) -> str:
        names = ["prior", *(f"{t.attribute} = {'?' if t.value is None else t.value}" for t in self.terms)]
        width = max(map(len, names))
        numbers = [self.prior, *(term.log_odds for term in self.terms)]
        lines = [f"  {name:<{width}}  {number:+.2f}" for name, number in zip(names, numbers, strict=True)]
        odds = math.exp(min(self.log_odds, 700.0))
        head = f"{self.favoured} rather than {self.against}: log-odds {self.log_odds:.2f} (odds {odds:.3g} to 1)"
        return "\n".join([head, *lines])
