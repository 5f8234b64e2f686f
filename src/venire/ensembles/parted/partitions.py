"""Partitions as they come: frames, pairs of arrays, or Parquet files; read to one matrix of numbers and a target."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

_ROOM = 0.5  # of a worker's memory, for the rows of its parts
_BYTES = 8 + 1 + 1  # a value: as a number, as a code, and as a code among those of its row


@dataclass(frozen=True)
class Read:
    """The rows of a part."""

    X: NDArray[Any]
    y: NDArray[Any]
    names: tuple[str, ...] | None
    troubles: tuple[str, ...] = ()


def read(sources: Sequence[Any], first: int, target: Any, *, numeric: bool, most: float | None) -> Read:
    """The partitions first, first + 1, … one below the other. What is wrong with one is in `troubles`."""
    found: list[tuple[NDArray[Any], NDArray[Any], tuple[str, ...] | None]] = []
    for number, source in enumerate(sources, start=first):
        try:
            found.append(_one(source, target, numeric, most))
        except (ValueError, TypeError, KeyError, OSError, ImportError) as error:
            return _nothing(f"partition {number}: {str(error).splitlines()[0] if str(error) else type(error).__name__}")
        if found[-1][0].shape[1:] != found[0][0].shape[1:] or found[-1][2] != found[0][2]:
            return _nothing(f"partition {number} has other columns than partition {first}: {_said(found[-1])}")
    parts = [X for X, _, _ in found]
    needed = sum(X.size for X in parts) * _BYTES
    if most is not None and needed > _ROOM * most:
        return _nothing(f"partitions {first} to {first + len(parts) - 1} {_too_large(needed, most)}")
    dtype = np.float32 if all(X.dtype == np.float32 for X in parts) else np.float64
    X = np.concatenate([np.asarray(X, dtype=dtype) for X in parts])
    return Read(np.asfortranarray(X), np.concatenate([y for _, y, _ in found]), found[0][2])


def _nothing(trouble: str) -> Read:
    return Read(np.empty((0, 0)), np.empty(0), None, (trouble,))


def _said(found: tuple[NDArray[Any], NDArray[Any], tuple[str, ...] | None]) -> str:
    return f"{found[0].shape[1]} columns" if found[2] is None else ", ".join(found[2][:10])


def _one(source: Any, target: Any, numeric: bool, most: float | None) -> tuple[Any, Any, tuple[str, ...] | None]:
    if isinstance(source, str | os.PathLike):
        source = _parquet(os.fspath(source), most)
    names = None
    if isinstance(source, tuple) and len(source) == 2:
        X, y = np.asarray(source[0]), np.asarray(source[1])
    else:
        if target is None:
            raise ValueError("a frame needs the name of its target: fit(partitions, target=…)")
        if target not in source.columns:
            raise ValueError(f"there is no column {target!r}")
        names = tuple(str(name) for name in source.columns if name != target)
        y = np.asarray(source[target])
        for name in source.columns:
            if name != target and np.asarray(source[name]).dtype.kind not in "fiub":
                raise ValueError(f"column {name!r} does not hold numbers: it is {source[name].dtype}")
        X = np.asarray(source[[name for name in source.columns if name != target]])
    if X.ndim != 2 or y.shape != X.shape[:1]:
        raise ValueError(f"X has the shape {X.shape}, and y {y.shape}")
    if X.dtype.kind not in "fiub":
        raise ValueError(f"it does not hold numbers alone: {X.dtype}")
    if X.dtype.kind == "f" and np.isinf(X).any():
        raise ValueError("it holds infinite numbers")
    if y.dtype.kind == "f" and np.isnan(y).any():
        raise ValueError("the target has missing values")
    if numeric:
        y = np.asarray(y, dtype=np.float64)
    return X, y, names


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
