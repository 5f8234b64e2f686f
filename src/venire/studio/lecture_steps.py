"""Learning step by step: one more round of boosting, one more level of a tree, one more member of a vote.

The models of these pages are small ones on two numeric columns, fitted for looking at: two thirds of the rows train
them, and the error of every step is measured on the others as well. They have no part in any verdict.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.spaced_rows import spaced_rows
from venire.data.table import Kind, Table
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.forest.estimators import RandomForestClassifier, RandomForestRegressor
from venire.ensembles.gradient.estimators import GradientBoostingRegressor
from venire.errors import UsageError
from venire.models.bayes.classifier import NaiveBayesClassifier
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from venire.validation.trials.learner_warnings import caught_warnings
from venire.wording import share

Floats = NDArray[np.float64]
MOST_STEPS = 40
_ROWS = 1500  # that are drawn and learned from
_TRAINING = 2 / 3
_SEED = 0


@dataclass(frozen=True, eq=False)
class Two:
    """Two columns of a table without gaps, and which rows train."""

    names: tuple[str, str]
    X: Floats
    y: NDArray[Any]
    train: NDArray[np.bool_]
    classes: bool


def two_columns(table: Table, across: str, up: str) -> Two:
    """The rows of a table in the plane of two numeric columns; a gap is filled with the median."""
    at = [_number(table, name) for name in (across, up)]
    rows = spaced_rows(table.rows, _ROWS)
    X = np.ascontiguousarray(table.X[rows][:, at], dtype=np.float64)
    middle = np.nanmedian(X, axis=0)
    X = np.where(np.isnan(X), np.where(np.isnan(middle), 0.0, middle), X)
    assert table.target is not None
    y = np.array(table.target.labels, dtype=object)[table.y[rows]] if table.target.classes else table.y[rows]
    train = np.random.default_rng(_SEED).permutation(len(rows)) < _TRAINING * len(rows)
    return Two((across, up), X, y, train, bool(table.target.classes))


def _number(table: Table, name: str) -> int:
    for at, column in enumerate(table.columns):
        if column.name == name and column.kind is Kind.NUMERIC:
            return at
    raise UsageError(f"there is no numeric column {name!r}", code="unknown_column", hint="choose another column")


class Vote:
    """The mean of what the first members of a list say."""

    def __init__(self, members: list[Any], classes: bool) -> None:
        self.members = members
        self._classes = classes

    def fit(self, X: Floats, y: NDArray[Any]) -> Vote:
        """Fit every member."""
        self.members = [member.fit(X, y) for member in self.members]
        self.classes_ = np.unique(y)
        return self

    def predict(self, X: Floats) -> NDArray[Any]:
        """What they say together."""
        if not self._classes:
            return np.asarray(np.mean([member.predict(X) for member in self.members], axis=0))
        return np.asarray(self.classes_[np.mean([m.predict_proba(X) for m in self.members], axis=0).argmax(axis=1)])


def _members(classes: bool) -> Mapping[str, Any]:
    from sklearn.linear_model import LinearRegression, LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    if classes:
        return {
            "naive Bayes": NaiveBayesClassifier(),
            "a tree of three levels": DecisionTreeClassifier(max_depth=3),
            "a straight line (logistic regression)": make_pipeline(StandardScaler(), LogisticRegression()),
            "the 15 nearest neighbours": make_pipeline(StandardScaler(), KNeighborsClassifier(15)),
            "a forest of 50 trees": RandomForestClassifier(n_estimators=50, random_state=_SEED),
        }
    return {
        "a plane (least squares)": LinearRegression(),
        "a tree of three levels": DecisionTreeRegressor(max_depth=3),
        "the 15 nearest neighbours": make_pipeline(StandardScaler(), KNeighborsRegressor(15)),
        "a forest of 50 trees": RandomForestRegressor(n_estimators=50, random_state=_SEED),
    }


def _boosted(step: int, classes: bool) -> Any:
    if classes:
        return AdaBoostClassifier(n_estimators=step, random_state=_SEED)
    return GradientBoostingRegressor(n_estimators=step, max_depth=1, learning_rate=0.3, random_state=_SEED)


def _grown(step: int, classes: bool) -> Any:
    return (DecisionTreeClassifier if classes else DecisionTreeRegressor)(max_depth=step)


def _voted(step: int, classes: bool) -> Any:
    return Vote(list(_members(classes).values())[:step], classes)


LADDERS: Mapping[str, Callable[[int, bool], Any]] = {"boost": _boosted, "grow": _grown, "vote": _voted}


def highest(kind: str, classes: bool) -> int:
    """How many steps a ladder has."""
    return {"boost": MOST_STEPS, "grow": 12, "vote": len(_members(classes))}[kind]


def climbed(two: Two, kind: str, step: int) -> tuple[Any, list[dict[str, float]], str]:
    """The model after so many steps, the errors of every step up to it, and what the last step did."""
    if kind not in LADDERS or not 1 <= step <= highest(kind, two.classes):
        raise UsageError(f"there is no step {step} of {kind!r}", code="bad_step", hint="start again")
    errors, model = [], None
    with caught_warnings():
        for each in range(1, step + 1):
            model = LADDERS[kind](each, two.classes).fit(two.X[two.train], two.y[two.train])
            said = np.asarray(model.predict(two.X))
            errors.append({"step": each, "training": _error(two, said, two.train),
                           "held_out": _error(two, said, ~two.train)})  # fmt: skip
    return model, errors, _sentence(two, kind, step, model, errors)


def _error(two: Two, said: NDArray[Any], rows: NDArray[np.bool_]) -> float:
    if two.classes:
        return float(np.mean(said[rows] != two.y[rows]))
    return float(np.sqrt(np.mean((said[rows] - two.y[rows]) ** 2)))


def _sentence(two: Two, kind: str, step: int, model: Any, errors: list[dict[str, float]]) -> str:
    if kind == "grow":
        what = f"Level {step}: the tree has {int(model.get_n_leaves())} leaves."
    elif kind == "vote":
        what = f"Member {step} joins the vote: {list(_members(two.classes))[step - 1]}."
    elif two.classes and len(model.estimator_errors_) >= step:
        error, weight = model.estimator_errors_[step - 1], model.estimator_weights_[step - 1]
        what = (
            f"Round {step}: the new stump is wrong on {share(error)} of the weight, and speaks with α = {weight:.2f}."
        )
    else:
        what = f"Round {step}: the next small tree is fitted to what is left over."
    return f"{what} {_moved(errors)}"


def _moved(errors: list[dict[str, float]]) -> str:
    if len(errors) < 2:
        return ""
    before, now = errors[-2]["held_out"], errors[-1]["held_out"]
    if now == before:
        return "The error on rows it has not seen stays as it was."
    return f"The error on rows it has not seen {'falls' if now < before else 'rises'}."
