"""The rows of outer folds as one figure with its interval: the same for the leaderboard and for every validation.

The figure is that of all held-out rows, and the interval goes by these rows (`row_figure`). How much the training rows
matter shows in the models without two folds, where there are any; elsewhere the usual correction stands for it. One
part held back tests one model, so there no training sets overlap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import nan

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.inference import Figure, RowsTested, clustered_beta, row_figure, stretches
from venire.inference.by_rows.row_figures import WithoutTwo
from venire.inference.intervals import Interval
from venire.metrics.all_rows import all_rows, value_of
from venire.metrics.predictions import Predictions, joined
from venire.metrics.scores import Metric
from venire.validation.choice import overall
from venire.validation.plans.plan import Held, Place
from venire.validation.trials.docket import Docket

Codes = NDArray[np.intp]
Say = Callable[[Place, Held], Predictions]  # what was picked for an outer fold says of some held-out rows

# With more folds the models without two of them are not asked again: K (K − 1) predictions for every line.
_MOST_FOLDS = 12


@dataclass(frozen=True, eq=False)
class OuterRows:
    """The rows of some outer folds, one fold after the other."""

    docket: Docket
    places: tuple[Place, ...]

    @cached_property
    def rows(self) -> Codes:
        """Which row each prediction is about."""
        return np.concatenate(self._parts)

    @cached_property
    def fold_of(self) -> Codes:
        """The fold of each prediction, numbered through all repeats."""
        return np.repeat(np.arange(len(self.places)), [len(part) for part in self._parts])

    @cached_property
    def _parts(self) -> list[Codes]:
        return [self.docket.rows(self.docket.plan.outer(*place)) for place in self.places]

    @property
    def in_order(self) -> bool:
        """Whether every model was trained on earlier rows only, and not one model alone is judged."""
        plan = self.docket.plan
        return plan.splitting == "time" or (plan.windows and len(self.places) > 1)

    @property
    def folds(self) -> int:
        """How many of the folds test every row once."""
        plan = self.docket.plan
        if not plan.own_inner_folds and plan.splitting != "holdout":
            return len([fold for fold in plan.outer_folds() if any(place[1] == fold for place in self.places)])
        often = max(1, round(len(self.rows) / len(np.unique(self.rows))))
        return max(1, round(len(self.places) / often))

    def said(self, say: Say) -> Predictions:
        """What is said of all these rows."""
        return joined([say(place, self.docket.plan.outer(*place)) for place in self.places])

    def without_two(self, say: Say) -> WithoutTwo | None:
        """For every fold, what the models without it say of all others; None where two layers share no folds."""
        plan = self.docket.plan
        if not self._leaves_two_out:
            return None
        each = [np.flatnonzero(self.fold_of == fold) for fold in range(plan.folds)]
        found = []
        for fold in range(plan.folds):
            held = plan.inner(0, fold)
            said = [say((0, h.fold), h) for h in held]
            found.append((np.concatenate([each[h.fold] for h in held]), joined(said)))
        return found

    def all_there(self, family: str) -> bool:
        """Whether all models of a family without two folds are there: a run may have been stopped before."""
        docket = self.docket
        if not self._leaves_two_out:
            return False
        twice = {h.trial for fold in range(docket.plan.folds) for h in docket.plan.inner(0, fold)}
        return all(docket.evidence.has(docket.keys[family], trial) for trial in twice)

    @property
    def _leaves_two_out(self) -> bool:
        plan = self.docket.plan
        shared = not plan.ordered and not plan.own_inner_folds and plan.layers > 1
        return shared and 3 <= plan.folds <= _MOST_FOLDS and self.places == plan.places

    def value(self, said: Predictions) -> float:
        """The loss alone, by the docket's metric: the value of `figure`, without the work of its interval."""
        return all_rows(self.docket.metric, self.docket.table.y[self.rows], said, self.fold_of).value

    def seen(self, say: Callable[[Place], Predictions | None], losses: ArrayLike) -> float:
        """The loss of rows that the outer models have seen: what stands beside the figure of rows held out.

        Where a plan keeps only the `losses` on such rows, or a family does not tell what it says of them, it is the
        mean of these.
        """
        docket = self.docket
        said = [say(place) for place in self.places]
        known = [part for part in said if part is not None]
        if len(known) < len(said):
            return overall(np.asarray(losses, dtype=np.float64), docket.metric.power)
        trials = [docket.plan.outer(*place).trial for place in self.places]
        return value_of(docket.metric, [docket.seen_truth(trial) for trial in trials], known)

    def figure(
        self,
        said: Predictions,
        without_two: WithoutTwo | None,
        *,
        metric: Metric | None = None,
        test_over_train: float | None = None,
        level: float = 0.95,
    ) -> Figure:
        """The figure of these rows with its interval, by the docket's metric or another.

        `test_over_train` is that of the plan, unless it is given.
        """
        table, measure = self.docket.table, metric or self.docket.metric
        tested = self.tested(test_over_train)
        found = row_figure(measure, table.y[self.rows], said, tested, without_two=without_two, level=level)
        if table.groups is None or len(self.places) > 1:
            return found
        return self._one_part(found, measure, said, table.groups[self.rows].astype(np.intp), level)

    def tested(self, test_over_train: float | None = None) -> RowsTested:
        """How these rows were tested; one model alone shares no training rows with another."""
        if len(self.places) == 1 and self.docket.plan.splitting != "time":
            test_over_train = 0.0
        return RowsTested(
            different_rows(self.docket)[self.rows],
            self.fold_of,
            folds=self.folds,
            test_over_train=self.docket.plan.test_over_train(self.places)
            if test_over_train is None
            else test_over_train,
            groups=hanging_together(self.docket),
            in_order=self.in_order,
        )

    def _one_part(self, found: Figure, measure: Metric, said: Predictions, groups: Codes, level: float) -> Figure:
        """One part of whole groups: an error rate has an exact interval, and a single group says nothing of others."""
        if measure.name == "error":
            wrong = said.labels != self.docket.table.y[self.rows]
            return replace(found, interval=clustered_beta(wrong, groups, level=level).interval)
        return found if len(np.unique(groups)) > 1 else replace(found, interval=Interval(nan, nan, level))


def outer_rows(docket: Docket, places: Sequence[Place] | None = None) -> OuterRows:
    """The rows of some outer folds (all)."""
    return OuterRows(docket, docket.plan.places if places is None else tuple(places))


def different_rows(docket: Docket) -> Codes:
    """The number of every row, which copies share: kept in one fold, they are one row. Groups have them together."""
    table, plan = docket.table, docket.plan
    if table.groups is not None or table.time is not None or plan.cases is None or not plan.copied_share:
        return np.arange(table.rows)
    return plan.cases.astype(np.intp)


def hanging_together(docket: Docket) -> Codes | None:
    """What each row hangs together with: its group, its neighbours in time; None for independent rows."""
    table = docket.table
    if table.groups is not None:
        return np.asarray(table.groups, dtype=np.intp)
    return None if table.time is None else stretches(table.time)
