"""What drifted: every column of new rows beside what the model file keeps of the training rows.

The distance is the population stability index, the sum over ranges (or categories, and what is missing) of
(q − p) ln(q / p), where p and q are the shares of training rows and of new rows. 0.1 is usually called some drift, and
0.25 much. With few rows it is above 0 by chance alone: with nothing drifted, n m / (n + m) times the distance is about
χ², and what that exceeds once in a thousand is no drift.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from venire.data.profiles import counted
from venire.data.table import Kind, Task
from venire.ensembles.table_model import TableModel
from venire.report.document.shapes.use import DistanceFacts, DriftFacts, InputFacts

SOME, MUCH = 0.1, 0.25
_CHANCE = 1e-3
_HALF = 0.5  # a row more in every range, halved: an empty one is not infinitely far from a full one


@dataclass(frozen=True)
class Distance:
    """How far two lots of rows are from each other, and what of it may be chance."""

    value: float
    by_chance: float

    @property
    def drifted(self) -> str:
        """In a word."""
        if self.value < SOME or self.value <= self.by_chance:
            return "no"
        return "much" if self.value >= MUCH else "some"


def distance(before: Sequence[int], after: Sequence[int]) -> Distance:
    """The population stability index of rows counted in the same ranges.

    >>> distance([100, 100], [100, 100]).value, round(distance([100, 100], [150, 50]).value, 2)
    (0.0, 0.27)
    """
    first, second = np.asarray(before, dtype=np.float64), np.asarray(after, dtype=np.float64)
    rows = 1 / max(first.sum(), 1.0) + 1 / max(second.sum(), 1.0)
    p, q = (_HALF + each for each in (first, second))
    p, q = p / p.sum(), q / q.sum()
    filled = max(1, int(((first + second) > 0).sum()) - 1)
    return Distance(float(((q - p) * np.log(q / p)).sum()), float(special.chdtri(filled, _CHANCE)) * rows)


class DriftAccount:
    """Counts new rows in the ranges and categories that the model file knows."""

    def __init__(self, model: TableModel) -> None:
        self._model = model
        about = model.about_ or {}
        known = {column["name"]: column for column in about.get("columns", ())}
        self._known: list[dict[str, Any]] = [known.get(column.name, {}) for column in model.columns_]
        self._rows = about.get("rows")
        self._target = about.get("target_counts"), about.get("target_edges", [])
        self._counts: dict[int, NDArray[np.int64]] = {}
        self._target_counts: NDArray[np.int64] | None = None
        self._missing = np.zeros(len(model.columns_), dtype=np.int64)
        self.rows = 0

    def add(self, X: NDArray[np.float64], y: NDArray[Any]) -> None:
        """Some more rows, and their targets."""
        self.rows += len(X)
        self._missing += np.isnan(X).sum(axis=0)
        for j, known in enumerate(self._known):
            if "counts" in known:
                found = counted(X[:, j], known.get("edges", []), len(known.get("categories", ())))
                self._counts[j] = found + self._counts.get(j, 0)
        if self._target[0] is not None:
            classes = 0 if self._model.task_ is Task.REGRESSION else len(self._model.classes_)
            found = counted(y, self._target[1], classes)
            self._target_counts = found if self._target_counts is None else self._target_counts + found

    def facts(self, account: InputFacts) -> list[DriftFacts]:
        """Every column, then the target."""
        unknown: dict[str, int] = {}
        for lost in account["lost"]:
            unknown[lost["column"]] = unknown.get(lost["column"], 0) + lost["rows"]
        beyond = {each["column"]: each["rows"] for each in account["out_of_range"]}
        found: list[DriftFacts] = []
        for j, column in enumerate(self._model.columns_):
            known = self._known[j]
            apart = self._distance(known.get("missing"), known.get("counts"), j)
            found.append(
                {
                    "column": column.name,
                    "kind": str(column.kind),
                    "missing_training": known["missing"] / self._rows if known and self._rows else None,
                    "missing": int(self._missing[j]) / max(1, self.rows),
                    "unknown": unknown.get(column.source, 0),
                    "out_of_range": beyond.get(column.name, 0),
                    **_said(apart),
                }
            )
        return [*found, self._of_target()]

    def _distance(self, missing: int | None, before: Sequence[int] | None, j: int) -> Distance | None:
        if before is None or missing is None:
            return None
        return distance([*before, missing], [*self._counts[j].tolist(), int(self._missing[j])])

    def _of_target(self) -> DriftFacts:
        before, after = self._target[0], self._target_counts
        apart = None if before is None or after is None else distance(before, after.tolist())
        numeric = self._model.task_ is Task.REGRESSION
        return {
            "column": self._model.target_name_,
            "kind": str(Kind.NUMERIC if numeric else Kind.CATEGORICAL),
            "missing_training": None,
            "missing": 0.0,
            "unknown": 0,
            "out_of_range": 0,
            **_said(apart),
        }


def _said(apart: Distance | None) -> DistanceFacts:
    if apart is None:
        return {"distance": None, "by_chance": None, "drifted": None}
    return {"distance": apart.value, "by_chance": apart.by_chance, "drifted": apart.drifted}
