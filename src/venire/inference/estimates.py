"""A figure with its interval, and what it may be read as: every estimate names its target, its rows and its method."""

from __future__ import annotations

from dataclasses import dataclass

from venire.inference.intervals import Interval


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure, the interval around it, and in words: what it estimates, from which rows, by which method.

    Attributes
    ----------
    value
        The figure.
    interval
        The interval around it.
    method
        The name of the method, as `interval` knows it.
    target
        In words: what is estimated.
    rows
        In words: from which rows.

    Examples
    --------
    >>> e = Estimate(0.1, Interval(0.06, 0.15), "jeffreys", "the error of this model", "100 test rows")
    >>> print(e)
    0.1 [0.06, 0.15] (95 %): the error of this model; from 100 test rows, by jeffreys
    """

    value: float
    interval: Interval
    method: str
    target: str
    rows: str

    @property
    def low(self) -> float:
        """The lower end."""
        return self.interval.low

    @property
    def high(self) -> float:
        """The upper end."""
        return self.interval.high

    def __str__(self) -> str:
        ends = f"[{self.low:.4g}, {self.high:.4g}] ({100 * self.interval.level:g} %)"
        return f"{self.value:.4g} {ends}: {self.target}; from {self.rows}, by {self.method}"
