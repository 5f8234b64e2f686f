"""Logistic regression: every C of the path in one go, each to the optimum (`logistic_path`).

The optimum is unique, so where a trial starts does not matter to what is found but for the last bits; and since those
must not depend on rows that are left out, it starts from its own rows alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from threading import Lock, local
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from venire.data.encode import OneHotScaled
from venire.data.store.column import STRETCH
from venire.data.store.stored_matrix import is_stored
from venire.data.table import Table
from venire.families.fold_encoders import FoldEncoders, pays
from venire.families.fold_sums import OnDemand
from venire.families.logistic_path import NotSolved, answers, solve_path
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Cost, PathPredictions, Setting
from venire.validation.trials.generic import GenericFamily, Prepared
from venire.validation.trials.learner_warnings import caught_warnings
from venire.validation.trials.lesson import Lesson, parts_of
from venire.validation.trials.outcomes import Fit, fit_and_predict, gather, predictions_of

Floats = NDArray[np.float64]
_MOST_COEFFICIENTS = 1000  # beyond, second derivatives are larger than the table, and scikit-learn's lbfgs does better
_OTHERS = 3.0  # one fit by scikit-learn against one of ours
_ELSEWHERE = Lock()
_LONG = 1 << 20  # numbers: fits of larger tables are left now and then, to see whether to go on
_ITERATIONS, _NOT_YET = 2, "did not converge"
_AT_ONCE = 1 << 15  # numbers encoded together: they stay in the cache


class Desk(local):
    """Memory that a thread fills for one trial after the other: to ask for it anew costs more than to fill it."""

    def __init__(self) -> None:
        self._numbers = np.empty(0)

    def encoded(self, encoder: Any, X: Floats, rows: NDArray[np.intp]) -> Floats:
        """These rows, which its training part consists of, as the encoder gives them; until the thread's next trial."""
        if not isinstance(encoder, OneHotScaled):
            return np.ascontiguousarray(encoder.transform(X[rows]))
        step = STRETCH if is_stored(X) else max(1, _AT_ONCE // max(1, X.shape[1]))
        plain = len(encoder.numeric_) == X.shape[1] and not len(encoder.gaps_)  # numbers, and all of them there
        given = self._room(len(rows), X.shape[1] if plain else len(encoder.origins_))
        for at in range(0, len(rows), step):
            some, part = rows[at : at + step], given[at : at + step]
            if plain:
                if is_stored(X):
                    part[:] = X[some]
                else:
                    np.take(X, some, axis=0, out=part, mode="clip")
                part -= encoder.origin_
                part -= encoder.offset_
                part /= encoder.spread_
            else:
                part[:] = encoder.transform(X[some])
        return given

    def _room(self, rows: int, columns: int) -> Floats:
        if len(self._numbers) < rows * columns:
            self._numbers = np.empty(rows * columns)
        return self._numbers[: rows * columns].reshape(rows, columns)


@dataclass(frozen=True, eq=False)
class OnDesks(Prepared):
    """What is shared: what folds show an encoder, the rows one after the other, and memory within a thread."""

    X: Floats  # row by row in memory
    encoders: OnDemand[FoldEncoders] | None  # by split of the rows; None where they would be larger than the table
    desk: Desk = field(default_factory=Desk)


def by_rows(X: Any) -> Any:
    """The matrix row by row in memory; one in files stays there."""
    return X if is_stored(X) else np.ascontiguousarray(X)


class LogisticFamily(GenericFamily):
    """The path is C. Tables of many columns and classes are left to scikit-learn's lbfgs, one fit a setting."""

    def prepare(self, table: Table, plan: Plan) -> OnDesks:
        """Resolve the path once; folds are looked at when the first trial of a split asks."""
        shared = self._encoding == "one_hot" and pays(table, plan)
        encoders = OnDemand(lambda repeat: FoldEncoders.of(table, plan, repeat)) if shared else None
        return OnDesks(table, plan, self.path(table), by_rows(table.X), encoders)

    def lesson(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> Lesson:
        """As of any family, but for where the encoded training part is kept."""
        assert isinstance(prepared, OnDesks)
        table, plan = prepared.table, prepared.plan
        train = plan.train_rows(trial)
        if prepared.encoders is not None:
            encoder = prepared.encoders(trial.repeat).together(list(trial.train)).encoder
        else:
            encoder = self._encoder(table).fit(table.X[train])
        inside = prepared.desk.encoded(encoder, prepared.X, train)
        parts = parts_of(plan, trial, encoder, table.X, inside)
        weights = None if table.weights is None else table.weights[train]
        seed = trial.seed(plan.seed, self.name)
        return Lesson(table, prepared.settings, inside, table.y[train], parts, seed, cancel, weights)

    def predict_path(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> list[PathPredictions]:
        """Solve for all penalties, then all rows of all settings are one product."""
        table = prepared.table
        assert table.target is not None
        if not self._small(table):
            return super().predict_path(prepared, trial, cancel)
        lesson = self.lesson(prepared, trial, cancel)
        known, codes = np.unique(lesson.y, return_inverse=True)
        classes = len(table.target.classes)
        penalties = np.array([1.0 / float(setting.params["C"]) for setting in lesson.settings])
        order = np.argsort(-penalties, kind="stable")  # from the strongest to the weakest
        try:
            coefficients = solve_path(lesson.X, codes, len(known), lesson.weights, penalties[order], cancel)
            told = [_path_predictions(coefficients, part, known, classes) for part in lesson.parts]
        except NotSolved as ended:
            solved = sum(map(len, ended.found))
            rest = replace(lesson, settings=tuple(lesson.settings[at] for at in order[solved:]))
            told = self._elsewhere(rest)
            if solved:
                coefficients = np.concatenate(ended.found)
                first = [_path_predictions(coefficients, part, known, classes) for part in lesson.parts]
                told = [_joined(*pair) for pair in zip(first, told, strict=True)]
        back = np.argsort(order, kind="stable")
        return [PathPredictions(part.outputs[back], part.labels[back]) for part in told]

    def _elsewhere(self, lesson: Lesson) -> list[PathPredictions]:
        """By scikit-learn, one trial at a time: it swaps the filters of warnings, which are the whole process's."""
        sizes = [len(part) for part in lesson.parts]
        with _ELSEWHERE:
            return gather(lesson.table, self._kind(lesson.table), len(lesson.settings), sizes, self.fit_path(lesson))

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """Fit by fit; a long one by Newton's method in pieces."""
        for setting in lesson.settings:
            lesson.cancel()
            estimator = self._estimator(lesson.table, setting, lesson.seed)
            in_pieces = self._small(lesson.table) and lesson.X.size > _LONG
            yield (_fit_in_pieces if in_pieces else fit_and_predict)(estimator, lesson)

    def in_threads(self, table: Table) -> bool:
        """The path is the core's; a wide table is scikit-learn's."""
        return self._small(table)

    def _small(self, table: Table) -> bool:
        assert table.target is not None
        outputs = 1 if len(table.target.classes) <= 2 else len(table.target.classes)
        return outputs * self._encoded_columns(table) <= _MOST_COEFFICIENTS

    def _estimator(self, table: Table, setting: Setting, seed: int) -> Any:
        estimator = super()._estimator(table, setting, seed)
        return estimator if self._small(table) else estimator.set_params(solver="lbfgs", tol=1e-6, max_iter=10_000)

    def cost(self, table: Table, plan: Plan) -> Cost:
        """The path costs about two fits; of a wide table, one a setting."""
        plain = super().cost(table, plan)
        settings = len(self.path(table))
        if self._small(table):
            return plain
        return replace(plain, seconds=_OTHERS * plain.seconds * settings / self._fits(settings))

    def _fits(self, settings: int) -> float:
        return 0.8 + 0.06 * settings


def _fit_in_pieces(estimator: Any, lesson: Lesson) -> Fit:
    """A fit by Newton's method, which remembers nothing but where it is: after some steps it can begin there again.

    Where scikit-learn cannot go on in that way, which it says, it is fitted in one piece.
    """
    going = clone(estimator).set_params(max_iter=_ITERATIONS, warm_start=True)
    for _ in range(0, estimator.max_iter, _ITERATIONS):
        lesson.cancel()
        with caught_warnings() as caught:
            going.fit(lesson.X, lesson.y, sample_weight=lesson.weights)
        if not caught:
            return predictions_of(going, lesson)
        if not all(_NOT_YET in text for text in caught):
            break
    return fit_and_predict(estimator, lesson)


def _joined(first: PathPredictions, rest: PathPredictions) -> PathPredictions:
    """The predictions of some settings, and of those that follow."""
    return PathPredictions(np.concatenate([first.outputs, rest.outputs]), np.concatenate([first.labels, rest.labels]))


def _path_predictions(coefficients: Floats, rows: Floats, known: NDArray[Any], classes: int) -> PathPredictions:
    """What all settings say of some rows; a class that the training part lacked has probability 0."""
    shares, likeliest = answers(coefficients, rows)
    if len(known) == classes:
        return PathPredictions(shares, likeliest)
    labels = known.astype(np.int16)[likeliest]
    outputs = np.zeros((*shares.shape[:2], classes), shares.dtype)
    outputs[:, :, known] = shares
    return PathPredictions(outputs, labels)
