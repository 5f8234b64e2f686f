"""`read_table`: from a path, a frame or arrays to a `Table`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.advice import Advice, Option
from venire.data import target as goals
from venire.data.column_options import Names, Wanted, kinds_of, listed, task_named
from venire.data.columns.dates import PARTS
from venire.data.columns.interpreted import Interpreted, Rules
from venire.data.columns.kinds import interpret, unrepeated
from venire.data.columns.matrix import Matrix, Room
from venire.data.columns.missing import Missing
from venire.data.columns.notes import merged
from venire.data.columns.raw import Dates, Facts, Glancing, Raw, Seldom, Source
from venire.data.readers.beside import is_values
from venire.data.readers.sniff import Given
from venire.data.readers.sources import Options, open_source
from venire.data.store.large import beyond, kept_in_store
from venire.data.table import Column, Kind, LeftOut, Note, Table, Task
from venire.errors import DataError, UsageError


def read_table(
    source: Any,
    target: str | ArrayLike | None = None,
    *,
    positive: Any = None,
    task: Task | str | None = None,
    drop: Names = (),
    numeric: Names = (),
    categorical: Names = (),
    boolean: Names = (),
    date: Names = (),
    text: Names = (),
    identifier: Names = (),
    kinds: Mapping[Any, Kind | str] | None = None,
    groups: str | ArrayLike | None = None,
    time: str | ArrayLike | None = None,
    weights: str | ArrayLike | None = None,
    missing: Iterable[str] | Mapping[Any, Iterable[str]] | None = None,
    default_missing: bool = True,
    delimiter: str | None = None,
    quote: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    header: bool | None = None,
    comment: str | None = None,
    max_unpacked: float | None = None,
    sheet: str | int | None = None,
    memory: float | None = None,
    store: str | os.PathLike[str] | None = None,
) -> Table:
    """Read a table and decide what each column is.

    Parameters
    ----------
    source
        A path, a folder of files with the same columns, a pattern such as ``"data/*.csv"``, a list of paths (CSV, TSV,
        JSON lines or Parquet, also ``.gz`` and ``.zst``), an Excel workbook (``.xlsx``; needs the extra ``excel``),
        ``"-"`` for what is piped in, a pandas, polars or Arrow frame, or ``(X, y)`` with arrays or frames.
    target
        The column to predict, or its values. Rows where it is missing are left out and counted.
    positive
        The class of interest, with two classes. Default: the one whose name says so (yes, true, 1 beside 0, …), else
        the rarer one; of two that are equally frequent the last in order. A note says which, and why.
    task
        ``"classification"`` or ``"regression"``. Default: classification for words, for booleans, and for whole numbers
        with at most ten different values. Texts that hardly repeat (more than ten values, and either fewer than three
        rows a value or half of the rows with a value of their own) are refused as a target unless you say that they
        are classes.
    drop
        Columns to leave out.
    numeric, categorical, boolean, date, text, identifier, kinds
        Columns whose kind you know better; `kinds` says the same as a mapping from column to kind.
    groups, time
        The column that says which rows belong together, and the one that puts them in order. Neither is an attribute.
        All four parts may also be given as values, one a row in the order of the table: an array, a list or a series.
    weights
        The column that says how much each row counts in training. Errors count all rows alike.
    missing
        Texts that mean missing besides the usual ones: for all columns, or as a mapping from column to texts.
    default_missing
        False: only the texts in `missing` (and empty fields) mean missing.
    delimiter, quote, decimal, encoding, header, comment
        How a text file is written. Default: found out.
    max_unpacked
        How large a packed file may become, in gigabytes. Default: 1, or a hundred times its own size if that is more.
    sheet
        Of an Excel workbook, the name of the sheet or its number from 1 on. Default: the first.
    memory
        Gigabytes that the numbers of a table may take in memory; those of larger files stay in a column store on disk.
        Default: a quarter of the memory there is.
    store
        The folder below which column stores are kept. Default: that of ``VENIRE_HOME``, or ``.venire``.

    Returns
    -------
    Table
        Attributes, target and how they were read.

    Examples
    --------
    >>> import numpy as np
    >>> table = read_table((np.array([[1.5, 0], [2.5, 1], [0.5, 1]]), ["no", "yes", "no"]))
    >>> [(column.name, str(column.kind)) for column in table.columns], table.target.classes
    ([('x0', 'numeric'), ('x1', 'boolean')], ('no', 'yes'))
    """
    given = {
        Kind.NUMERIC: numeric,
        Kind.CATEGORICAL: categorical,
        Kind.BOOLEAN: boolean,
        Kind.DATE: date,
        Kind.TEXT: text,
        Kind.IDENTIFIER: identifier,
    }
    forced, dropped, asked = kinds_of(given, kinds or {}), listed("drop", drop), task_named(task)
    options = Options(
        Missing.of(missing, defaults=default_missing),
        Given(delimiter, quote, decimal, header, comment),
        encoding,
        max_unpacked,
        sheet,
    )
    as_text = {name for name, kind in forced.items() if kind is Kind.CATEGORICAL}
    parts = {"target": target, "groups": groups, "time": time, "weights": weights}

    def assembled(options: Options, room: Callable[[int, int], Room]) -> Table:
        with open_source(source, options, parts, as_text) as (opened, names):
            columns = {part: names.get(part) for part in parts}
            wanted = Wanted(**columns, positive=positive, task=asked, drop=dropped, forced=forced)
            return _Assembly(opened, wanted, options.missing, room).table()

    if target is None or any(map(is_values, parts.values())) or not (needed := beyond(source, memory)):
        return assembled(options, Matrix)
    how = repr((parts, positive, task, dropped, sorted(forced.items(), key=repr), options))
    return kept_in_store(source, how, needed, store, partial(assembled, replace(options, lean=True)))


class _Assembly:
    """Takes the columns from a source one by one: first those with a part to play, then the attributes."""

    def __init__(self, source: Source, wanted: Wanted, missing: Missing, room: Callable[[int, int], Room]) -> None:
        self.source = source
        self.room = room
        self.wanted = wanted
        self.facts: Facts = source.facts
        self.file = self.facts.source if self.facts.reading.files else None
        self.rules = Rules(missing, self.facts.reading.decimal or ".", self.facts.named)
        self.notes: list[Note] = list(self.facts.notes)
        self.left_out: list[LeftOut] = []
        self.columns: list[Column] = []

    def table(self) -> Table:
        self.wanted.check(self.facts.names, self.file)
        goal = self._goal()
        keep = goal.known if goal is not None and not goal.known.all() else None
        groups = self._groups(keep)
        time = self._time(keep)
        weights = self._weights(keep)
        rows = self.facts.rows if keep is None else int(keep.sum())
        matrix = self._attributes(rows, keep)
        return Table(
            X=matrix.values(),
            columns=tuple(self.columns),
            target=goal.target if goal is not None else None,
            groups=groups,
            time=time,
            weights=weights,
            left_out=tuple(self.left_out),
            notes=merged(self.notes),
            rows_without_target=self.facts.rows - rows,
            source=self.facts.source,
            reading=self.facts.reading,
        )

    def _goal(self) -> goals.Goal | None:
        wanted = self.wanted
        if wanted.target is None:
            if wanted.positive is not None or wanted.task is not None:
                raise UsageError("positive and task need a target", hint="name the column to predict")
            return None
        raw = self.source.column(wanted.target)
        goal = goals.read_target(wanted.target, raw, self.rules, wanted.task_of_target, wanted.positive, self.file)
        self.notes.extend(goal.notes)
        return goal

    def _groups(self, keep: NDArray[np.bool_] | None) -> NDArray[np.int32] | None:
        if (name := self.wanted.groups) is None:
            return None
        raw = self.source.column(name)
        groups, notes = goals.read_groups(name, raw if keep is None else raw.take(keep), self.rules)
        self.notes.extend(notes)
        return groups

    def _time(self, keep: NDArray[np.bool_] | None) -> NDArray[np.float64] | None:
        if (name := self.wanted.time) is None:
            return None
        raw = self.source.column(name)
        return goals.read_time(name, raw if keep is None else raw.take(keep), self.rules, self.file)

    def _weights(self, keep: NDArray[np.bool_] | None) -> NDArray[np.float64] | None:
        if (name := self.wanted.weights) is None:
            return None
        raw = self.source.column(name)
        return goals.read_weights(name, raw if keep is None else raw.take(keep), self.rules, self.file)

    def _attributes(self, rows: int, keep: NDArray[np.bool_] | None) -> Room:
        wanted = self.wanted
        parts = {"groups": "says which rows stay together", "time": "orders the rows", "weights": "weighs rows"}
        played = {part: name for part in parts if (name := getattr(wanted, part)) is not None}
        self.notes += [Note(f"{p}_column", f"it {parts[p]}, and predicts nothing", name) for p, name in played.items()]
        roles = {wanted.target, *played.values()}
        names = [name for name in self.facts.names if name not in roles]
        matrix = self.room(rows, len(names) + (len(PARTS) - 1) * self.facts.dates_expected)
        kept_back: list[tuple[str, Raw | Seldom]] = []
        for name in names:
            if name in wanted.drop:
                self.left_out.append(LeftOut(name, None, "as you asked"))
                continue
            raw, forced = self._raw(name, keep), wanted.forced.get(name)
            read = interpret(name, raw, self.rules, forced)
            if not self.columns and read.kind is Kind.IDENTIFIER and forced is None:
                kept_back.append((name, raw))
            elif isinstance(raw, Seldom):
                self._release(name)
            self._add(read, matrix)
        if not self.columns:
            self._make_do(kept_back, matrix)
        return matrix

    def _raw(self, name: str, keep: NDArray[np.bool_] | None) -> Raw | Seldom:
        """A column of the rows that stay; of texts that say what they are at a glance, no more than that."""
        if keep is None and name not in self.wanted.forced and isinstance(self.source, Glancing):
            seen = self.source.glance(name, self.rules.missing)
            if isinstance(seen, Dates) or (isinstance(seen, Seldom) and unrepeated(seen)):
                return seen
        raw = self.source.column(name)
        return raw if keep is None else raw.take(keep)

    def _release(self, name: str) -> None:
        if isinstance(self.source, Glancing):
            self.source.release(name)

    def _add(self, read: Interpreted, matrix: Room) -> None:
        self.notes.extend(read.notes)
        if read.left_out is not None:
            self.left_out.append(read.left_out)
        for column, values in read.attributes:
            matrix.append(values)
            self.columns.append(column)

    def _make_do(self, kept_back: list[tuple[str, Raw | Seldom]], matrix: Room) -> None:
        """Only identifiers are left: better to use them than to have nothing."""
        for name, raw in kept_back:
            self.left_out = [out for out in self.left_out if out.name != name]
            self._add(interpret(name, raw, replace(self.rules, spare=False)), matrix)
            self.notes.append(Note("identifier_kept", "it looks like an identifier, but nothing else is left", name))
        if self.wanted.target is not None and not self.columns:
            reasons = "; ".join(f"{out.name}: {out.reason}" for out in self.left_out[:5]) or "there is no other column"
            raise DataError(
                f"no column is left to predict {self.wanted.target!r} from ({reasons})",
                code="no_attributes",
                file=self.file,
                hint=self._way_to_keep(),
            )

    def _way_to_keep(self) -> str:
        """How one of the columns left out could be kept."""
        decided = [out for out in self.left_out if out.kind not in (None, Kind.CONSTANT)]
        if decided:
            option = Option("categorical", [decided[0].name])
            return Advice("name the kind of a column to keep it, for example ", option)
        if any(out.kind is None for out in self.left_out):
            return "drop fewer columns"
        return "give a table with a column to predict from, whose values differ"
