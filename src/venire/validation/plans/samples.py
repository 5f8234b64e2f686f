"""Samples drawn with replacement, as a plan: every sample is a repeat, trained on what it drew and tested on the rest.

A row that is drawn twice stands twice in the training part, so a sample is prepared as a table of its own: the rows
drawn, then the rows left over. Repeat 0 is no sample: there all rows are trained on, and all are predicted.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Table
from venire.validation.plans.plan import Ground, Plan, Trial

_SAMPLE = Trial(0, (1,), (0,))


@dataclass(frozen=True, eq=False)
class SamplePlan(Plan):
    """All rows, and then one repeat a sample; `drawn` says how often a repeat has each row."""

    drawn: NDArray[np.int32] = field(default_factory=lambda: np.zeros((0, 0), np.int32))  # [repeat, row]

    @property
    def own_tables(self) -> bool:
        """A row drawn twice stands twice, which no fold of the table's own rows can say."""
        return True

    def train_rows(self, trial: Trial) -> NDArray[np.intp]:
        """The rows a trial is trained on, each as often as it was drawn."""
        return np.repeat(np.arange(self.drawn.shape[1]), self.drawn[trial.repeat])

    def seen_folds(self, trial: Trial) -> tuple[int, ...]:
        """None: the training error of a sample has no part in any estimate."""
        return ()

    def within(self, table: Table, trial: Trial) -> Ground:
        """The sample as a table: the rows drawn (fold 1), then those it is tested on (fold 0)."""
        train, test = self.train_rows(trial), self.test_rows(trial)
        fold_of = np.repeat(np.array([1, 0], np.int32), [len(train), len(test)])[None, :]
        text = f"bootstrap|{self.seed}|{trial.repeat}"
        seed = int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "little")
        return Ground(table.take(np.concatenate([train, test])), _Sample(fold_of, 2, "nested", seed, layers=1), _SAMPLE)

    def digest(self) -> str:
        """Equal for equal samples."""
        digest = hashlib.blake2b(super().digest().encode(), digest_size=16)
        digest.update(np.ascontiguousarray(self.drawn).data)
        return digest.hexdigest()


class _Sample(Plan):
    """The plan of one sample's table."""

    def seen_folds(self, trial: Trial) -> tuple[int, ...]:
        """None, as the plan of all samples says."""
        return ()


def sample_plan(drawn: NDArray[np.int32], seed: int) -> SamplePlan:
    """The plan of samples that drew each row so often: [sample, row]."""
    rows = drawn.shape[1]
    fold_of = np.concatenate([np.zeros((1, rows), np.int32), (drawn > 0).astype(np.int32)])
    everything = np.concatenate([np.ones((1, rows), np.int32), drawn])
    return SamplePlan(fold_of, 2, "bootstrap", seed, layers=1, drawn=everything)
