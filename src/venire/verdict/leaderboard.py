"""The rows of the leaderboard: each candidate's error with its interval, and the procedure above them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError
from venire.inference import Interval, RowContest
from venire.metrics.all_rows import of_folds
from venire.validation.trials.docket import Docket
from venire.verdict.candidates import Candidate
from venire.verdict.held_out_figures import HeldOutRows, contest, training_figure
from venire.verdict.procedure import Procedure
from venire.verdict.simplicity import BASELINE

Floats = NDArray[np.float64]

PROCEDURE = "procedure"
# Chosen on some tables so that following the advice does not cost, shown on others: benchmarks/honesty/advice.py.
PRACTICAL_SHARE = 0.01  # of what there is to gain
CLEARLY = 0.6  # a probability of being better in practice below which a simpler family would do: see V007
_DRAWS = 20_000


@dataclass(frozen=True)
class Row:
    """One line: all errors are losses of the metric, NaN where undefined."""

    family: str
    kind: str  # "procedure", "member" or "combination"
    setting: str  # of a member, or of the member the procedure chose
    weights: dict[str, float] | None  # of a combination
    error: float  # two-layer: of all rows, by models that had no part of their fold in any choice
    interval: Interval
    training_error: float  # of all rows, by models that have seen them
    one_layer_error: float  # of all rows, by models without their fold, which had a part in the choice of the setting
    p_best: float
    p_as_good: float  # practically as good as the best


def leaderboard(docket: Docket, candidates: Sequence[Candidate], procedure: Procedure) -> tuple[Row, ...]:
    """The procedure, then the candidates from the lowest error up."""
    best, as_good = _chances(docket, candidates)
    figures = [judged_rows(docket, c).figure() for c in candidates]
    rows = [
        Row(
            family=c.name,
            kind=c.kind,
            setting=c.setting,
            weights=c.weights,
            error=figures[at].value,
            interval=figures[at].interval,
            training_error=training_figure(docket, dict.fromkeys(docket.plan.places, c)),
            one_layer_error=c.one_layer_error,
            p_best=float(best[at]),
            p_as_good=float(as_good[at]),
        )
        for at, c in enumerate(candidates)
    ]
    rows.sort(key=lambda row: (np.isnan(row.error), row.error))  # stable: of equals the simpler stays first
    chosen = procedure.chosen
    whole = HeldOutRows(docket, procedure.picks).figure()
    top = Row(
        family=PROCEDURE,
        kind="procedure",
        setting=chosen.setting,
        weights=chosen.weights,
        error=whole.value,
        interval=whole.interval,
        training_error=training_figure(docket, procedure.picks),
        one_layer_error=procedure.one_layer_error,
        p_best=np.nan,
        p_as_good=np.nan,
    )
    return (top, *rows)


def practical_difference(docket: Docket, candidates: Sequence[Candidate]) -> float:
    """Errors closer than this are the same in practice: what was asked for, or a share of what there is to gain.

    What there is to gain is the error of the baseline above the least error there is. Where a class has 2 % of the
    rows, a hundredth of all rows would be half of it. Without a baseline it is the largest error of those compared.
    """
    if docket.practical_difference is not None:
        return docket.practical_difference
    least = docket.metric.bounds[0]
    errors = {c.name: c.error - (least if np.isfinite(least) else 0.0) for c in candidates if not np.isnan(c.error)}
    return PRACTICAL_SHARE * abs(errors.get(BASELINE, max(errors.values(), key=abs, default=0.0)))


def judged_rows(docket: Docket, candidate: Candidate) -> HeldOutRows:
    """Every held-out row by one candidate."""
    return HeldOutRows(docket, dict.fromkeys(docket.plan.places, candidate))


def compared(docket: Docket, candidates: Sequence[Candidate]) -> RowContest:
    """The models by the figures of the leaderboard, and what every row has to do with them."""
    return contest(docket, (judged_rows(docket, c) for c in candidates))


def procedure_by_folds(docket: Docket, procedure: Procedure) -> Floats:
    """The procedure's loss by folds, whose mean is its figure on the leaderboard."""
    return procedure.losses if of_folds(docket.metric) else HeldOutRows(docket, procedure.picks).by_fold()


def _chances(docket: Docket, candidates: Sequence[Candidate]) -> tuple[NDArray[Any], NDArray[Any]]:
    """P(best) and P(as good as the best); a combination that came down to one member is no rival of it."""
    both = compared(docket, candidates)
    members = [both.influence[at] for at, c in enumerate(candidates) if c.kind == "member"]
    out = [
        c.kind != "member" and (c.is_one_member() or any(np.array_equal(both.influence[at], m) for m in members))
        for at, c in enumerate(candidates)
    ]
    rng = np.random.default_rng([docket.plan.seed, 0xBE57])
    rope = practical_difference(docket, candidates)
    return both.without(both.absent | out).probability_best(rng, rope=rope, draws=_DRAWS)


def check_difference(difference: float | None) -> None:
    """Refuse a practical difference that is none."""
    if difference is not None and not (isinstance(difference, Real) and 0 <= difference < float("inf")):
        raise UsageError(
            f"practical_difference must be a number from 0 on, not {difference!r}",
            code="bad_practical_difference",
            hint="in the unit of the metric: 0.01 is one percent of the rows for error",
        )
