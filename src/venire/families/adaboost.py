"""AdaBoost: one run of rounds a trial on bins of its training part, every number of rounds read off one walk.

Members that the core can boost by itself never come to Python: a trial asks for some rounds, looks whether it is to
stop, and asks for more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from venire._core import Forest
from venire.data.table import Table
from venire.ensembles.adaboost import link, warn_alone
from venire.ensembles.adaboost_native import TreeRounds, serves
from venire.ensembles.adaboost_rounds import Boosted, boost
from venire.ensembles.draw import MOST_SEED
from venire.families.coded import Coded, CodedFamily, CodedTable, Floats, by_setting
from venire.validation.family import Cancel, Setting
from venire.validation.gathered import Fit
from venire.validation.generic import Prepared
from venire.validation.plan import Trial

_ROUNDS_AT_ONCE = 10  # between two looks at whether to stop


class AdaBoostFamily(CodedFamily):
    """Boosted decision trees; the path is the number of rounds T, ascending. The estimator's member must be named."""

    def learn(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> Iterator[Fit]:
        """Boost the training part, then let the rows walk down all trees once."""
        assert isinstance(prepared, CodedTable)
        model = prepared.estimator(trial.seed(prepared.plan.seed, self.name))
        if not _native(model):
            return super().learn(prepared, trial, cancel)
        coded = prepared.coded(trial)
        trees, alphas = self._boosted(model, coded, prepared, cancel)
        # A run that ended early stays as it was.
        wanted = [min(int(setting.params["n_estimators"]), len(alphas)) for setting in prepared.settings]
        counts, place = np.unique(wanted, return_inverse=True)
        parts = [trees.votes_coded(coded.bins, part, alphas, counts.tolist(), threads=1) for part in coded.parts]
        return by_setting([linked(votes)[place] for votes in parts], coded.classes)

    def _boosted(self, model: Any, coded: Coded, prepared: CodedTable, cancel: Cancel) -> tuple[Forest, list[float]]:
        """The members that were kept, and what each counts for."""
        given = coded.weights[coded.train]
        total = float(given.sum())
        rounds = TreeRounds(model.estimator, coded.bins, coded.problem, self._code_columns(prepared.table))
        policy = {"algorithm": model.algorithm, "when_weak": model.when_weak}
        boosting = rounds.boosting(coded.train, given / total, total, **policy)
        if boosting is None:
            boosted = _by_rounds(model, coded, rounds, cancel)
            if boosted.alone:
                warn_alone(boosted.rounds.errors[0], stacklevel=2)
            return Forest.joined(boosted.members), boosted.alphas.tolist()
        for some in _shares(model.n_estimators):
            cancel()
            if not boosting.advance(some):
                break
        if boosting.alone:
            warn_alone(boosting.errors[0], stacklevel=2)
        return boosting.forest(), boosting.alphas

    def in_threads(self, table: Table) -> bool:
        """As long as the members are our own trees."""
        return _native(self._estimator(table, self.path(table)[0], 0))

    def _estimator(self, table: Table, setting: Setting, seed: int) -> Any:
        """The member is told which columns are categories."""
        estimator = super()._estimator(table, setting, seed)
        if "estimator__categorical_features" in estimator.get_params():
            estimator.set_params(estimator__categorical_features=self._code_columns(table))
        return estimator

    def _fits(self, settings: int) -> float:
        return 1.0


def _shares(rounds: int) -> Iterator[int]:
    """So many rounds, a few at a time."""
    for done in range(0, rounds, _ROUNDS_AT_ONCE):
        yield min(_ROUNDS_AT_ONCE, rounds - done)


def _by_rounds(model: Any, coded: Coded, rounds: TreeRounds, cancel: Cancel) -> Boosted:
    """The same round by round, for members that the core cannot boost by itself."""
    train = coded.train
    given = coded.weights[train]
    total = float(given.sum())
    seeds = check_random_state(model.random_state).randint(MOST_SEED, size=model.n_estimators).tolist()
    everywhere = np.zeros(len(coded.weights))

    def grow(number: int, weights: Floats) -> tuple[Forest, NDArray[np.bool_]]:
        cancel()
        everywhere[train] = weights * total
        tree, wrong = rounds.grow(everywhere, seeds[number])
        return tree, wrong[train]

    policy = {"algorithm": model.algorithm, "when_weak": model.when_weak}
    return boost(given / total, model.n_estimators, grow, len(coded.classes), **policy)


def _native(model: Any) -> bool:
    """Whether the core grows all members."""
    return not model.resample and model.costs is None and serves(model.estimator)


def linked(votes: Floats) -> Floats:
    """Class probabilities from the votes [place, row, class]."""
    return link(votes.reshape(-1, votes.shape[2])).reshape(votes.shape)
