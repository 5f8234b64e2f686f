"""The losses of one family, read off the evidence: for every held-out block of every trial, all settings at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table
from venire.metrics.predictions import Output, Predictions
from venire.metrics.scores import Metric
from venire.validation.choice import mean_defined as mean_defined
from venire.validation.plans.plan import Held, Plan, Trial
from venire.validation.trials.evidence import Evidence, FamilyKey, Record
from venire.validation.trials.family import Setting

Floats = NDArray[np.float64]

# Metrics that judge probabilities, or what is decided by them: see `finishing`.
_FINISHED = ("log_loss", "brier", "cost")


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
    practical_difference: float | None = None  # asked for; None: a share of what there is to gain
    _records: dict[tuple[str, Trial], Record] = field(default_factory=dict, repr=False)

    @property
    def classes(self) -> int:
        """The number of classes; 0 when numbers are predicted."""
        return 0 if self.table.target is None else len(self.table.target.classes)

    @property
    def finishing(self) -> bool:
        """Whether a candidate is calibrated and decides by costs before it is judged."""
        return self.metric.name in _FINISHED

    def truth(self, held: Held) -> NDArray[Any]:
        """The class codes or numbers of a held-out block."""
        return self.table.y[self.rows(held)]

    def unit(self, held: Sequence[Held]) -> float:
        """What losses on some held-out blocks are to be measured by, from nothing but their own rows."""
        blocks: dict[int, tuple[int, ...]] = {}
        for h in held:
            blocks[h.trial.repeat] = (*blocks.get(h.trial.repeat, ()), h.block)
        rows = [self.plan.rows(repeat, some) for repeat, some in blocks.items()]
        return self.metric.unit(self.table.y[np.concatenate(rows)])

    def ledger(self, family: str) -> Ledger:
        """Read one family's evidence and turn it into losses."""
        losses: dict[Held, Floats] = {}
        training: dict[Trial, Floats] = {}
        warnings: Counter[str] = Counter()
        output = Output.VALUES
        for trial in self.plan.trials:
            record = self.record(family, trial)
            output = record.output
            warnings.update(record.warnings)
            labels, outputs = self._needed(record)
            rows = self.plan.test_rows(trial)
            block_of = self.plan.block_of[trial.repeat][rows]
            for block in trial.test:
                at = np.flatnonzero(block_of == block)
                of_block, said = labels, outputs
                if len(trial.test) > 1:  # `take`, unlike a mask, leaves each setting's rows side by side
                    of_block = labels.take(at, axis=1)
                    said = None if outputs is None else outputs.take(at, axis=1)
                decided = self.metric.decided(of_block, said, output)
                losses[Held(trial, block)] = self.metric.losses(self.table.y[rows[at]], decided, said, output)
            if self.plan.is_outer(trial):
                training[trial] = self._training(family, trial)
        return Ledger(family, self.settings[family], output, losses, training, warnings)

    def _training(self, family: str, trial: Trial) -> Floats:
        """The losses of all settings on rows that the trial has seen; costs are not known when it is run."""
        record = self.record(family, trial)
        known = record.training().get(self.metric.name)
        if known is not None:
            return known
        seen = record.seen()
        if seen is None:
            return np.full(len(self.settings[family]), np.nan)
        decided = self.metric.decided(seen.labels, seen.outputs, record.output)
        return self.metric.losses(self.seen_truth(trial), decided, seen.outputs, record.output)

    def predictions(self, family: str, held: Held, setting: int) -> tuple[NDArray[Any], NDArray[Any]]:
        """One setting's outputs [row, output] and labels on one held-out block."""
        outputs, labels = self.record(family, held.trial).at(setting)
        if len(held.trial.test) == 1:
            return outputs, labels
        predicted = self.plan.among(held.trial.repeat, held.trial.test)
        at = self.plan.block_of[held.trial.repeat][predicted] == held.block
        return outputs[at], labels[at]

    def said(self, family: str, held: Held, setting: int) -> Predictions:
        """One setting's predictions of one held-out block."""
        outputs, labels = self.predictions(family, held, setting)
        return Predictions(labels.astype(np.int32), outputs, self.record(family, held.trial).output)

    def seen(self, family: str, trial: Trial, setting: int) -> Predictions | None:
        """One setting's predictions of the rows that a trial's training error is taken on, if the family tells them."""
        record = self.record(family, trial)
        told = record.seen(setting)
        if told is None:
            return None
        return Predictions(told.labels[0].astype(np.int32), told.outputs[0], record.output)

    def seen_truth(self, trial: Trial) -> NDArray[Any]:
        """The class codes or numbers of those rows."""
        (rows,) = self.plan.seen_rows(trial)
        return self.table.y[rows]

    def seen_loss(self, trial: Trial, said: Predictions | None) -> float:
        """What such predictions lose; NaN where there are none."""
        return np.nan if said is None else self.metric.loss(self.seen_truth(trial), said)

    def every_setting(self, family: str, held: Held) -> tuple[NDArray[Any], NDArray[Any], Output]:
        """All settings' outputs [setting, row, output] and labels [setting, row] on one held-out block."""
        record = self.record(family, held.trial)
        outputs, labels = record.outputs(), record.labels()
        if len(held.trial.test) == 1:
            return outputs, labels, record.output
        predicted = self.plan.among(held.trial.repeat, held.trial.test)
        at = self.plan.block_of[held.trial.repeat][predicted] == held.block
        return outputs[:, at], labels[:, at], record.output

    def _needed(self, record: Record) -> tuple[NDArray[np.int16], NDArray[Any] | None]:
        """Labels, and outputs only if the metric, or a decision by costs, looks at them: they are most of a file."""
        suffices = self.metric.needs is Output.LABELS and self.metric.costs is None
        return record.labels(), None if suffices else record.outputs()

    def record(self, family: str, trial: Trial) -> Record:
        """The file of one trial, its header read once."""
        at = (family, trial)
        if at not in self._records:
            self._records[at] = self.evidence.get(self.keys[family], trial)
        return self._records[at]

    def rows(self, held: Held) -> NDArray[np.intp]:
        """The rows of a held-out block."""
        return self.plan.rows(held.trial.repeat, (held.block,))
