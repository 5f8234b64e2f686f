"""What a boosting starts from: the best constant, zero, or what another model says of each row (`init`)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit
from sklearn.base import clone
from sklearn.dummy import DummyClassifier, DummyRegressor

from venire.ensembles.rows import take_rows
from venire.errors import UsageError

Floats = NDArray[np.float64]
_PIPELINE = "pass parameters to specific steps of your pipeline using the stepname__parameter"
_FROM_THE_ENDS = float(np.finfo(np.float32).eps)  # probabilities are kept so far from 0 and 1


def fitted_first(init: Any, X: Any, y: Any, weights: Floats | None, rows: NDArray[np.intp] | None) -> Any:
    """A copy of the model to start from, fitted on these rows (None: all)."""
    if rows is not None:
        X, y = take_rows(X, rows), y[rows]
        weights = None if weights is None else weights[rows]
    model = clone(init)
    if weights is None:
        return model.fit(X, y)
    refusal = UsageError(
        f"The initial estimator {type(init).__name__} does not support sample weights.",
        hint="fit without sample_weight, or choose another init",
    )
    try:
        return model.fit(X, y, sample_weight=weights)
    except TypeError as error:
        if "sample_weight" not in str(error):
            raise
        raise refusal from error
    except ValueError as error:
        if _PIPELINE not in str(error):
            raise
        raise refusal from error


def scores_of_first(model: Any, X: Any, loss: str, outputs: int) -> Floats:
    """The scores that stand for what the model says: [row, output]."""
    if loss not in ("logistic", "exponential", "multinomial"):
        values = np.asarray(model.predict(X), dtype=np.float64).reshape(-1, 1)
        return np.log(np.maximum(values, _FROM_THE_ENDS)) if loss in ("poisson", "gamma") else values
    shares = np.clip(np.asarray(model.predict_proba(X), dtype=np.float64), _FROM_THE_ENDS, 1 - _FROM_THE_ENDS)
    if outputs > 1:
        return np.log(shares)
    odds: Floats = logit(shares[:, 1:2])
    return odds / 2 if loss == "exponential" else odds


def constant_numbers(value: float, columns: int) -> DummyRegressor:
    """A model that says one number."""
    return DummyRegressor(strategy="constant", constant=value).fit(np.zeros((1, columns)), [value])


def constant_shares(shares: Floats, classes: NDArray[Any], columns: int) -> DummyClassifier:
    """A model that says the same shares of the classes for every row."""
    rows = np.zeros((len(classes), columns))
    return DummyClassifier(strategy="prior").fit(rows, classes, sample_weight=shares)
