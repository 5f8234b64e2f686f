"""Estimators and families that misbehave, in a module that worker processes can import."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

from tests.validation.running import run_trials
from tests.validation.tables import classification
from venire.data.table import Table
from venire.families.paths import one_by_one
from venire.validation.evidence.runs import Runs
from venire.validation.plans.folds import make_plan
from venire.validation.plans.plan import Plan
from venire.validation.trials.generic import GenericFamily


class Slow(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Sleeps before it learns the shares of the classes, and a little noise from its random state."""

    def __init__(self, seconds: float = 0.0, random_state: int = 0) -> None:
        self.seconds = seconds
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        time.sleep(self.seconds)
        self.classes_, counts = np.unique(y, return_counts=True)
        noise = np.random.default_rng(self.random_state).random(len(counts))
        self.shares_ = (counts + noise) / (counts + noise).sum()
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.tile(self.shares_, (len(X), 1))

    def predict(self, X: Any) -> Any:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Failing(Slow):
    """Fails whenever there are enough rows to fail on."""

    def fit(self, X: Any, y: Any) -> Self:
        raise ValueError(f"cannot take {len(X)} rows\nand more lines that are not shown")


class Dying(Slow):
    """Takes its process with it, as native code can."""

    def fit(self, X: Any, y: Any) -> Self:
        os._exit(7)


class Interrupted(Slow):
    """The user presses Ctrl-C during the fit."""

    def fit(self, X: Any, y: Any) -> Self:
        raise KeyboardInterrupt


class ScalesWithAll(GenericFamily):
    """Scales the attributes by the spread of all rows, the left-out ones among them."""

    def prepare(self, table: Table, plan: Plan) -> Any:
        return super().prepare(table.with_values(np.asfortranarray(table.X / table.X.std(axis=0)), table.y), plan)


def quick(rows: int, columns: int, classes: int) -> float:
    """A formula, so that the family counts as known and runs in this process."""
    return 1e-6


def slow_family(seconds: float, settings: int = 1) -> GenericFamily:
    path = one_by_one("seconds", [seconds + k * 1e-9 for k in range(settings)], "s")
    return GenericFamily("slow", classifier=Slow(), path=path, seconds=quick)


def run_slowly(home: str) -> None:
    """What a test starts in another process, to kill it."""
    table = classification(40)
    plan = make_plan(table, folds=4)
    run_trials(table, plan, [slow_family(0.15)], Runs(Path(home)).open(table, plan))
