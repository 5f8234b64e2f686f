"""The table as venire sees it: one matrix of attributes, one target, and an account of what was left out.

Attributes live in a single column-major float64 matrix `X`. A numeric column holds its values (NaN is missing),
a boolean column 0 and 1, a categorical column the codes of its `categories` (NaN is missing). Which is which
is in `columns`; turning codes into something a learner can use is the job of `encode`, inside the training part.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Kind(StrEnum):
    """What a column of the input is. The last three are left out of the attributes, and said so."""

    NUMERIC = "numeric"
    BOOLEAN = "boolean"
    CATEGORICAL = "categorical"
    DATE = "date"
    IDENTIFIER = "identifier"
    CONSTANT = "constant"
    TEXT = "text"


class Task(StrEnum):
    """What is to be predicted."""

    CLASSIFICATION = "classification"
    REGRESSION = "regression"


@dataclass(frozen=True, slots=True)
class Column:
    """One attribute, that is one column of `Table.X`."""

    name: str
    kind: Kind  # NUMERIC, BOOLEAN or CATEGORICAL: a date has become numeric columns by now
    categories: tuple[str, ...] = ()  # of a categorical column, in code order; of a boolean one, (no, yes)
    missing: int = 0
    origin: str = ""  # the input column it was derived from, for parts of a date
    part: str = ""  # which part of the date: year, month, …
    date_format: str = ""  # how the dates were written (strptime); "" when typed or ISO, "number" for 20240131
    decimal: str = "."  # how its numbers were written, for reading new rows the same way

    @property
    def source(self) -> str:
        """The input column this attribute is read from."""
        return self.origin or self.name


@dataclass(frozen=True, slots=True)
class LeftOut:
    """An input column that is not an attribute, and why."""

    name: str
    kind: Kind | None
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something the user should know about what was read. Codes are stable words such as `infinite_values`."""

    code: str
    message: str
    column: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """How the source was read; fields that make no sense for it are empty."""

    format: str = ""  # csv, parquet, json, frame or arrays
    files: tuple[str, ...] = ()
    encoding: str = ""
    delimiter: str = ""
    decimal: str = ""
    quote: str = ""
    header: bool = True
    missing: tuple[str, ...] = ()  # the texts that counted as missing everywhere
    missing_in_numbers: tuple[str, ...] = ()  # those that did so only among numbers and dates
    missing_by_column: tuple[tuple[str, tuple[str, ...]], ...] = ()  # and those of single columns


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be predicted: class codes (int32, into `classes`) or numbers (float64)."""

    name: str
    task: Task
    values: NDArray[Any]
    classes: tuple[Any, ...] = ()  # the labels as the user wrote them, sorted
    positive: int | None = None  # code of the class of interest, with two classes

    @property
    def labels(self) -> tuple[str, ...]:
        """The class names as printed."""
        return tuple(str(label) for label in self.classes)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Attributes, target and the account of how they were read. Rows with a missing target are already out."""

    X: NDArray[np.float64]
    columns: tuple[Column, ...]
    target: Target | None = None
    groups: NDArray[np.int32] | None = None  # rows of one group must stay together
    time: NDArray[np.float64] | None = None  # rows in time order when sorted by this
    weights: NDArray[np.float64] | None = None  # how much each row counts in training; errors count rows alike
    duplicates: str = "together"  # copies of a row stay in one fold; "apart": they are rows like any other
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[Note, ...] = ()
    rows_without_target: int = 0
    source: str = ""
    reading: Reading = Reading()
    _digest: list[str] = field(default_factory=list, repr=False)

    def __repr__(self) -> str:
        wanted = "no target" if self.target is None else f"target {self.target.name!r} ({self.target.task})"
        names = "1 attribute" if len(self.columns) == 1 else f"{len(self.columns):,} attributes"
        return f"<Table {self.source!r}: {self.rows:,} rows, {names}, {wanted}>"

    @property
    def rows(self) -> int:
        """The number of rows that carry a target."""
        return int(self.X.shape[0])

    @property
    def categorical(self) -> NDArray[np.bool_]:
        """Which columns of `X` hold category codes."""
        return np.array([column.kind is Kind.CATEGORICAL for column in self.columns], dtype=bool)

    @property
    def scarce(self) -> int | None:
        """How many rows the rarest class has; None where numbers are predicted."""
        if self.target is None or not self.target.classes:
            return None
        return int(np.bincount(self.target.values, minlength=len(self.target.classes)).min())

    @property
    def y(self) -> NDArray[Any]:
        """The target's values (class codes or numbers)."""
        if self.target is None:
            raise AttributeError("this table was read without a target")
        return self.target.values

    def with_values(self, X: NDArray[np.float64], y: NDArray[Any]) -> Table:
        """The same table with other values in it, as the garbling check needs."""
        if self.target is None:
            raise AttributeError("this table was read without a target")
        return replace(self, X=X, target=replace(self.target, values=y), _digest=[])

    def fingerprint(self) -> str:
        """A digest of everything that can reach a model or a split; equal tables have equal fingerprints."""
        if not self._digest:
            self._digest.append(_digest_of(self))
        return self._digest[0]


def _digest_of(table: Table) -> str:
    digest = hashlib.blake2b(digest_size=16)
    digest.update(repr([(c.name, str(c.kind), c.categories) for c in table.columns]).encode())
    for j in range(table.X.shape[1]):
        digest.update(np.ascontiguousarray(table.X[:, j]).data)
    if table.target is not None:
        target = table.target
        digest.update(repr((target.name, str(target.task), target.labels, target.positive)).encode())
        digest.update(np.ascontiguousarray(target.values).data)
    for part in (table.groups, table.time, table.weights):
        digest.update(b"-" if part is None else np.ascontiguousarray(part).data)
    return digest.hexdigest()
