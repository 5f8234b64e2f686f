"""What gradient boosting for classes and for numbers shares: constraints, settings, rounds, early stopping, scores."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from venire._core import Bins, Booster, BoostPlan, boosted_sums, boosted_sums_coded
from venire.ensembles.gradient.directions import directions_of
from venire.ensembles.gradient.first_scores import fitted_first, scores_of_first
from venire.ensembles.gradient.losses import as_line, own_gradients, report_factor
from venire.ensembles.gradient.node_sizes import set_sizes
from venire.ensembles.gradient.progress import Printed, Watch
from venire.ensembles.gradient.round_scores import keep_scores, keeps_losses
from venire.ensembles.gradient.round_trees import Stage, cut_stages, joined_rounds, single_trees, stage_of
from venire.ensembles.gradient.sampling import set_sampling
from venire.ensembles.gradient.settings import Goal
from venire.ensembles.gradient.stopping import (
    BOOSTED,
    Stopping,
    held_out_loss,
    held_out_rows,
    require_rounds,
    stopping_rule,
)
from venire.errors import UsageError
from venire.models.few_rows import require_fitted
from venire.models.sparse import coded, is_sparse
from venire.models.tree.base import TreeEnsembleBase, require_outputs
from venire.models.tree.first_trees import first_trees
from venire.models.tree.growth import NO_LIMIT, Problem, draw_seed, resolve_max_features, thread_count
from venire.states.checked import Fitted
from venire.states.constraints import Sizes

Floats = NDArray[np.float64]
# From so many codes on (a byte each) a fit holds them once, in the order of the rows; with fewer, a column that is also
# held for itself parts rows sooner.
TAKEN_CODES = 1 << 29


class GradientBoostingBase(TreeEnsembleBase):
    """Rounds of trees on the compiled core."""

    _fitted_constraints: ClassVar[Fitted] = {**TreeEnsembleBase._fitted_constraints, **BOOSTED}
    _start: list[float]
    _init: Any = None
    _stages: list[Stage] = []  # noqa: RUF012  # of a warm start; never changed in place
    train_score_: Floats
    oob_improvement_: Floats
    oob_scores_: Floats
    oob_score_: float
    n_estimators: int
    learning_rate: float
    max_leaf_nodes: int | None
    max_depth: int | None
    min_samples_leaf: float | None
    min_samples_split: float | None
    min_weight_fraction_leaf: float
    min_impurity_decrease: float
    max_features: Any
    criterion: Any
    ccp_alpha: float
    init: Any
    n_iter_no_change: int | None
    tol: float
    warm_start: bool
    verbose: int
    keep_losses: bool | str
    classes_: Any
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

    def _plan(self, goal: Goal, seed: int, rows: int) -> BoostPlan:
        plan = BoostPlan()
        plan.loss = goal.loss
        plan.alpha = goal.alpha
        plan.outputs = goal.outputs
        plan.learning_rate = float(self.learning_rate)
        plan.max_leaf_nodes = NO_LIMIT if self.max_leaf_nodes is None else int(self.max_leaf_nodes)
        plan.max_depth = NO_LIMIT if self.max_depth is None else int(self.max_depth)
        set_sizes(plan, self, goal, rows)
        plan.rows_by_hessian = bool(self.rows_by_hessian)
        plan.l2_regularization = float(self.l2_regularization)
        plan.l1_regularization = float(self.l1_regularization)
        plan.colsample = float(self.colsample)
        if self.max_features is not None:
            plan.max_features = resolve_max_features(self.max_features, self.n_features_in_)
        set_sampling(plan, self, goal)
        plan.seed = seed
        return plan

    def _boost(self, X: Any, matrix: NDArray[Any], goal: Goal, monitor: Any) -> None:
        """Run all rounds; with early stopping, keep those up to the best one. `X` is for the model of `init`."""
        done = self._rounds_before(goal)
        if done == self.n_estimators:
            return
        seed = draw_seed(self.random_state)
        held_out = held_out_rows(self, goal, seed)
        weights = goal.weights
        if held_out is not None:
            weights = np.ones(len(goal.y)) if weights is None else weights.copy()
            weights[held_out] = 0.0
        booster = self._booster(self._bins(matrix, Problem(0, None, None, weights)), goal, weights, seed, own=True)
        if done:
            booster.resume(np.ascontiguousarray(self._scores_of(X, matrix, [done])[0].T), done)
        else:
            self._start_from(X, goal, held_out, booster)
        watch = Watch(booster, self, done, {"X": X, "y": goal.y, "sample_weight": goal.weights}, monitor)
        if held_out is not None:
            watch.loss, watch.rule = held_out_loss(booster, goal, held_out), stopping_rule(self, goal.loss)
            watch.losses.append(watch.loss())
        self._run(booster, goal, watch)
        self._keep(booster, goal, done, watch, held_out)

    def _rounds_before(self, goal: Goal) -> int:
        """Rounds of fits before, which a warm start goes on from."""
        if not self.warm_start or "_forest" not in self.__dict__:
            self._stages = []
            return 0
        if len(self._start) != goal.outputs:
            raise UsageError("warm_start: the target has other classes", hint="fit again without warm_start")
        if self.n_estimators < self.n_rounds_:
            raise UsageError(
                f"n_estimators={self.n_estimators} must be larger or equal to estimators_.shape[0]={self.n_rounds_} "
                "when warm_start==True",
                hint="raise n_estimators, or fit again without warm_start",
            )
        return self.n_rounds_

    def _start_from(self, X: Any, goal: Goal, held_out: NDArray[np.intp] | None, booster: Booster) -> None:
        """Fit the model to start from, if there is one, on the rows that are not held out."""
        self._init = None
        if self.init is None or self.init == "zero":
            return
        rows = None if held_out is None else np.setdiff1d(np.arange(len(goal.y)), held_out)
        target = goal.y if goal.strata is None else self.classes_[goal.strata]
        self._init = fitted_first(self.init, X, target, goal.weights, rows)
        scores = scores_of_first(self._init, X, goal.loss, goal.outputs)
        booster.resume(np.ascontiguousarray(scores.T), 0)

    def _run(self, booster: Booster, goal: Goal, watch: Watch) -> None:
        threads, rounds = thread_count(self.n_jobs), self.n_estimators - watch.first
        if self.verbose:
            watch.printed = Printed(
                int(self.verbose), rounds, with_others=self.subsample < 1, factor=report_factor(goal.loss)
            )
            watch.printed.begin()
        self._advance(booster, goal, rounds, threads, watch.go_on if watch.needed() else None)

    def _advance(
        self,
        booster: Booster,
        goal: Goal,
        rounds: int,
        threads: int,
        go_on: Callable[[], bool] | None = None,
    ) -> None:
        own = goal.own
        if own is None:
            booster.advance(rounds, threads=threads, go_on=go_on)
            return

        def gradients() -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            gradient, hessian = own_gradients(own, goal.y, booster.scores()[0])
            if goal.weights is not None:
                gradient, hessian = gradient * goal.weights, hessian * goal.weights
            return as_line(gradient), as_line(hessian)

        booster.advance_by(gradients, rounds, threads=threads, go_on=go_on)

    def _keep(
        self, booster: Booster, goal: Goal, done: int, watch: Watch | None, held_out: NDArray[np.intp] | None
    ) -> None:
        """Take over what was grown, after the rounds there were before."""
        grown = booster.forest()
        rounds = done + grown.trees // goal.outputs
        if done:
            grown = joined_rounds(self._forest, done * goal.outputs, grown)
        else:
            self._start = list(booster.start)
        self.stopping_ = None
        if held_out is not None and watch is not None:
            self.stopping_ = Stopping(held_out, np.array(watch.losses), rounds)
            if self.early_stopping is not None:
                # A model without any tree would be a constant nobody asked for.
                best = done + max(1, int(np.argmin(watch.losses)))
                self.stopping_, rounds = Stopping(held_out, np.array(watch.losses), best), best
        self._forest, self.n_rounds_ = grown, rounds
        self._stages = [*self._stages, stage_of(self, rounds - done)] if self.warm_start else []
        self.max_features_ = resolve_max_features(self.max_features, self.n_features_in_)
        keep_scores(self, booster.losses(), report_factor(goal.loss), done)

    def first_rounds(self, rounds: int) -> Self:
        """The model after so many of its rounds, as a model of its own: what `n_estimators=rounds` would have given."""
        check_is_fitted(self, "_forest")
        if not 1 <= rounds <= self.n_rounds_:
            raise UsageError(f"rounds must be between 1 and the {self.n_rounds_} there are; got {rounds}")
        model = copy(self)
        model.n_estimators = model.n_rounds_ = int(rounds)
        model.stopping_ = None  # it did not choose this number
        model._stages = cut_stages(self._stages, rounds)
        for name in ("train_score_", "oob_improvement_", "oob_scores_"):
            if name in vars(model):
                setattr(model, name, getattr(self, name)[:rounds])
        if "oob_scores_" in vars(model):
            model.oob_score_ = float(model.oob_scores_[-1])
        model._forest = first_trees(self._forest, rounds * len(self._start))
        return model

    def _booster(self, bins: Bins, goal: Goal, weights: Floats | None, seed: int, *, own: bool = False) -> Booster:
        """A boosting before its first round; rows of weight 0 take no part, but have scores too.

        With `own` it is that of a fit: it keeps the losses of its rounds, if the model asks for them, and takes over
        the bins of a large table, which nobody else then has.
        """
        start = np.zeros(goal.outputs if goal.own is not None or self.init is not None else 0)
        plan = self._plan(goal, seed, len(goal.y) if weights is None else int((weights > 0).sum()))
        plan.keep_losses = own and goal.own is None and keeps_losses(self, len(goal.y))
        take = own and len(goal.y) * self.n_features_in_ >= TAKEN_CODES
        threads = thread_count(self.n_jobs)
        return Booster.of(bins, goal.y, weights, start, directions_of(self), plan, threads=threads, take=take)

    def _scores(self, X: Any, rounds: Sequence[int]) -> Floats:
        """Scores after so many rounds: [place, row, output]."""
        return self._scores_of(X, self._read(X), rounds)

    def _scores_of(self, X: Any, matrix: NDArray[Any], rounds: Sequence[int]) -> Floats:
        wanted, threads = list(rounds), thread_count(self.n_jobs)
        if is_sparse(matrix):
            rows, _ = coded(self._forest, matrix, threads)
            scores = boosted_sums_coded(self._forest, rows, self._start, wanted, threads=threads)
        else:
            scores = boosted_sums(self._forest, matrix, self._start, wanted, threads=threads)
        if self._init is not None:
            scores = scores + scores_of_first(self._init, X, self._loss_name(), len(self._start))
        return scores

    def _last_scores(self, X: Any) -> Floats:
        require_fitted(self, "_forest")
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
    def init_(self) -> Any:
        """The model that the scores start from; `"zero"` if they start from 0."""
        check_is_fitted(self, "_forest")
        if self._init is not None:
            return self._init
        return "zero" if self.init is not None else self._constant()

    def _constant(self) -> Any:
        """The best constant as a model."""
        raise NotImplementedError

    @property
    def n_estimators_(self) -> int:
        """The number of rounds that the model keeps."""
        check_is_fitted(self, "_forest")
        return self.n_rounds_

    @property
    def estimators_(self) -> NDArray[Any]:
        """The trees as regression trees, [round, output], made when they are read.

        Scores are those of the start plus `learning_rate` times what each tree predicts, up to rounding.
        """
        check_is_fitted(self, "_forest")
        return single_trees(self)

    def apply(self, X: Any) -> NDArray[np.int32]:
        """The number of the node in which each row ends: [row, round], with classes [row, round, output]."""
        leaves = super().apply(X)[:, : self.n_rounds_ * len(self._start)]
        return leaves.reshape(len(leaves), self.n_rounds_, len(self._start)) if hasattr(self, "classes_") else leaves

    def _loss_name(self) -> str:
        raise NotImplementedError

    @property
    def feature_importances_(self) -> Floats:
        """The share of the whole gain that each feature's splits brought."""
        check_is_fitted(self, "_forest")
        trees = self.n_rounds_ * len(self._start)
        gains = np.asarray(self._forest.importances())[:trees].sum(axis=0)
        return np.asarray(gains / gains.sum()) if gains.sum() > 0 else np.zeros(self.n_features_in_)
