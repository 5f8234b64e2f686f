"""Would more rows help? The error at two training sizes, extended to all rows and to twice as many.

The models without one fold were trained on (1 − 1/K) n rows, those without two on (1 − 2/K) n. Both are tested on the
same folds, so the difference between them is known far better than either. A learning curve that has left its first
steep part is close to

    error(m) = a + b / m^c

with c = 1 where the error of estimating a fixed number of parameters is what more rows take away (linear and
logistic models, naive Bayes, a ridge), and c nearer ½ for learners that become more flexible with more rows. Two sizes
fix a and b for a given c, not c itself: `exponent` is 1 unless given. At n rows the choice hardly matters; at
2n it does, and the interval does not know about it.

More rows teach nobody less (b ≥ 0), and no number of rows brings a loss below the lowest there is (a ≥ lowest). So what
a table of twice the rows can take off the error measured lies between nothing and (1 − 2^−c) of what that error has
above the lowest: half of it for c = 1. What the folds say is cut to that (their posterior is projected on it, which
cuts its quantiles), and folds that rule out nothing of it say nothing.

What the folds compare is one choice at two sizes. With more rows the choice itself is better, and the first part of a
curve is steeper than 1/m: up to twice of what they say was won where the truth was known. So the upper end of the gain
is twice theirs.
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
from venire.inference.intervals import Interval, mean_posterior
from venire.wording import share

Floats = NDArray[np.float64]

_UNTOLD = 2.0  # so many times the gain that two sizes show may come with a better choice: see the module


@dataclass(frozen=True, eq=False)
class Growth:
    """A learning curve through two measured sizes, and what it says beyond them.

    Attributes
    ----------
    rows
        All rows of the table.
    folds
        The number of folds K.
    exponent
        The loss falls with the rows to the power of minus this.
    without_one, without_two
        The losses on every fold by models trained on (1 − 1/K) and (1 − 2/K) of the rows.
    lowest
        No loss lies below.
    shown
        The figure of all folds, where it is no mean of them; NaN where it is.

    Examples
    --------
    >>> curve = growth([0.20, 0.24, 0.16], [0.22, 0.26, 0.18], rows=90, folds=3, lowest=0.0)
    >>> round(curve.at(180).value, 3), round(curve.measured, 3)
    (0.187, 0.2)
    """

    rows: int
    folds: int
    exponent: float
    without_one: Floats = field(repr=False)
    without_two: Floats = field(repr=False)
    lowest: float = -inf  # no loss lies below
    shown: float = nan  # the figure of all folds, where it is no mean of them

    def at(self, rows: float, level: float = 0.95) -> Estimate:
        """The error when trained on that many rows, wherever above the lowest loss the curve leads."""
        posterior = mean_posterior(self._values(rows), 1 / (self.folds - 1))
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
        """The error by models trained on all folds but one: the figure a cross-validation of the table shows."""
        return mean_posterior(self.without_one, 0.0).mean if np.isnan(self.shown) else self.shown

    @property
    def most(self) -> float:
        """The most that a table of twice the rows can take off the error measured."""
        return (self.measured - self.lowest) * (1 - float(2**-self.exponent))

    def doubling(self, rope: float = 0.0) -> Comparison:
        """A table of twice the rows against this one, both cross-validated alike, by what the folds say alone.

        `p_better` is the probability that the rows help by more than `rope`.
        """
        change = self._values(2 * self._size(1)) - self.without_one
        return Comparison(mean_posterior(change, 1 / (self.folds - 1)), rope, "growth")

    def gain(self, level: float = 0.95) -> Estimate:
        """What a table of twice the rows would take off the error measured, as far as that is possible.

        Where all that the folds say lies outside of what is possible, one point would be left of the interval. That
        claims a certainty nobody has, so there is none.
        """
        found = self.doubling().reverse()
        cut = self._gained(level).within(0.0, self.most)
        return Estimate(
            min(max(found.difference, 0.0), self.most),
            cut if cut.width > 0 else Interval(nan, nan, level),
            "growth",
            "what twice the rows would take off the error measured",
            self._source,
        )

    def p_helps(self, rope: float = 0.0) -> float:
        """The probability that twice the rows take off more than `rope`: 0 where they cannot."""
        found = self.doubling(rope).p_better
        return 0.0 if self.most <= rope and not np.isnan(found) else found

    def tells(self, level: float = 0.95) -> bool:
        """Whether the folds rule out anything: no gain at all, or the most that is possible."""
        found = self._gained(level)
        return found.defined and (found.low > 0 or found.high < self.most)

    def sentence(self, rope: float = 0.0) -> str:
        """The answer in words."""
        helps = self.p_helps(rope)
        if np.isnan(helps):
            return "Whether more rows would help cannot be said from these folds."
        if self.most <= rope:
            return f"An error of {self.measured:.3g} leaves little for more rows to gain."
        if not self.tells():
            return f"The folds leave open whether more rows would help: by nothing, or by up to {self.most:.3g}."
        step = f"from {self.measured:.3g} to about {self.measured - self.gain().value:.3g}"
        if helps > SURE:
            return f"Twice the rows would help: {step} (probability {share(helps)})."
        if helps > 0.5:
            return f"Twice the rows might help, {step}; the evidence is weak (probability {share(helps)})."
        return f"More rows are not expected to help much (probability {share(helps)})."

    def _gained(self, level: float) -> Interval:
        """Of what twice the rows take off, by what the folds say; above, with what they cannot say."""
        found = self.doubling().reverse().interval(level)
        return Interval(found.low, max(found.high, _UNTOLD * found.high), level)

    @property
    def _source(self) -> str:
        trained = f"{self._size(1):.0f} and {self._size(2):.0f} rows"
        return f"{len(self.without_one)} folds, by models trained on {trained}"

    def _size(self, left_out: int) -> float:
        return self.rows * (1 - left_out / self.folds)

    def _values(self, rows: float) -> Floats:
        """Each fold's loss, extended along the curve."""
        one, two, there = (size**-self.exponent for size in (self._size(1), self._size(2), rows))
        reach = (one - there) / (two - one)
        return np.asarray(self.without_one + reach * (self.without_one - self.without_two))


def growth(
    without_one: ArrayLike,
    without_two: ArrayLike,
    *,
    rows: int,
    folds: int,
    exponent: float = 1.0,
    lowest: float = -inf,
    shown: float = nan,
) -> Growth:
    """The learning curve of one procedure from the losses of its models without one and without two folds.

    Parameters
    ----------
    without_one
        One loss per fold (of every repeat).
    without_two
        The mean loss on the same fold over the models that left out another one too; or `[fold, other fold]`, to be
        averaged here.
    rows
        All rows of the table.
    folds
        The number of folds.
    exponent
        The loss falls with the rows to the power of minus this.
    lowest
        The least loss there is: 0 for an error rate.
    shown
        The figure of all folds that the gain is taken off, where it is no mean of folds, such as an RMSE of all rows.

    Returns
    -------
    Growth
        The curve.

    Examples
    --------
    >>> curve = growth([0.20, 0.24, 0.16], [0.22, 0.26, 0.18], rows=90, folds=3, lowest=0.0)
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
            f"there are {len(one)} losses without one fold and {len(two)} without two",
            hint="give both for the same folds, in the same order",
        )
    if folds < 3 or rows < folds:
        raise UsageError(f"{rows} rows in {folds} folds leave nothing to train on without two folds")
    if not exponent > 0:
        raise UsageError(f"the exponent of a learning curve is above 0, and {exponent} was given")
    return Growth(rows, folds, exponent, one, two, lowest, shown)


def _mean_defined(losses: Floats) -> Floats:
    defined = ~np.isnan(losses)
    total = np.where(defined, losses, 0.0).sum(axis=1)
    return np.where(defined.any(axis=1), total / np.maximum(defined.sum(axis=1), 1), nan)
