"""By how much a cross-validated figure is less sure than that of one fixed model on the same rows.

A row's loss has two causes: the row, and which rows the model was trained on. The second part is shared: two rows that
help one another's predictions are both lucky or both unlucky, so the variance of that part counts twice in the figure.
And where the quality of the model itself hangs on the training rows, all losses move together.

Both show in the models without two folds. A row's loss changes by so much when a tenth of the training rows is left
out; for a smooth loss the variance over training sets is K − 2 times the mean square of that (the delete-a-group
jackknife). A decision turns at once, by chance in proportion to how far scores move and not to its square, so there the
mean square grows with half of the root of 2 (K − 2). How much the figure of all rows hangs on the training rows is the
jackknife over folds of that figure, less what chance alone makes of it, because each shift is measured on few rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike
from scipy import special

from venire.inference.intervals import tail

_AT_LEAST = 0.2  # of the usual correction, in any case
_FEW_FOLDS, _AT_LEAST_OF_FEW = 5, 0.5  # fewer folds than that tell little of the rest
_IN_ORDER = 0.75  # added in time order: a row there helps later ones, and they do not help it


@dataclass(frozen=True)
class Nature:
    """How a metric hangs on training rows.

    Attributes
    ----------
    steps
        It follows from decisions, which turn at once.
    chance
        How many times the variance by chance is taken off the jackknife; None for a smooth metric, where all of it is
        taken off the sum of both parts.
    doubt
        Whether the jackknife grows by how badly K figures show a variance.
    most
        The largest factor it may be.
    """

    steps: bool
    chance: float | None
    doubt: bool
    most: float


# A few rows of a rare class decide where a model draws its line: there the figure may vary more than is usual.
_LINE = Nature(steps=True, chance=1.0, doubt=True, most=25.0)
_DECISION = Nature(steps=True, chance=1.5, doubt=False, most=4.0)
_ORDER = Nature(steps=False, chance=1.0, doubt=False, most=13.0)
SMOOTH = Nature(steps=False, chance=None, doubt=False, most=25.0)
NATURES = {"error": _DECISION, "cost": _DECISION, "balanced_error": _LINE, "f1": _LINE, "auc": _ORDER}


def overlap_in_order() -> float:
    """The factor in time order, where every model is trained on earlier rows only.

    >>> overlap_in_order()
    1.75
    """
    return 1 + _IN_ORDER


def training_overlap(
    influence: ArrayLike,
    changes: ArrayLike,
    shifts: ArrayLike,
    noise: ArrayLike,
    *,
    usual: float,
    nature: Nature = SMOOTH,
    twice: float = 0.0,
    level: float = 0.95,
) -> float:
    """By how much the variance of a cross-validated figure exceeds that of one fixed model on the same rows.

    Parameters
    ----------
    influence
        Of every row on the figure.
    changes
        For each fold, the mean square of what its absence from training does to the other rows' influence.
    shifts
        For each fold, what its absence from training does to the figure of the others.
    noise
        For each fold, the variance that the shift has by the chance of which rows it is measured on.
    usual
        The factor of Nadeau and Bengio, 1 + K n_test / n_train, which takes nothing from the data.
    nature
        How the metric hangs on training rows.
    twice
        The share of the squares of the influence that is there twice, because a pair of rows counts for both.
    level
        The probability that the interval is to hold the figure.

    Returns
    -------
    float
        The factor of the variance.

    Examples
    --------
    Ten folds, and rows whose losses hardly change with the training rows; and some that are all luck:

    >>> moved, nothing = np.tile([0.9, -0.1, -0.1, -0.7], 10), np.zeros(10)
    >>> round(training_overlap(moved, nothing, nothing, nothing, usual=1 + 10 / 9), 2)
    1.22
    >>> round(training_overlap(moved, np.full(10, 0.2), nothing, nothing, usual=1 + 10 / 9), 2)
    2.0
    """
    squares, changed, shifted, chances = (
        np.asarray(part, dtype=np.float64) for part in (influence, changes, shifts, noise)
    )
    plain = float(np.square(squares).mean()) if len(squares) else 0.0
    usable = ~np.isnan(shifted)
    folds = len(shifted)
    if plain <= 0 or usable.sum() < 3:
        return usual
    least = (_AT_LEAST_OF_FEW if folds < _FEW_FOLDS else _AT_LEAST) * (usual - 1)
    larger = sqrt((folds - 2) / 2) if nature.steps else folds - 2.0
    shared = min(1.0, larger * float(changed[usable].mean()) / plain)
    scale = (folds - 1) ** 2 / folds * len(squares) / plain
    taught = scale * float(shifted[usable].var(ddof=1)) / (1 - twice)
    chance = scale * float(chances[usable].mean())  # of pairs, too: they are there twice on both sides
    if nature.chance is None:
        added = max(shared + taught - chance, least)
    else:
        doubt = _badly_known(int(usable.sum()) - 1, level) if nature.doubt else 1.0
        added = max(shared, least) + doubt * max(0.0, taught - nature.chance * chance)
    return float(min(1 + added, nature.most))


def _badly_known(df: int, level: float) -> float:
    """By how much a variance has to grow that is known from so many degrees of freedom."""
    return float(special.stdtrit(max(3, df), tail(level)) / special.ndtri(tail(level))) ** 2
