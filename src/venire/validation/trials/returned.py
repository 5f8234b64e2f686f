"""What other people's estimators return, checked before anything is made of it.

A wrong shape would be broadcast, a label that is no class cast to another one, a NaN carried into every figure. Each is
an error that names the estimator, the method and what was found; the member fails and the others go on. Rows are handed
over as a copy for every question, so that an estimator that changes them in place changes nothing for anybody else.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.errors import VenireError

Floats = NDArray[np.float64]
_ROUNDING = 1e-6  # by how much a probability in float32 may lie outside 0 and 1
_SUM = 1e-3  # by how much the probabilities of a row may miss 1


def values(estimator: Any, X: Any) -> Floats:
    """Predicted numbers: [row, 1]."""
    predicted = _numbers(estimator, "predict", X)
    if predicted.shape not in ((len(X),), (len(X), 1)):
        raise _wrong(estimator, "predict", f"shape {predicted.shape} for {len(X)} rows", "one number a row")
    return predicted.reshape(len(X), 1)


def labels(estimator: Any, X: Any, classes: NDArray[Any]) -> NDArray[Any]:
    """Predicted labels, each one of the classes the estimator knows: [row]."""
    predicted = _array(estimator, "predict", X)
    if predicted.shape not in ((len(X),), (len(X), 1)):
        raise _wrong(estimator, "predict", f"shape {predicted.shape} for {len(X)} rows", "one label a row")
    predicted = predicted.reshape(len(X))
    numbers = predicted.dtype.kind in "iufb" and classes.dtype.kind in "iufb"
    known = np.isin(predicted, classes) if numbers else np.isin(predicted.astype(object), classes.astype(object))
    if not known.all():
        names = ", ".join(map(repr, classes.tolist()[:10])) + (", …" if len(classes) > 10 else "")
        raise _wrong(estimator, "predict", f"the label {predicted[~known].tolist()[0]!r}", f"one of {names}")
    return predicted.astype(classes.dtype) if numbers else predicted


def class_codes(classes: NDArray[Any], count: int) -> NDArray[np.intp]:
    """The classes a fitted estimator says it knows, where it was trained on codes below `count`."""
    whole = classes.ndim == 1 and classes.dtype.kind in "iu" and len(np.unique(classes)) == len(classes)
    if not whole or classes.min() < 0 or classes.max() >= count:
        raise VenireError(
            f"its classes_ are {classes.tolist()}, and not among the {count} class codes it was trained on",
            code="bad_predictions",
            hint="classes_ are the different values of y, as fit was given them",
        )
    return classes.astype(np.intp)


def probabilities(estimator: Any, X: Any, classes: NDArray[Any]) -> Floats:
    """Class probabilities: [row, class]."""
    predicted = _of_classes(estimator, "predict_proba", X, len(classes))
    outside = (predicted < -_ROUNDING) | (predicted > 1 + _ROUNDING)
    if outside.any():
        raise _wrong(estimator, "predict_proba", f"{predicted[outside][0]:g}", "probabilities between 0 and 1")
    missed = np.abs(predicted.sum(axis=1) - 1)
    if missed.size and missed.max() > _SUM:
        total = predicted.sum(axis=1)[missed.argmax()]
        raise _wrong(estimator, "predict_proba", f"a row that sums to {total:g}", "probabilities that sum to 1")
    return np.clip(predicted, 0.0, 1.0, out=predicted)


def scores(estimator: Any, X: Any, classes: NDArray[Any]) -> Floats:
    """Scores, one a class; of two classes an estimator may give that of the second alone: [row, class]."""
    predicted = _numbers(estimator, "decision_function", X)
    if predicted.shape == (len(X),) and len(classes) == 2:
        return np.stack([-predicted, predicted], axis=1)
    return _shaped(estimator, "decision_function", predicted, (len(X), len(classes)))


def _of_classes(estimator: Any, method: str, X: Any, classes: int) -> Floats:
    return _shaped(estimator, method, _numbers(estimator, method, X), (len(X), classes))


def _shaped(estimator: Any, method: str, predicted: Floats, shape: tuple[int, int]) -> Floats:
    if predicted.shape != shape:
        found = f"shape {predicted.shape} for {shape[0]} rows and {shape[1]} classes"
        raise _wrong(estimator, method, found, "one column a class")
    return predicted


def _numbers(estimator: Any, method: str, X: Any) -> Floats:
    """Finite numbers, in an array that is nobody else's."""
    predicted = _array(estimator, method, X)
    if predicted.dtype.kind not in "iufb":
        raise _wrong(estimator, method, f"values of type {predicted.dtype}", "numbers")
    predicted = predicted.astype(np.float64)
    odd = ~np.isfinite(predicted)
    if odd.any():
        raise _wrong(estimator, method, f"{predicted[odd][0]} in {np.count_nonzero(odd)} places", "finite numbers")
    return predicted


def _array(estimator: Any, method: str, X: Any) -> NDArray[Any]:
    # Frames are what users give by hand, to estimators of their own.
    predicted = getattr(estimator, method)(X.copy(order="K") if isinstance(X, np.ndarray) else X)
    try:
        return np.asarray(predicted)
    except ValueError:  # rows of different lengths
        raise _wrong(estimator, method, "rows of different lengths", "an array") from None


def _wrong(estimator: Any, what: str, found: str, wanted: str) -> VenireError:
    steps = getattr(estimator, "steps", None)
    name = type(steps[-1][1] if steps else estimator).__name__
    return VenireError(
        f"{what} of {name} gave {found}, and not {wanted}",
        code="bad_predictions",
        hint="fit it by hand on some of the rows and look at what it returns",
    )
