"""Would more rows help? The error at two training sizes, extended to all rows and to twice as many.

The models without one block were trained on (1 − 1/K) n rows, those without two on (1 − 2/K) n. Both are tested on the
same blocks, so the difference between them is known far better than either. A learning curve that has left its first
steep part is close to

    error(m) = a + b / m^c

with c = 1 where the error of estimating a fixed number of parameters is what more rows take away (linear and
logistic models, naive Bayes, a ridge), and c nearer ½ for learners that become more flexible with more rows. Two sizes
fix a and b for a given c, not c itself: `exponent` is 1 unless told otherwise. At n rows the choice hardly matters; at
2n it does, and the interval does not know about it.

More rows teach nobody less (b ≥ 0), and no number of rows brings a loss below the lowest there is (a ≥ lowest). So what
a table of twice the rows can take off the error measured lies between nothing and (1 − 2^−c) of what that error has
above the lowest: half of it for c = 1. What the blocks say is cut to that (their posterior is projected on it, which
cuts its quantiles), and blocks that rule out nothing of it say nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf, nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.errors import UsageError
from venire.inference.certainty import SURE
from venire.inference.comparisons import Comparison
from venire.inference.estimates import Estimate
from venire.inference.intervals import mean_posterior

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Growth:
    """A learning curve through two measured sizes, and what it says beyond them.

    `without_one` and `without_two` are the losses on every block by models trained on (1 − 1/K) n and (1 − 2/K) n rows.
    """

    rows: int
    blocks: int
    exponent: float
    without_one: Floats = field(repr=False)
    without_two: Floats = field(repr=False)
    lowest: float = -inf  # no loss lies below

    def at(self, rows: float, level: float = 0.95) -> Estimate:
        """The error when trained on that many rows, wherever above the lowest loss the curve leads."""
        posterior = mean_posterior(self._values(rows), 1 / (self.blocks - 1))
        return Estimate(
            max(posterior.mean, self.lowest),
            posterior.interval(level).within(self.lowest, inf),
            "growth",
            f"the expected error when trained on {round(rows):,} rows",
            self._source,
        )

    @property
    def at_all_rows(self) -> Estimate:
        """The error when trained on all n rows."""
        return self.at(self.rows)

    @property
    def at_twice_the_rows(self) -> Estimate:
        """The error to expect from 2n rows."""
        return self.at(2 * self.rows)

    @property
    def measured(self) -> float:
        """The error by models trained on all blocks but one: the figure a cross-validation of the table shows."""
        return mean_posterior(self.without_one, 0.0).mean

    @property
    def most(self) -> float:
        """The most that a table of twice the rows can take off the error measured."""
        return (self.measured - self.lowest) * (1 - float(2**-self.exponent))

    def doubling(self, rope: float = 0.0) -> Comparison:
        """A table of twice the rows against this one, both cross-validated alike, by what the blocks say alone.

        `p_better` is the probability that the rows help by more than `rope`.
        """
        change = self._values(2 * self._size(1)) - self.without_one
        return Comparison(mean_posterior(change, 1 / (self.blocks - 1)), rope, "growth")

    def gain(self, level: float = 0.95) -> Estimate:
        """What a table of twice the rows would take off the error measured, as far as that is possible."""
        found = self.doubling().reverse()
        return Estimate(
            min(max(found.difference, 0.0), self.most),
            found.interval(level).within(0.0, self.most),
            "growth",
            "what twice the rows would take off the error measured",
            self._source,
        )

    def p_helps(self, rope: float = 0.0) -> float:
        """The probability that twice the rows take off more than `rope`: 0 where they cannot."""
        found = self.doubling(rope).p_better
        return 0.0 if self.most <= rope and not np.isnan(found) else found

    def tells(self, level: float = 0.95) -> bool:
        """Whether the blocks rule out anything: no gain at all, or the most that is possible."""
        found = self.doubling().reverse().interval(level)
        return found.defined and (found.low > 0 or found.high < self.most)

    def sentence(self, rope: float = 0.0) -> str:
        """The answer in words."""
        helps = self.p_helps(rope)
        if np.isnan(helps):
            return "Whether more rows would help cannot be said from these folds."
        if self.most <= rope:
            return f"An error of {self.measured:.3g} leaves little for more rows to gain."
        if not self.tells():
            return "Whether more rows would help cannot be judged from so few."
        step = f"from {self.measured:.3g} to about {self.measured - self.gain().value:.3g}"
        if helps > SURE:
            return f"Twice the rows would help: {step} (probability {_percent(helps)})."
        if helps > 0.5:
            return f"Twice the rows might help, {step}; the evidence is weak (probability {_percent(helps)})."
        return f"More rows are not expected to help much (probability {_percent(helps)})."

    @property
    def _source(self) -> str:
        trained = f"{self._size(1):.0f} and {self._size(2):.0f} rows"
        return f"{len(self.without_one)} blocks, by models trained on {trained}"

    def _size(self, left_out: int) -> float:
        return self.rows * (1 - left_out / self.blocks)

    def _values(self, rows: float) -> Floats:
        """Each block's loss, extended along the curve."""
        one, two, there = (size**-self.exponent for size in (self._size(1), self._size(2), rows))
        reach = (one - there) / (two - one)
        return np.asarray(self.without_one + reach * (self.without_one - self.without_two))


def growth(
    without_one: ArrayLike,
    without_two: ArrayLike,
    *,
    rows: int,
    blocks: int,
    exponent: float = 1.0,
    lowest: float = -inf,
) -> Growth:
    """The learning curve of one procedure from the losses of its models without one and without two blocks.

    `without_one` has one loss a block (of every repeat); `without_two` the mean loss on the same block over the models
    that left out another one too, or [block, other block] to be averaged here. `lowest` is the least loss there is: 0
    for an error rate.

    >>> curve = growth([0.20, 0.24, 0.16], [0.22, 0.26, 0.18], rows=90, blocks=3, lowest=0.0)
    >>> round(curve.at_all_rows.value, 3), round(curve.at_twice_the_rows.value, 3)
    (0.193, 0.187)
    >>> round(curve.measured, 3), round(curve.gain().value, 3), round(curve.most, 3)
    (0.2, 0.01, 0.1)
    """
    one = np.asarray(without_one, dtype=np.float64).ravel()
    two = np.asarray(without_two, dtype=np.float64)
    if two.ndim == 2:
        two = _mean_defined(two)
    if one.shape != two.shape:
        raise UsageError(
            f"there are {len(one)} losses without one block and {len(two)} without two",
            hint="give both for the same blocks, in the same order",
        )
    if blocks < 3 or rows < blocks:
        raise UsageError(f"{rows} rows in {blocks} blocks leave nothing to train on without two blocks")
    if not exponent > 0:
        raise UsageError(f"the exponent of a learning curve is above 0, and {exponent} was given")
    return Growth(rows, blocks, exponent, one, two, lowest)


def _mean_defined(losses: Floats) -> Floats:
    defined = ~np.isnan(losses)
    total = np.where(defined, losses, 0.0).sum(axis=1)
    return np.where(defined.any(axis=1), total / np.maximum(defined.sum(axis=1), 1), nan)


def _percent(probability: float) -> str:
    if probability > 0.999:
        return "> 99.9 %"
    if probability < 0.001:
        return "< 0.1 %"
    return f"{100 * probability:.0f} %" if 0.01 < probability < 0.99 else f"{100 * probability:.1f} %"
