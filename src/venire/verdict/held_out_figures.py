"""The figures of the leaderboard: of a candidate, or of the procedure, on all held-out rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from venire.inference import Figure, RowContest, RowsTested, row_contest, row_figure, stretches
from venire.inference.by_rows.row_figures import WithoutTwo
from venire.metrics.all_rows import all_rows, value_of
from venire.metrics.predictions import Predictions, joined
from venire.metrics.scores import Metric
from venire.validation.choice import overall
from venire.validation.plans.plan import Place
from venire.validation.trials.docket import Docket
from venire.validation.two_layer_intervals import different_rows
from venire.verdict.candidates import Candidate
from venire.verdict.said_of_rows import predicted_by, seen_by

Picks = Mapping[Place, Candidate]
Codes = NDArray[np.intp]

# With more folds the models without two of them are not asked again: K (K − 1) predictions for every line.
_MOST_FOLDS = 12


class HeldOutRows:
    """Every held-out row by what was picked for its fold: read once, judged by any metric."""

    def __init__(self, docket: Docket, picks: Picks) -> None:
        self._docket, self._picks = docket, picks
        plan = docket.plan
        self.said = joined([predicted_by(docket, picks[place], place, plan.outer(*place)) for place in plan.places])
        self.rows, self.fold_of = _tested(docket)

    def value(self) -> float:
        """The loss alone, by the docket's metric: the value of `figure`, without the work of its interval."""
        return all_rows(self._docket.metric, self._docket.table.y[self.rows], self.said, self.fold_of).value

    def by_fold(self) -> NDArray[np.float64]:
        """The loss as a mean of folds, by the docket's metric: what models are compared by."""
        found = all_rows(self._docket.metric, self._docket.table.y[self.rows], self.said, self.fold_of)
        return found.by_fold(self.fold_of, len(self._docket.plan.places))

    def without_another(self) -> NDArray[np.float64]:
        """The same by models that left out another fold too, each row by all of them."""
        docket, plan = self._docket, self._docket.plan
        rows: list[Codes] = []
        said: list[Predictions] = []
        fold_of: list[Codes] = []
        for number, (repeat, fold) in enumerate(plan.places):
            for other in (k for k in plan.outer_folds() if k != fold):
                held = next(h for h in plan.inner(repeat, other) if h.fold == fold)
                rows.append(docket.rows(held))
                said.append(predicted_by(docket, self._picks[repeat, fold], (repeat, fold), held))
                fold_of.append(np.full(len(rows[-1]), number))
        apart = np.repeat(np.arange(len(rows)), [len(part) for part in rows])
        found = all_rows(docket.metric, docket.table.y[np.concatenate(rows)], joined(said), apart)
        return found.by_fold(np.concatenate(fold_of), len(plan.places))

    def figure(self, metric: Metric | None = None, *, level: float = 0.95) -> Figure:
        """By the docket's metric, or another."""
        return row_figure(
            metric or self._docket.metric,
            self._docket.table.y[self.rows],
            self.said,
            rows_tested(self._docket, self.rows, self.fold_of),
            without_two=self._without_two,
            level=level,
        )

    @cached_property
    def _without_two(self) -> WithoutTwo | None:
        """For every fold, what the models without it say of all others; None where two layers share no folds."""
        docket, plan = self._docket, self._docket.plan
        if plan.ordered or plan.own_inner_folds or plan.layers < 2 or not 3 <= plan.folds <= _MOST_FOLDS:
            return None
        each = [np.flatnonzero(self.fold_of == fold) for fold in range(plan.folds)]
        found = []
        for j in range(plan.folds):
            held = plan.inner(0, j)
            said = [predicted_by(docket, self._picks[0, h.fold], (0, h.fold), h) for h in held]
            found.append((np.concatenate([each[h.fold] for h in held]), joined(said)))
        return found


def contest(docket: Docket, judged: Iterable[HeldOutRows]) -> RowContest:
    """What is to be compared by the docket's metric, on the same rows; all are absent where one fold was left out."""
    plan = docket.plan
    rows, fold_of = _tested(docket)
    found = row_contest(
        docket.metric,
        docket.table.y[rows],
        (each.said for each in judged),
        rows_tested(docket, rows, fold_of),
    )
    return found.without(np.full(len(found.values), len(plan.places) < 2))


def rows_tested(docket: Docket, rows: Codes, fold_of: Codes) -> RowsTested:
    """How a docket has these rows tested."""
    plan = docket.plan
    return RowsTested(
        different_rows(docket)[rows],
        fold_of,
        folds=len(plan.places) if plan.own_inner_folds else len(plan.outer_folds()),
        test_over_train=plan.test_over_train(),
        groups=hanging_together(docket),
        in_order=plan.splitting == "time",
    )


def _tested(docket: Docket) -> tuple[Codes, Codes]:
    """The rows of all outer folds, one fold after the other, and the fold of each."""
    rows = [docket.rows(docket.plan.outer(*place)) for place in docket.plan.places]
    return np.concatenate(rows), np.repeat(np.arange(len(rows)), [len(part) for part in rows])


def training_figure(docket: Docket, picks: Picks) -> float:
    """The loss of all rows by models that have seen them: what stands beside the figure of the same rows held out.

    Of every outer model one fold that it was trained on, so that every row counts once. A family that does not tell
    what it says of rows it has seen gives losses of folds only, and they are averaged.
    """
    plan, places = docket.plan, docket.plan.places
    trials = [plan.outer(*place).trial for place in places]
    said = [seen_by(docket, picks[place], place) for place in places]
    known = [part for part in said if part is not None]
    if len(known) < len(said):
        losses = np.array([picks[place].training.get(place, np.nan) for place in places])
        return overall(losses, docket.metric.power)
    return value_of(docket.metric, [docket.seen_truth(trial) for trial in trials], known)


def hanging_together(docket: Docket) -> Codes | None:
    """What each row hangs together with: its group, its neighbours in time; None for independent rows."""
    table = docket.table
    if table.groups is not None:
        return np.asarray(table.groups, dtype=np.intp)
    return None if table.time is None else stretches(table.time)
