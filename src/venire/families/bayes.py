"""Naive Bayes on mixed columns: yes and no are categories here, since no Gaussian describes zeros and ones.

Counts and moments of every fold and class are taken once; a training part's are their sums (`ClassSums`). All settings
of the path are then scored together, because a row's squared distances from the class means, and its categories, are
the same for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.store.stored_matrix import is_stored
from venire.data.table import Kind, Table, Task
from venire.families.fold_encoders import Pieces, piece_bytes
from venire.families.fold_sums import OnDemand, many_products
from venire.families.paths import Rule, one_by_one
from venire.models.bayes.classifier import NaiveBayesClassifier
from venire.models.bayes.path import BayesPath
from venire.models.bayes.sums import Columns, Moments, Sums
from venire.models.input import highest_codes
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, PathPredictions, Setting
from venire.validation.trials.generic import GenericFamily, Prepared

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Counted(Prepared):
    """The folds' counts and moments, by split of the rows; None for an estimator with wishes of its own."""

    sums: OnDemand[ClassSums] | None
    smoothings: tuple[tuple[float, float], ...]  # α and the share of variance added, of every setting


class BayesFamily(GenericFamily):
    """The path is Laplace's α where there are categories, the share of variance added where there are none."""

    def prepare(self, table: Table, plan: Plan) -> Counted:
        """Every fold is counted once a split, when its first trial asks."""
        settings = self.path(table)
        mask = self._code_columns(table)
        smoothings = smoothings_of(self._estimators[Task.CLASSIFICATION], settings)
        sums = None if smoothings is None else OnDemand(lambda repeat: ClassSums(table, plan, repeat, mask))
        return Counted(table, plan, settings, sums, smoothings or ())

    def predict_path(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> list[PathPredictions]:
        """Add up the folds, then score the rows for all settings at once."""
        cancel()
        assert isinstance(prepared, Counted)
        if prepared.sums is None:
            return super().predict_path(prepared, trial, cancel)
        table, plan = prepared.table, prepared.plan
        assert table.target is not None
        known, sums = prepared.sums(trial.repeat).together(trial.train)
        sums.refuse_no_weight()
        path, classes = BayesPath.learned(sums, prepared.smoothings), len(table.target.classes)
        return [
            PathPredictions(*path.predict_path(table.X, rows, known, classes, cancel))
            for rows in plan.predicted_rows(trial)
        ]

    def in_threads(self, table: Table) -> bool:
        """The scores of all rows are products of matrices; of another's estimator nothing is known."""
        return many_products(table) and bool(smoothings_of(self._estimators[Task.CLASSIFICATION], self.path(table)))

    def _code_columns(self, table: Table) -> NDArray[np.bool_]:
        return code_columns(table)

    def _bytes(self, table: Table) -> float:
        """A stored table is summed up piece by piece."""
        return piece_bytes(table) if is_stored(table.X) else super()._bytes(table)

    def _fits(self, settings: int) -> float:
        return 0.3 + 0.03 * settings


class ClassSums:
    """What every fold of one split of the rows says about each class."""

    def __init__(self, table: Table, plan: Plan, repeat: int, codes: NDArray[np.bool_]) -> None:
        assert table.target is not None
        classes = len(table.target.classes)
        numbers, chosen = (np.flatnonzero(mask).astype(np.uint32) for mask in (~codes, codes))
        self._columns = Columns(numbers, chosen, np.empty(0, dtype=np.uint32))
        self._pieces = Pieces.of(plan, repeat)
        found = [_piece_sums(table, rows, self._columns, codes, classes) for rows in self._pieces.rows]
        self._shown = np.stack([np.bincount(table.y[rows], minlength=classes) for rows in self._pieces.rows])
        self._weight = np.stack([sums.class_weight for sums in found])
        self._origin = np.stack([sums.origin for sums in found])
        self._moments = Moments(
            *(np.stack([getattr(sums.moments, name) for sums in found]) for name in ("weight", "mean", "squares"))
        )
        self._categories = np.stack([sums.categories for sums in found])
        self._most = self._categories.max(axis=0, initial=0)
        self._table = np.stack([_end_to_end(sums.with_categories(self._most)) for sums in found])

    def together(self, folds: tuple[int, ...]) -> tuple[NDArray[np.intp], Sums]:
        """The classes these folds show, and the sums of all their rows."""
        kept = self._pieces.of_folds(folds)
        shown = self._shown[kept].sum(axis=0) > 0
        classes = np.flatnonzero(shown)

        def of_classes(values: Floats) -> Floats:
            """[piece, class, column] of these folds and classes; mostly all of the latter."""
            return values[kept] if len(classes) == len(shown) else values[kept][:, classes]

        origin = self._origin[kept]
        there = ~np.isnan(origin)
        common = origin[there.argmax(axis=0), np.arange(origin.shape[1])]
        moved = np.where(there, origin - common, 0.0)
        weight = of_classes(self._moments.weight)
        mean = of_classes(self._moments.mean) + moved[:, None]
        total = weight.sum(axis=0)
        centre = np.divide((weight * mean).sum(axis=0), total, out=np.zeros_like(total), where=total > 0)
        squares = of_classes(self._moments.squares) + weight * (mean - centre) ** 2
        moments = Moments(total, centre, squares.sum(axis=0))
        counted = np.zeros((len(classes), 0))
        weights = self._weight[kept].sum(axis=0)[classes]
        return classes, Sums(self._columns, weights, common, moments, self._tables(kept, classes), counted)

    def _tables(self, kept: list[int], classes: NDArray[np.intp]) -> tuple[Floats, ...]:
        """The counts of these folds: per categorical column [category, class], up to the last category they show."""
        categories = self._categories[kept].max(axis=0, initial=0)
        if not len(categories):
            return ()
        first = np.cumsum(self._most) - self._most
        shown = np.arange(self._table.shape[1]) - np.repeat(first, self._most) < np.repeat(categories, self._most)
        together = self._table[kept].sum(axis=0)[np.ix_(shown, classes)]
        return tuple(np.split(together, np.cumsum(categories)[:-1]))


def _end_to_end(sums: Sums) -> Floats:
    """The tables of all categorical columns as one: [category of any column, class]."""
    return np.concatenate([np.empty((0, len(sums.class_weight))), *sums.tables])


def _piece_sums(table: Table, rows: NDArray[np.intp], columns: Columns, codes: NDArray[np.bool_], classes: int) -> Sums:
    empty = Sums.empty(columns, classes)
    if not len(rows):
        return empty
    matrix, labels = table.X[rows], table.y[rows].astype(np.int32)
    weights = None if table.weights is None else table.weights[rows]
    return empty.with_categories(highest_codes(matrix, codes) + 1).add(matrix, labels, weights, weights, threads=1)


def smoothings_of(estimator: Any, settings: tuple[Setting, ...]) -> tuple[tuple[float, float], ...] | None:
    """α and the share of variance added, of every setting; None if one wishes for what is not in the sums."""
    if type(estimator) is not NaiveBayesClassifier:
        return None
    free = ("alpha", "var_smoothing", "categorical_features", "n_jobs")
    usual, own = NaiveBayesClassifier().get_params(), estimator.get_params()
    found = []
    for setting in settings:
        given = own | dict(setting.params)
        if not all(name in free or (name in usual and _same(value, usual[name])) for name, value in given.items()):
            return None
        found.append((given["alpha"], given["var_smoothing"]))
    return tuple(found)


def _same(one: Any, other: Any) -> bool:
    return one is other or bool(np.array_equal(one, other))


def code_columns(table: Table) -> NDArray[np.bool_]:
    """Categorical and boolean columns."""
    return np.array([column.kind in (Kind.CATEGORICAL, Kind.BOOLEAN) for column in table.columns], dtype=bool)


def _smoothing(table: Table) -> tuple[Setting, ...]:
    if code_columns(table).any():
        return one_by_one("alpha", (float(v) for v in np.logspace(*_ALPHAS)), "α")
    return one_by_one("var_smoothing", (float(v) for v in np.logspace(*_SHARES)), "smoothing")


_ALPHAS, _SHARES = (2.0, -2.5, 10), (0.0, -9.0, 10)  # exponents of ten, and how many values
smoothing = Rule(
    f"{_ALPHAS[2]} values, heavy to light: α from {10 ** _ALPHAS[0]:g} to {10 ** _ALPHAS[1]:.2g}; "
    f"without categories, the share of variance added, from {10 ** _SHARES[0]:g} to {10 ** _SHARES[1]:g}",
    _smoothing,
)
