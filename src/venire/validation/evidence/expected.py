"""What the arrays of a trial must be like, by its table and plan; others are damaged, whatever their checksum says.

A checksum tells that a file is as it was written, and not that what was written makes sense: a label that is no class
would index past an array or count as another class, a NaN would reach every figure.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table, Task
from venire.metrics.predictions import Output
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Outcome

_ROUNDING = 1e-6  # by how much a probability in float32 may lie outside 0 and 1


@dataclass(frozen=True, eq=False)
class Expected:
    """The plan, and what is predicted: so many classes, or numbers where there are none."""

    plan: Plan
    classes: int

    @classmethod
    def of(cls, table: Table, plan: Plan) -> Expected:
        """What trials of a plan on a table give."""
        assert table.target is not None
        return cls(plan, 0 if table.target.task is Task.REGRESSION else len(table.target.classes))

    def problem(self, trial: Trial, outcome: Outcome, settings: int | None = None) -> str | None:
        """What cannot be in an outcome of a trial with so many settings, in words; None where all can."""
        wanted = len(outcome.labels) if settings is None else settings
        if not (math.isfinite(outcome.seconds) and outcome.seconds >= 0):
            return f"it took {outcome.seconds} s"
        for name, losses in outcome.training.items():
            if losses.shape != (wanted,) or losses.dtype != np.float64:
                return f"its training losses ({name}) have shape {losses.shape} for {wanted} settings"
        found = self._path_predictions(
            outcome.output, outcome.outputs, outcome.labels, (wanted, len(self.plan.test_rows(trial)))
        )
        if found is not None or outcome.seen is None:
            return found
        rows = sum(len(part) for part in self.plan.seen_rows(trial))
        return self._path_predictions(outcome.output, outcome.seen.outputs, outcome.seen.labels, (wanted, rows))

    def _path_predictions(
        self, output: Output, outputs: NDArray[Any], labels: NDArray[Any], shape: tuple[int, int]
    ) -> str | None:
        if (output is Output.VALUES) is not (self.classes == 0):
            return f"it has {output} of {self.classes or 'no'} classes"
        if labels.shape != shape or outputs.shape != (*shape, max(1, self.classes)):
            return f"its shapes are {labels.shape} and {outputs.shape} for {shape[0]} settings of {shape[1]} rows"
        if labels.dtype != np.int16 or outputs.dtype.kind != "f":
            return f"its labels are of type {labels.dtype}, its outputs of type {outputs.dtype}"
        if labels.size and not 0 <= int(labels.min()) <= int(labels.max()) < max(1, self.classes):
            return f"it has labels from {labels.min()} to {labels.max()} of {self.classes or 'no'} classes"
        return self._numbers(output, outputs)

    def _numbers(self, output: Output, outputs: NDArray[Any]) -> str | None:
        missing = np.isnan(outputs)
        if self.plan.may_end_early:  # then a setting that was not come to says nothing of any row
            missing = missing & ~missing.all(axis=(1, 2), keepdims=True)
        if missing.any():
            return f"{np.count_nonzero(missing)} of its outputs are NaN"
        if output is Output.PROBABILITIES and outputs.size:
            low, high = float(np.nanmin(outputs, initial=0.0)), float(np.nanmax(outputs, initial=0.0))
            if low < -_ROUNDING or high > 1 + _ROUNDING:
                return f"it has probabilities from {low:g} to {high:g}"
        return None
