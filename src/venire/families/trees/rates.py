"""Boosting on a logarithmic scale, for amounts and counts: what drives them multiplies more often than it adds.

The Poisson loss fits the logarithm of the mean. Its trees add up logarithms, and what they say is a mean all the same:
nothing has to be transformed back, unlike with a model of the logarithms of the target, whose means are geometric.
"""

from __future__ import annotations

import numpy as np

from venire.data.table import Table, Task
from venire.families.trees.boosting import BoostingFamily
from venire.validation.trials.reasons import CannotTake, NoAmounts

_FEWEST = 30  # rows above 0, so that every training part has some


class RatesFamily(BoostingFamily):
    """The path is the number of rounds; the target has no number below 0."""

    def unable(self, table: Table) -> CannotTake | None:
        """It takes amounts and counts alone."""
        assert table.target is not None
        if table.target.task is Task.REGRESSION:
            least, above = float(np.min(table.y)), int(np.count_nonzero(table.y > 0))
            if least < 0 or above < min(_FEWEST, table.rows):
                return NoAmounts(least, above)
        return super().unable(table)
