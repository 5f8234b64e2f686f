"""The certificate of honesty: honest families pass, planted leaks are named, results are kept."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression, Ridge
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier

from tests.validation.estimators import ScalesWithAll
from tests.validation.tables import classification, clouds, noise, plain, regression
from venire.data.table import Table
from venire.families.bucket import default_bucket
from venire.families.trees.boosting import BoostingFamily
from venire.validation.honesty import certificate
from venire.validation.honesty.certificate import Certificate, certify
from venire.validation.honesty.leaking import HangsOnState, SeesHeldOutRows
from venire.validation.plans.folds import make_plan
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.reasons import NoFixedSeed, RefusesNonsense, Status
from venire.validation.trials.whose_code import rows_checked

HONEST = {
    "bayes": GenericFamily("bayes", classifier=GaussianNB()),
    "nearest": GenericFamily("nearest", classifier=KNeighborsClassifier(1)),
    "logistic": GenericFamily("logistic", classifier=LogisticRegression(max_iter=1000)),
    "majority": GenericFamily("majority", classifier=DummyClassifier()),
}


class LooksUp(ClassifierMixin, BaseEstimator):
    """Has the answers in a table of its own: learns nothing, and is right everywhere."""

    answers: dict[bytes, int] = {}  # noqa: RUF012  # shared by all, which is the planted leak

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Any) -> Any:
        return np.array([self.answers.get(row.tobytes(), 0) for row in np.ascontiguousarray(X)])


class LooksUpNumbers(RegressorMixin, BaseEstimator):
    """The same for numbers."""

    answers: dict[bytes, float] = {}  # noqa: RUF012  # shared by all, which is the planted leak

    def fit(self, X: Any, y: Any) -> Self:
        self.fitted_ = True
        return self

    def predict(self, X: Any) -> Any:
        return np.array([self.answers.get(row.tobytes(), 0) for row in np.ascontiguousarray(X)])


class Moody(ClassifierMixin, BaseEstimator):
    """No seed of its own: two fits on the same rows differ."""

    luck = np.random.default_rng(0)

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        self.said_ = self.luck.random()
        return self

    def predict_proba(self, X: Any) -> Any:
        return np.tile([self.said_, 1 - self.said_], (len(X), 1))

    def predict(self, X: Any) -> Any:
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class Remembers(ClassifierMixin, BaseEstimator):
    """Keeps every answer it was ever fitted to, as a cache in a class may."""

    cache: dict[bytes, int] = {}  # noqa: RUF012  # shared by all, which is the planted leak

    def fit(self, X: Any, y: Any) -> Self:
        self.classes_ = np.unique(y)
        self.cache.update({row.tobytes(): int(label) for row, label in zip(np.ascontiguousarray(X), y, strict=True)})
        return self

    def predict(self, X: Any) -> Any:
        return np.array([self.cache.get(row.tobytes(), 0) for row in np.ascontiguousarray(X)])


class RunningMean(GaussianNB):
    """Its probabilities lean towards a mean over all fits there ever were."""

    means: list[float] = []  # noqa: RUF012  # shared by all, which is the planted leak

    def fit(self, X: Any, y: Any) -> Self:
        self.means.append(float(np.mean(y)) + 1e-3 * len(self.means))
        return super().fit(X, y)

    def predict_proba(self, X: Any) -> Any:
        return 0.9 * super().predict_proba(X) + 0.1 * np.array([1 - np.mean(self.means), np.mean(self.means)])


class FailsOnNonsense(GaussianNB):
    """Refuses rows that cannot be."""

    def predict_proba(self, X: Any) -> Any:
        if np.abs(X).max() > 100:
            raise ValueError("rows out of range")
        return super().predict_proba(X)


@pytest.mark.parametrize("name", HONEST)
@pytest.mark.parametrize("table", [classification(90), clouds(), noise(120, 0)], ids=["mixed", "clouds", "noise"])
def test_honest_families_are_certified(name: str, table: Table) -> None:
    assert certify(HONEST[name], table, make_plan(table)) == Certificate(name, Status.CERTIFIED)


def test_honest_families_are_certified_whatever_the_seed() -> None:
    for seed in range(20):
        table = clouds(60, seed)
        for family in HONEST.values():
            assert certify(family, table, make_plan(table, folds=5, seed=seed)).certified
        numbers = regression(60, seed)
        line = GenericFamily("line", regressor=Ridge())
        assert certify(line, numbers, make_plan(numbers, folds=5, seed=seed)).certified


def test_an_estimator_that_looks_the_answers_up_is_caught() -> None:
    table = clouds()
    family = GenericFamily("oracle", classifier=LooksUp(), encoding="none")
    LooksUp.answers = {row.tobytes(): int(y) for row, y in zip(np.ascontiguousarray(table.X), table.y, strict=True)}
    for seed in range(5):
        found = certify(family, table, make_plan(table, seed=seed))
        assert found.status == "leaks"
        assert found.reason is not None
        assert found.reason.kind == "knows_answers"
        assert "has the answers from somewhere else" in str(found.reason)


def test_numbers_looked_up_are_caught() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(100, 2))
    table = plain(X, X[:, 0] + rng.normal(size=100))
    LooksUpNumbers.answers = {r.tobytes(): float(y) for r, y in zip(np.ascontiguousarray(X), table.y, strict=True)}
    family = GenericFamily("oracle", regressor=LooksUpNumbers(), encoding="none")
    assert certify(family, table, make_plan(table)).status == "leaks"
    assert certify(GenericFamily("line", regressor=LinearRegression()), table, make_plan(table)).certified


def test_scaling_with_all_rows_is_caught() -> None:
    table = clouds()
    found = certify(
        ScalesWithAll("careless", classifier=LogisticRegression(), encoding="none"), table, make_plan(table)
    )
    assert found.status == "leaks"
    assert isinstance(found.reason, SeesHeldOutRows)
    assert "changed with data it must not see" in str(found.reason)


def test_refusing_nonsense_is_no_leak() -> None:
    table = clouds()
    found = certify(GenericFamily("shy", classifier=FailsOnNonsense(), encoding="none"), table, make_plan(table))
    assert found == Certificate("shy", Status.NOT_CHECKED, RefusesNonsense("ValueError", "rows out of range"))


def test_without_a_seed_nothing_can_be_said() -> None:
    table = clouds()
    found = certify(GenericFamily("moody", classifier=Moody()), table, make_plan(table))
    assert found.status == "not checked"
    assert found.reason == NoFixedSeed()


def test_answers_kept_from_other_fits_are_caught_in_the_same_process() -> None:
    table = clouds()
    family, plan = GenericFamily("cache", classifier=Remembers(), encoding="none"), make_plan(table)
    Remembers.cache.clear()
    outcomes = {trial: family.run(family.prepare(table, plan), trial) for trial in plan.trials}
    found = certify(family, table, plan, ran=outcomes.get)
    assert found.status == "leaks"
    assert isinstance(found.reason, HangsOnState)  # asked again, it has the labels that it was told since


def test_answers_kept_from_other_fits_are_caught_in_a_fresh_process() -> None:
    """Nothing is remembered there, and so the same fit says something else than it said among the others."""
    table = clouds()
    family, plan = GenericFamily("cache", classifier=Remembers(), encoding="none"), make_plan(table)
    for _ in range(2):  # the first time round some folds were not seen before
        outcomes = {trial: family.run(family.prepare(table, plan), trial) for trial in plan.trials}
    Remembers.cache.clear()
    found = certify(family, table, plan, ran=outcomes.get)
    assert found.status == "leaks"
    assert isinstance(found.reason, HangsOnState)
    assert "hangs on what it was fitted on before" in str(found.reason)


def test_a_mean_over_all_fits_is_not_certified() -> None:
    table = clouds()
    found = certify(GenericFamily("mean", classifier=RunningMean(), encoding="none"), table, make_plan(table))
    assert found.reason == NoFixedSeed()


def test_of_a_large_table_our_own_families_are_checked_on_some_rows_and_rounds(monkeypatch):
    (boosting,) = (family for family in default_bucket() if family.name == "boosting")
    seen: list[tuple[int, int]] = []
    prepare = BoostingFamily.prepare

    def noted(self, table, plan):
        prepared = prepare(self, table, plan)
        seen.append((table.rows, len(prepared.settings)))
        assert plan.fold_of.shape[1] == table.rows
        return prepared

    monkeypatch.setattr(BoostingFamily, "prepare", noted)
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5_500, 2))
    table = plain(X, X[:, 0] + rng.normal(size=5_500) > 0, 2)
    assert certify(boosting, table, make_plan(table, folds=3)).status is Status.CERTIFIED
    assert set(seen) == {(5_000, len(boosting.path(table)) // 4)}


def test_a_leak_is_found_on_some_of_the_rows(monkeypatch):
    monkeypatch.setattr(certificate, "rows_checked", lambda family, rows: min(rows, 200))
    leaking = ScalesWithAll("scaled", classifier=LogisticRegression(), encoding="none")
    table = clouds(400)
    found = certify(leaking, table, make_plan(table, folds=4))
    assert found.status is Status.LEAKS


def test_other_peoples_code_is_checked_on_all_rows():
    theirs = GenericFamily("theirs", classifier=LooksUp())
    assert rows_checked(theirs, 9_000) == 9_000
    assert rows_checked(HONEST["bayes"], 9_000) == 5_000
    assert rows_checked(HONEST["bayes"], 90) == 90
