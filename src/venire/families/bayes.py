"""Naive Bayes on mixed columns: yes and no are categories here, since no Gaussian describes zeros and ones."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Kind, Table
from venire.families.paths import one_by_one
from venire.validation.family import Setting
from venire.validation.generic import GenericFamily


class BayesFamily(GenericFamily):
    """The path is Laplace's α where there are categories, the share of variance added where there are none."""

    def _code_columns(self, table: Table) -> NDArray[np.bool_]:
        return code_columns(table)


def code_columns(table: Table) -> NDArray[np.bool_]:
    """Categorical and boolean columns."""
    return np.array([column.kind in (Kind.CATEGORICAL, Kind.BOOLEAN) for column in table.columns], dtype=bool)


def smoothing(table: Table) -> tuple[Setting, ...]:
    """Ten values, from heavy smoothing to light."""
    if code_columns(table).any():
        return one_by_one("alpha", (float(v) for v in np.logspace(2, -2.5, 10)), "α")
    return one_by_one("var_smoothing", (float(v) for v in np.logspace(0, -9, 10)), "smoothing")
