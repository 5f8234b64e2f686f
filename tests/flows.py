"""`compare` with families that cost little."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import venire as vn
from tests.validation.estimators import quick
from tests.validation.tables import classification
from venire.flow import compare

CHEAP = ["baseline", "naive_bayes", "knn", "tree", "vote", "stack"]
NUMBERS = ["baseline", "knn", "tree", "linear", "vote", "stack"]


def quickly(source: Any = None, target: str | None = None, **how: Any) -> vn.Verdict:
    table = classification(60, classes=2) if source is None else source
    return compare(table, target, **{"models": CHEAP, "folds": 4, "jobs": 1, "budget": None, **how})


def own(estimator: Any) -> vn.GenericFamily:
    return vn.GenericFamily("own", classifier=estimator, seconds=quick)


def without_timing(verdict: vn.Verdict) -> dict[str, Any]:
    return {key: value for key, value in verdict.to_dict().items() if key != "timing"}


def written(table: vn.Table) -> pd.DataFrame:
    """The rows as a user would write them: categories by name."""
    frame = {}
    for column, values in zip(table.columns, table.X.T, strict=True):
        names = np.array([*column.categories, None], dtype=object)
        frame[column.name] = names[np.nan_to_num(values, nan=-1).astype(int)] if column.categories else values
    return pd.DataFrame(frame)
