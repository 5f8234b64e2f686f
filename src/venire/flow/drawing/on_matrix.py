"""A model of a verdict, asked about rows of the table's own matrix, answering with labels: what pictures need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.ensembles.table_model import TableModel


@dataclass(frozen=True, eq=False)
class OnMatrix:
    """A fitted model with `predict`, for numbers and codes as the table holds them."""

    model: TableModel
    labels: NDArray[Any]  # of the classes, by their codes
    family: str

    @property
    def classes_(self) -> NDArray[Any]:
        """The labels of the classes."""
        return self.labels

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The columns of the matrix."""
        names: NDArray[np.object_] = self.model.feature_names_in_
        return names

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """The label of every row."""
        codes = self.model.predicted(X).labels
        assert codes is not None  # the target is a class
        return np.asarray(self.labels[codes])
