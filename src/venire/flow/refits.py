"""Models of the leaderboard fitted again with the settings that were chosen: on all rows, or on some."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import Any

from venire.data import Table
from venire.data.spaced_rows import spaced_rows
from venire.ensembles.table_model import TableModel, fitted_quietly
from venire.errors import UsageError
from venire.verdict.candidates import Part, Parts
from venire.verdict.judgement import Judgement

_TIMED_ROWS = 1000


def refit(judgement: Judgement, name: str, table: Table | None = None) -> TableModel:
    """A line of the leaderboard fitted on all rows, or on a table of some; what it warned of is kept, and not said."""
    held_names = [candidate.name for candidate in judgement.candidates]
    if name not in held_names:
        raise UsageError(f"there is no candidate {name!r}", hint=f"there are: {', '.join(held_names)}")
    rows = judgement.docket.table if table is None else table
    heavy = _parts(judgement, name)
    called = _names(judgement, heavy)
    members, caught = fitted_quietly({called[part]: partial(_member, judgement, part, rows) for part in heavy})
    model = TableModel.of(rows, members, list(heavy.values()), judgement.candidate(name).finish)
    model.fit_warnings_ = dict(caught)
    return model


def refit_every(judgement: Judgement) -> dict[str, TableModel | Exception]:
    """Every line of the leaderboard fitted on all rows, each setting once; what it raised where it could not be."""
    table = judgement.docket.table
    parts_of = {candidate.name: _parts(judgement, candidate.name) for candidate in judgement.candidates}
    fitted: dict[Part, Any] = {}
    for part in dict.fromkeys(part for parts in parts_of.values() for part in parts):
        try:
            ((_, fitted[part]),), _ = fitted_quietly({part.family: partial(_member, judgement, part, table)})
        except Exception as error:  # somebody's estimator may raise anything
            fitted[part] = error
    found: dict[str, TableModel | Exception] = {}
    for candidate in judgement.candidates:
        parts = parts_of[candidate.name]
        failed = [fitted[part] for part in parts if isinstance(fitted[part], Exception)]
        members = [(called, fitted[part]) for part, called in _names(judgement, parts).items()]
        found[candidate.name] = (
            failed[0] if failed else TableModel.of(table, members, list(parts.values()), candidate.finish)
        )
    return found


@dataclass(frozen=True)
class Seconds:
    """What a model takes: to be fitted on all rows, and to predict one."""

    fit: float
    predict: float


def seconds(judgement: Judgement) -> dict[str, Seconds]:
    """Of every line of the leaderboard, measured: each setting is fitted once, a combination sums up its own."""
    parts_of = {candidate.name: _parts(judgement, candidate.name) for candidate in judgement.candidates}
    timed = {part: _timed(judgement, part) for part in dict.fromkeys(p for parts in parts_of.values() for p in parts)}
    return {
        name: Seconds(sum(timed[part].fit for part in parts), sum(timed[part].predict for part in parts))
        for name, parts in parts_of.items()
    }


def _timed(judgement: Judgement, part: Part) -> Seconds:
    table = judgement.docket.table
    began = time.perf_counter()
    members, _ = fitted_quietly({part.family: partial(_member, judgement, part, table)})
    fitted = time.perf_counter()
    model = TableModel.of(table, members, [1.0])
    rows = table.X[spaced_rows(table.rows, _TIMED_ROWS)]
    asked = time.perf_counter()
    model.outputs(rows)
    return Seconds(fitted - began, (time.perf_counter() - asked) / len(rows))


def _parts(judgement: Judgement, name: str) -> Parts:
    """What is fitted for a line of the leaderboard, with the weight of each."""
    candidate = judgement.candidate(name)
    parts = candidate.parts or {Part(name, candidate.final_setting): 1.0}
    return {part: weight for part, weight in parts.items() if weight > 0}


def _names(judgement: Judgement, parts: Parts) -> dict[Part, str]:
    """A family's name, and with it the setting where several settings of one family take part."""
    often = Counter(part.family for part in parts)
    return {part: part.family if often[part.family] == 1 else _with_setting(judgement, part) for part in parts}


def _with_setting(judgement: Judgement, part: Part) -> str:
    return f"{part.family} ({judgement.ledgers[part.family].settings[part.setting].label})"


def _member(judgement: Judgement, part: Part, table: Table) -> Any:
    setting = judgement.ledgers[part.family].settings[part.setting]
    return judgement.docket.families[part.family].refit(table, setting, judgement.docket.plan.seed)
