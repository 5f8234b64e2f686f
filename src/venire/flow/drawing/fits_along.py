"""Many fits of one family along one column, each on other rows: what bias and variance look like on a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from venire.data.table import Table
from venire.inference.decomposition import Decomposition, taken_apart
from venire.validation.curves import complexity_curve
from venire.validation.trials.family import Family

FITS = 30
_HELD_OUT = 0.3  # the share of the rows that no fit sees
_SAMPLED = 0.5  # of the others, for each fit
_FOLDS = 5


def fits_along(family: Family, table: Table, seed: int) -> Decomposition:
    """The family at its best setting for this one column, fitted to many samples, and its error on rows none saw.

    What the truth is nobody knows of a table: the target itself stands for it, so that noise is part of the bias.
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, _SALT]))
    order = rng.permutation(table.rows)
    out = np.sort(order[: max(1, round(_HELD_OUT * table.rows))])
    others = np.setdiff1d(order, out)
    curve = complexity_curve(family, table.take(others), folds=min(_FOLDS, len(others)), seed=seed)
    setting = curve.settings[curve.best]
    few = max(2, round(_SAMPLED * len(others)))
    samples = [np.sort(rng.choice(others, few, replace=False)) for _ in range(FITS)]
    fits: list[Any] = [family.refit(table.take(rows), setting, seed).predict(table.X[out]) for rows in samples]
    target = table.y[out].astype(np.float64)
    return taken_apart(table.X[out], target, target, np.stack(fits), "squared")


_SALT = 0xB1A5
