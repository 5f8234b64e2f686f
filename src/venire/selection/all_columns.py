"""The model with every column beside the selection: on the same folds, trained on the same rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from venire.inference import Comparison, Interval
from venire.inference.certainty import SURE
from venire.selection.document import AllColumnsFacts, ends_or_none, number_or_none
from venire.validation.choice import mean_defined


@dataclass(frozen=True, eq=False)
class AllColumns:
    """What comes of not selecting: the error with all columns, and the selection compared with it.

    No choice is made here, so one layer is enough for an honest figure. Every fold is predicted by models of the same
    training rows as the selection's own two-layer error.

    Attributes
    ----------
    errors
        One per outer fold, in the order of `Selected.errors`.
    interval
        Of their mean, as that of the selection.
    comparison
        The selection less all columns on the same folds: below zero selecting is better.

    Examples
    --------
    >>> import numpy as np
    >>> from venire import select
    >>> X = np.random.default_rng(0).normal(size=(60, 3))
    >>> found = select(X, X[:, 1] + 0.1 * X[:, 2], folds=4).all_columns
    >>> len(found.errors), bool(found.error < 0.01)
    (4, True)
    """

    errors: tuple[float, ...]
    interval: Interval
    comparison: Comparison

    @property
    def error(self) -> float:
        """The mean over the folds."""
        return float(mean_defined(np.array(self.errors)))

    @property
    def standing(self) -> str:
        """Whether the selection differs from all columns, in a few words."""
        if self.comparison.p_better > SURE:
            return "the selection is better"
        return "the selection is worse" if self.comparison.p_worse > SURE else "no clear difference"

    def facts(self) -> AllColumnsFacts:
        """As `--json` prints it."""
        return {
            "error": number_or_none(self.error),
            "interval": ends_or_none(self.interval),
            "difference": number_or_none(self.comparison.difference),
            "difference_interval": ends_or_none(self.comparison.interval()),
            "p_better": number_or_none(self.comparison.p_better),
            "p_worse": number_or_none(self.comparison.p_worse),
        }
