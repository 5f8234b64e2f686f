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

from venire._core import Bins, BlockBinner, Booster, BoostPlan, boosted_sums_coded, count_keys, weight_units
from venire.ensembles.parted.cut_columns import Asked, Codes, Counted, Cut
from venire.ensembles.parted.sent import Sent, sent
from venire.models.input import highest_codes
from venire.models.parted.part_rows import PartRows
from venire.models.parted.partitions import Wanted
from venire.models.tree.storage import arrays_of, trees_of

_PATIENCE = 600.0  # seconds without sums after which nobody waits for the trees

Floats = NDArray[np.float64]
Numbers = NDArray[np.uint64]


@dataclass(frozen=True)
class Task:
    """What is to be grown, as every part needs it."""

    plan: Mapping[str, Any]
    start: Floats
    directions: NDArray[np.int8]
    first: tuple[int, ...]  # first rows of the parts, and all rows
    cuts: Sequence[Cut | Codes]
    classes: NDArray[Any] | None
    max_bins: int
    wide: bool  # are the numbers of any part of eight bytes?
    before: Mapping[str, Any] | None  # the trees so far
    rounds_before: int
    threads: int


class Ended(Exception):
    """Nobody waits for the trees any more."""


class Part(PartRows):
    """A part of the rows on which trees are grown."""

    def __init__(self, first: int, wanted: Wanted, most: float | None, *sources: Any) -> None:
        super().__init__(first, wanted, most, *sources)
        self._told: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._given: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._booster: Booster | None = None
        self._units: NDArray[np.int64] | None = None
        self._threads = 1

    def weigh(self, total: float, whole: bool) -> None:
        """Weights in whole units, as bins count them, by what the rows of all parts weigh."""
        weights = self._read.weights
        assert weights is not None
        self._units = weight_units(weights, total=total, whole=whole)

    def codes_counted(self, column: int) -> tuple[Floats, NDArray[np.int64]]:
        """The codes of a column of categories, and what each weighs."""
        highest_codes(self._read.X, np.arange(self._read.X.shape[1]) == column)  # an error for what is no code
        values = self._read.X[:, column].astype(np.float64)
        there = ~np.isnan(values)
        codes, place = np.unique(values[there], return_inverse=True)
        units = np.ones(len(place), dtype=np.int64) if self._units is None else self._units[there]
        weights = np.zeros(len(codes), dtype=np.int64)
        np.add.at(weights, place, units)
        return codes, weights

    def counted(self, asked: Sequence[Asked], wide: bool) -> list[Counted]:
        """How many values of some columns begin with which bits."""
        dtype, found = np.float64 if wide else np.float32, []
        for column, known, prefixes, wanted in asked:
            values = np.ascontiguousarray(self._read.X[:, column], dtype=dtype).reshape(-1, 1)
            found.append(count_keys(values, self._units, known=known, prefixes=prefixes, wanted=wanted))
        return found

    def begin(self, part: int, task: Task) -> None:
        """Encode the rows, and get ready to grow."""
        bins = self._encoded(task.cuts, task.max_bins, task.wide)
        if task.classes is not None and self._labels is None:
            self.classes_counted(task.classes)
        numbers = self._read.y if self._labels is None else self._labels
        plan = BoostPlan()
        for name, value in task.plan.items():
            setattr(plan, name, value)
        self._booster = Booster.of_part(
            bins,
            np.ascontiguousarray(numbers, dtype=np.float64),
            self._read.weights,
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

    def _encoded(self, cuts: Sequence[Cut | Codes], max_bins: int, wide: bool) -> Bins:
        """Its rows as codes."""
        X = self._read.X.astype(np.float64, copy=False) if wide else self._read.X
        binner = BlockBinner.of(*X.shape, max_bins=max_bins)
        self._adopt(binner, cuts)
        for j in range(X.shape[1]):
            binner.encode(j, 0, np.ascontiguousarray(X[:, j]).reshape(-1, 1))
        return binner.finish()

    def _adopt(self, binner: BlockBinner, cuts: Sequence[Cut | Codes]) -> None:
        for j, one in enumerate(cuts):
            if isinstance(one, Codes):
                binner.take_weighed(j, one.codes.reshape(-1, 1), one.weights)
                binner.cut(j, categorical=True)
            else:
                binner.adopt(j, *one)

    def grow(self, rounds: int) -> Sent | None:
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

    def go_on(self, sums: Numbers) -> Sent | None:
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

    def _next(self) -> Sent | None:
        found = self._told.get()
        if isinstance(found, BaseException):
            raise found
        return None if found is None else sent(found)


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
