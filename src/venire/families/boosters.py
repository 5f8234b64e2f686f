"""LightGBM, XGBoost and CatBoost as members, for those who ask for them: `models="+lightgbm"`.

They are never among the default models: the verdict of a run must not depend on what else happens to be installed.
A trial is one fit with the most rounds of the path; every smaller number is read off it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from importlib.metadata import PackageNotFoundError, version

import numpy as np

from venire.families import fit_seconds as costs
from venire.families import paths
from venire.models.boosters.engines import ENGINES, refuse_missing
from venire.models.boosters.estimators import BoosterClassifier, BoosterRegressor
from venire.validation.trials.family import Family, Setting
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.lesson import Lesson
from venire.validation.trials.outcomes import Fit, Predicted

_DISTRIBUTIONS = {"xgboost": ("xgboost", "xgboost-cpu")}  # packages that bring a library, where not of its own name


class BoosterFamily(GenericFamily):
    """One of the libraries; the path is the number of rounds T, ascending."""

    def __init__(self, library: str) -> None:
        super().__init__(
            library,
            classifier=BoosterClassifier(library),
            regressor=BoosterRegressor(library),
            path=_ROUNDS[library],
            path_label="T",
            encoding="none",
            seconds=partial(costs.other_boosting, library),
        )

    def fit_path(self, lesson: Lesson) -> Iterator[Fit]:
        """One fit with the most rounds; every part is asked once, and predicts after each number of them."""
        lesson.cancel()
        last = max(lesson.settings, key=_rounds_of)
        model = self._estimator(lesson.table, last, lesson.seed).fit(lesson.X, lesson.y, lesson.weights)
        rounds = [_rounds_of(setting) for setting in lesson.settings]
        if isinstance(model, BoosterRegressor):
            values = [model.staged_values(part, rounds) for part in lesson.parts]
            for predicted in zip(*values, strict=True):
                yield [(np.empty(0), Predicted(each[:, None], None)) for each in predicted]
            return
        shares = [model.staged_shares(part, rounds) for part in lesson.parts]
        for predicted in zip(*shares, strict=True):
            yield [(model.classes_, Predicted(each, model.classes_[each.argmax(axis=1)])) for each in predicted]

    def others_code(self) -> bool:
        """The library is other people's, behind an estimator of ours."""
        return True

    def definition(self) -> str:
        """As of any family, and the version of the library: another one may learn something else."""
        return f"{super().definition()}\n{self.name} {_version(self.name)}"

    def refuse_missing(self) -> None:
        """One clear error where the library is not installed."""
        refuse_missing(self.name)

    def _fits(self, settings: int) -> float:
        return 1.0


def boosters() -> tuple[BoosterFamily, ...]:
    """A family for each library, installed or not."""
    return tuple(BoosterFamily(library) for library in ENGINES)


def refuse_missing_libraries(families: Sequence[Family]) -> None:
    """Before any work is done: whatever was asked for has to be there."""
    for family in families:
        if isinstance(family, BoosterFamily):
            family.refuse_missing()


def _rounds_of(setting: Setting) -> int:
    return int(setting.params["n_estimators"])


_ROUNDS = {"lightgbm": paths.boosting_rounds(paths.ROUNDS, 20), "xgboost": paths.rounds, "catboost": paths.rounds}


def _version(library: str) -> str:
    for distribution in _DISTRIBUTIONS.get(library, (library,)):
        try:
            return version(distribution)
        except PackageNotFoundError:
            continue
    return "not installed"
