"""The default models: every family of the design, in its order, with its path and what a fit costs.

The seconds are rough formulas for one core of a present-day machine; they decide only what a budget lets in.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from sklearn.compose import TransformedTargetRegressor
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LogisticRegression, Perceptron, Ridge, RidgeClassifier
from sklearn.preprocessing import StandardScaler

from venire.advice import Advice, Option
from venire.data.table import Table, Task
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.forest.estimators import (
    ExtraTreesClassifier,
    ExtraTreesRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from venire.errors import UsageError, did_you_mean
from venire.families import fit_seconds as costs
from venire.families import paths
from venire.families.bayes import BayesFamily, smoothing
from venire.families.logistic import LogisticFamily
from venire.families.neighbors import NeighborsFamily
from venire.families.net import NetFamily
from venire.families.no_columns import ColumnlessFamily
from venire.families.ridge import RidgeFamily
from venire.families.svm import KernelFamily
from venire.families.trees.adaboost import AdaBoostFamily
from venire.families.trees.boosting_recipes import boosting_families
from venire.families.trees.forest import CombiningFamily, ForestFamily
from venire.families.trees.left_out import SHARE
from venire.families.trees.tree import TreeFamily
from venire.models.bayes.classifier import NaiveBayesClassifier
from venire.models.neighbors.estimators import KNeighborsClassifier, KNeighborsRegressor
from venire.models.net.estimators import NetClassifier, NetRegressor
from venire.models.svm.machines import SupportVectorClassifier, SupportVectorRegressor
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from venire.validation.trials.family import Family, Setting, Turn
from venire.validation.trials.generic import GenericFamily

COMBINATIONS = ("vote", "stack", "blend")
_LANDMARKS = 256  # that stand for a kernel where a table is large
_KERNELS, _SVM_C, _PENALTIES = ("linear", "rbf"), (0.01, 0.1, 1.0, 10.0, 100.0), (1e-1, 1e-2, 1e-3, 1e-4, 1e-5)
# Of every forest: the definition whose trees can be shared between trials (decision 10).
_SAMPLES: dict[str, Any] = {"bootstrap": False, "max_samples": SHARE, "n_jobs": 1}
_LEAF_OF_CLASSES = 4  # rows, of trees with random cuts: leaves of one row say 0 or 1
_COMBINED_COLUMNS = 2  # of Forest-RC: how many columns a random combination takes


def default_bucket() -> tuple[GenericFamily, ...]:
    """All families, in the order in which, of equals, the simpler comes first."""
    return (
        ColumnlessFamily(
            "baseline",
            classifier=DummyClassifier(strategy="prior"),
            regressor=DummyRegressor(),
            path=paths.Rule("majority class, or mean", _guess),
            encoding="none",  # it looks at no column
            seconds=costs.baseline,
            turn=Turn.QUICK,
        ),
        BayesFamily(
            "naive_bayes",
            classifier=NaiveBayesClassifier(n_jobs=1),
            path=smoothing,
            path_label="smoothing",
            encoding="none",
            seconds=costs.naive_bayes,
            turn=Turn.QUICK,
        ),
        NeighborsFamily(
            "knn",
            classifier=KNeighborsClassifier(scale="none", max_rows=costs.MOST_NEIGHBOURS, n_jobs=1),
            regressor=KNeighborsRegressor(scale="none", max_rows=costs.MOST_NEIGHBOURS, n_jobs=1),
            path=paths.neighbours,
            path_label="k",
            seconds=costs.knn,
            turn=Turn.LAST,
        ),
        TreeFamily(
            "tree",
            classifier=DecisionTreeClassifier(n_jobs=1),
            regressor=DecisionTreeRegressor(n_jobs=1),
            seconds=costs.tree,
            turn=Turn.LAST,
        ),
        RidgeFamily(
            "linear",
            classifier=RidgeClassifier(),
            regressor=Ridge(),
            path=paths.strengths("alpha", "λ", rising=False),
            path_label="λ",
            seconds=costs.linear,
            turn=Turn.QUICK,
        ),
        LogisticFamily(
            "logistic",
            classifier=LogisticRegression(solver="newton-cholesky", tol=1e-10, max_iter=1000),
            path=paths.strengths("C", "C", rising=True),
            path_label="C",
            seconds=costs.logistic,
            turn=Turn.SECOND,
        ),
        GenericFamily(
            "perceptron",
            classifier=Perceptron(penalty="l2"),
            path=paths.one_by_one("alpha", _PENALTIES, "penalty"),
            path_label="penalty",
            seconds=costs.perceptron,
            turn=Turn.LAST,
            threads=True,
        ),
        KernelFamily(
            "svm",
            classifier=SupportVectorClassifier(max_rows=costs.MOST_WITH_KERNEL),
            regressor=_scaled_target(SupportVectorRegressor(max_rows=costs.MOST_WITH_KERNEL)),
            path=paths.Rule(
                f"{' and '.join(_KERNELS)} kernel, each with C = {', '.join(map('{:g}'.format, _SVM_C))}", _svm_path
            ),
            path_label="kernel and C",
            seconds=costs.svm,
            turn=Turn.LAST,
            threads=True,
        ),
        NetFamily(
            "neural_net",
            classifier=NetClassifier(n_jobs=1),
            regressor=NetRegressor(n_jobs=1),
            path=paths.nets,
            path_label="hidden units",
            encoding="none",
            seconds=costs.neural_net,
            turn=Turn.THIRD,
        ),
        ForestFamily(
            "bagging",
            classifier=RandomForestClassifier(max_features=None, **_SAMPLES),
            regressor=RandomForestRegressor(max_features=None, **_SAMPLES),
            path=paths.rounds,
            path_label="T",
            encoding="none",
            seconds=costs.bagging,
            turn=Turn.LAST,
        ),
        ForestFamily(
            "forest",
            classifier=RandomForestClassifier(**_SAMPLES),
            regressor=RandomForestRegressor(**_SAMPLES),
            path=paths.attributes_a_split,
            path_label="q",
            encoding="none",
            seconds=costs.forest,
            turn=Turn.THIRD,
        ),
        ForestFamily(
            "extra_trees",
            classifier=ExtraTreesClassifier(min_samples_leaf=_LEAF_OF_CLASSES, **_SAMPLES),
            regressor=ExtraTreesRegressor(**_SAMPLES),
            path=paths.cuts_drawn,
            path_label="q",
            encoding="none",
            seconds=costs.extra_trees,
            turn=Turn.THIRD,
        ),
        CombiningFamily(
            "forest_rc",
            classifier=RandomForestClassifier(combinations=_COMBINED_COLUMNS, **_SAMPLES),
            regressor=RandomForestRegressor(combinations=_COMBINED_COLUMNS, **_SAMPLES),
            path=paths.attributes_a_split,
            path_label="q",
            encoding="none",
            seconds=costs.forest_rc,
            turn=Turn.LAST,
        ),
        AdaBoostFamily(
            "adaboost",
            classifier=AdaBoostClassifier(DecisionTreeClassifier(max_depth=1)),
            path=paths.rounds,
            path_label="T",
            encoding="none",
            seconds=costs.adaboost,
            turn=Turn.LAST,
        ),
        *boosting_families(),
    )


def pick(bucket: Sequence[Family], names: Sequence[str] | None) -> tuple[tuple[Family, ...], tuple[str, ...]]:
    """The families and combinations of these names (all when there are none), in the bucket's order."""
    known = [*(family.name for family in bucket), *COMBINATIONS]
    _refuse_confusing_names(known)
    if names is None:
        return tuple(bucket), COMBINATIONS
    for name in names:
        if name not in known:
            raise UsageError(
                f"there is no model called {name!r}{did_you_mean(name, known)}",
                code="unknown_model",
                hint=f"known models: {', '.join(known)}",
            )
    families = tuple(family for family in bucket if family.name in names)
    combinations = tuple(name for name in COMBINATIONS if name in names)
    if not families:
        raise UsageError(
            f"{' and '.join(names) or 'an empty list'}: there is nothing to combine",
            code="no_models",
            hint=Advice("name at least one family, for example ", Option("models", "tree,forest,vote")),
        )
    return families, combinations


def _refuse_confusing_names(names: Sequence[str]) -> None:
    """A name stands on the leaderboard for one family, and in a file name."""
    taken = {"procedure"}
    for name in names:
        if not re.fullmatch(r"\w[\w .+-]*", name):
            raise UsageError(
                f"a model cannot be called {name!r}",
                code="bad_model_name",
                hint="use letters, digits, spaces and . + - _, and begin with a letter or digit",
            )
        if name in taken:
            raise UsageError(
                f"two models are called {name!r}", code="same_model_name", hint="give your own family another name"
            )
        taken.add(name)


def _scaled_target(regressor: Any) -> TransformedTargetRegressor:
    """A regressor whose penalties are in units of the target's own spread."""
    return TransformedTargetRegressor(regressor=regressor, transformer=StandardScaler())


def _prefix(table: Table) -> str:
    classes = table.target is not None and table.target.task is Task.CLASSIFICATION
    return "" if classes else "regressor__"


def _svm_path(table: Table) -> tuple[Setting, ...]:
    inside, large = _prefix(table), table.rows > costs.MOST_WITH_KERNEL
    more = {f"{inside}landmarks": _LANDMARKS} if large else {}
    shown = {"linear": "linear", "rbf": "rbf by landmarks" if large else "rbf"}
    return tuple(
        Setting.of({f"{inside}kernel": kernel, f"{inside}C": c, **more}, {"": shown[kernel], "C": c})
        for kernel in _KERNELS
        for c in _SVM_C
    )


def _guess(table: Table) -> tuple[Setting, ...]:
    return (Setting("majority" if table.target is not None and table.target.classes else "mean"),)
