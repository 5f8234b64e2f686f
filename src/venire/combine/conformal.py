"""How far predictions are off on held-out rows, and what that makes of a new one: an interval, or a set of classes.

The score of a row says how strange the truth was to the model: the absolute error of a number, one minus the
probability of the class that came true. If a new row is like the held-out ones, its score is as likely to stand at any
place among theirs as at any other. So a radius that k of n scores do not exceed holds the truth of a new row about k
times in n + 1.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError

Floats = NDArray[np.float64]

MOST_SCORES = 4096  # kept of more: enough to find any usual quantile to a fortieth of a percent


@dataclass(frozen=True, eq=False, slots=True)
class Conformal:
    """The scores of held-out rows.

    Attributes
    ----------
    scores
        Ascending; of more than 4,096 rows so many at equal distances in their order, the last one among them.
    rows
        How many rows they stand for.
    independent
        As how many independent rows those count: groups count as one row each.

    Examples
    --------
    >>> found = Conformal.of(np.arange(1.0, 100.0), 99)
    >>> found.radius(0.9), found.radius(0.5)
    (90.0, 50.0)
    """

    scores: Floats
    rows: int
    independent: float

    @classmethod
    def of(cls, scores: NDArray[Any], independent: float) -> Conformal:
        """From the score of every row; scores that are none (NaN) are left out."""
        known = np.sort(np.asarray(scores, dtype=np.float64)[~np.isnan(scores)])
        rows = len(known)
        if rows > MOST_SCORES:
            ranks = -(-np.arange(1, MOST_SCORES + 1) * rows // MOST_SCORES)  # rounded up: never a smaller score
            known = known[ranks - 1]
        return cls(known, rows, float(min(independent, rows)))

    def radius(self, coverage: float) -> float:
        """The score that at least this share of new rows do not exceed."""
        share = checked_coverage(coverage) * (1 + 1 / self.independent) if self.independent else 2.0
        rank = ceil(round(share * self.rows, 9))
        if rank > self.rows:
            raise UsageError(
                f"{self.rows} held-out rows are too few for a coverage of {coverage:g}",
                code="too_few_rows",
                hint=f"ask for less than {self.independent / (self.independent + 1):.3g}",
            )
        return float(self.scores[max(0, -(-rank * len(self.scores) // self.rows) - 1)])


def checked_coverage(coverage: float) -> float:
    """The share of rows whose truth is to be held, or an error that says what is wrong with it."""
    if not (isfinite(coverage) and 0 < coverage < 1):
        raise UsageError(
            f"a coverage lies between 0 and 1, and {coverage:g} was asked for", code="bad_coverage", hint="such as 0.9"
        )
    return coverage


def residual_scores(actual: NDArray[Any], predicted: NDArray[Any]) -> Floats:
    """How far numbers are off, whichever way."""
    return np.abs(np.asarray(actual, dtype=np.float64) - np.asarray(predicted, dtype=np.float64))


def class_scores(actual: NDArray[Any], probabilities: NDArray[Any]) -> Floats:
    """One minus the probability of the class that came true; `actual` has codes."""
    given = np.asarray(probabilities, dtype=np.float64)
    return np.asarray(1.0 - given[np.arange(len(actual)), actual])


def around(values: NDArray[Any], radius: float) -> Floats:
    """The interval of every number, [row, end]."""
    return np.column_stack([values - radius, values + radius])


def likely_classes(probabilities: NDArray[Any], radius: float) -> NDArray[np.bool_]:
    """Which classes are in the set of every row, [row, class]; the likeliest always is.

    >>> likely_classes(np.array([[0.5, 0.3, 0.2], [0.9, 0.1, 0.0]]), 0.7)
    array([[ True,  True, False],
           [ True, False, False]])
    """
    given = np.asarray(probabilities, dtype=np.float64)
    held = 1.0 - given <= radius
    held[np.arange(len(given)), given.argmax(axis=1)] = True
    return np.asarray(held)
