"""The leaderboard by other metrics than the one it was chosen by, from the same held-out predictions.

Nothing is chosen again: settings, weights, calibration and decisions are those of the verdict, each made by its own
metric on rows that are not judged here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from venire.data.table import Task
from venire.errors import UsageError
from venire.metrics.predictions import Output
from venire.metrics.scores import Metric, metric, metric_names
from venire.validation.averaging import NEED_SEVERAL_ROWS, single_rows
from venire.validation.plans.plan import Place
from venire.verdict.candidates import Candidate
from venire.verdict.held_out_figures import HeldOutRows
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import PROCEDURE
from venire.verdict.shown.class_curves import plain

_SCORE_OF = {"error": "accuracy", "balanced_error": "balanced_accuracy"}  # names that show the score of the same loss


@dataclass(frozen=True)
class Scored:
    """One figure as people know it, with the ends of its interval; NaN where it is not defined."""

    value: float
    low: float
    high: float


def scored(judgement: Judgement, names: Sequence[str] | None = None) -> dict[str, dict[str, Scored]]:
    """Every line of the leaderboard by every metric: metric → model → figure. Without names, all there are."""
    measures = _measures(judgement, names)
    found: dict[str, dict[str, Scored]] = {name: {} for name in measures}
    for row in judgement.rows:
        rows = HeldOutRows(judgement.docket, picks_of(judgement, row.family))
        for name, measure in measures.items():
            found[name][row.family] = _scored(rows, measure)
    return found


def metric_figures(judgement: Judgement) -> list[dict[str, Any]]:
    """Every metric but that of the verdict, for the leaderboard of a page: model → figure and ends of its interval."""
    others = allowed(judgement)[1:]
    found = scored(judgement, others) if others else {}
    return [_plain_figures(_metric(judgement, name), name, figures) for name, figures in found.items()]


def _plain_figures(measure: Metric, name: str, figures: Mapping[str, Scored]) -> dict[str, Any]:
    return {
        "name": name,
        "label": measure.score_label if measure.higher_is_better else measure.label,
        "higher_is_better": measure.higher_is_better,
        "figures": {family: [plain(one.value), plain(one.low), plain(one.high)] for family, one in figures.items()},
    }


def picks_of(judgement: Judgement, family: str) -> dict[Place, Candidate]:
    """What a line of the leaderboard has for every outer fold: one candidate, or what the procedure picked."""
    if family == PROCEDURE:
        return dict(judgement.procedure.picks)
    return dict.fromkeys(judgement.docket.plan.places, judgement.candidate(family))


def allowed(judgement: Judgement) -> list[str]:
    """The metrics that this evidence can be judged by, that of the verdict first, each under one name."""
    docket = judgement.docket
    chosen = docket.metric
    first = _SCORE_OF.get(chosen.name, chosen.name) if chosen.higher_is_better else chosen.name
    every = [name for name in metric_names(_task(judgement)) if _refusal(judgement, name) is None]
    own = {chosen.name, first}
    aliases = {*_SCORE_OF.values(), "roc_auc"}
    return [first, *(name for name in every if name not in own | aliases)]


def _measures(judgement: Judgement, names: Sequence[str] | None) -> dict[str, Metric]:
    if isinstance(names, str):
        names = [names]
    if names is not None:
        for name in names:
            if (reason := _refusal(judgement, name)) is not None:
                raise UsageError(reason, code="unknown_metric", hint=f"there are: {', '.join(_every_name(judgement))}")
    return {name: _metric(judgement, name) for name in (allowed(judgement) if names is None else dict.fromkeys(names))}


def _every_name(judgement: Judgement) -> list[str]:
    return [name for name in metric_names(_task(judgement)) if _refusal(judgement, name) is None]


def _refusal(judgement: Judgement, name: str) -> str | None:
    """Why the evidence cannot be judged by this metric, if it cannot."""
    docket, task = judgement.docket, _task(judgement)
    if name not in metric_names(task):
        return f"there is no metric {name!r} for {task.value}"
    if name == "cost" and docket.metric.costs is None:
        return "the evidence has no costs: compare with costs= to judge by them"
    measure = _metric(judgement, name)
    if single_rows(docket.plan) and (measure.name in NEED_SEVERAL_ROWS or measure.name == "rmse"):
        return f"metric {name!r} is not defined on folds of a single row"
    if not any(measure.accepts(output) for output in _outputs(judgement)):
        return f"metric {name!r} needs {measure.needs.value}, and no model gives them"
    return None


def _outputs(judgement: Judgement) -> set[Output]:
    """What the candidates give; several members together give probabilities, or numbers."""
    combined = Output.PROBABILITIES if judgement.docket.classes else Output.VALUES
    together = {combined} if any(c.kind != "member" for c in judgement.candidates) else set()
    return {ledger.output for ledger in judgement.ledgers.values()} | together


def _metric(judgement: Judgement, name: str) -> Metric:
    target = judgement.docket.table.target
    assert target is not None
    costs = judgement.docket.metric.costs if name == "cost" else None
    return metric(name, target.task, positive=target.positive, costs=costs)


def _task(judgement: Judgement) -> Task:
    target = judgement.docket.table.target
    assert target is not None
    return target.task


def _scored(rows: HeldOutRows, measure: Metric) -> Scored:
    """One line by one metric; undefined where something was picked for a fold that cannot be judged by it."""
    found = rows.figure(measure)
    ends = found.interval
    low, high = measure.shown_interval(ends.low, ends.high) if ends.defined else (np.nan, np.nan)
    return Scored(measure.shown(found.value), low, high)
