"""Work on other machines, by Dask's `distributed`: what travels, who may work, and what happens when they are gone.

Nothing here knows what the work is: trials are sent by `validation/trials/workers/afar.py`, and models fitted to
partitions by `ensembles/parted`, whose two classes can be had from here.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["GradientBoostingClassifier", "GradientBoostingRegressor"]


def __getattr__(name: str) -> Any:
    if name in __all__:
        return getattr(import_module("venire.ensembles.parted.estimators"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
