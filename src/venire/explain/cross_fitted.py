"""Models of several folds asked as one: every row by the model that was trained without it.

So that what is said of the columns is said on rows that no model has seen, however few rows there are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from venire.ensembles.table_model import TableModel
from venire.metrics.predictions import Output, Predictions


@dataclass(frozen=True, eq=False)
class CrossFitted:
    """Fitted models, and which of them answers for each row; one model alone answers for any rows.

    It is asked about rows of the table's own matrix, in the order of `of_row`, and its classes are the table's codes.
    """

    models: tuple[TableModel, ...]
    of_row: NDArray[np.intp]

    @property
    def feature_names_in_(self) -> NDArray[np.object_]:
        """The columns of the matrix."""
        names: NDArray[np.object_] = self.models[0].feature_names_in_
        return names

    @property
    def classes_(self) -> NDArray[np.intp]:
        """The codes of the classes; there are none of numbers."""
        return np.arange(len(self.models[0].classes_))

    @property
    def gives(self) -> Output:
        """What they say about a row."""
        return self.models[0].gives

    def answers(self, X: NDArray[np.float64]) -> Predictions:
        """What each row's own model says about it."""
        if len(self.models) == 1:
            return self.models[0].predicted(X)
        parts = [np.flatnonzero(self.of_row == at) for at in range(len(self.models))]
        predicted = [model.predicted(X[rows]) for model, rows in zip(self.models, parts, strict=True)]
        order = np.argsort(np.concatenate(parts), kind="stable")
        labels = None if predicted[0].labels is None else np.concatenate([one.labels for one in predicted])[order]
        outputs = None if predicted[0].outputs is None else np.concatenate([one.outputs for one in predicted])[order]
        return Predictions(labels, outputs, predicted[0].output)
