"""Further answers, all from the losses of the leaderboard: every pair, guessing, more rows, and what mistakes cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from venire.inference import (
    Comparison,
    Figure,
    Growth,
    Interval,
    compare_learners,
    growth,
    random_guessing_errors,
    row_interval,
)
from venire.metrics.scores import Metric
from venire.verdict.held_out_figures import HeldOutRows, contest
from venire.verdict.judgement import Judgement
from venire.verdict.leaderboard import compared, judged_rows, practical_difference, procedure_by_folds
from venire.verdict.simplicity import BASELINE
from venire.verdict.standing import Standing, standing

Floats = NDArray[np.float64]

_PER = 1000.0  # rows


@dataclass(frozen=True)
class Pair:
    """Two candidates on the same folds; below zero the first is better."""

    first: str
    second: str
    comparison: Comparison


@dataclass(frozen=True)
class Guessing:
    """The procedure beside guessing: the baseline, and (for error rates) a coin weighted by the class shares."""

    baseline_error: float
    baseline: Comparison
    coin: Comparison | None

    @property
    def standing(self) -> Standing:
        """How the procedure stands beside the baseline."""
        return standing(self.baseline.p_better, self.baseline.difference)


@dataclass(frozen=True)
class Expense:
    """What 1,000 rows cost by one way of deciding."""

    name: str
    per_thousand: float
    interval: Interval


def pairs(judgement: Judgement) -> tuple[Pair, ...]:
    """Every pair of candidates, in the order of the leaderboard, from the posterior P(best) is drawn from."""
    docket = judgement.docket
    ranked = [judgement.candidate(row.family) for row in judgement.rows[1:]]
    posterior = compared(docket, ranked).posterior()
    rope = practical_difference(docket, ranked)
    return tuple(
        Pair(one.name, other.name, posterior.compare(first, second, rope))
        for first, one in enumerate(ranked)
        for second, other in enumerate(ranked)
        if first < second
    )


def guessing(judgement: Judgement) -> Guessing | None:
    """Is it better than guessing? None where the baseline is not among the models."""
    if not judgement.has(BASELINE):
        return None
    docket = judgement.docket
    baseline = judged_rows(docket, judgement.candidate(BASELINE))
    both = contest(docket, [HeldOutRows(docket, judgement.procedure.picks), baseline]).posterior().compare(0, 1)
    coin = None
    if docket.metric.name == "error" and not docket.plan.ordered:
        each = (random_guessing_errors(docket.table.y, folds, docket.classes) for folds in docket.plan.fold_of)
        tossed = np.concatenate(list(each))
        losses = procedure_by_folds(docket, judgement.procedure)
        coin = compare_learners(losses, tossed, test_over_train=docket.plan.test_over_train())
    shown = next(row for row in judgement.rows if row.family == BASELINE)
    return Guessing(shown.error, both, coin)


def more_rows(judgement: Judgement) -> Growth | None:
    """Would more rows help? What was picked for each fold, trained without that fold and without another one too.

    Both figures are of choices the fold had no part in, so the first are the procedure's own losses. The choice on all
    rows would not do: it is the best of many on the very folds it is judged by, which looks like help from the rows.
    In time order a fold has one training part only, and nothing can be said.
    """
    plan = judgement.docket.plan
    if plan.ordered or plan.own_inner_folds or plan.layers < 2:
        return None
    return growth(
        procedure_by_folds(judgement.docket, judgement.procedure),
        HeldOutRows(judgement.docket, judgement.procedure.picks).without_another(),
        rows=judgement.docket.table.rows,
        folds=plan.folds,
        lowest=judgement.docket.metric.bounds[0],
        shown=judgement.top.error,
    )


def expenses(judgement: Judgement) -> tuple[Expense, ...]:
    """What 1,000 rows cost by the procedure, and by always saying the same class; empty without costs."""
    docket = judgement.docket
    if docket.metric.costs is None:
        return ()
    costs = np.asarray(docket.metric.costs)
    tested = np.unique(np.concatenate([docket.rows(docket.plan.outer(*place)) for place in docket.plan.places]))
    y = docket.table.y[tested]
    ways = {"procedure": Figure(judgement.top.error, judgement.top.interval)}
    for code, label in enumerate(docket.table.target.labels if docket.table.target else ()):
        ways[f"always saying {label}"] = _always(docket.metric, costs[y, code])
    return tuple(
        Expense(name, _PER * way.value, Interval(_PER * way.interval.low, _PER * way.interval.high))
        for name, way in ways.items()
    )


def _always(metric: Metric, paid: Floats) -> Figure:
    """What one decision for all rows costs: nothing is learned, so only the rows are left to chance."""
    value = float(paid.mean())
    return Figure(value, row_interval(value, paid - value, unseen=metric.bounds, bounds=metric.bounds))
