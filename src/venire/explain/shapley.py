"""Shapley values: how much each column moved the prediction of a row away from the mean over a background.

The game of a row: the players are its columns, and a set of columns is worth the mean prediction when these columns
are taken from the row and all others from a background row, over all background rows. This is the interventional
definition (Lundberg and others 2020): it asks what the model does, not how the columns hang together, so columns that
no tree splits on get exactly 0. The compiled core computes it exactly (`shap.hpp`); the values of a row and `base`
add up to what the model says about it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.utils.validation import check_is_fitted

from venire.data.encode import AsTheyAre, FrequencyCodes
from venire.ensembles.adaboost.classifier import AdaBoostClassifier
from venire.ensembles.forest.base import ForestBase, ForestClassifierBase
from venire.ensembles.gradient.estimators import GradientBoostingClassifier, GradientBoostingRegressor
from venire.ensembles.rows import row_count, take_rows
from venire.ensembles.table_model import TableModel
from venire.errors import DataError, UsageError
from venire.models.input import column_names
from venire.models.tree.base import TreeEnsembleBase
from venire.models.tree.estimators import DecisionTreeClassifier, DecisionTreeRegressor
from venire.models.tree.growth import thread_count

Floats = NDArray[np.float64]
MOST_BACKGROUND = 256

_TREES = (DecisionTreeClassifier, DecisionTreeRegressor, ForestBase)
_BOOSTED = (GradientBoostingClassifier, GradientBoostingRegressor)
_EXPLAINED = (*_TREES, *_BOOSTED, AdaBoostClassifier)


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

    @property
    def predictions(self) -> Floats:
        """What the model says about each row: `base` plus the values of all columns."""
        return np.asarray(self.base + self.values.sum(axis=1))

    @property
    def importances(self) -> Floats:
        """The mean size of each column's values over rows and classes."""
        size = np.abs(self.values).mean(axis=0)
        return np.asarray(size.mean(axis=1) if size.ndim == 2 else size)


def shap_values(model: Any, X: Any, background: Any = None) -> ShapValues:
    """Exact Shapley values of a fitted tree ensemble of ours, or one that `Verdict.fit` gives, for the rows of X.

    They explain class shares (trees and forests), numbers (their regressors), the score before the link (gradient
    boosting: log-odds, one score a class, the logarithm of a mean) or `decision_function` (AdaBoost over our trees).

    Parameters
    ----------
    model
        A fitted tree ensemble.
    X
        The rows to explain.
    background
        The rows that stand for "column not known". By default the rows of X themselves, or 256 of them at equal
        distances when there are more. Time grows with their number.

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
    if isinstance(model, TableModel):
        return _of_table_model(model, X, background)
    if not isinstance(model, _EXPLAINED):
        raise _unexplained(type(model).__name__)
    check_is_fitted(model)
    X, background = (np.asarray(rows) if isinstance(rows, list | tuple) else rows for rows in (X, background))
    others = X if background is None else background
    if background is None and row_count(X) > MOST_BACKGROUND:
        others = take_rows(X, np.linspace(0, row_count(X) - 1, MOST_BACKGROUND).round().astype(np.intp))
    base = np.asarray(_explained(model, others).mean(axis=0))
    values = _adaboost(model, X, others) if isinstance(model, AdaBoostClassifier) else _trees(model, X, others)
    classes = tuple(model.classes_.tolist()) if hasattr(model, "classes_") else None
    return ShapValues(values, base, tuple(column_names(model)), classes, _unit(model), row_count(others))


def _unexplained(what: str) -> UsageError:
    return UsageError(
        f"shap_values explains trees, forests, gradient boosting and AdaBoost; got {what}",
        hint="permutation_importance and partial_dependence take any model",
    )


def _of_table_model(model: TableModel, X: Any, background: Any) -> ShapValues:
    """Of the one model a user keeps, on rows as the table was given, and before any calibration."""
    check_is_fitted(model, "columns_")
    name, encoders, member = _only_member(model)
    if not all(_one_to_one(encoder, len(model.columns_)) for encoder in encoders):
        raise UsageError(
            f"shap_values explains the columns a model is given, and {name} is given others than those of the table",
            hint="use permutation_importance, or a GenericFamily with encoding='none'",
        )
    rows, others = (None if given is None else model._attributes(given) for given in (X, background))
    for encoder in encoders:
        rows, others = (None if given is None else encoder.transform(given) for given in (rows, others))
    found = shap_values(member, rows, others)
    classes = None if found.classes is None else tuple(model.classes_[list(found.classes)].tolist())
    return replace(found, names=tuple(model.feature_names_in_), classes=classes)


def _one_to_one(encoder: Any, columns: int) -> bool:
    """Whether every attribute stays one column: it does, unless there are categories or gaps to mark."""
    kept = isinstance(encoder, AsTheyAre | FrequencyCodes)
    return kept or np.array_equal(getattr(encoder, "origins_", ()), np.arange(columns))


def _only_member(model: TableModel) -> tuple[str, list[Any], Any]:
    """The name, the encoders and the estimator of the one member, which has to be made of our trees."""
    parted = [(name, [step for _, step in getattr(held, "steps", [(name, held)])]) for name, held in model.members]
    able = [name for name, steps in parted if isinstance(steps[-1], _EXPLAINED)]
    if not able:
        raise _unexplained(", ".join(name for name, _ in parted))
    if len(parted) > 1:
        raise UsageError(
            f"shap_values explains one model, and this is a combination of {', '.join(name for name, _ in parted)}",
            hint=f"explain one of them: verdict.fit({able[0]!r})",
        )
    name, steps = parted[0]
    return name, steps[:-1], steps[-1]


def _explained(model: Any, X: Any) -> Floats:
    """What the values add up to: [row] or [row, class]."""
    if isinstance(model, _BOOSTED):
        scores = model._last_scores(X)
        return scores[:, 0] if scores.shape[1] == 1 else scores
    if isinstance(model, AdaBoostClassifier):
        return model.decision_function(X)
    return np.asarray(model.predict_proba(X) if hasattr(model, "classes_") else model.predict(X))


def _unit(model: Any) -> str:
    if isinstance(model, AdaBoostClassifier):
        return "score"
    if isinstance(model, GradientBoostingClassifier):
        return "log-odds" if model.n_classes_ == 2 else "score"
    if isinstance(model, GradientBoostingRegressor):
        return "log mean" if model.loss in ("poisson", "gamma") else "value"
    return "share" if hasattr(model, "classes_") else "value"


def _trees(model: Any, X: Any, background: Any) -> Floats:
    boosted = isinstance(model, _BOOSTED)
    outputs = len(model._start) if boosted else (model.n_classes_ if hasattr(model, "classes_") else 1)
    trees = model.n_rounds_ * outputs if boosted else model._forest.trees
    votes = isinstance(model, ForestClassifierBase) and model.voting == "hard"
    values = _of_core(model, X, background, trees, outputs, votes=votes, scale=1.0 if boosted else 1.0 / trees)
    one = outputs == 1 and not (hasattr(model, "classes_") and not boosted)
    return values[:, :, 0] if one else values


def _of_core(
    model: TreeEnsembleBase, X: Any, background: Any, trees: int, outputs: int, *, votes: bool, scale: float
) -> Floats:
    if getattr(model, "combinations", None) is not None:
        raise UsageError(
            "shap_values: a forest with combinations splits on sums of columns, which have no exact values here",
            hint="use permutation_importance, or a forest without combinations",
        )
    matrices = model._read(X), model._read(background)
    try:
        return model._forest.shap(
            *matrices, trees=trees, outputs=outputs, votes=votes, scale=scale, threads=thread_count(model.n_jobs)
        )
    except ValueError as error:
        raise DataError(f"shap_values: {error}", code="deep_tree", hint="limit max_depth to 64") from None


def _adaboost(model: AdaBoostClassifier, X: Any, background: Any) -> Floats:
    """The sum of the members' votes, each times its α."""
    X, background = model._rows(X), model._rows(background)
    classes = len(model.classes_)
    total = np.zeros((row_count(X), model.n_features_in_, classes))
    for member, alpha in zip(model.estimators_, model.estimator_weights_.tolist(), strict=True):
        if isinstance(member, DummyClassifier):
            continue  # it says the same of every row
        if not isinstance(member, DecisionTreeClassifier):
            raise UsageError(
                f"shap_values explains AdaBoost over our decision trees; its members are {type(member).__name__}",
                hint="use permutation_importance",
            )
        place = np.searchsorted(model.classes_, member.classes_)
        total[:, :, place] += _of_core(member, X, background, 1, member.n_classes_, votes=True, scale=alpha)
    return np.asarray(total[:, :, 1] - total[:, :, 0]) if classes == 2 else total
