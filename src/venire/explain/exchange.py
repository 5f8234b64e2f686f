"""Asking any fitted model about rows with some columns exchanged. Knows arrays and frames, and no model by name.

Columns are only ever filled with values from other rows of the same table, so a frame's types and categories stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import narwhals.stable.v2 as nw
import numpy as np
from numpy.typing import NDArray

from venire.data.table import Task
from venire.errors import UsageError
from venire.metrics.predictions import Output, Predictions, decide

UNITS = {
    Output.VALUES: "value",
    Output.PROBABILITIES: "probability",
    Output.SCORES: "score",
    Output.LABELS: "share",
}  # what the numbers are that a model says


def as_rows(X: Any) -> Any:
    """A frame as it is, anything else as an array of two dimensions."""
    if isinstance(nw.from_native(X, eager_only=True, pass_through=True), nw.DataFrame):
        return X
    rows = np.asarray(X)
    if rows.ndim != 2:
        raise UsageError(f"X must be a table of rows and columns; it has {rows.ndim} dimensions")
    return rows


def column_names(model: Any, X: Any) -> tuple[str, ...]:
    """The names of the columns, or x0, x1, … where nobody gave any."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        return tuple(frame.columns)
    numbered = [f"x{j}" for j in range(X.shape[1])]
    return tuple(map(str, getattr(model, "feature_names_in_", numbered)))


def column_number(column: str | int, names: Sequence[str]) -> int:
    """Where a column is.

    >>> column_number("b", ("a", "b")), column_number(0, ("a", "b"))
    (1, 0)
    """
    if isinstance(column, str):
        if column in names:
            return names.index(column)
    elif 0 <= column < len(names):
        return int(column)
    there = ", ".join(names[:10]) + (", …" if len(names) > 10 else "")
    raise UsageError(f"there is no column {column!r} among {len(names)}", hint=f"The columns are {there}.")


def column_values(X: Any, column: int) -> NDArray[Any]:
    """The values of a column."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return np.asarray(frame[:, column].to_numpy() if isinstance(frame, nw.DataFrame) else X[:, column])


def take(X: Any, rows: NDArray[np.intp]) -> Any:
    """These rows, in this order."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    return frame[rows.tolist(), :].to_native() if isinstance(frame, nw.DataFrame) else X[rows]


def borrowed(X: Any, columns: Sequence[int], source: Any, rows: NDArray[np.intp]) -> Any:
    """X with some columns taken from `rows` of `source`, one for each row of X.

    >>> table = np.array([[1, 2], [3, 4]])
    >>> borrowed(table, [1], table, np.array([1, 0]))
    array([[1, 4],
           [3, 2]])
    """
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        mixed = X.copy()
        mixed[:, columns] = source[rows][:, columns]
        return mixed
    lender = nw.from_native(source, eager_only=True)[rows.tolist(), list(columns)]
    return frame.with_columns(*(lender[name] for name in lender.columns)).to_native()


def stacked(X: Any, others: Any) -> Any:
    """The rows of both, one below the other."""
    frame = nw.from_native(X, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return np.concatenate([X, others])
    below = nw.from_native(others, eager_only=True).select(*frame.columns)
    return nw.concat([frame, below]).to_native()


def mixed(source: Any, rows: NDArray[np.intp]) -> Any:
    """Made-up rows, every value of which is taken from a row of `source`: [row, column].

    >>> mixed(np.array([[1, 2], [3, 4]]), np.array([[0, 1], [1, 1]]))
    array([[1, 4],
           [3, 4]])
    """
    frame = nw.from_native(source, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame):
        return np.take_along_axis(source, rows, axis=0)
    taken = [frame[rows[:, j].tolist(), [j]] for j in range(rows.shape[1])]
    first, *others = taken
    return first.with_columns(*(one[one.columns[0]] for one in others)).to_native()


def class_places(model: Any, labels: Any) -> NDArray[np.int32]:
    """The place of each label in `classes_`, in whatever order these stand; −1 for what is none of them."""
    known = {label: place for place, label in enumerate(np.asarray(model.classes_).tolist())}
    return np.array([known.get(label, -1) for label in np.asarray(labels).tolist()], dtype=np.int32)


def task_of(model: Any) -> Task:
    """Classes or numbers: a model with `classes_` predicts classes."""
    return Task.CLASSIFICATION if hasattr(model, "classes_") else Task.REGRESSION


def gives(model: Any) -> Output:
    """What the model says about a row, in the richest form it has."""
    if task_of(model) is Task.REGRESSION:
        return Output.VALUES
    known = getattr(model, "gives", None)  # what `Verdict.fit` hands over knows what its members can
    if isinstance(known, Output):
        return known
    if hasattr(model, "predict_proba"):
        return Output.PROBABILITIES
    return Output.SCORES if hasattr(model, "decision_function") else Output.LABELS


def outputs_of(model: Any, X: Any) -> tuple[NDArray[np.float64], Output]:
    """What the model says about each row, [row, output]: values, probabilities, or else scores."""
    kind = gives(model)
    if hasattr(model, "answers"):
        predicted = model.answers(X)
        return (np.eye(len(model.classes_))[predicted.labels] if predicted.outputs is None else predicted.outputs), kind
    if kind is Output.VALUES:
        return np.asarray(model.predict(X), dtype=np.float64).reshape(len(X), -1), kind
    if kind is Output.PROBABILITIES:
        return np.asarray(model.predict_proba(X), dtype=np.float64), kind
    if kind is Output.SCORES:
        return np.asarray(model.decision_function(X), dtype=np.float64).reshape(len(X), -1), kind
    return np.eye(len(model.classes_))[class_places(model, model.predict(X))], kind


def predictions_of(model: Any, X: Any) -> Predictions:
    """The same in the form that metrics take. Labels are those of `predict`, or of what `answers` with both at once."""
    if hasattr(model, "answers"):
        answered: Predictions = model.answers(X)
        return answered
    outputs, kind = outputs_of(model, X)
    if kind is Output.VALUES:
        return Predictions(None, outputs, kind)
    if not hasattr(model, "predict"):
        return Predictions(decide(outputs), outputs, kind)
    labels = class_places(model, model.predict(X))
    return Predictions(labels, None if kind is Output.LABELS else outputs, kind)
