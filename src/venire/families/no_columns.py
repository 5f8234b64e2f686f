"""The baseline as validation sees it: it looks at no column, so none is fetched for it."""

from __future__ import annotations

import numpy as np

from venire.data.store.stored_matrix import is_stored
from venire.data.table import Table
from venire.validation.plans.plan import Trial
from venire.validation.trials.family import Cancel
from venire.validation.trials.generic import GenericFamily, Prepared
from venire.validation.trials.lesson import Lesson


class ColumnlessFamily(GenericFamily):
    """An estimator that looks at targets alone: of a stored table it is given rows without columns."""

    def lesson(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> Lesson:
        """Targets, and as many rows of nothing."""
        table, plan = prepared.table, prepared.plan
        if not is_stored(table.X):
            return super().lesson(prepared, trial, cancel)
        train = plan.train_rows(trial)
        parts = [np.empty((len(rows), 0)) for rows in plan.predicted_rows(trial)]
        weights = None if table.weights is None else table.weights[train]
        seed = trial.seed(plan.seed, self.name)
        return Lesson(table, prepared.settings, np.empty((len(train), 0)), table.y[train], parts, seed, cancel, weights)

    def _bytes(self, table: Table) -> float:
        return 32.0 * table.rows if is_stored(table.X) else super()._bytes(table)
