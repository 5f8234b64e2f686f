"""Why naive Bayes says what it says: one line an attribute, and they add up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError
from venire.models.bayes.model import BayesModel, logs
from venire.models.bayes.sums import Floats
from venire.models.input import Layout


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


def explained(
    model: BayesModel, row: NDArray[Any], layout: Layout, names: list[str], labels: list[Any], pair: tuple[int, int]
) -> Explanation:
    """Why `row`, as the model reads it, is of the first class of the pair rather than of the second."""
    one, other = pair
    found, prior = model.attributes(row), logs(model.prior)
    terms = tuple(
        Term(name, _shown(layout, j, row[j]), float(found[j, one] - found[j, other])) for j, name in enumerate(names)
    )
    return Explanation(labels[one], labels[other], float(prior[one] - prior[other]), terms)


def told_apart(labels: list[Any], joint: Floats, favoured: Any, against: Any) -> tuple[int, int]:
    """The codes of two classes to compare; where one is not given (None), the likeliest that the other is not.

    >>> told_apart(["a", "b", "c"], np.array([-1.0, -3.0, -2.0]), None, "a")
    (2, 0)
    """
    order = np.argsort(-joint, kind="stable").tolist()
    codes = {label: code for code, label in enumerate(labels)}
    for label in (favoured, against):
        if label is not None and label not in codes:
            raise UsageError(f"there is no class {label!r}", hint=f"classes: {', '.join(map(str, codes))}")
    other = None if against is None else codes[against]
    one = codes[favoured] if favoured is not None else next(c for c in order if c != other)
    other = next(c for c in order if c != one) if other is None else other
    if one == other:
        raise UsageError(f"class {favoured!r} is compared with itself", hint="name two different classes")
    return one, other


def _shown(layout: Layout, j: int, value: Any) -> Any:
    """A value of column j as the user knows it."""
    if value != value:
        return None
    if j in layout.categories:
        return layout.categories[j][int(value)]
    return int(value) if layout.categorical[j] else value.item()
