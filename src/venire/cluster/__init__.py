"""Work on other machines, by Dask's `distributed`: what travels, who may work, and what happens when they are gone.

Nothing here knows what the work is: trials are sent by `validation/trials/workers/afar.py`, and models fitted to
partitions by `models/parted` and `ensembles/parted`, whose classes can be had from here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_PLACES = {
    "RandomForestRegressor": "venire.ensembles.parted.estimators",
    "RandomForestClassifier": "venire.ensembles.parted.estimators",
    "ExtraTreesRegressor": "venire.ensembles.parted.estimators",
    "ExtraTreesClassifier": "venire.ensembles.parted.estimators",
    "GradientBoostingClassifier": "venire.ensembles.parted.estimators",
    "GradientBoostingRegressor": "venire.ensembles.parted.estimators",
    "LogisticRegression": "venire.models.parted.estimators",
    "NaiveBayesClassifier": "venire.models.parted.estimators",
    "Ridge": "venire.models.parted.estimators",
}

__all__ = [
    "ExtraTreesClassifier",
    "ExtraTreesRegressor",
    "GradientBoostingClassifier",
    "GradientBoostingRegressor",
    "LogisticRegression",
    "NaiveBayesClassifier",
    "RandomForestClassifier",
    "RandomForestRegressor",
    "Ridge",
]


def __getattr__(name: str) -> Any:
    if name in _PLACES:
        return getattr(import_module(_PLACES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
