"""What the families on the tree core share: values ranked once, and bins of any training part from its own rows.

Ranking sorts every column once, without looking at targets or folds. The bins of a training part then follow from the
ranks of its rows alone, equal to those of a fresh fit, and the codes of all rows come with them: a trial sorts
nothing and looks up no value, neither to train nor to predict. Rows outside the training part have weight 0, which
to the core is the same as not being there.
"""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_sample_weight

from venire._core import Bins, Ranks
from venire.data.store.stored_matrix import StoredMatrix, is_stored
from venire.data.table import Table, Task
from venire.models.stored_bins import stored_bins
from venire.models.tree.growth import Problem
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import PathPredictions, Setting
from venire.validation.trials.generic import GenericFamily, Prepared

Floats = NDArray[np.float64]
_CODE_BYTES, _ROW_BYTES = 2.5, 80.0


@dataclass(frozen=True, eq=False)
class Coded:
    """One training part as the core takes it. All arrays are as long as the table."""

    bins: Bins
    problem: Problem
    classes: NDArray[np.intp]  # the codes of the classes it shows; none for numbers
    train: NDArray[np.intp]
    parts: tuple[NDArray[np.intp], ...]  # the rows to predict

    @property
    def weights(self) -> Floats:
        """What every row counts; 0 outside the training part."""
        assert self.problem.weights is not None
        return self.problem.weights


@dataclass(frozen=True, eq=False)
class StoredRanks:
    """What stands for the ranks of a stored table, which would be larger than the table: every part is sorted anew."""

    matrix: StoredMatrix
    categorical: NDArray[np.bool_]

    def bins(self, weights: Floats | None, *, max_bins: int, threads: int) -> Bins:
        """Bins from the rows of positive weight alone; codes for all rows."""
        return stored_bins(self.matrix, self.categorical, weights, max_bins=max_bins, threads=threads)


@dataclass(frozen=True, eq=False)
class CodedTable(Prepared):
    """What the trials share: the ranks of all values, and the estimator they copy."""

    ranks: Ranks | StoredRanks
    pattern: Any
    left: dict[Trial, Any] = field(default_factory=dict, kw_only=True)  # models, for as long as their trials run

    def estimator(self, seed: int) -> Any:
        """The family's estimator with the seed of a trial; its parameters were checked before."""
        found = copy(self.pattern)
        found.random_state = seed
        return found

    @property
    def class_count(self) -> int:
        """How many classes there are in all; none in a regression."""
        return 0 if self.table.target is None else len(self.table.target.classes)

    def coded(self, trial: Trial) -> Coded:
        """The training part of a trial."""
        train = self.plan.train_rows(trial)
        problem, classes = problem_of(self.table, train, getattr(self.pattern, "class_weight", None))
        return Coded(self.bins(problem.weights), problem, classes, train, tuple(self.plan.predicted_rows(trial)))

    def bins(self, weights: Floats | None) -> Bins:
        """The bins of the rows of positive weight, with codes for all rows."""
        return self.ranks.bins(weights, max_bins=self._max_bins, threads=1)

    @cached_property
    def _max_bins(self) -> int:
        """Asked for once a tree, and a forest makes the member anew that knows it."""
        return max_bins(self.pattern)


def max_bins(estimator: Any) -> int:
    """The number of bins of an estimator, or of the member it boosts."""
    return int(getattr(getattr(estimator, "estimator", None) or estimator, "max_bins", 255))


def problem_of(
    table: Table, train: NDArray[np.intp], class_weight: Any = None, *, every_class: bool = False
) -> tuple[Problem, NDArray[np.intp]]:
    """The target of a training part, and the codes of its classes (with `every_class`, of all classes of the table).

    Nothing of the rows outside gets in: their weight is 0, and so is their target.
    """
    assert table.target is not None
    y = table.y[train]
    weights = np.zeros(table.rows)
    weights[train] = 1.0 if table.weights is None else table.weights[train]
    if class_weight is not None:
        weights[train] *= compute_sample_weight(class_weight, y)
    if table.target.task is Task.REGRESSION:
        values = np.zeros(table.rows)
        values[train] = y
        return Problem(0, None, values, weights), np.empty(0, dtype=np.intp)
    count = len(table.target.classes)
    classes = np.arange(count) if every_class else np.flatnonzero(np.bincount(y, minlength=count))
    place = np.zeros(count, dtype=np.int32)
    place[classes] = np.arange(len(classes))
    labels = np.zeros(table.rows, dtype=np.int32)
    labels[train] = place[y]
    return Problem(len(classes), labels, None, weights), classes


class CodedFamily(GenericFamily):
    """A family whose learner works on bins. `tell` is to use `CodedTable.coded`."""

    def prepare(self, table: Table, plan: Plan) -> CodedTable:
        """Rank all values once; resolve the path and check the parameters once."""
        settings = self.path(table)
        pattern = self._estimator(table, self._first(settings), 0)
        pattern._validate_params()
        mask = np.ascontiguousarray(self._code_columns(table), dtype=bool)
        ranks = StoredRanks(table.X, mask) if is_stored(table.X) else Ranks.of(table.X, mask, threads=1)
        return CodedTable(table, plan, settings, ranks, pattern)

    def _bytes(self, table: Table) -> float:
        """Of a stored table, a code and its copy a value, and what is kept of every row."""
        if not is_stored(table.X):
            return super()._bytes(table)
        return float(table.rows) * (_CODE_BYTES * len(table.columns) + _ROW_BYTES)

    def _all_rows(self, table: Table) -> Any:
        """A stored matrix is binned where it is."""
        return table.X if is_stored(table.X) else super()._all_rows(table)

    def in_threads(self, table: Table) -> bool:
        """Bins, growth and prediction are the core's."""
        return True

    def _first(self, settings: tuple[Setting, ...]) -> Setting:
        """The setting whose parameters all trials start from: that of the largest fit, the last."""
        return settings[-1]


def path_predictions(outputs: Floats, classes: NDArray[np.intp], count: int) -> PathPredictions:
    """Outputs [setting, row, class of the training part] of one part of the rows; no classes mean numbers.

    >>> path_predictions(np.array([[[0.3, 0.7]]]), np.array([0, 2]), 3)
    PathPredictions(outputs=array([[[0.3, 0. , 0.7]]], dtype=float32), labels=array([[2]], dtype=int16))
    """
    if not len(classes):
        return PathPredictions(np.ascontiguousarray(outputs), np.zeros(outputs.shape[:2], np.int16))
    if len(classes) == 2:  # many times as fast as asking for the place of the largest
        winners = np.asarray(outputs[:, :, 1] > outputs[:, :, 0], dtype=np.int16)
    else:
        winners = outputs.argmax(axis=2).astype(np.int16)
    return in_all_classes(outputs.astype(np.float32, order="C"), winners, classes, count)


def in_all_classes(
    outputs: NDArray[np.float32], winners: NDArray[np.int16], classes: NDArray[np.intp], count: int
) -> PathPredictions:
    """Shares [setting, row, class] and places of the largest, of a part that shows these of `count` classes."""
    if len(classes) == count:
        return PathPredictions(outputs, winners)
    full = np.zeros((*winners.shape, count), np.float32)
    full[:, :, classes] = outputs
    return PathPredictions(full, classes.astype(np.int16)[winners])
