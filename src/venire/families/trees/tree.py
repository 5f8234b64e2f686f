"""One decision tree: grown once a trial, every setting of its path read off that growth.

The path is one of three ways to stop earlier, all of which cut the same full tree:

- `"c"`, the pruning level: a share of the root's impurity, so that the same path means the same thing for any target
  and every training part resolves it by its own rows. c = 0 is the full tree, c ≥ 1 the root alone. Cutting at c equals
  refitting with `ccp_alpha = c · impurity(root)`.
- `"depth"`: equals refitting with `max_depth`.
- `"min_rows"`: a node of fewer rows stays a leaf; equals refitting with `min_samples_split`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline, make_pipeline

from venire.data.table import Table
from venire.errors import UsageError
from venire.families.paths import Rule
from venire.families.trees.codes import Coded, CodedFamily, CodedTable, Floats, path_predictions
from venire.models.tree.growth import Growth, shared_settings
from venire.validation.plans.plan import Trial
from venire.validation.trials.family import Cancel, PathPredictions, Setting, Turn
from venire.validation.trials.generic import Path, Prepared, Seconds

_DEPTHS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 32)


_LEVELS = (*np.geomspace(0.1, 1e-4, 19).tolist(), 0.0)


def _pruning_levels(table: Table) -> tuple[Setting, ...]:
    """From a tree of a few leaves to the full one."""
    return tuple(Setting.of({"level": c}, {"c": f"{c:.2g}"}) for c in _LEVELS)


pruning_levels = Rule(
    f"{len(_LEVELS)} pruning levels, c from {_LEVELS[0]:g} to {_LEVELS[-2]:g}, then 0 (the full tree)", _pruning_levels
)


def depths(table: Table) -> tuple[Setting, ...]:
    """From a stump to 32 levels, then without a limit."""
    limited = [Setting(f"depth {depth}", {"max_depth": depth}) for depth in _DEPTHS]
    return (*limited, Setting("no limit", {"max_depth": None}))


def fewest_rows(table: Table) -> tuple[Setting, ...]:
    """From half the rows down to 2, halving."""
    fewest, counts = max(2, table.rows // 2), []
    while fewest > 2:
        counts.append(fewest)
        fewest = max(2, fewest // 2)
    return tuple(Setting.of({"min_samples_split": count}, {"K": count}) for count in [*counts, 2])


_PATHS: dict[str, tuple[Path, str]] = {
    "c": (pruning_levels, "pruning level c"),
    "depth": (depths, "depth"),
    "min_rows": (fewest_rows, "fewest rows to split K"),
}


class TreeFamily(CodedFamily):
    """A tree and one of its paths: `"c"` (pruning), `"depth"` or `"min_rows"`, by its own rule or at given settings."""

    def __init__(
        self,
        name: str = "tree",
        *,
        classifier: Any = None,
        regressor: Any = None,
        path: str = "c",
        settings: tuple[Setting, ...] | None = None,
        seconds: Seconds | None = None,
        turn: Turn = Turn.PROMISING,
    ) -> None:
        if path not in _PATHS:
            raise UsageError(
                f"a tree has no path called {path!r}", code="unknown_path", hint=f"paths: {', '.join(_PATHS)}"
            )
        rule, label = _PATHS[path]
        super().__init__(
            name,
            classifier=classifier,
            regressor=regressor,
            path=settings or rule,
            path_label=label,
            encoding="none",
            seconds=seconds,
            turn=turn,
        )
        self._way = path

    def predict_path(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> list[PathPredictions]:
        """Grow once, then walk the rows down the tree once for all settings."""
        assert isinstance(prepared, CodedTable)
        cancel()
        coded = prepared.coded(trial)
        tree = prepared.estimator(trial.seed(prepared.plan.seed, self.name))
        growth = Growth(**shared_settings(tree, len(coded.train), prepared.table.X.shape[1]))
        forest = growth.grow(coded.bins, None, coded.problem)
        by, levels = self._levels(prepared, coded)
        ascending, place = np.unique(levels, return_inverse=True)
        # One walk, because finding the order in which a deep tree collapses costs more than the walk.
        rows = np.concatenate(coded.parts)
        found = forest.levels_coded(coded.bins, rows, by=by, levels=ascending.tolist(), threads=1)
        ends = np.cumsum([len(part) for part in coded.parts])[:-1]
        return [
            path_predictions(part[place], coded.classes, prepared.class_count) for part in np.split(found, ends, axis=1)
        ]

    def _levels(self, prepared: CodedTable, coded: Coded) -> tuple[str, Floats]:
        """What the core stops by, and its levels for the settings."""
        settings, table = prepared.settings, prepared.table
        if self._way == "depth":
            wanted = [setting.params["max_depth"] for setting in settings]
            return "depth", np.array([-np.inf if depth is None else -float(depth) for depth in wanted])
        if self._way == "min_rows":
            return "rows", np.array([float(setting.params["min_samples_split"]) - 1 for setting in settings])
        weights = None if table.weights is None else table.weights[coded.train]
        root = root_impurity(table.y[coded.train], weights, classes=coded.problem.labels is not None)
        return "pruning", np.array([float(setting.params["level"]) * root for setting in settings])

    def pipeline(self, table: Table, setting: Setting, seed: int) -> Pipeline:
        """The plain definition; a level is resolved on the rows it is fitted on, here all of them."""
        if self._way != "c":
            return super().pipeline(table, setting, seed)
        tree = self._estimator(table, Setting("full"), seed)
        root = root_impurity(table.y, table.weights, classes=hasattr(tree, "predict_proba"))
        tree.set_params(ccp_alpha=float(setting.params["level"]) * root)
        return make_pipeline(self._encoder(table), tree)

    def _first(self, settings: tuple[Setting, ...]) -> Setting:
        return Setting("full")

    def _fits(self, settings: int) -> float:
        return 1.0


def root_impurity(y: NDArray[Any], weights: Floats | None = None, *, classes: bool) -> float:
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
