"""A plugin of pytest that puts our classes in the place of scikit-learn's, before its test files import them."""

from __future__ import annotations

import importlib
from typing import Final

import venire

REPLACED: Final = {
    "sklearn.tree": ("DecisionTreeClassifier", "DecisionTreeRegressor"),
    "sklearn.ensemble": (
        "AdaBoostClassifier",
        "BaggingClassifier",
        "BaggingRegressor",
        "ExtraTreesClassifier",
        "ExtraTreesRegressor",
        "GradientBoostingClassifier",
        "GradientBoostingRegressor",
        "RandomForestClassifier",
        "RandomForestRegressor",
        "StackingClassifier",
        "StackingRegressor",
        "VotingClassifier",
        "VotingRegressor",
    ),
    "sklearn.multiclass": ("OneVsOneClassifier", "OneVsRestClassifier"),
}


def pytest_configure() -> None:
    """Replace the public names; scikit-learn's own modules, which hold theirs already, go on with these."""
    loaded = {module: importlib.import_module(module) for module in REPLACED}  # all before any is changed
    for module, names in REPLACED.items():
        for name in names:
            setattr(loaded[module], name, getattr(venire, name))
