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

from venire.data.columns.numbers import number_text


class Kind(StrEnum):
    """What a column of the input is. The last three are left out of the attributes, and said so.

    Attributes
    ----------
    NUMERIC
        Numbers.
    BOOLEAN
        Two values that mean no and yes.
    CATEGORICAL
        Words, or codes that stand for them.
    DATE
        Days or moments, which become several numeric columns.
    IDENTIFIER
        A value of its own for nearly every row.
    CONSTANT
        One value for all rows.
    TEXT
        Free text.

    Examples
    --------
    >>> [str(kind) for kind in Kind][:3]
    ['numeric', 'boolean', 'categorical']
    """

    NUMERIC = "numeric"
    BOOLEAN = "boolean"
    CATEGORICAL = "categorical"
    DATE = "date"
    IDENTIFIER = "identifier"
    CONSTANT = "constant"
    TEXT = "text"


class Task(StrEnum):
    """What is to be predicted.

    Attributes
    ----------
    CLASSIFICATION
        A class.
    REGRESSION
        A number.

    Examples
    --------
    >>> Task("regression") is Task.REGRESSION
    True
    """

    CLASSIFICATION = "classification"
    REGRESSION = "regression"


@dataclass(frozen=True, slots=True)
class Column:
    """One attribute, that is one column of `Table.X`.

    Attributes
    ----------
    name
        Its name.
    kind
        Numeric, boolean or categorical: a date has become numeric columns by now.
    categories
        Of a categorical column, in code order; of a boolean one, (no, yes).
    missing
        How many rows have no value.
    origin
        The input column it was derived from, for parts of a date.
    part
        Which part of the date: year, month, …
    date_format
        How the dates were written (`strptime`); empty when typed or ISO, `"number"` for 20240131.
    decimal
        How its numbers were written, for reading new rows the same way.

    Examples
    --------
    >>> Column("month", Kind.NUMERIC, origin="day of birth", part="month").source
    'day of birth'
    """

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
    """An input column that is not an attribute, and why.

    Attributes
    ----------
    name
        Of the input column.
    kind
        What it was taken for, if anything.
    reason
        In words.

    Examples
    --------
    >>> import numpy as np
    >>> from venire.data.read import read_table
    >>> read_table(np.array([[1.5, 7.0], [2.5, 7.0]])).left_out[0].name
    'x1'
    """

    name: str
    kind: Kind | None
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """Something the user should know about what was read. Codes are stable words such as `infinite_values`.

    Attributes
    ----------
    code
        For programs.
    message
        For people.
    column
        Which it is about, if it is about one.

    Examples
    --------
    >>> Note("infinite_values", "2 infinite values count as missing", "size").column
    'size'
    """

    code: str
    message: str
    column: str | None = None


@dataclass(frozen=True, slots=True)
class Reading:
    """How the source was read; fields that make no sense for it are empty.

    Attributes
    ----------
    format
        csv, parquet, json, frame or arrays.
    files
        Their paths.
    encoding, delimiter, decimal, quote, header
        How a text file is written.
    missing
        The texts that counted as missing everywhere.
    missing_in_numbers
        Those that did so only among numbers and dates.
    missing_by_column
        And those of single columns.

    Examples
    --------
    >>> import numpy as np
    >>> from venire.data.read import read_table
    >>> read_table(np.array([[1.5, 2.0], [2.5, 3.0]])).reading.format
    'arrays'
    """

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
    """What is to be predicted: class codes (int32, into `classes`) or numbers (float64).

    Attributes
    ----------
    name
        Of the column.
    task
        Classes or numbers.
    values
        Class codes (int32, into `classes`) or numbers (float64).
    classes
        The values the user has for them, sorted: texts, whole numbers, False and True, …
    positive
        The code of the class of interest, with two classes.
    categorical
        The source itself calls its values categories.

    Examples
    --------
    >>> import numpy as np
    >>> Target("play", Task.CLASSIFICATION, np.array([0, 1, 1], dtype=np.int32), ("no", "yes")).labels
    ('no', 'yes')
    """

    name: str
    task: Task
    values: NDArray[Any]
    classes: tuple[Any, ...] = ()  # the values the user has for them, sorted: texts, whole numbers, False and True, …
    positive: int | None = None  # code of the class of interest, with two classes
    categorical: bool = False  # the source itself calls its values categories

    @property
    def labels(self) -> tuple[str, ...]:
        """The class names as printed."""
        return tuple(map(label_text, self.classes))


def label_text(label: Any) -> str:
    """A class as printed: a float that is whole has no point.

    >>> label_text(2.0), label_text(True), label_text("2.0")
    ('2', 'True', '2.0')
    """
    return number_text(float(label)) if isinstance(label, float | np.floating) else str(label)


@dataclass(frozen=True, eq=False, repr=False)
class Table:
    """Attributes, target and the account of how they were read. Rows with a missing target are already out.

    Attributes
    ----------
    X
        One column per attribute, one row per row; categories as codes, missing values as NaN.
    columns
        What each attribute is.
    target
        What is to be predicted, if there is something.
    groups
        The group of each row; rows of one group stay together.
    time
        Rows are in time order when sorted by this.
    weights
        How much each row counts in training; errors count rows alike.
    duplicates
        What becomes of copies of a row: they stay `"together"` in one fold, or are rows like any other (`"apart"`).
    left_out
        Input columns that are no attributes, and why.
    notes
        What the user should know about the reading.
    rows_without_target
        How many rows are left out because their target is missing.
    source
        In words.
    reading
        How the source was read.

    Examples
    --------
    >>> import numpy as np
    >>> from venire.data.read import read_table
    >>> table = read_table((np.array([[1.5, 2.0], [2.5, 3.0], [0.5, 4.0]]), ["no", "yes", "no"]))
    >>> table.rows, [column.name for column in table.columns], table.y
    (3, ['x0', 'x1'], array([0, 1, 0], dtype=int32))
    """

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
        names = "1 feature" if len(self.columns) == 1 else f"{len(self.columns):,} features"
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

    def take(self, rows: NDArray[np.intp]) -> Table:
        """The table made of some rows alone, in this order; columns and classes stay as they are."""
        return replace(
            self,
            X=self.X[rows],
            target=None if self.target is None else replace(self.target, values=self.target.values[rows]),
            groups=None if self.groups is None else self.groups[rows],
            time=None if self.time is None else self.time[rows],
            weights=None if self.weights is None else self.weights[rows],
            _digest=[],
        )

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
