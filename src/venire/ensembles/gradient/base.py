"""What gradient boosting for classes and for numbers shares: constraints, settings, rounds, early stopping, scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from venire._core import Bins, Booster, BoostPlan, boosted_sums
from venire.ensembles.gradient.losses import Measure, OwnLoss, as_line, own_gradients
from venire.ensembles.gradient.stopping import BOOSTED, Stopping, require_rounds
from venire.errors import UsageError
from venire.models.sparse import by_rows
from venire.models.tree.base import TREE_CONSTRAINTS, TreeEnsembleBase, require_outputs
from venire.models.tree.first_trees import first_trees
from venire.models.tree.growth import NO_LIMIT, Problem, draw_seed, thread_count
from venire.sklearn_private import Interval
from venire.states.checked import Fitted
from venire.states.constraints import Sizes

Floats = NDArray[np.float64]
_FEW_ROWS = 64
_MOST_LEVELS = 2**31 - 2  # of all rows together
_PLAIN_SCALARS = (np.dtype(np.float64), np.dtype(np.float32))

BOOSTING_CONSTRAINTS: dict[str, list[Any]] = {
    "n_estimators": [Interval(Integral, 1, None, closed="left")],
    "learning_rate": [Interval(Real, 0.0, None, closed="neither")],
    "max_leaf_nodes": [Interval(Integral, 2, None, closed="left"), None],
    "max_depth": [Interval(Integral, 1, None, closed="left"), None],
    "min_samples_leaf": [Interval(Integral, 1, None, closed="left")],
    "min_hessian_leaf": [Interval(Real, 0.0, None, closed="left")],
    "rows_by_hessian": ["boolean"],
    "max_bins": TREE_CONSTRAINTS["max_bins"],
    "l2_regularization": [Interval(Real, 0.0, None, closed="left")],
    "l1_regularization": [Interval(Real, 0.0, None, closed="left")],
    "min_split_gain": [Interval(Real, 0.0, None, closed="left")],
    "subsample": [Interval(Real, 0.0, 1.0, closed="right")],
    "colsample": [Interval(Real, 0.0, 1.0, closed="right")],
    "gradient_sampling": [tuple, None],
    "gradient_levels": [Interval(Integral, 2, 256, closed="both"), None],
    "monotone": ["array-like", dict, None],
    "categorical_features": TREE_CONSTRAINTS["categorical_features"],
    "early_stopping": [Interval(Integral, 1, None, closed="left"), None],
    "validation_fraction": [Interval(Real, 0.0, 1.0, closed="neither")],
    "random_state": ["random_state"],
    "n_jobs": [Integral, None],
}


@dataclass(frozen=True, slots=True)
class Goal:
    """What is fitted: the loss, its outputs, the target as numbers (or codes), the weights."""

    loss: str
    outputs: int
    y: Floats
    weights: Floats | None
    alpha: float = 0.9
    own: OwnLoss | None = None
    strata: NDArray[Any] | None = None  # classes that a held-out part must share with the rest


class GradientBoostingBase(TreeEnsembleBase):
    """Rounds of trees on the compiled core."""

    _fitted_constraints: ClassVar[Fitted] = {**TreeEnsembleBase._fitted_constraints, **BOOSTED}
    _start: list[float]
    n_estimators: int
    learning_rate: float
    max_leaf_nodes: int | None
    max_depth: int | None
    min_samples_leaf: int
    min_hessian_leaf: float
    rows_by_hessian: bool
    l2_regularization: float
    l1_regularization: float
    min_split_gain: float
    subsample: float
    colsample: float
    gradient_sampling: tuple[float, float] | None
    gradient_levels: int | None
    monotone: Any
    early_stopping: int | None
    validation_fraction: float
    random_state: Any
    stopping_: Stopping | None

    @classmethod
    def _check_fitted(cls, state: Mapping[str, Any], sizes: Sizes) -> None:
        require_outputs(state["_forest"], sizes["features"], 1)
        require_rounds(state, sizes.get("classes", 2))

    def _plan(self, goal: Goal, seed: int) -> BoostPlan:
        plan = BoostPlan()
        plan.loss = goal.loss
        plan.alpha = goal.alpha
        plan.outputs = goal.outputs
        plan.learning_rate = float(self.learning_rate)
        plan.max_leaf_nodes = NO_LIMIT if self.max_leaf_nodes is None else int(self.max_leaf_nodes)
        plan.max_depth = NO_LIMIT if self.max_depth is None else int(self.max_depth)
        plan.min_samples_leaf = float(self.min_samples_leaf)
        plan.min_hessian = float(self.min_hessian_leaf)
        plan.rows_by_hessian = bool(self.rows_by_hessian)
        plan.l2_regularization = float(self.l2_regularization)
        plan.l1_regularization = float(self.l1_regularization)
        plan.min_split_gain = float(self.min_split_gain)
        plan.subsample = float(self.subsample)
        plan.colsample = float(self.colsample)
        if self.gradient_sampling is not None:
            plan.top_share, plan.other_share = self._shares_by_gradient(goal)
        if self.gradient_levels is not None:
            plan.levels = self._levels(len(goal.y))
        plan.seed = seed
        return plan

    def _shares_by_gradient(self, goal: Goal) -> tuple[float, float]:
        """The share of rows kept for their gradients, and the share drawn from the others."""
        shares = self.gradient_sampling
        good = shares is not None and len(shares) == 2 and min(shares) > 0 and sum(shares) < 1
        if shares is None or not good:
            raise UsageError(f"gradient_sampling needs two positive shares that leave rows out; got {shares!r}")
        if self.subsample < 1:
            raise UsageError("gradient_sampling and subsample both draw rows", hint="set one of the two")
        if goal.loss in ("absolute", "quantile"):
            raise UsageError(f"gradient_sampling: under {goal.loss} loss all gradients are alike", hint="use subsample")
        return float(shares[0]), float(shares[1])

    def _levels(self, rows: int) -> int:
        levels = int(self.gradient_levels or 0)
        if levels * rows > _MOST_LEVELS:
            raise UsageError(
                f"gradient_levels={levels} on {rows:,} rows: sums would not fit into 31 bits",
                hint=f"at most {_MOST_LEVELS // rows} levels, or None",
            )
        return levels

    def _directions(self) -> NDArray[np.int8]:
        """The monotone constraint of every column, or none at all."""
        if self.monotone is None:
            return np.zeros(0, dtype=np.int8)
        columns = self.n_features_in_
        wish = self.monotone
        if isinstance(wish, dict):
            wish = self._directions_by_name(wish)
        directions = np.asarray(wish)
        if directions.shape != (columns,) or not np.isin(directions, (-1, 0, 1)).all():
            raise UsageError(f"monotone needs −1, 0 or 1 for each of {columns} columns; got {self.monotone!r}")
        if (directions[self._layout.categorical] != 0).any():
            raise UsageError("monotone: a categorical column has no direction to keep", hint="give it 0")
        return np.ascontiguousarray(directions, dtype=np.int8)

    def _directions_by_name(self, wish: dict[Any, Any]) -> list[Any]:
        names = list(getattr(self, "feature_names_in_", range(self.n_features_in_)))
        unknown = [name for name in wish if name not in names]
        if unknown:
            there = ", ".join(map(str, names[:10]))
            raise UsageError(f"monotone names {unknown[0]!r}, which is no column", hint=f"columns: {there}")
        return [wish.get(name, 0) for name in names]

    def _boost(self, matrix: NDArray[Any], goal: Goal) -> None:
        """Run all rounds; with early stopping, keep those up to the best one."""
        seed = draw_seed(self.random_state)
        held_out = self._hold_out(goal, seed)
        weights = goal.weights
        if held_out is not None:
            weights = np.ones(len(goal.y)) if weights is None else weights.copy()
            weights[held_out] = 0.0
        threads = thread_count(self.n_jobs)
        bins = self._bins(matrix, Problem(0, None, None, weights))
        booster = self._booster(bins, goal, weights, seed)
        self.stopping_ = None
        if held_out is None:
            self._advance(booster, goal, self.n_estimators, threads)
        else:
            self.stopping_ = self._watch(booster, goal, held_out, threads)
        self._start = list(booster.start)
        self._forest = booster.forest()
        self.n_rounds_ = self.n_estimators if self.stopping_ is None else self.stopping_.best_round

    def first_rounds(self, rounds: int) -> Self:
        """The model after so many of its rounds, as a model of its own: what `n_estimators=rounds` would have given."""
        check_is_fitted(self, "_forest")
        if not 1 <= rounds <= self.n_rounds_:
            raise UsageError(f"rounds must be between 1 and the {self.n_rounds_} there are; got {rounds}")
        model = copy(self)
        model.n_estimators = model.n_rounds_ = int(rounds)
        model.stopping_ = None  # it did not choose this number
        model._forest = first_trees(self._forest, rounds * len(self._start))
        return model

    def _booster(self, bins: Bins, goal: Goal, weights: Floats | None, seed: int) -> Booster:
        """A boosting before its first round; rows of weight 0 take no part, but have scores too."""
        start = np.zeros(1 if goal.own is not None else 0)
        threads = thread_count(self.n_jobs)
        return Booster.of(bins, goal.y, weights, start, self._directions(), self._plan(goal, seed), threads=threads)

    def _advance(self, booster: Booster, goal: Goal, rounds: int, threads: int) -> None:
        if goal.own is None:
            booster.advance(rounds, threads=threads)
            return
        own = goal.own

        def gradients() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            gradient, hessian = own_gradients(own, goal.y, booster.scores()[0])
            if goal.weights is not None:
                gradient, hessian = gradient * goal.weights, hessian * goal.weights
            return as_line(gradient), as_line(hessian)

        booster.advance_by(gradients, rounds, threads=threads)

    def _hold_out(self, goal: Goal, seed: int) -> NDArray[np.intp] | None:
        if self.early_stopping is None:
            return None
        if goal.own is not None:
            raise UsageError(
                "early_stopping needs the value of the loss, and a loss of one's own gives its gradients alone",
                hint="look at staged_predict on rows of your own",
            )
        rng = np.random.default_rng(seed)
        known = np.arange(len(goal.y)) if goal.weights is None else np.flatnonzero(goal.weights > 0)
        groups = [known] if goal.strata is None else [known[goal.strata[known] == c] for c in np.unique(goal.strata)]
        parts = [rng.permutation(rows)[: round(self.validation_fraction * len(rows))] for rows in groups]
        held_out = np.sort(np.concatenate(parts))
        if held_out.size == 0 or held_out.size == known.size:
            raise UsageError(
                f"validation_fraction={self.validation_fraction:g} of {known.size} rows leaves nothing on one side",
                hint="choose another share, or early_stopping=None",
            )
        return held_out

    def _watch(self, booster: Booster, goal: Goal, held_out: NDArray[np.intp], threads: int) -> Stopping:
        measure = Measure(goal.loss, goal.alpha)
        y = goal.y[held_out]
        weights = None if goal.weights is None else goal.weights[held_out]

        def loss() -> float:
            return measure(y, booster.scores()[:, held_out].T, weights)

        losses = [loss()]

        def go_on() -> bool:
            losses.append(loss())
            worse = len(losses) - 1 - int(np.argmin(losses))  # rounds since the best
            return self.early_stopping is None or worse < self.early_stopping

        booster.advance(self.n_estimators, threads=threads, go_on=go_on)
        # A model without any tree would be a constant nobody asked for.
        return Stopping(held_out, np.array(losses), max(1, int(np.argmin(losses))))

    def _read(self, X: Any) -> NDArray[Any]:
        # scikit-learn's checks cost more than scoring a row: a few rows that plainly pass them skip them.
        if (
            "_forest" in self.__dict__
            and "feature_names_in_" not in self.__dict__
            and _is_plain(X, self.n_features_in_)
        ):
            return np.asarray(X)
        return super()._read(X)

    def _scores(self, X: Any, rounds: Sequence[int]) -> Floats:
        """Scores after so many rounds: [place, row, output]."""
        matrix = self._read(X)
        wanted, threads = list(rounds), thread_count(self.n_jobs)
        return by_rows(
            matrix, lambda rows: boosted_sums(self._forest, rows, self._start, wanted, threads=threads), axis=1
        )

    def _last_scores(self, X: Any) -> Floats:
        if "_forest" not in self.__dict__:  # the whole check takes longer than a row
            check_is_fitted(self, "_forest")
        return np.asarray(self._scores(X, [self.n_rounds_])[0])

    def _rounds(self, n_rounds: Sequence[int] | None) -> list[int]:
        check_is_fitted(self, "_forest")
        if n_rounds is None:
            return list(range(1, self.n_rounds_ + 1))
        rounds = [int(one) for one in n_rounds]
        grown = self._forest.trees // len(self._start)
        ascending = all(a < b for a, b in zip([-1, *rounds], rounds, strict=False))
        if not rounds or not ascending or rounds[-1] > grown:
            raise UsageError(f"n_rounds must ascend within 0..{grown}; got {rounds}")
        return rounds

    def _staged_scores(self, X: Any) -> Iterator[Floats]:
        """Scores after 1, 2, … rounds, a few at a time so that memory stays small."""
        rounds = self._rounds(None)
        for at in range(0, len(rounds), 16):
            yield from self._scores(X, rounds[at : at + 16])

    @property
    def feature_importances_(self) -> Floats:
        """The share of the whole gain that each feature's splits brought."""
        check_is_fitted(self, "_forest")
        trees = self.n_rounds_ * len(self._start)
        gains = np.asarray(self._forest.importances())[:trees].sum(axis=0)
        return np.asarray(gains / gains.sum()) if gains.sum() > 0 else np.zeros(self.n_features_in_)


def _is_plain(X: Any, columns: int) -> bool:
    """A few rows of numbers, as an array with so many columns and nothing infinite."""
    if type(X) is not np.ndarray or X.ndim != 2 or X.dtype not in _PLAIN_SCALARS:
        return False
    return 0 < X.shape[0] <= _FEW_ROWS and X.shape[1] == columns and not np.isinf(X).any()
