"""Choosing a setting: lowest mean loss, or the simplest that is as good; of equals always the simpler.

Settings come from simple to complex, so "simpler" is "earlier". A loss that is not defined somewhere is left out of its
mean, and a setting that is defined nowhere is never chosen.
"""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError

Floats = NDArray[np.float64]
Rule = Literal["best", "one_standard_error"]

RULES: tuple[Rule, ...] = get_args(Rule)

# Settings whose means differ by less than rounding are the same: by less than this share of the lowest, or of the unit
# that losses come in (`Metric.unit`), or the last bits of a sum would decide between losses that are all but 0.
SAME = 1e-10


def check_rule(rule: str) -> Rule:
    """The rule of that name, or an error that lists those there are."""
    for known in RULES:
        if rule == known:
            return known
    raise UsageError(f"there is no rule {rule!r} for choosing", code="bad_rule", hint=f"use {' or '.join(RULES)}")


def mean_defined(losses: Floats) -> Floats:
    """The mean along the first axis over what is defined; NaN where nothing is."""
    defined = ~np.isnan(losses)
    count = defined.sum(axis=0)
    total = np.where(defined, losses, 0.0).sum(axis=0)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def together(losses: Floats, power: int) -> Floats:
    """Of every setting the figure of all folds, from losses [fold, setting]; see `overall`.

    >>> together(np.array([[3.0, 1.0], [4.0, np.nan]]), 2).round(3).tolist()
    [3.536, 1.0]
    """
    return np.asarray(mean_defined(np.asarray(losses, dtype=np.float64) ** power) ** (1 / power))


def overall(losses: Floats, power: int) -> float:
    """The figure of all folds together, defined ones: root mean squares are averaged as squares.

    >>> overall(np.array([3.0, 4.0, np.nan]), 1), round(overall(np.array([3.0, 4.0]), 2), 3)
    (3.5, 3.536)
    """
    return float(together(losses, power))


def simplest_best(means: Floats, unit: float = 1.0) -> int:
    """The first of the lowest, up to rounding in their unit; undefined settings never win.

    >>> simplest_best(np.array([0.3, 0.2, 0.2, 0.25]))
    1
    """
    usable = np.where(np.isnan(means), np.inf, means)
    lowest = usable.min()
    return _first_at_most(usable, lowest, unit)


def choose(losses: Floats, rule: Rule = "best", repeats: int = 1, unit: float = 1.0) -> int:
    """The setting to take, from the losses [fold, setting] it may look at.

    "one_standard_error" takes the simplest setting whose mean is within one standard error of the lowest, the error of
    the lowest one's mean over its folds. Repeats split the same rows again: they steady the means, but the standard
    error is that of one split.

    >>> losses = np.array([[0.30, 0.22, 0.20], [0.34, 0.18, 0.20], [0.26, 0.26, 0.20], [0.30, 0.20, 0.24]])
    >>> choose(losses), choose(losses, "one_standard_error")
    (2, 1)
    """
    means = mean_defined(losses)
    best = simplest_best(means, unit)
    if rule == "best" or np.isnan(means[best]):
        return best
    seen = losses[~np.isnan(losses[:, best]), best]
    if len(seen) < 2:  # one fold has no spread to speak of
        return best
    reach = float(seen.std(ddof=1) / np.sqrt(max(1.0, len(seen) / repeats)))
    return _first_at_most(np.where(np.isnan(means), np.inf, means), float(means[best]) + reach, unit)


def _first_at_most(means: Floats, limit: float, unit: float) -> int:
    return int(np.argmax(means <= limit + SAME * max(unit, abs(limit)))) if np.isfinite(limit) else 0
