"""A jury of models, and an honest verdict: supervised learning on tables, validated in two layers.

The names below are loaded when first used, so that `import venire` is immediate.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from venire.data import Table, conform, describe, read_table
    from venire.ensembles.adaboost.classifier import AdaBoostClassifier
    from venire.ensembles.additive import AdditiveRegressor
    from venire.ensembles.bagging.estimators import BaggingClassifier, BaggingRegressor
    from venire.ensembles.bucket import BucketOfModels
    from venire.ensembles.forest.estimators import (
        ExtraTreesClassifier,
        ExtraTreesRegressor,
        RandomForestClassifier,
        RandomForestRegressor,
    )
    from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
    from venire.ensembles.output_codes import OutputCodes
    from venire.ensembles.stacking.estimators import StackingClassifier, StackingRegressor
    from venire.ensembles.voting import VotingClassifier, VotingRegressor
    from venire.errors import DataError, ModelFormatError, UsageError, VenireError, VenireWarning
    from venire.explain.dependence import PartialDependence, partial_dependence
    from venire.explain.importance import Importances, permutation_importance
    from venire.explain.shapley import ShapValues, shap_values
    from venire.flow import Verdict, compare
    from venire.models.bayes.classifier import NaiveBayesClassifier
    from venire.models.neighbors.estimators import KNeighborsClassifier, KNeighborsRegressor
    from venire.models.net.estimators import NetClassifier, NetRegressor
    from venire.models.rules.rule_list import RuleListClassifier
    from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor
    from venire.persist import describe_model, load, save
    from venire.reductions import CostThreshold, OneVsOneClassifier, OneVsRestClassifier, Resampled
    from venire.selection.estimators import BackwardSelection, ForwardSelection
    from venire.selection.select import Selected, select
    from venire.validation.trials.family import Setting
    from venire.validation.trials.generic import GenericFamily

__all__ = [  # noqa: RUF022  # in reading order
    "compare",
    "Verdict",
    "select",
    "Selected",
    "save",
    "load",
    "describe_model",
    "read_table",
    "Table",
    "describe",
    "conform",
    "GenericFamily",
    "Setting",
    "DecisionTreeClassifier",
    "DecisionTreeRegressor",
    "NaiveBayesClassifier",
    "KNeighborsClassifier",
    "KNeighborsRegressor",
    "NetClassifier",
    "NetRegressor",
    "RuleListClassifier",
    "BaggingClassifier",
    "BaggingRegressor",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "AdaBoostClassifier",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "AdditiveRegressor",
    "VotingClassifier",
    "VotingRegressor",
    "StackingClassifier",
    "StackingRegressor",
    "BucketOfModels",
    "OutputCodes",
    "OneVsRestClassifier",
    "OneVsOneClassifier",
    "Resampled",
    "CostThreshold",
    "ForwardSelection",
    "BackwardSelection",
    "shap_values",
    "ShapValues",
    "permutation_importance",
    "Importances",
    "partial_dependence",
    "PartialDependence",
    "VenireError",
    "DataError",
    "UsageError",
    "ModelFormatError",
    "VenireWarning",
]

# Where each name lives, as the imports above say; they are only run when a name is first asked for.
_NAMES = {
    "venire.flow": ("compare", "Verdict"),
    "venire.persist": ("save", "load", "describe_model"),
    "venire.selection.estimators": ("ForwardSelection", "BackwardSelection"),
    "venire.selection.select": ("select", "Selected"),
    "venire.data": ("read_table", "Table", "describe", "conform"),
    "venire.validation.trials.generic": ("GenericFamily",),
    "venire.validation.trials.family": ("Setting",),
    "venire.models.tree.estimators": ("DecisionTreeClassifier", "DecisionTreeRegressor"),
    "venire.models.bayes.classifier": ("NaiveBayesClassifier",),
    "venire.models.neighbors.estimators": ("KNeighborsClassifier", "KNeighborsRegressor"),
    "venire.models.net.estimators": ("NetClassifier", "NetRegressor"),
    "venire.models.rules.rule_list": ("RuleListClassifier",),
    "venire.ensembles.bagging.estimators": ("BaggingClassifier", "BaggingRegressor"),
    "venire.ensembles.forest.estimators": (
        "RandomForestClassifier",
        "RandomForestRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
    ),
    "venire.ensembles.adaboost.classifier": ("AdaBoostClassifier",),
    "venire.ensembles.gradient.estimators": ("GradientBoostingClassifier", "GradientBoostingRegressor"),
    "venire.ensembles.additive": ("AdditiveRegressor",),
    "venire.explain.shapley": ("shap_values", "ShapValues"),
    "venire.explain.importance": ("permutation_importance", "Importances"),
    "venire.explain.dependence": ("partial_dependence", "PartialDependence"),
    "venire.ensembles.voting": ("VotingClassifier", "VotingRegressor"),
    "venire.ensembles.stacking.estimators": ("StackingClassifier", "StackingRegressor"),
    "venire.ensembles.bucket": ("BucketOfModels",),
    "venire.ensembles.output_codes": ("OutputCodes",),
    "venire.reductions": ("OneVsRestClassifier", "OneVsOneClassifier", "Resampled", "CostThreshold"),
    "venire.errors": ("VenireError", "DataError", "UsageError", "ModelFormatError", "VenireWarning"),
}
_HOME = {name: home for home, names in _NAMES.items() for name in names}


# Packages that are reached as `venire.export` and so on, and loaded then.
_ROOMS = ("export", "mlflow", "pictures")


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version  # half of what the package alone takes to import

        return version("venire")
    if name in _ROOMS:
        return import_module(f"venire.{name}")
    if name not in _HOME:
        raise AttributeError(f"module 'venire' has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME, *_ROOMS])
