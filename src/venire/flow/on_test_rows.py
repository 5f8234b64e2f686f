"""Every model of a verdict on a separate test file, which had no part in training or in any choice.

The rows are read before the trials begin, so that what is wrong with them is said at once, and looked at when all is
chosen: each model is then fitted on all training rows and asked about them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data import Table, conform
from venire.data.labelled import labelled, no_outcome
from venire.ensembles.table_model import TableModel
from venire.flow.refits import in_one_line, refit_every
from venire.inference.one_test_set import fixed_model_interval
from venire.report.document.held_out import ends, number
from venire.report.document.shapes.verdict import OnTestRows, TestedModel
from venire.validation.plans.copies import row_keys
from venire.verdict.candidates import Candidate
from venire.verdict.judgement import Judgement


@dataclass(frozen=True, eq=False)
class TestRows:
    """Rows with known targets, in the columns of the training table."""

    X: NDArray[np.float64]
    y: NDArray[Any]
    source: str
    rows_without_target: int
    lost: tuple[str, ...]  # in words: values that make no sense in their column

    @property
    def digest(self) -> str:
        """Equal for equal rows: other test rows are another question."""
        held = hashlib.blake2b(digest_size=16)
        for part in (np.ascontiguousarray(self.X), np.ascontiguousarray(self.y)):
            held.update(part.data)
        return held.hexdigest()


def read_test_rows(source: Any, table: Table) -> TestRows:
    """The rows of anything `read_table` takes, in the columns of the table."""
    assert table.target is not None
    read = conform(source, table.columns, target=table.target, reading=table.reading)
    X, y = labelled(read, table.target)
    if not len(y):
        raise no_outcome(table.target, read.source)
    lost = tuple(f"{each.column}: {each.message}" for each in read.lost)
    return TestRows(X, y, read.source, len(read.X) - len(y), lost)


def tested(judgement: Judgement, rows: TestRows, threads: int) -> OnTestRows:
    """Every line of the leaderboard on the test rows, with an interval for the model as it is on new rows."""
    table = judgement.docket.table
    models = refit_every(judgement, threads)
    order = {row.family: at for at, row in enumerate(judgement.rows)}
    candidates = sorted(judgement.candidates, key=lambda candidate: order[candidate.name])
    return {
        "source": rows.source,
        "rows": len(rows.y),
        "rows_without_target": rows.rows_without_target,
        "copies": int(np.isin(_keys(rows.X, rows.y), _keys(table.X, table.y)).sum()),
        "notes": list(rows.lost),
        "models": [_line(judgement, candidate, models[candidate.name], rows) for candidate in candidates],
    }


def _keys(X: NDArray[np.float64], y: NDArray[Any]) -> NDArray[np.uint64]:
    return row_keys([*X.T, y.astype(np.float64)], len(y))


def _line(judgement: Judgement, candidate: Candidate, model: TableModel | BaseException, rows: TestRows) -> TestedModel:
    metric = judgement.docket.metric
    found: TestedModel = {
        "family": candidate.name,
        "kind": candidate.kind,
        "chosen": candidate is judgement.procedure.chosen,
        "error": None,
        "interval": None,
        "score": None,
        "score_interval": None,
        "problem": None,
    }
    try:
        if isinstance(model, BaseException):
            raise model
        measured = fixed_model_interval(metric, rows.y, model.predicted(rows.X))
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # somebody's estimator may raise anything: its line says it, all others are there
        return {**found, "problem": in_one_line(error)}
    found["error"], found["interval"] = number(measured.value), ends(measured.interval)
    if metric.higher_is_better:
        found["score"] = number(metric.shown(measured.value))
        shown = metric.shown_interval(measured.low, measured.high)
        found["score_interval"] = [number(end) for end in shown] if measured.interval.defined else None
    return found
