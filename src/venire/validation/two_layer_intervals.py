"""The interval of a two-layer figure that is a mean over rows, by the rule of the leaderboard."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from venire.inference import RowsTested, row_figure
from venire.inference.intervals import Interval
from venire.metrics.all_rows import OF_ALL_ROWS
from venire.metrics.predictions import Output, joined
from venire.validation.plans.plan import Place
from venire.validation.trials.docket import Docket

_MOST_FOLDS = 12  # as on the leaderboard


def different_rows(docket: Docket) -> NDArray[np.intp]:
    """The number of every row, which copies share: kept in one fold, they are one row. Groups have them together."""
    table, plan = docket.table, docket.plan
    if table.groups is not None or table.time is not None or plan.cases is None or not plan.copied_share:
        return np.arange(table.rows)
    return plan.cases.astype(np.intp)


def leaderboard_interval(
    docket: Docket, family: str, places: Sequence[Place], chosen: Sequence[int]
) -> Interval | None:
    """Of a mean over rows on all folds left out in turn; None where that rule has nothing to go by.

    RMSE, R², F1, AUC and balanced error are means of folds here, which is another figure than that of all rows. How
    much the training rows matter shows in the models without two folds, as it does for a line of the leaderboard.
    """
    plan, table = docket.plan, docket.table
    if docket.metric.name in OF_ALL_ROWS or docket.metric.power != 1:
        return None
    if plan.ordered or plan.own_inner_folds or plan.layers < 2:
        return None
    if not 3 <= plan.folds <= _MOST_FOLDS or list(places) != list(plan.places):
        return None
    if any(not docket.evidence.has(docket.keys[family], h.trial) for i in range(plan.folds) for h in plan.inner(0, i)):
        return None
    setting = dict(zip(places, chosen, strict=True))
    say = docket.decided if docket.metric.needs is Output.LABELS else docket.predicted
    rows = [docket.rows(plan.outer(*place)) for place in places]
    fold_of = np.repeat(np.arange(len(rows)), [len(part) for part in rows])
    each = [np.flatnonzero(fold_of == fold) for fold in range(plan.folds)]
    without_two = []
    for fold in range(plan.folds):
        held = plan.inner(0, fold)
        said = [say(family, h, setting[0, h.fold]) for h in held]
        without_two.append((np.concatenate([each[h.fold] for h in held]), joined(said)))
    together = np.concatenate(rows)
    found = row_figure(
        docket.metric,
        table.y[together],
        joined([say(family, plan.outer(*place), setting[place]) for place in places]),
        RowsTested(
            different_rows(docket)[together],
            fold_of,
            folds=plan.folds,
            test_over_train=plan.test_over_train(),
            groups=None if table.groups is None else np.asarray(table.groups, dtype=np.intp),
        ),
        without_two=without_two,
    ).interval
    return found if found.defined else None
