"""Predictions as bytes: the fewest that give them back to the last bit.

What is said of two classes is one number: scores are mirrored, probabilities add up to one. So one float32 is kept of a
prediction instead of two, and labels that are 0 or 1 are kept as bits. Arrays that would not come back the same are
kept as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import (
    bit_labels,
    complement_shares,
    label_bits,
    long_scores,
    long_shares,
    short_scores,
    short_shares,
)
from venire.metrics.predictions import Output

_SHARES, _SCORES, _BITS = "shares of two", "scores of two", "bits"  # all other forms are numpy's names of raw types
_TYPES: dict[str, np.dtype[Any]] = {_SHARES: np.dtype("<f4"), _SCORES: np.dtype("<f4"), _BITS: np.dtype("u1")}


@dataclass(frozen=True, slots=True)
class Form:
    """How an array of some shape is kept: in short, or as it is in little-endian order."""

    name: str
    shape: tuple[int, ...]  # of the array itself, settings first
    stride: int = field(init=False, compare=False, repr=False)  # bytes a setting

    def __post_init__(self) -> None:
        object.__setattr__(self, "stride", self.type.itemsize * prod(self.kept))

    @property
    def type(self) -> np.dtype[Any]:
        """Of the numbers that are kept."""
        return _TYPES[self.name] if self.name in _TYPES else np.dtype(self.name)

    @property
    def kept(self) -> tuple[int, ...]:
        """The shape of what is kept of one setting."""
        of_setting = self.shape[1:]
        if self.name == _BITS:
            return (*of_setting[:-1], (of_setting[-1] + 7) // 8)
        return of_setting[:-1] if self.name in _TYPES else of_setting

    def read(self, kept: NDArray[np.uint8], settings: int) -> NDArray[Any]:
        """The array, or so many settings of it, from the bytes that were kept."""
        numbers = kept.view(self.type).reshape(settings, *self.kept)
        if self.name not in _TYPES:
            return numbers
        if self.name == _BITS:
            return bit_labels(numbers, self.shape[-1])
        native = numbers.astype(np.float32, copy=False)
        return long_shares(native) if self.name == _SHARES else long_scores(native)


def shortened(outputs: NDArray[Any], output: Output) -> tuple[Form, NDArray[Any]]:
    """Outputs [setting, row, class] in the shortest form that loses nothing, and what is kept of them.

    >>> form, kept = shortened(np.array([[[0.25, 0.75], [1.0, 0.0]]], np.float32), Output.PROBABILITIES)
    >>> form.name, kept
    ('shares of two', array([[-0.25,  0.  ]], dtype=float32))
    >>> form.read(kept.view(np.uint8), 1)
    array([[[0.25, 0.75],
            [1.  , 0.  ]]], dtype=float32)
    """
    if outputs.dtype == np.float32 and outputs.shape[2:] == (2,):
        given = np.ascontiguousarray(outputs)
        mirrored = output is Output.SCORES
        kept = short_scores(given) if mirrored else short_shares(given)
        if kept is not None:
            return Form(_SCORES if mirrored else _SHARES, outputs.shape), _little(kept)
    return as_it_is(outputs)


def in_bits(labels: NDArray[np.int16]) -> tuple[Form, NDArray[Any]]:
    """Labels [setting, row] as bits, each setting from a new byte on, if all of them are 0 or 1.

    >>> form, kept = in_bits(np.array([[1, 0, 1], [0, 0, 1]], np.int16))
    >>> form.name, kept.tolist()
    ('bits', [[160], [32]])
    """
    kept = label_bits(np.ascontiguousarray(labels)) if labels.dtype == np.int16 else None
    return as_it_is(labels) if kept is None else (Form(_BITS, labels.shape), kept)


def as_it_is(array: NDArray[Any]) -> tuple[Form, NDArray[Any]]:
    """An array in little-endian order."""
    kept = _little(np.ascontiguousarray(array))
    return Form(kept.dtype.str, array.shape), kept


def completed(outputs: NDArray[Any], output: Output) -> NDArray[Any]:
    """Probabilities [setting, row, 2] of which one tells the other: the larger is one minus the smaller, in float32.

    Rounded each by itself, two that add up to one can miss it in the last bit. Those are mended, where they are; all
    other outputs stay as they were.

    >>> shares = completed(np.array([[[1 / 3, 2 / 3], [0.3, 0.3]]], np.float32), Output.PROBABILITIES)
    >>> shares
    array([[[0.33333334, 0.6666666 ],
            [0.3       , 0.3       ]]], dtype=float32)
    """
    if output is not Output.PROBABILITIES or outputs.shape[2:] != (2,) or outputs.dtype != np.float32:
        return outputs
    mended = np.require(outputs, requirements=["C", "W"])
    complement_shares(mended)
    return mended


def _little(array: NDArray[Any]) -> NDArray[Any]:
    return array.astype(array.dtype.newbyteorder("<"), copy=False)
