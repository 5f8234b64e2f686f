"""What was read, as plain facts: `venire show` prints this dictionary."""

from __future__ import annotations

from typing import Any

import numpy as np

from venire.advice import parts_of
from venire.data.document import Account, ColumnFacts, ReadingFacts, TableDocument, TargetFacts
from venire.data.table import Column, Kind, Table, Target, Task
from venire.errors import SCHEMA_VERSION

_EXAMPLES = 5


def describe(table: Table) -> TableDocument:
    """The facts about a table: plain numbers, texts, lists and dictionaries only.

    Parameters
    ----------
    table
        What `read_table` gives.

    Returns
    -------
    dict
        Rows, columns, target, what was left out and why.

    Examples
    --------
    >>> import numpy as np
    >>> from venire.data.read import read_table
    >>> facts = describe(read_table(np.array([[1.5, 2.0], [2.5, np.nan]])))
    >>> facts["rows"], facts["columns"][0]["range"], facts["columns"][1]["missing"]
    (2, [1.5, 2.5], 1)
    """
    return {
        "schema_version": SCHEMA_VERSION,
        "source": table.source,
        "rows": table.rows,
        "target": None if table.target is None else _target(table.target),
        "columns": [_column(column, table.X[:, j]) for j, column in enumerate(table.columns)],
        **account(table),
        "reading": _reading(table),
    }


def account(table: Table) -> Account:
    """What was left out, how rows hang together, what the reading had to decide: in every document about a table."""
    return {
        "rows_without_target": table.rows_without_target,
        "left_out": [
            {"name": out.name, "kind": None if out.kind is None else str(out.kind), "reason": out.reason}
            for out in table.left_out
        ],
        "weights": table.weights is not None,
        "groups": None if table.groups is None else len(np.unique(table.groups)),
        "time": table.time is not None,
        "notes": [
            {
                "code": note.code,
                "message": str(note.message),
                "message_parts": parts_of(note.message),
                "column": note.column,
            }
            for note in table.notes
        ],
    }


def _target(target: Target) -> TargetFacts:
    if target.task is Task.REGRESSION:
        ends = [float(target.values.min()), float(target.values.max())]
        return {"name": target.name, "task": str(target.task), "range": ends}
    counts = np.bincount(target.values, minlength=len(target.classes))
    return {
        "name": target.name,
        "task": str(target.task),
        "classes": [{"label": label, "rows": int(count)} for label, count in zip(target.labels, counts, strict=True)],
        "positive": None if target.positive is None else target.labels[target.positive],
    }


def _column(column: Column, values: Any) -> ColumnFacts:
    present = values[~np.isnan(values)]
    facts: ColumnFacts = {
        "name": column.name,
        "kind": str(column.kind),
        "from": column.origin or None,
        "missing": column.missing,
        "distinct": len(np.unique(present)),
    }
    if column.kind is Kind.NUMERIC:
        facts["decimal"] = column.decimal
        facts["range"] = [float(present.min()), float(present.max())] if present.size else None
        return facts
    counts = np.bincount(present.astype(np.intp), minlength=len(column.categories))
    common = np.argsort(-counts, kind="stable")[:_EXAMPLES]
    facts["examples"] = [{"value": column.categories[code], "rows": int(counts[code])} for code in common]
    return facts


def _reading(table: Table) -> ReadingFacts:
    reading = table.reading
    return {
        "format": reading.format,
        "files": list(reading.files),
        "encoding": reading.encoding or None,
        "delimiter": reading.delimiter or None,
        "decimal": reading.decimal or None,
        "quote": reading.quote or None,
        "header": reading.header,
        "missing": list(reading.missing),
        "missing_in_numbers": list(reading.missing_in_numbers),
        "missing_by_column": {name: list(texts) for name, texts in reading.missing_by_column},
    }
