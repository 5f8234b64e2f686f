"""What a search for attributes works on: parts of the rows, encoded by what their training rows say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from venire.ensembles.base import part_of
from venire.ensembles.rows import take_columns, take_rows
from venire.errors import UsageError

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Part:
    """Training rows and the rows judged, which at the very end are the same."""

    X: Any
    y: NDArray[Any]  # labels as given, or numbers
    params: dict[str, Any]  # of the estimator's `fit`, cut to the training rows
    weights: Floats | None  # of the training rows
    held: Any
    truth: NDArray[Any]  # of the rows judged: class codes, or numbers
    judged_by: Floats | None  # how much each row judged counts in the error
    columns: tuple[NDArray[np.intp], ...]  # of each attribute, after encoding


@dataclass(frozen=True, eq=False)
class Examples:
    """The rows of a search, before they are parted."""

    X: Any
    y: NDArray[Any]
    codes: NDArray[Any]  # class codes, or y itself
    params: dict[str, Any]
    weights: Floats | None
    attribute_of: NDArray[np.intp]  # of every column
    encoder: Any = None
    weighted_errors: bool = True  # whether the weights also count where errors are measured

    def parted(self, train: Rows, test: Rows) -> Part:
        """Encode by the training rows, and cut everything that has one value a row."""
        X, held = take_rows(self.X, train), take_rows(self.X, test)
        encoder = None if self.encoder is None else clone(self.encoder).fit(X)
        if encoder is not None:
            X, held = encoder.transform(X), encoder.transform(held)
        weights = None if self.weights is None else self.weights[train]
        judged = self.weights[test] if self.weights is not None and self.weighted_errors else None
        params = part_of(self.params, train, len(self.y))
        columns = columns_of(self.attribute_of, encoder)
        return Part(X, self.y[train], params, weights, held, self.codes[test], judged, columns)

    def encoded(self) -> Any:
        """The encoder, fitted on all rows."""
        return clone(self.encoder).fit(self.X)

    def whole(self) -> Part:
        """All rows, to be fitted and judged alike: what the training error is taken from."""
        every = np.arange(len(self.y))
        return self.parted(every, every)


def columns_of(attribute_of: NDArray[np.intp], encoder: Any = None) -> tuple[NDArray[np.intp], ...]:
    """The columns of each attribute; after an encoder those that come from one of its columns.

    >>> columns_of(np.array([0, 1, 0]))
    (array([0, 2]), array([1]))
    """
    count = int(attribute_of.max(initial=-1)) + 1
    owner = attribute_of if encoder is None else attribute_of[encoder.origins_]
    return tuple(np.flatnonzero(owner == attribute) for attribute in range(count))


def taken(columns: Sequence[NDArray[np.intp]], attributes: Sequence[int]) -> NDArray[np.intp]:
    """The columns of some attributes, in ascending order."""
    return np.sort(np.concatenate([np.empty(0, np.intp), *(columns[a] for a in attributes)]))


def narrowed(estimator: Any, columns: NDArray[np.intp], width: int) -> Any:
    """An unfitted copy for these columns alone: a mask of categorical columns is cut with them."""
    copy = clone(estimator)
    given = getattr(copy, "categorical_features", None)
    if given is None or isinstance(given, str):
        return copy
    mask = np.asarray(given)
    if mask.dtype != bool:
        raise UsageError(
            "categorical_features must be a mask where attributes are selected: numbers of columns would lose their "
            "meaning",
            hint="give one true or false a column",
        )
    if mask.shape != (width,):
        raise UsageError(f"categorical_features has shape {mask.shape}, and there are {width} columns")
    return copy.set_params(categorical_features=mask[columns])


def columns_taken(X: Any, columns: NDArray[np.intp]) -> Any:
    """These columns; all of them are handed on as they are, and none is a matrix that still has its rows."""
    if not len(columns):
        return np.empty((X.shape[0], 0))
    return X if len(columns) == X.shape[1] else take_columns(X, columns)
