"""One question to a model that was just read: does it answer at all, and with something that makes sense?

Checks of states hold what one attribute or two say; that all of them compute together shows when they do.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from joblib import parallel_config
from numpy.typing import NDArray

from venire.ensembles.table_model import TableModel
from venire.errors import ModelFormatError

_ROWS = 2  # one of zeros and one of ones: both may be numbers, truth values and codes


def answers(model: Any) -> dict[str, NDArray[Any]]:
    """What the model says of two rows, by the name of the method."""
    X = np.repeat([[0.0], [1.0]], int(getattr(model, "n_features_in_", 1)), axis=1)
    with np.errstate(all="ignore"), warnings.catch_warnings(), parallel_config(backend="sequential", n_jobs=1):
        warnings.simplefilter("ignore")
        if isinstance(model, TableModel):
            return {"outputs": model.outputs(X)}
        asked = [name for name in ("predict", "predict_proba", "transform") if hasattr(model, name)]
        return {key: each for name in asked for key, each in _parts(name, getattr(model, name)(X))}


def _parts(name: str, said: Any) -> Iterator[tuple[str, NDArray[Any]]]:
    """What a method says; of several targets, what it says of each."""
    several = isinstance(said, list)
    yield from ((f"{name} {place}", part) for place, part in enumerate(said)) if several else [(name, np.asarray(said))]


def checked_answers(model: Any) -> dict[str, NDArray[Any]]:
    """The answers, if there are any, of the right shape, and classes that the model names."""
    try:
        said = answers(model)
    except Exception as error:  # whatever its arrays lead to: the model is not one
        first = (str(error) or type(error).__name__).splitlines()[0][:200]
        raise ModelFormatError(f"the model cannot predict: {first}", hint=_AGAIN) from None
    classes = getattr(model, "classes_", None)
    if isinstance(classes, list):  # of several targets
        return _checked_several(said, classes)
    for name, one in said.items():
        if one.shape[:1] != (_ROWS,) or one.ndim > 2:
            raise ModelFormatError(f"{name} gives {one.shape} for {_ROWS} rows", hint=_AGAIN)
        if classes is not None and name == "predict" and not np.isin(one, classes).all():
            raise ModelFormatError("the model predicts classes that it does not name", hint=_AGAIN)
        if classes is not None and name == "predict_proba" and one.shape != (_ROWS, len(classes)):
            raise ModelFormatError(f"the model gives probabilities of {one.shape[1:]} classes", hint=_AGAIN)
    return said


def _checked_several(said: dict[str, NDArray[Any]], classes: list[NDArray[Any]]) -> dict[str, NDArray[Any]]:
    labels = said["predict"]
    if labels.shape != (_ROWS, len(classes)):
        raise ModelFormatError(f"predict gives {labels.shape} for {_ROWS} rows and {len(classes)} targets", hint=_AGAIN)
    for place, known in enumerate(classes):
        if not np.isin(labels[:, place], known).all():
            raise ModelFormatError("the model predicts classes that it does not name", hint=_AGAIN)
        shares = said.get(f"predict_proba {place}")
        if shares is None or shares.shape != (_ROWS, len(known)):
            raise ModelFormatError(f"there are no probabilities of the classes of target {place}", hint=_AGAIN)
    return said


def same(one: dict[str, NDArray[Any]], other: dict[str, NDArray[Any]]) -> bool:
    """Whether two answers are the same, to the bit."""
    return one.keys() == other.keys() and all(
        each.dtype == other[name].dtype and each.tolist().__repr__() == other[name].tolist().__repr__()
        for name, each in one.items()
    )


_AGAIN = "take another copy of the file, or save the model again"
