"""The losses of one family, read off the evidence: for every held-out block of every trial, all settings at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table
from venire.metrics.predictions import Output
from venire.metrics.scores import Metric
from venire.validation.choice import mean_defined as mean_defined
from venire.validation.evidence import Evidence, FamilyKey, Record
from venire.validation.family import Setting
from venire.validation.plan import Held, Plan, Trial

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Ledger:
    """What one family lost where. A loss is NaN where the block does not define the metric."""

    family: str
    settings: tuple[Setting, ...]
    output: Output
    losses: Mapping[Held, Floats]  # [setting]
    training: Mapping[Trial, Floats]  # [setting], outer trials
    warnings: Counter[str] = field(default_factory=Counter)

    def mean(self, held: tuple[Held, ...]) -> Floats:
        """The mean loss of every setting over some held-out blocks, leaving out the undefined."""
        return mean_defined(np.stack([self.losses[h] for h in held]))

    def at(self, held: tuple[Held, ...], setting: int) -> Floats:
        """One setting's losses on some held-out blocks."""
        return np.array([self.losses[h][setting] for h in held])


@dataclass(frozen=True, eq=False)
class Docket:
    """All that a verdict is drawn from: the table, the plan, the evidence and the metric."""

    table: Table
    plan: Plan
    evidence: Evidence
    metric: Metric
    keys: Mapping[str, FamilyKey]
    settings: Mapping[str, tuple[Setting, ...]]
    _records: dict[tuple[str, Trial], Record] = field(default_factory=dict, repr=False)

    @property
    def classes(self) -> int:
        """The number of classes; 0 when numbers are predicted."""
        return 0 if self.table.target is None else len(self.table.target.classes)

    def ledger(self, family: str) -> Ledger:
        """Read one family's evidence and turn it into losses."""
        losses: dict[Held, Floats] = {}
        training: dict[Trial, Floats] = {}
        warnings: Counter[str] = Counter()
        output = Output.VALUES
        for trial in self.plan.trials:
            outcome = self.record(family, trial).outcome()
            output = outcome.output
            warnings.update(outcome.warnings)
            rows = self.plan.test_rows(trial)
            block_of = self.plan.block_of[trial.repeat][rows]
            for block in trial.test:
                at = block_of == block
                # A trial that predicts one block only needs no copy of its predictions.
                part = (slice(None), slice(None)) if len(trial.test) == 1 else (slice(None), at)
                losses[Held(trial, block)] = self.metric.losses(
                    self.table.y[rows[at]], outcome.labels[part].astype(np.int32), outcome.outputs[part], outcome.output
                )
            if self.plan.is_outer(trial):
                unknown = np.full(len(self.settings[family]), np.nan)
                training[trial] = np.asarray(outcome.training.get(self.metric.name, unknown))
        return Ledger(family, self.settings[family], output, losses, training, warnings)

    def one_layer_error(self, family: str) -> float:
        """The lowest one-layer error along a family's path: a first impression while others still run."""
        losses = []
        for held in self.plan.final(0):
            outcome = self.record(family, held.trial).outcome()
            y = self.table.y[self.rows(held)]
            losses.append(self.metric.losses(y, outcome.labels.astype(np.int32), outcome.outputs, outcome.output))
        means = mean_defined(np.stack(losses))
        return float(np.nanmin(means)) if not np.isnan(means).all() else float("nan")

    def predictions(self, family: str, held: Held, setting: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """One setting's outputs [row, output] and labels on one held-out block."""
        outputs, labels = self.record(family, held.trial).at(setting)
        if len(held.trial.test) == 1:
            return outputs, labels
        predicted = self.plan.among(held.trial.repeat, held.trial.test)
        at = self.plan.block_of[held.trial.repeat][predicted] == held.block
        return outputs[at], labels[at]

    def record(self, family: str, trial: Trial) -> Record:
        """The file of one trial, its header read once."""
        at = (family, trial)
        if at not in self._records:
            self._records[at] = self.evidence.get(self.keys[family], trial)
        return self._records[at]

    def rows(self, held: Held) -> NDArray[np.intp]:
        """The rows of a held-out block."""
        return self.plan.rows(held.trial.repeat, (held.block,))
