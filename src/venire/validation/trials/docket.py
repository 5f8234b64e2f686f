"""What is validated, as one value: a table, a plan, a metric, the families, and the evidence of their trials.

Whoever runs trials takes it, and whoever reads what they came to: the losses of a family, or its predictions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table
from venire.metrics.predictions import Output, Predictions
from venire.metrics.scores import Metric
from venire.validation.evidence.evidence import Evidence, FamilyKey, Record
from venire.validation.plans.plan import Held, Plan, Trial
from venire.validation.trials.family import Family, Setting
from venire.validation.trials.ledger import Ledger

Floats = NDArray[np.float64]

# Metrics that judge probabilities, or what is decided by them: a verdict learns how, on held-out rows.
_FINISHED = ("log_loss", "brier", "cost")


@dataclass(frozen=True, eq=False)
class Docket:
    """What is validated by what, and where the outcomes are kept."""

    table: Table
    plan: Plan
    metric: Metric
    evidence: Evidence
    families: Mapping[str, Family]
    keys: Mapping[str, FamilyKey]
    settings: Mapping[str, tuple[Setting, ...]]
    practical_difference: float | None = None  # asked for; None: a share of what there is to gain
    _records: dict[tuple[str, Trial], Record] = field(default_factory=dict, repr=False)

    @classmethod
    def of(
        cls,
        table: Table,
        plan: Plan,
        metric: Metric,
        evidence: Evidence,
        families: Sequence[Family],
        practical_difference: float | None = None,
    ) -> Docket:
        """The docket of these families, each with its path resolved for the table."""
        named = {family.name: family for family in families}
        settings = {name: family.path(table) for name, family in named.items()}
        keys = {name: FamilyKey.of(family, settings[name]) for name, family in named.items()}
        return cls(table, plan, metric, evidence, named, keys, settings, practical_difference)

    def only(self, names: Sequence[str]) -> Docket:
        """The same docket with some of the families."""
        return replace(self, families={name: self.families[name] for name in names})

    @property
    def classes(self) -> int:
        """The number of classes; 0 when numbers are predicted."""
        return 0 if self.table.target is None else len(self.table.target.classes)

    @property
    def finishing(self) -> bool:
        """Whether a candidate is calibrated and decides by costs before it is judged."""
        return self.metric.name in _FINISHED

    def truth(self, held: Held) -> NDArray[Any]:
        """The class codes or numbers of a held-out fold."""
        return self.table.y[self.rows(held)]

    def unit(self, held: Sequence[Held]) -> float:
        """What losses on some held-out folds are to be measured by, from nothing but their own rows."""
        folds: dict[int, tuple[int, ...]] = {}
        for h in held:
            folds[h.trial.repeat] = (*folds.get(h.trial.repeat, ()), h.fold)
        rows = [self.plan.rows(repeat, some) for repeat, some in folds.items()]
        return self.metric.unit(self.table.y[np.concatenate([np.empty(0, np.intp), *rows])])

    def ledger(self, family: str) -> Ledger:
        """Read one family's evidence, as far as there is any, and turn it into losses."""
        losses: dict[Held, Floats] = {}
        training: dict[Trial, Floats] = {}
        warnings: Counter[str] = Counter()
        output = Output.VALUES
        for trial in self.plan.trials:
            record = self._record(family, trial)
            if record is None:
                continue
            output = record.output
            warnings.update(record.warnings)
            labels, outputs = self._needed(record)
            rows = self.plan.test_rows(trial)
            fold_of = self.plan.fold_of[trial.repeat][rows]
            for fold in trial.test:
                at = np.flatnonzero(fold_of == fold)
                of_fold, predicted = labels, outputs
                if len(trial.test) > 1:  # `take`, unlike a mask, leaves each setting's rows side by side
                    of_fold = labels.take(at, axis=1)
                    predicted = None if outputs is None else outputs.take(at, axis=1)
                decided = self.metric.decided(of_fold, predicted, output)
                losses[Held(trial, fold)] = self.metric.losses(self.table.y[rows[at]], decided, predicted, output)
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
        """One setting's outputs [row, output] and labels on one held-out fold."""
        outputs, labels = self.record(family, held.trial).at(setting)
        if len(held.trial.test) == 1:
            return outputs, labels
        predicted = self.plan.among(held.trial.repeat, held.trial.test)
        at = self.plan.fold_of[held.trial.repeat][predicted] == held.fold
        return outputs[at], labels[at]

    def predicted(self, family: str, held: Held, setting: int) -> Predictions:
        """One setting's predictions of one held-out fold."""
        outputs, labels = self.predictions(family, held, setting)
        return Predictions(labels.astype(np.int32), outputs, self.record(family, held.trial).output)

    def decided(self, family: str, held: Held, setting: int) -> Predictions:
        """The same, and under costs with the decisions that are cheapest by them."""
        predicted = self.predicted(family, held, setting)
        assert predicted.labels is not None
        return replace(predicted, labels=self.metric.decided(predicted.labels, predicted.outputs, predicted.output))

    def seen(self, family: str, trial: Trial, setting: int) -> Predictions | None:
        """One setting's predictions of the rows that a trial's training error is taken on, if the family tells them."""
        record = self.record(family, trial)
        predicted = record.seen(setting)
        if predicted is None:
            return None
        return Predictions(predicted.labels[0].astype(np.int32), predicted.outputs[0], record.output)

    def seen_truth(self, trial: Trial) -> NDArray[Any]:
        """The class codes or numbers of those rows."""
        (rows,) = self.plan.seen_rows(trial)
        return self.table.y[rows]

    def seen_loss(self, trial: Trial, predicted: Predictions | None) -> float:
        """What such predictions lose; NaN where there are none."""
        return np.nan if predicted is None else self.metric.loss(self.seen_truth(trial), predicted)

    def every_setting(self, family: str, held: Held) -> tuple[NDArray[Any], NDArray[Any], Output]:
        """All settings' outputs [setting, row, output] and labels [setting, row] on one held-out fold."""
        record = self.record(family, held.trial)
        outputs, labels = record.outputs(), record.labels()
        if len(held.trial.test) == 1:
            return outputs, labels, record.output
        predicted = self.plan.among(held.trial.repeat, held.trial.test)
        at = self.plan.fold_of[held.trial.repeat][predicted] == held.fold
        return outputs[:, at], labels[:, at], record.output

    def _needed(self, record: Record) -> tuple[NDArray[np.int16], NDArray[Any] | None]:
        """Labels, and outputs only if the metric, or a decision by costs, looks at them: they are most of a file."""
        suffices = self.metric.needs is Output.LABELS and self.metric.costs is None
        return record.labels(), None if suffices else record.outputs()

    def record(self, family: str, trial: Trial) -> Record:
        """What was kept of one trial; on disk its header is read once."""
        at = (family, trial)
        if at not in self._records:
            self._records[at] = self.evidence.get(self.keys[family], trial)
        return self._records[at]

    def _record(self, family: str, trial: Trial) -> Record | None:
        return self.record(family, trial) if self.evidence.has(self.keys[family], trial) else None

    def seconds(self, family: str) -> list[float]:
        """How long each trial of a family took that there is; by their headers, whatever else is in the files."""
        found = [self._record(family, trial) for trial in self.plan.trials]
        return [record.seconds for record in found if record is not None]

    def rows(self, held: Held) -> NDArray[np.intp]:
        """The rows of a held-out fold."""
        return self.plan.rows(held.trial.repeat, (held.fold,))
