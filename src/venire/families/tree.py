"""One decision tree: grown once a trial, every pruning level read off it.

A level c is a share of the root's impurity, so that the same path means the same thing for any target and every
training part resolves it by its own rows: c = 0 is the full tree, c ≥ 1 the root alone. Cutting at c equals
refitting with `ccp_alpha = c · impurity(root)`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline

from venire.data.table import Table
from venire.validation.family import Setting
from venire.validation.generic import Fit, GenericFamily, Lesson, Predicted


def pruning_levels(table: Table) -> tuple[Setting, ...]:
    """Twenty levels, from a tree of a few leaves to the full one."""
    levels = [*np.geomspace(0.1, 1e-4, 19).tolist(), 0.0]
    return tuple(Setting(f"c = {c:.2g}", {"level": c}) for c in levels)


class TreeFamily(GenericFamily):
    """The path is the pruning level."""

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """Grow once, then walk all rows down the tree once for all levels."""
        lesson.cancel()
        fitted = self._estimator(lesson.table, Setting("full"), lesson.seed).fit(lesson.X, lesson.y, lesson.weights)
        root = root_impurity(lesson.y, lesson.weights, classes=hasattr(fitted, "classes_"))
        alphas = [float(setting.params["level"]) * root for setting in lesson.settings]
        # Together, because finding the order in which a deep tree collapses costs more than growing it.
        ends = np.cumsum([len(part) for part in lesson.parts])[:-1]
        for classes, together in read_path(fitted, np.concatenate(lesson.parts), alphas):
            yield [(classes, part) for part in _divided(together, ends)]

    def pipeline(self, table: Table, setting: Setting, seed: int) -> Pipeline:
        """The plain definition; the level is resolved on the rows it is fitted on, here all of them."""
        tree = self._estimator(table, Setting("full"), seed)
        root = root_impurity(table.y, table.weights, classes=hasattr(tree, "predict_proba"))
        tree.set_params(ccp_alpha=float(setting.params["level"]) * root)
        return make_pipeline(self._encoder(table), tree)

    def _fits(self, settings: int) -> float:
        return 1.0


def _divided(predicted: Predicted, ends: NDArray[np.intp]) -> list[Predicted]:
    """The predictions of several parts out of those of all rows."""
    outputs = np.split(predicted.outputs, ends)
    if predicted.labels is None:
        return [Predicted(output, None) for output in outputs]
    return [Predicted(o, label) for o, label in zip(outputs, np.split(predicted.labels, ends), strict=True)]


def root_impurity(y: NDArray[Any], weights: NDArray[np.float64] | None = None, *, classes: bool) -> float:
    """The impurity of all rows together: Gini of classes, variance of numbers.

    >>> root_impurity(np.array([0, 1, 1, 0]), classes=True), root_impurity(np.array([1.0, 3.0]), classes=False)
    (0.5, 1.0)
    """
    if not classes:
        mean = np.average(y, weights=weights)
        return float(np.average((y - mean) ** 2, weights=weights))
    counts = np.bincount(y, weights=weights)
    shares = counts / counts.sum()
    return float(1.0 - np.sum(shares**2))


def read_path(fitted: Any, X: NDArray[np.float64], places: list[Any]) -> list[tuple[NDArray[Any], Predicted]]:
    """The predictions of a fitted tree or forest at every place of its path, from one walk."""
    if not hasattr(fitted, "classes_"):
        values = fitted.predict_path(X, places)
        return [(np.empty(0), Predicted(value[:, None], None)) for value in values]
    shares = fitted.predict_proba_path(X, places)
    return [(fitted.classes_, Predicted(share, fitted.classes_[share.argmax(axis=1)])) for share in shares]
