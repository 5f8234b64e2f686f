"""Shapley values: how much each column moved the prediction of a row away from the mean over a background.

The game of a row: the players are its columns, and a set of columns is worth the mean prediction when these columns
are taken from the row and all others from a background row, over all background rows. This is the interventional
definition (Lundberg and others 2020): it asks what the model does, not how the columns hang together, so columns that
no tree splits on get exactly 0. The compiled core computes it exactly for our trees (`shap.hpp`), and for linear models
it is a product; of every other model, combinations and pipelines among them, orders of the columns are sampled. The
values of a row and `base` add up to what the model says about it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from venire.data.encode import AsTheyAre, FrequencyCodes
from venire.data.spaced_rows import spaced_rows
from venire.ensembles.rows import row_count, take_rows
from venire.ensembles.table_model import TableModel
from venire.errors import UsageError
from venire.explain.exchange import UNITS, as_rows, gives, outputs_of
from venire.explain.exchange import column_names as names_of
from venire.explain.linear_shapley import line_of, linear_values
from venire.explain.sampled_shapley import sampled_values
from venire.explain.tree_shapley import explained, of_our_trees, tree_values, unit_of
from venire.metrics.predictions import Output
from venire.models.input import column_names

Floats = NDArray[np.float64]
MOST_BACKGROUND = 256
ORDERS = 32
Encoded = tuple[NDArray[np.intp], int]  # which column each encoded one comes from, and how many columns there are


@dataclass(frozen=True, eq=False, slots=True)
class ShapValues:
    """What each column adds to the prediction of each row.

    Attributes
    ----------
    values
        `[row, column]`, or `[row, column, class]` where the model says one number per class.
    base
        The mean prediction of the background, one number, or one per class.
    names
        Of the columns.
    classes
        In the order of the last axis; None where there is none.
    unit
        What the numbers are.
    background_rows
        How many rows stand for "column not known".
    standard_errors
        Of sampled values, shaped like them; None where they are exact.

    Examples
    --------
    >>> from venire.models.tree.estimators import DecisionTreeRegressor
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> shap_values(DecisionTreeRegressor().fit(X, [0.0, 0.0, 2.0, 6.0]), X).importances
    array([2., 1.])
    """

    values: Floats
    base: Floats
    names: tuple[str, ...]
    classes: tuple[Any, ...] | None
    unit: str
    background_rows: int
    standard_errors: Floats | None = None  # of sampled values, shaped like them; exact ones have none

    @property
    def predictions(self) -> Floats:
        """What the model says about each row: `base` plus the values of all columns."""
        return np.asarray(self.base + self.values.sum(axis=1))

    @property
    def importances(self) -> Floats:
        """The mean size of each column's values over rows and classes."""
        size = np.abs(self.values).mean(axis=0)
        return np.asarray(size.mean(axis=1) if size.ndim == 2 else size)

    def named(self, names: tuple[str, ...]) -> ShapValues:
        """The same values, of columns of these names."""
        return replace(self, names=names)


def shap_values(
    model: Any, X: Any, background: Any = None, *, method: str = "auto", orders: int = ORDERS, seed: int = 0
) -> ShapValues:
    """Shapley values of any fitted model, or of one that `Verdict.fit` gives, for the rows of X.

    Exact ones explain class shares (our trees and forests), numbers (their regressors), the score before the link
    (gradient boosting and logistic regression: log-odds, one score a class, the logarithm of a mean) or
    `decision_function` (AdaBoost over our trees, linear classifiers). Sampled ones explain what the model hands over:
    probabilities, as calibrated if they are; else scores; else labels.

    Parameters
    ----------
    model
        Anything with `predict`: a learner, a pipeline, a vote, a stack.
    X
        The rows to explain.
    background
        The rows that stand for "column not known". By default the rows of X themselves, or 256 of them at equal
        distances when there are more. Time grows with their number. Sampling takes at most `orders` of them.
    method
        `"exact"`, for our trees and for linear models; `"sampling"`, for every model; `"auto"`: exact where it can be.
    orders
        How many orders of the columns are sampled. Each is walked both ways, so a row takes 2 · orders · (columns − 1)
        predictions.
    seed
        Where the orders come from; the same for all rows.

    Returns
    -------
    ShapValues
        What each column adds to each prediction.

    Examples
    --------
    >>> from venire.models.tree.estimators import DecisionTreeRegressor
    >>> X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    >>> tree = DecisionTreeRegressor().fit(X, [0.0, 0.0, 2.0, 6.0])
    >>> found = shap_values(tree, X)
    >>> found.values
    array([[-1.5, -0.5],
           [-2.5,  0.5],
           [ 1.5, -1.5],
           [ 2.5,  1.5]])
    >>> float(found.base), found.predictions
    (2.0, array([0., 0., 2., 6.]))
    """
    if method not in ("auto", "exact", "sampling"):
        raise UsageError(f"method must be auto, exact or sampling; got {method!r}")
    if orders < 1:
        raise UsageError(f"orders must be at least 1; got {orders}")
    if isinstance(model, TableModel):
        return _of_table_model(model, X, background, method, orders, seed)
    X = as_rows(X)
    others = _background(X) if background is None else as_rows(background)
    found = None if method == "sampling" else _exactly(model, X, others)
    if found is None and method == "exact":
        raise _unexplained(type(model).__name__)
    if found is not None:
        return found
    classes = tuple(model.classes_.tolist()) if hasattr(model, "classes_") else None
    return _sampled(lambda rows: outputs_of(model, rows)[0], X, others, gives(model), classes, (orders, seed)).named(
        names_of(model, X)
    )


def _background(X: Any) -> Any:
    return X if row_count(X) <= MOST_BACKGROUND else take_rows(X, spaced_rows(row_count(X), MOST_BACKGROUND))


def _exactly(model: Any, X: Any, others: Any, encoded: Encoded | None = None) -> ShapValues | None:
    """Of our trees and of linear models; None of any other."""
    classes = tuple(model.classes_.tolist()) if hasattr(model, "classes_") else None
    if encoded is None and of_our_trees(model):
        check_is_fitted(model)
        base = np.asarray(explained(model, others).mean(axis=0))
        values = tree_values(model, X, others)
        return ShapValues(values, base, tuple(column_names(model)), classes, unit_of(model), row_count(others))
    if not all(isinstance(rows, np.ndarray) and rows.dtype.kind in "iuf" for rows in (X, others)):
        return None
    line = line_of(model, others.astype(np.float64))
    if line is None:
        return None
    weights, predicted = line
    values = linear_values(weights, X, others, *(encoded or (np.arange(X.shape[1]), X.shape[1])))
    base, one = predicted.mean(axis=0), len(weights) == 1
    unit = "value" if classes is None else "log-odds" if one and hasattr(model, "predict_proba") else "score"
    names = () if encoded else names_of(model, X)
    values, base = (values[:, :, 0], np.asarray(base[0])) if one else (values, base)
    return ShapValues(values, base, names, classes, unit, len(others))


def _sampled(
    say: Callable[[Any], Floats], X: Any, others: Any, kind: Output, classes: Any, wish: tuple[int, int]
) -> ShapValues:
    orders, seed = wish
    found = sampled_values(say, X, others, orders=orders, rng=np.random.default_rng(seed))
    values, base, errors = found.values, found.base, found.standard_errors
    if values.shape[2] == 1:
        values, base, errors = values[:, :, 0], np.asarray(base[0]), errors[:, :, 0]
    return ShapValues(values, base, (), classes, UNITS[kind], found.background_rows, errors)


def _unexplained(what: str) -> UsageError:
    return UsageError(
        f"there are exact Shapley values of our trees, forests, gradient boosting and AdaBoost, and of linear models, "
        f"and none of {what}",
        hint="leave method out: orders of the columns are then sampled",
    )


def _of_table_model(model: TableModel, X: Any, background: Any, method: str, orders: int, seed: int) -> ShapValues:
    """Of what a user keeps, on rows as the table was given."""
    check_is_fitted(model, "columns_")
    rows = model._attributes(X)
    others = _background(rows) if background is None else model._attributes(background)
    return matrix_values(model, rows, others, method=method, orders=orders, seed=seed)


def matrix_values(
    model: TableModel, rows: Floats, others: Floats, *, method: str = "auto", orders: int = ORDERS, seed: int = 0
) -> ShapValues:
    """Of what a user keeps, on rows of the table's matrix: exact of one member before any calibration, or sampled."""
    found = None if method == "sampling" else _of_one_member(model, rows, others)
    if found is None and method == "exact":
        raise _unexplained(", ".join(name for name, _ in model.members))
    if found is None:
        classes = tuple(model.classes_.tolist()) if hasattr(model, "classes_") else None
        found = _sampled(model.outputs, rows, others, model.gives, classes, (orders, seed))
    elif found.classes is not None:
        found = replace(found, classes=tuple(model.classes_[list(found.classes)].tolist()))
    return found.named(tuple(model.feature_names_in_))


def _of_one_member(model: TableModel, rows: Floats, others: Floats) -> ShapValues | None:
    """Exact values of the only member, if its encoding leaves every column's part to itself."""
    if len(model.members) > 1:
        return None
    held = model.members[0][1]
    *encoders, last = [step for _, step in getattr(held, "steps", [("", held)])]
    encoded = rows, others
    for encoder in encoders:
        encoded = encoder.transform(encoded[0]), encoder.transform(encoded[1])
    if all(_one_to_one(encoder, len(model.columns_)) for encoder in encoders):
        return _exactly(last, *encoded)
    if len(encoders) == 1 and hasattr(encoders[0], "origins_"):
        return _exactly(last, *encoded, (encoders[0].origins_, len(model.columns_)))
    return None


def _one_to_one(encoder: Any, columns: int) -> bool:
    """Whether every attribute stays one column: it does, unless there are categories or gaps to mark."""
    kept = isinstance(encoder, AsTheyAre | FrequencyCodes)
    return kept or np.array_equal(getattr(encoder, "origins_", ()), np.arange(columns))
