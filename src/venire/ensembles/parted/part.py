"""One part of the rows, where they are: what it says of them, and the growing of trees on them.

Every part grows the same trees. Where growing needs a sum over all rows it stops with the numbers of its own, and goes
on when it is given the sums.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import BlockBinner, Booster, BoostPlan, boosted_sums_coded
from venire.ensembles.parted.partitions import Read, read
from venire.models.tree.storage import arrays_of, trees_of

CHUNK = 2**20  # values of a column in one message
_PATIENCE = 600.0  # seconds without sums after which nobody waits for the trees

Floats = NDArray[np.float64]
Numbers = NDArray[np.uint64]


@dataclass(frozen=True)
class Facts:
    """What all need to know of a part."""

    rows: int
    names: tuple[str, ...] | None
    columns: int
    wide: bool  # are its numbers of eight bytes?
    classes: NDArray[Any] | None  # of a target of classes
    least: float  # of a target of numbers, and whether all are numbers
    finite: bool
    bytes: int
    troubles: tuple[str, ...] = ()  # what is wrong with it, by its partitions


@dataclass(frozen=True)
class Task:
    """What is to be grown, as every part needs it."""

    plan: Mapping[str, Any]
    start: Floats
    directions: NDArray[np.int8]
    first: tuple[int, ...]  # first rows of the parts, and all rows
    cuts: Sequence[tuple[list[float], list[float], float, float]]
    classes: NDArray[Any] | None
    max_bins: int
    wide: bool  # are the numbers of any part of eight bytes?
    before: Mapping[str, Any] | None  # the trees so far
    rounds_before: int
    threads: int


class Ended(Exception):
    """Nobody waits for the trees any more."""


class Part:
    """A part of the rows; other processes call its methods one after the other."""

    def __init__(self, first: int, target: Any, numeric: bool, most: float | None, *sources: Any) -> None:
        self._read: Read = read(sources, first, target, numeric=numeric, most=most)
        self._numeric = numeric
        self._sorted: tuple[int, Floats, NDArray[np.int64]] | None = None
        self._told: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._given: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._booster: Booster | None = None
        self._threads = 1

    def facts(self) -> Facts:
        """What is in it."""
        found = self._read
        X, y = found.X, found.y
        return Facts(
            rows=len(X),
            names=found.names,
            columns=X.shape[1],
            wide=X.dtype != np.float32,
            classes=None if self._numeric else np.unique(y),
            least=float(y.min()) if self._numeric and len(y) else 0.0,
            finite=not self._numeric or bool(np.isfinite(y).all()),
            bytes=X.nbytes + y.nbytes,
            troubles=found.troubles,
        )

    def added(self, before: float | None) -> float:
        """The sum of the target, behind that of the rows before: added in the order of the rows. None: not asked."""
        if before is None:
            return 0.0
        return float(np.cumsum(np.concatenate([[before], self._read.y]))[-1])

    def classes_counted(self, classes: NDArray[Any]) -> NDArray[np.int64]:
        """How many rows each class has."""
        return np.bincount(np.searchsorted(classes, self._read.y), minlength=len(classes))

    def values(self, column: int, start: int) -> tuple[Floats, NDArray[np.int64]]:
        """The values of a column in ascending order, each once with its rows, from a place on."""
        if self._sorted is None or self._sorted[0] != column:
            numbers = self._read.X[:, column]
            values, counts = np.unique(numbers[~np.isnan(numbers)], return_counts=True)
            self._sorted = column, values.astype(np.float64), counts.astype(np.int64)
        _, values, counts = self._sorted
        return values[start : start + CHUNK], counts[start : start + CHUNK]

    def begin(self, part: int, task: Task) -> None:
        """Encode the rows, and get ready to grow."""
        self._sorted = None
        X, y = self._read.X, self._read.y
        if task.wide:
            X = X.astype(np.float64, copy=False)
        binner = BlockBinner.of(*X.shape, max_bins=task.max_bins)
        for j, cuts in enumerate(task.cuts):
            binner.adopt(j, *cuts)
            binner.encode(j, 0, np.ascontiguousarray(X[:, j]).reshape(-1, 1))
        bins = binner.finish()
        numbers = y if task.classes is None else np.searchsorted(task.classes, y)
        plan = BoostPlan()
        for name, value in task.plan.items():
            setattr(plan, name, value)
        self._booster = Booster.of_part(
            bins,
            np.ascontiguousarray(numbers, dtype=np.float64),
            task.start,
            task.directions,
            plan,
            first=list(task.first),
            part=part,
            add=_Asked(self._told, self._given),
            threads=task.threads,
        )
        self._threads = task.threads
        if task.before is not None:
            forest = trees_of(task.before)
            scores = boosted_sums_coded(forest, bins, list(task.start), [task.rounds_before], threads=task.threads)
            self._booster.resume(np.ascontiguousarray(scores[0].T), task.rounds_before)

    def grow(self, rounds: int) -> Numbers | None:
        """Begin so many rounds; the first numbers to be added up."""
        booster = self._booster
        assert booster is not None
        told, threads = self._told, self._threads

        def work() -> None:
            try:
                booster.advance(rounds, threads=threads)
            except Ended:
                return
            except BaseException as error:
                told.put(error)
                return
            told.put(None)

        threading.Thread(target=work, name="growing of a part", daemon=True).start()
        return self._next()

    def go_on(self, sums: Numbers) -> Numbers | None:
        """With the sums over all parts, up to the next numbers; None at the end of the rounds."""
        self._given.put(sums)
        return self._next()

    def trees(self) -> Mapping[str, Any]:
        """All trees that were grown since `begin`."""
        assert self._booster is not None
        return dict(arrays_of(self._booster.forest()))

    def end(self) -> None:
        """Nobody waits any more."""
        self._given.put(None)

    def _next(self) -> Numbers | None:
        found = self._told.get()
        if isinstance(found, BaseException):
            raise found
        numbers: Numbers | None = found
        return numbers


class _Asked:
    """What the core calls for sums; it holds no booster, which holds it."""

    def __init__(self, told: queue.SimpleQueue[Any], given: queue.SimpleQueue[Any]) -> None:
        self._told, self._given = told, given

    def __call__(self, numbers: Numbers) -> Numbers:
        self._told.put(np.array(numbers))
        try:
            sums = self._given.get(timeout=_PATIENCE)
        except queue.Empty:
            raise Ended from None
        if sums is None:
            raise Ended
        return np.ascontiguousarray(sums, dtype=np.uint64)
