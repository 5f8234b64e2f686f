"""A model of a verdict as a pipeline of scikit-learn: reading the columns first, then what predicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.pipeline import Pipeline
from sklearn.utils import ClassifierTags, RegressorTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from venire.data import Task, conform
from venire.ensembles.table_model import TableModel
from venire.errors import UsageError
from venire.metrics.predictions import Output


class TableColumns(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Rows with the columns of a known table as its matrix: numbers, codes of categories, NaN where missing."""

    def __init__(self, columns: Any = None, reading: Any = None) -> None:
        self.columns = columns
        self.reading = reading

    def fit(self, X: Any, y: Any = None) -> Self:
        """Nothing is learned: the columns are those of the table that the model was fitted on."""
        return self

    def transform(self, X: Any) -> NDArray[np.float64]:
        """The rows in the columns of the table."""
        return conform(X, self.columns, reading=self.reading).X

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """The names of the columns."""
        return np.array([column.name for column in self.columns], dtype=object)

    def __sklearn_is_fitted__(self) -> bool:
        return self.columns is not None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = tags.input_tags.string = tags.input_tags.categorical = True
        tags.requires_fit = False
        return tags


class Combined(BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """The members of a model with their weights and what finishes them, on rows of the table's own matrix."""

    def __init__(self, model: Any = None) -> None:
        self.model = model

    def fit(self, X: NDArray[np.float64], y: Any) -> Self:
        """Not offered: calibration and threshold were learned on held-out predictions of a verdict."""
        raise UsageError(
            "the pipeline of a model predicts, and cannot be fitted again",
            code="cannot_fit",
            hint="compare again on the new rows, or fit the TableModel itself",
        )

    def __sklearn_is_fitted__(self) -> bool:
        return self.model is not None

    @property
    def n_features_in_(self) -> int:
        """The number of columns."""
        check_is_fitted(self)
        return int(self.model.n_features_in_)

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, in the type they had in the table."""
        check_is_fitted(self)
        return np.asarray(self.model.classes_)

    def predict(self, X: NDArray[np.float64]) -> NDArray[Any]:
        """Classes in the type they had in the table, or numbers."""
        if self.model.task_ is Task.REGRESSION:
            return np.asarray(self.model.outputs(X)[:, 0])
        return np.asarray(self.model.classes_[self.model.predicted(X).labels])

    @available_if(lambda each: each.model.gives is Output.PROBABILITIES)  # type: ignore[untyped-decorator]  # scikit-learn's
    def predict_proba(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Class probabilities in the order of `classes_`."""
        return np.asarray(self.model.outputs(X))

    @available_if(lambda each: each.model.gives is Output.SCORES)  # type: ignore[untyped-decorator]  # scikit-learn's
    def decision_function(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores: [row] of two classes, else [row, class]."""
        scores = np.asarray(self.model.outputs(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        if self.model is not None and self.model.task_ is Task.REGRESSION:
            tags.estimator_type, tags.regressor_tags = "regressor", RegressorTags()
        else:
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags()
        return tags


def to_sklearn(model: Any) -> Pipeline:
    """The model as a fitted `sklearn.pipeline.Pipeline` that predicts the same.

    Where one model predicts numbers, its own steps follow the reading of the columns (`columns`, an encoder, the
    estimator), to be looked at one by one. Otherwise the last step, `combined`, holds all members with their weights,
    and the calibration, costs or threshold that finish them.

    Parameters
    ----------
    model
        What `Verdict.fit` or `venire.load` gives.

    Returns
    -------
    sklearn.pipeline.Pipeline
        Fitted; it takes paths, frames and arrays as the model does. Its last step may give probabilities or scores.

    Examples
    --------
    >>> import numpy as np
    >>> import venire as vn
    >>> X = np.random.default_rng(0).normal(size=(60, 2))
    >>> verdict = vn.compare(X, 3 * X[:, 0], models=["baseline", "linear"], folds=3)
    >>> pipeline = to_sklearn(verdict.fit("linear"))
    >>> list(pipeline.named_steps), bool((pipeline.predict(X) == verdict.fit("linear").predict(X)).all())
    (['columns', 'onehotscaled', 'ridge'], True)
    """
    if not isinstance(model, TableModel):
        raise UsageError(
            f"{type(model).__name__} is an estimator of scikit-learn already, or none of a verdict",
            code="cannot_export",
            hint="give what verdict.fit() or venire.load gives",
        )
    check_is_fitted(model, "columns_")
    columns = ("columns", TableColumns(model.columns_, model.reading_))
    return Pipeline([columns, *(_own_steps(model) or [("combined", Combined(model))])])


def _own_steps(model: TableModel) -> list[tuple[str, Any]] | None:
    """The steps of the one member of a regression; labels of a classifier are codes, which nobody else knows."""
    alone = model.members[0][1] if len(model.members) == 1 else None
    if model.task_ is not Task.REGRESSION or alone is None or model.weights[0] != 1.0:
        return None
    steps: Mapping[str, Any] = dict(alone.steps) if isinstance(alone, Pipeline) else {"model": alone}
    return list(steps.items())
