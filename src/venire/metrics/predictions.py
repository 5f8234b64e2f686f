"""What a model said about held-out rows, in the one form that every number is computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Output(StrEnum):
    """What a model can say about a row, from the least telling to the most; `values` is for regression.

    Attributes
    ----------
    LABELS
        A class.
    SCORES
        A number per class (or one for class 1 of two): the higher, the more likely.
    PROBABILITIES
        A probability per class.
    VALUES
        A number, in regression.

    Examples
    --------
    >>> Output.PROBABILITIES.serves(Output.LABELS), Output.LABELS.serves(Output.SCORES)
    (True, False)
    """

    LABELS = "labels"
    SCORES = "scores"
    PROBABILITIES = "probabilities"
    VALUES = "values"

    def serves(self, need: Output) -> bool:
        """Whether a model with this output can be judged by a metric with that need.

        >>> Output.PROBABILITIES.serves(Output.SCORES), Output.SCORES.serves(Output.PROBABILITIES)
        (True, False)
        """
        return need in _SERVED[self]


_SERVED = {
    Output.LABELS: (Output.LABELS,),
    Output.SCORES: (Output.LABELS, Output.SCORES),
    Output.PROBABILITIES: (Output.LABELS, Output.SCORES, Output.PROBABILITIES),
    Output.VALUES: (Output.VALUES,),
}


@dataclass(frozen=True, eq=False, slots=True)
class Predictions:
    """One model's predictions of some rows.

    Attributes
    ----------
    labels
        Class codes; None in regression.
    outputs
        One column per class (scores of two classes may come as one column, the score of class 1), or one column in
        all for regression.
    output
        What the numbers are.

    Examples
    --------
    >>> outputs = np.array([[0.2, 0.8], [0.9, 0.1]])
    >>> predicted = Predictions(np.array([1, 0], dtype=np.int32), outputs, Output.PROBABILITIES)
    >>> predicted.rows
    2
    """

    labels: NDArray[np.int32] | None
    outputs: NDArray[Any] | None
    output: Output

    @property
    def rows(self) -> int:
        """How many rows were predicted."""
        held = self.labels if self.labels is not None else self.outputs
        return 0 if held is None else int(held.shape[0])

    @property
    def values(self) -> NDArray[Any]:
        """The predicted numbers of a regression."""
        if self.outputs is None or self.output is not Output.VALUES:
            raise AttributeError(f"predictions of kind {self.output.value!r} hold no values")
        return np.asarray(self.outputs[:, 0])


def joined(said: Sequence[Predictions]) -> Predictions:
    """The predictions of several folds, one below the other; of different kinds only the decision is common."""
    kinds = {one.output for one in said}
    decided = [one.labels for one in said if one.labels is not None]
    given = [one.outputs for one in said if one.outputs is not None]
    labels = np.concatenate(decided) if len(decided) == len(said) else None
    if len(kinds) > 1:
        return Predictions(labels, None, Output.LABELS)
    return Predictions(labels, np.concatenate(given) if len(given) == len(said) else None, kinds.pop())


def decide(outputs: NDArray[Any]) -> NDArray[np.int32]:
    """The class codes that scores or probabilities speak for; of equal ones the lowest code.

    Parameters
    ----------
    outputs
        Scores or probabilities; the last axis holds the classes. A single column is the score of class 1, which has
        to be above zero.

    Returns
    -------
    ndarray of int32
        One code per row.

    Examples
    --------
    >>> decide(np.array([[0.2, 0.5, 0.3], [0.4, 0.2, 0.4]]))
    array([1, 0], dtype=int32)
    >>> decide(np.array([[-0.3], [1.2]]))
    array([0, 1], dtype=int32)
    """
    if outputs.shape[-1] == 1:
        return np.asarray(outputs[..., 0] > 0, dtype=np.int32)
    return np.asarray(outputs.argmax(axis=-1), dtype=np.int32)


def cheapest(outputs: NDArray[Any], costs: NDArray[np.float64]) -> NDArray[np.int32]:
    """The class codes of least expected cost, for probabilities [row, class] or [setting, row, class]."""
    flat = np.asarray(outputs, dtype=np.float64).reshape(-1, outputs.shape[-1])
    return least_cost(flat, costs).reshape(outputs.shape[:-1]).astype(np.int32)


def least_cost(probabilities: NDArray[np.float64], costs: NDArray[np.float64]) -> NDArray[np.intp]:
    """The class codes of least expected cost; of equal ones the likelier, then the lower code.

    >>> least_cost(np.array([[0.9, 0.1], [0.8, 0.2]]), np.array([[0.0, 1.0], [5.0, 0.0]]))
    array([0, 1])
    """
    # A sum in fixed order, not a matrix product: rows that tie must tie on every machine.
    expected = np.zeros_like(probabilities)
    for actual, row in enumerate(costs):
        expected += probabilities[:, actual, None] * row
    tied = expected <= expected.min(axis=1, keepdims=True)
    return np.asarray(np.where(tied, probabilities, -1.0).argmax(axis=1))
