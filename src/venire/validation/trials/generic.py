"""Any scikit-learn estimator with a grid, as a family: encode inside the training part, loop over the settings.

Fast families derive from `GenericFamily` and override `fit_path`, which gives the fitted models of all settings, or
`prepare` and `tell`, to share work between trials and settings. `refit` is the pipeline that the loop stands for, so
what is handed over is what was validated.
"""

from __future__ import annotations

import copy
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.compose import TransformedTargetRegressor
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.validation import has_fit_parameter

from venire.data.encode import AsTheyAre, FrequencyCodes, OneHotScaled
from venire.data.spaced_rows import spaced_rows
from venire.data.store.room import available_memory
from venire.data.store.stored_matrix import is_stored
from venire.data.table import Table, Task
from venire.errors import VenireError
from venire.metrics.predictions import Output
from venire.validation.evidence.definitions import described, source_of
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Cost, Outcome, PathPredictions, Setting, Turn, never
from venire.validation.trials.learner_warnings import caught_warnings
from venire.validation.trials.lesson import Lesson, parts_of
from venire.validation.trials.outcomes import Fit, constant, fit_and_predict, gather, outcome_of
from venire.validation.trials.reasons import CannotTake, NoWeights, WrongTask
from venire.validation.trials.whose_code import is_others

_MOST_PREDICTIONS = 20_000_000  # settings × rows × classes of one held-out prediction of the whole table
_FEWEST_SETTINGS = 5

Path = Callable[[Table], tuple[Setting, ...]]
Seconds = Callable[[int, int, int], float]  # rows trained on, encoded columns, classes → seconds for one fit


@dataclass(frozen=True, eq=False)
class Prepared:
    """What the trials of a generic family share."""

    table: Table
    plan: Plan
    settings: tuple[Setting, ...]

    def lone_class(self, trial: Trial) -> int | None:
        """The class of all rows of a training part, where there is only one to be learned."""
        if self._shown is None:
            return None
        classes = np.flatnonzero(self._shown[trial.repeat, list(trial.train)].any(axis=0))
        return int(classes[0]) if len(classes) == 1 else None

    @cached_property
    def _shown(self) -> NDArray[np.bool_] | None:
        """Whether a fold shows a class: [repeat, fold, class]; None where numbers are predicted."""
        target, folds = self.table.target, self.plan.folds
        if target is None or target.task is not Task.CLASSIFICATION:
            return None
        classes = max(1, len(target.classes))
        shown = np.zeros((self.plan.repeats, folds * classes), dtype=bool)
        for repeat, assigned in enumerate(self.plan.fold_of):
            shown[repeat, assigned.astype(np.intp) * classes + self.table.y] = True
        return shown.reshape(self.plan.repeats, folds, classes)


class GenericFamily:
    """A scikit-learn estimator (for classes, for numbers, or both) and the settings to try.

    Parameters
    ----------
    name
        A stable name.
    classifier, regressor
        The estimators; one of them may be missing.
    path
        A tuple of settings from simple to complex, or a rule that makes one from the table's shape; it must not
        look at values.
    path_label
        What the settings differ in.
    encoding
        What the estimator is given: "one_hot" (scaled numbers, one column per category), "codes" (categories as
        ranks, gaps kept) or "none" (the table's own matrix, for learners that take categories and gaps as they
        are).
    seconds
        How long one fit takes, by formula.
    turn
        When its trials are run, among those of the other families.
    threads
        Whether its trials may run in threads of one process: the estimators leave all that threads share as it is.

    Examples
    --------
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from venire.validation.trials.family import Setting
    >>> path = tuple(Setting.of({"n_neighbors": k}, {"k": k}) for k in (15, 5, 1))
    >>> GenericFamily("near", classifier=KNeighborsClassifier(), path=path).name
    'near'
    """

    def __init__(
        self,
        name: str,
        *,
        classifier: Any = None,
        regressor: Any = None,
        path: Path | tuple[Setting, ...] | None = None,
        path_label: str = "setting",
        encoding: str = "one_hot",
        seconds: Seconds | None = None,
        turn: Turn = Turn.PROMISING,
        threads: bool = False,
    ) -> None:
        self._name = name
        self.turn = turn
        self._threads = threads
        self._estimators = {Task.CLASSIFICATION: classifier, Task.REGRESSION: regressor}
        self._path = path or (Setting("default"),)
        self._path_label = path_label
        self._encoding = encoding
        self._seconds = seconds or _seconds_of_a_stranger
        self._fixed: tuple[Setting, ...] | None = None

    def with_path(self, settings: tuple[Setting, ...]) -> Self:
        """The same family with these very settings, whatever the shape of the table."""
        other = copy.copy(self)
        other._fixed = settings
        return other

    @property
    def name(self) -> str:
        """A stable word such as `forest`."""
        return self._name

    @property
    def tasks(self) -> frozenset[Task]:
        """What it can predict."""
        return frozenset(task for task, estimator in self._estimators.items() if estimator is not None)

    @property
    def path_label(self) -> str:
        """What the path varies."""
        return self._path_label

    @property
    def path_rule(self) -> str:
        """The path in words: the rule that makes it of a table's shape, or the ends of a fixed one."""
        settings = self._fixed or self._path
        if callable(settings):
            return str(getattr(settings, "words", "by the shape of the table"))
        return settings[0].label if len(settings) == 1 else f"{len(settings)} values: {settings[0]} … {settings[-1]}"

    def output(self, task: Task) -> Output:
        """Probabilities if the estimator has them, else scores, else labels."""
        if task is Task.REGRESSION:
            return Output.VALUES
        estimator = self._estimators[task]
        if hasattr(estimator, "predict_proba"):
            return Output.PROBABILITIES
        return Output.SCORES if hasattr(estimator, "decision_function") else Output.LABELS

    def unable(self, table: Table) -> CannotTake | None:
        """Why it cannot take this table, if it cannot."""
        assert table.target is not None
        if table.target.task not in self.tasks:
            return WrongTask(str(table.target.task))
        if table.weights is not None and not takes_weights(self._estimators[table.target.task]):
            return NoWeights()
        return None

    def path(self, table: Table) -> tuple[Setting, ...]:
        """Its settings, from simple to complex; fewer of them where every one is a gigabyte of predictions."""
        if self._fixed is not None:
            return self._fixed
        return thinned(self._path(table) if callable(self._path) else self._path, table)

    def pipeline(self, table: Table, setting: Setting, seed: int) -> Pipeline:
        """Encoding and estimator as one unfitted scikit-learn pipeline: the plain definition of this family."""
        return make_pipeline(self._encoder(table), self._estimator(table, setting, seed))

    def prepare(self, table: Table, plan: Plan) -> Prepared:
        """Resolve the path once."""
        return Prepared(table, plan, self.path(table))

    def run(self, prepared: Prepared, trial: Trial, cancel: Cancel = never) -> Outcome:
        """Fit every setting on the training part, predict the held-out folds."""
        began = time.perf_counter()
        table, plan = prepared.table, prepared.plan
        kind, lone = self._kind(table), prepared.lone_class(trial)
        with caught_warnings() as caught:
            if lone is None:
                predicted = self.predict_path(prepared, trial, cancel)
            else:
                settings, sizes = len(prepared.settings), [len(rows) for rows in plan.predicted_rows(trial)]
                predicted = gather(table, kind, settings, sizes, constant(lone, settings, sizes))
        return outcome_of(table, kind, predicted, plan.seen_rows(trial), caught, time.perf_counter() - began)

    def predict_path(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> list[PathPredictions]:
        """What all settings say of each part of `Plan.told_rows`.

        Families that predict for all settings in one go override this; others say what `fit_path` finds, fit by fit.
        """
        sizes = [len(rows) for rows in prepared.plan.predicted_rows(trial)]
        fits = self.fit_path(self.lesson(prepared, trial, cancel))
        return gather(prepared.table, self._kind(prepared.table), len(prepared.settings), sizes, fits)

    def lesson(self, prepared: Prepared, trial: Trial, cancel: Cancel) -> Lesson:
        """The rows of a trial, encoded by what its training part shows."""
        table, plan = prepared.table, prepared.plan
        train = plan.train_rows(trial)
        encoder = self._encoder(table).fit(table.X[train])
        inside = encoder.transform(table.X[train])
        parts = parts_of(plan, trial, encoder, table.X, inside)
        weights = None if table.weights is None else table.weights[train]
        seed = trial.seed(plan.seed, self.name)
        return Lesson(table, prepared.settings, inside, table.y[train], parts, seed, cancel, weights)

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """For each setting in order: the classes of the fit and the predictions of every part."""
        for setting in lesson.settings:
            lesson.cancel()
            yield fit_and_predict(self._estimator(lesson.table, setting, lesson.seed), lesson)

    def in_threads(self, table: Table) -> bool:
        """Whether trials may run in threads of one process; who calls others' code cannot say so."""
        return self._threads and not self.others_code()

    def others_code(self) -> bool:
        """Whether its estimators, or the settings they are given, are neither ours nor scikit-learn's."""
        settings = self._fixed or (() if callable(self._path) else self._path)
        return is_others([*self._estimators.values(), *(setting.params for setting in settings)])

    def refit(self, table: Table, setting: Setting, seed: int) -> Pipeline:
        """The pipeline of this setting, fitted on all rows."""
        pipeline = self.pipeline(table, setting, seed)
        X, y = self._all_rows(table), table.y.copy()  # the table stays as it is, whatever an estimator does to rows
        if table.weights is None:
            return pipeline.fit(X, y)
        return pipeline.fit(X, y, **{f"{pipeline.steps[-1][0]}__sample_weight": table.weights})

    def _all_rows(self, table: Table) -> Any:
        """The matrix to be fitted on; a stored one is fetched into memory, if that is enough for the fit."""
        if not is_stored(table.X):
            return table.X.copy(order="K")
        needed, there = GenericFamily._bytes(self, table), available_memory()
        if needed > there:
            raise VenireError(
                f"to fit {self._name} on all rows takes {needed / 1e9:.3g} GB of memory, and there are "
                f"{there / 1e9:.3g} GB",
                code="too_large",
                hint="fit a model of trees, which are grown from the column store, or on some of the rows",
            )
        return np.asarray(table.X)

    def refit_all(self, table: Table, settings: Sequence[Setting], seed: int, threads: int = 1) -> list[Any]:
        """What `refit` gives for each setting; learners of ours take so many threads, which change no bit."""
        assert table.target is not None
        learner = self._estimators[table.target.task]
        ours = type(learner).__module__.startswith("venire.") and "n_jobs" in learner.get_params()
        if threads < 2 or not ours:
            return [self.refit(table, setting, seed) for setting in settings]
        many = [replace(setting, params={**setting.params, "n_jobs": threads}) for setting in settings]
        fitted = [self.refit(table, setting, seed) for setting in many]
        for one in fitted:
            one.steps[-1][1].set_params(n_jobs=learner.n_jobs)  # what is kept is what was validated
        return fitted

    def cost(self, table: Table, plan: Plan) -> Cost:
        """One fit's seconds times settings and trials; the encoded training part and all predictions as bytes."""
        rows = table.rows * max(1, plan.folds - 2) // plan.folds
        columns = self._encoded_columns(table)
        classes = 1 if table.target is None else max(1, len(table.target.classes))
        settings = len(self.path(table))
        seconds = self._fits(settings) * self._seconds(rows, columns, classes) * len(plan.trials)
        predicted = 2 * table.rows / plan.folds * settings * (4 * classes + 2)
        guess = self._seconds is _seconds_of_a_stranger
        return Cost(seconds, self._bytes(table) + predicted, guess)

    def _bytes(self, table: Table) -> float:
        """What a trial holds of the table: the encoded training part, and copies of it."""
        return 3.0 * 8 * table.rows * self._encoded_columns(table)

    def definition(self) -> str:
        """Estimators with their parameters, their source where it is not a library's, and the encoding."""
        parts = [type(self).__name__, self._name, f"encoding={self._encoding}", source_of(type(self))]
        return "\n".join([*parts, *(described(estimator) for estimator in self._estimators.values())])

    def _fits(self, settings: int) -> float:
        """How many fits the path of one trial costs."""
        return settings

    def _kind(self, table: Table) -> Output:
        assert table.target is not None
        return self.output(table.target.task)

    def _encoder(self, table: Table) -> Any:
        if self._encoding == "none":
            return AsTheyAre()
        encoder = OneHotScaled if self._encoding == "one_hot" else FrequencyCodes
        return encoder(categorical=table.categorical)

    def _encoded_columns(self, table: Table) -> int:
        if self._encoding != "one_hot":
            return max(1, len(table.columns))
        widths = [min(50, len(c.categories) + 1) if c.categories else 1 + (c.missing > 0) for c in table.columns]
        return max(1, sum(widths))

    def _code_columns(self, table: Table) -> NDArray[np.bool_]:
        """The columns whose values a learner should take as categories."""
        return table.categorical

    def _estimator(self, table: Table, setting: Setting, seed: int) -> Any:
        assert table.target is not None
        estimator = clone(self._estimators[table.target.task])
        params: dict[str, Any] = {}
        for name in estimator.get_params():
            if name == "random_state" or name.endswith("__random_state"):
                params[name] = seed
            elif name == "categorical_features" and self._encoding != "one_hot":
                params[name] = self._code_columns(table)
        return estimator.set_params(**params, **setting.params)


def thinned(settings: tuple[Setting, ...], table: Table) -> tuple[Setting, ...]:
    """At most as many settings as keep a family's evidence in bounds, evenly along the path, both ends kept."""
    classes = 1 if table.target is None else max(1, len(table.target.classes))
    most = max(_FEWEST_SETTINGS, _MOST_PREDICTIONS // max(1, table.rows * classes))
    if len(settings) <= most:
        return settings
    return tuple(settings[at] for at in spaced_rows(len(settings), most))


def takes_weights(estimator: Any) -> bool:
    """Whether an estimator's `fit` knows `sample_weight`; a wrapper that hands it on is asked for what it wraps.

    >>> from sklearn.linear_model import Ridge
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> takes_weights(Ridge()), takes_weights(KNeighborsRegressor())
    (True, False)
    """
    if isinstance(estimator, TransformedTargetRegressor):
        return takes_weights(estimator.regressor)
    return bool(has_fit_parameter(estimator, "sample_weight"))


def _seconds_of_a_stranger(rows: int, columns: int, classes: int) -> float:
    """A guess for an estimator nothing is known about: a little more than linear."""
    return 2e-3 + 5e-8 * rows * columns * math.log2(rows + 2) * max(1.0, classes / 2)
