"""Class labels as codes: whole numbers in the order of the classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets

from venire.errors import DataError

_NARROW = 1 << 16  # a range of whole numbers that is cheaper to count than to sort
_CODED_TOGETHER = 16_384

Codes = NDArray[np.int32]


def class_codes(y: NDArray[Any]) -> tuple[NDArray[Any], Codes]:
    """The classes in order, and the code of each row; whole numbers in a narrow range are counted, not sorted.

    >>> class_codes(np.array([7, 5, 7]))
    (array([5, 7]), array([1, 0, 1], dtype=int32))
    """
    if y.dtype.kind in "iu" and y.size:
        low, high = int(y.min()), int(y.max())
        if high - low < _NARROW:
            shifted = (y - y.dtype.type(low)).astype(np.intp)
            seen = np.bincount(shifted) > 0
            codes = (np.cumsum(seen) - 1).astype(np.int32)
            return np.flatnonzero(seen).astype(y.dtype) + y.dtype.type(low), codes[shifted]
    check_classification_targets(y)
    classes, labels = np.unique(y, return_inverse=True)
    return classes, np.ascontiguousarray(labels, dtype=np.int32)


def codes_among(classes: NDArray[Any], y: NDArray[Any]) -> Codes:
    """The place of each label among the sorted classes, a stretch of rows at a time: in one go it would take several
    times the room.

    >>> codes_among(np.array(["a", "b", "c"]), np.array(["b", "a", "c", "b"])).tolist()
    [1, 0, 2, 1]
    """
    codes = np.empty(len(y), dtype=np.int32)
    for start in range(0, len(y), _CODED_TOGETHER):
        rows = slice(start, start + _CODED_TOGETHER)
        codes[rows] = np.searchsorted(classes, y[rows])
    return codes


def known_codes(classes: NDArray[Any], y: NDArray[Any]) -> Codes:
    """The same for labels that may be of none of the classes: an error names those that are not."""
    codes = codes_among(classes, y).clip(max=len(classes) - 1)
    unknown = np.unique(y[classes[codes] != y])
    if unknown.size:
        raise DataError(f"the target labels {unknown.tolist()} in y do not exist in the initial classes")
    return codes
