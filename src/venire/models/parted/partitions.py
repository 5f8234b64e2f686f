"""Partitions as they come: frames, pairs of arrays, or Parquet files; read to one matrix of numbers and a target."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.errors import VenireError
from venire.models.input import coded_frame

_ROOM = 0.5  # of a worker's memory, for the rows of its parts
_BYTES = 8 + 1 + 1  # a value: as a number, as a code, and as a code among those of its row


@dataclass(frozen=True)
class Read:
    """The rows of a part."""

    X: NDArray[Any]
    y: NDArray[Any]
    names: tuple[str, ...] | None
    weights: NDArray[np.float64] | None = None
    categories: Mapping[int, tuple[Any, ...]] = field(default_factory=dict)
    troubles: tuple[str, ...] = ()

    def recoded(self, categories: Mapping[int, tuple[Any, ...]]) -> Read:
        """With the codes that categories have among those of all parts."""
        for j, known in categories.items():
            own = self.categories.get(j, ())
            if own == known:
                continue
            place = {category: code for code, category in enumerate(known)}
            there = ~np.isnan(self.X[:, j])
            codes = np.array([place[category] for category in own], dtype=self.X.dtype)
            self.X[there, j] = codes[self.X[there, j].astype(np.intp)]
        return replace(self, categories=dict(categories))


@dataclass(frozen=True)
class Wanted:
    """What is looked for in partitions."""

    target: Any = None  # the name of a column
    weight: Any = None  # another one, or None
    numeric: bool = False  # is the target a number?
    categories: bool = False  # may columns hold texts or categories?


def read(sources: Sequence[Any], first: int, wanted: Wanted, most: float | None) -> Read:
    """The partitions first, first + 1, … one below the other. What is wrong with one is in `troubles`."""
    found: list[Read] = []
    for number, source in enumerate(sources, start=first):
        try:
            found.append(_one(source, wanted, most))
        except (ValueError, TypeError, KeyError, OSError, ImportError, VenireError) as error:
            return _nothing(f"partition {number}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
        if found[-1].X.shape[1:] != found[0].X.shape[1:] or found[-1].names != found[0].names:
            return _nothing(f"partition {number} has other columns than partition {first}: {_said(found[-1])}")
    needed = sum(one.X.size for one in found) * _BYTES
    if most is not None and needed > _ROOM * most:
        return _nothing(f"partitions {first} to {first + len(found) - 1} {_too_large(needed, most)}")
    union = together([one.categories for one in found if len(one.X)])
    for number, one in enumerate(found, start=first):
        if (odd := other_kind(one.X, one.categories, union)) is not None:
            return _nothing(f"partition {number}: column {odd} holds numbers, and elsewhere categories")
    found = [one.recoded(union) for one in found]
    dtype = np.float32 if all(one.X.dtype == np.float32 for one in found) else np.float64
    X = np.concatenate([np.asarray(one.X, dtype=dtype) for one in found])
    weights = [one.weights for one in found if one.weights is not None]
    y = np.concatenate([one.y for one in found])
    return Read(np.asfortranarray(X), y, found[0].names, np.concatenate(weights) if weights else None, union)


def together(known: Sequence[Mapping[int, tuple[Any, ...]]]) -> dict[int, tuple[Any, ...]]:
    """The categories of several tables, in order.

    >>> together([{0: ("b",)}, {0: ("a", "b")}])
    {0: ('a', 'b')}
    """
    columns = sorted({j for one in known for j in one})
    return {j: tuple(sorted({value for one in known for value in one.get(j, ())})) for j in columns}


def other_kind(X: NDArray[Any], own: Mapping[int, tuple[Any, ...]], union: Mapping[int, tuple[Any, ...]]) -> int | None:
    """A column that holds numbers here, and categories elsewhere; one without any value goes with both."""
    return next((j for j in union if j not in own and not np.isnan(X[:, j]).all()), None)


def _nothing(trouble: str) -> Read:
    return Read(np.empty((0, 0)), np.empty(0), None, troubles=(trouble,))


def _said(found: Read) -> str:
    return f"{found.X.shape[1]} columns" if found.names is None else ", ".join(found.names[:10])


def _one(source: Any, wanted: Wanted, most: float | None) -> Read:
    if isinstance(source, str | os.PathLike):
        source = _parquet(os.fspath(source), most)
    names, categories, weights = None, dict[int, tuple[Any, ...]](), None
    if isinstance(source, tuple) and len(source) in (2, 3):
        X, y = np.asarray(source[0]), np.asarray(source[1])
        weights = None if len(source) == 2 else np.asarray(source[2])
    else:
        X, y, weights, names, categories = _of_frame(source, wanted)
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise ValueError(f"X has the shape {X.shape}, and y {y.shape}")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"it does not hold numbers alone: {X.dtype}")
    if X.dtype.kind == "f" and np.isinf(X).any():
        raise ValueError("it holds infinite numbers")
    if X.dtype.kind != "f":
        X = X.astype(np.float64)
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise ValueError("the target has missing values")
    if wanted.numeric:
        y = np.asarray(y, dtype=np.float64)
    if weights is not None:
        weights = np.asarray(weights, dtype=np.float64)
        if weights.shape != y.shape or not np.isfinite(weights).all() or (weights < 0).any():
            raise ValueError("the weights are not a number a row, 0 or more")
    return Read(X, y, names, weights, categories)


def _of_frame(source: Any, wanted: Wanted) -> tuple[Any, ...]:
    if wanted.target is None:
        raise ValueError("a frame needs the name of its target: fit(partitions, target=…)")
    for name in (wanted.target, wanted.weight):
        if name is not None and name not in source.columns:
            raise ValueError(f"there is no column {name!r}")
    given = [name for name in source.columns if name not in (wanted.target, wanted.weight)]
    frame, y = source[given], np.asarray(source[wanted.target])
    weights = None if wanted.weight is None else np.asarray(source[wanted.weight])
    coded = coded_frame(frame) if wanted.categories else None
    if coded is None:
        for name in given:
            if np.asarray(source[name]).dtype.kind not in "fiub":
                raise ValueError(f"column {name!r} does not hold numbers: it is {source[name].dtype}")
        coded = np.asarray(frame), {}
    return coded[0], y, weights, tuple(str(name) for name in given), coded[1]


def _parquet(path: str, most: float | None) -> Any:
    parquet: Any = import_module("pyarrow.parquet")
    facts = parquet.read_metadata(path)
    needed = facts.num_rows * facts.num_columns * _BYTES
    if most is not None and needed > _ROOM * most:
        raise ValueError(f"{path} {_too_large(needed, most)}")
    return parquet.read_table(path).to_pandas()


def _too_large(needed: float, most: float) -> str:
    return (
        f"takes {needed / 2**30:.2g} GiB in memory, and its worker may take {most / 2**30:.2g} GiB, "
        f"of which {_ROOM:.0%} are for rows"
    )
