"""AdaBoost: one run of rounds a trial on bins of its training part, every number of rounds read off one walk.

Members that the core can boost by itself never come to Python: a trial asks for some rounds, looks whether it is to
stop, and asks for more.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from venire._core import Forest, vote_shares
from venire.data.table import Table
from venire.ensembles.adaboost.classifier import warn_alone
from venire.ensembles.adaboost.native import TreeRounds, serves
from venire.ensembles.adaboost.rounds import boost
from venire.ensembles.bagging.draw import MOST_SEED
from venire.families.trees.codes import Coded, CodedFamily, CodedTable, Floats, in_all_classes
from venire.validation.plans.plan import Trial
from venire.validation.trials.family import Cancel, PathPredictions, Setting
from venire.validation.trials.generic import Prepared

_ROUNDS_AT_ONCE = 10  # between two looks at whether to stop


class AdaBoostFamily(CodedFamily):
    """Boosted decision trees; the path is the number of rounds T, ascending. The estimator's member must be named."""

    def predict_path(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> list[PathPredictions]:
        """Boost the training part, then let the rows walk down all trees once."""
        assert isinstance(prepared, CodedTable)
        model = prepared.estimator(trial.seed(prepared.plan.seed, self.name))
        if not _native(model):
            return super().predict_path(prepared, trial, cancel)
        coded = prepared.coded(trial)
        rounds = TreeRounds(model.estimator, coded.bins, coded.problem, self._code_columns(prepared.table))
        trees, alphas = _boosted(model, coded, rounds, cancel)
        # A run that ended early stays as it was.
        wanted = [min(int(setting.params["n_estimators"]), len(alphas)) for setting in prepared.settings]
        counts, place = np.unique(wanted, return_inverse=True)
        parts = []
        for rows in coded.parts:
            votes = trees.votes_coded(coded.bins, rows, alphas, counts.tolist(), threads=1)
            shares, winners = vote_shares(votes, place.tolist())
            parts.append(in_all_classes(shares, winners, coded.classes, prepared.class_count))
        return parts

    def in_threads(self, table: Table) -> bool:
        """As long as the members are our own trees."""
        return _native(self._estimator(table, self.path(table)[0], 0))

    def _estimator(self, table: Table, setting: Setting, seed: int) -> Any:
        """The member is given which columns are categories."""
        estimator = super()._estimator(table, setting, seed)
        if "estimator__categorical_features" in estimator.get_params():
            estimator.set_params(estimator__categorical_features=self._code_columns(table))
        return estimator

    def _fits(self, settings: int) -> float:
        return 1.0


def _boosted(model: Any, coded: Coded, rounds: TreeRounds, cancel: Cancel) -> tuple[Forest, list[float]]:
    """The members that were kept, and what each counts for: by the core alone where it can, else round by round."""
    given = coded.weights[coded.train]
    total = float(given.sum())
    policy = {"algorithm": model.algorithm, "when_weak": model.when_weak}
    native = rounds.boosting(coded.train, given / total, total, **policy)
    if native is None:
        grow = _grower(model, coded, rounds, total, cancel)
        boosted = boost(given / total, model.n_estimators, grow, len(coded.classes), **policy)
        trees, alphas = Forest.joined(boosted.members), boosted.alphas.tolist()
        alone, first_error = boosted.alone, float(boosted.rounds.errors[0])
    else:
        for done in range(0, model.n_estimators, _ROUNDS_AT_ONCE):
            cancel()
            if not native.advance(min(_ROUNDS_AT_ONCE, model.n_estimators - done)):
                break
        trees, alphas = native.forest(), native.alphas
        alone, first_error = native.alone, native.errors[0]
    if alone:
        warn_alone(first_error, stacklevel=2)
    return trees, alphas


def _grower(
    model: Any, coded: Coded, rounds: TreeRounds, total: float, cancel: Cancel
) -> Callable[[int, Floats], tuple[Forest, NDArray[np.bool_]]]:
    """What grows the member of a round for weights of the training rows, and says whom it gets wrong."""
    seeds = check_random_state(model.random_state).randint(MOST_SEED, size=model.n_estimators).tolist()
    everywhere = np.zeros(len(coded.weights))

    def grow(number: int, weights: Floats) -> tuple[Forest, NDArray[np.bool_]]:
        cancel()
        everywhere[coded.train] = weights * total
        tree, wrong = rounds.grow(everywhere, seeds[number])
        return tree, wrong[coded.train]

    return grow


def _native(model: Any) -> bool:
    """Whether the core grows all members."""
    return not model.resample and model.costs is None and serves(model.estimator)
