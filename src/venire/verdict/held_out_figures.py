"""The figures of the leaderboard: of a candidate, or of the procedure, on all held-out rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from venire.inference import Figure, RowContest, row_contest
from venire.inference.by_rows.row_figures import WithoutTwo
from venire.metrics.all_rows import all_rows
from venire.metrics.predictions import Predictions, joined
from venire.metrics.scores import Metric
from venire.validation.outer_rows import outer_rows
from venire.validation.plans.plan import Held, Place
from venire.validation.trials.docket import Docket
from venire.verdict.candidates import Candidate
from venire.verdict.said_of_rows import predicted_by, seen_by

Picks = Mapping[Place, Candidate]
Codes = NDArray[np.intp]


class HeldOutRows:
    """Every held-out row by what was picked for its fold: read once, judged by any metric."""

    def __init__(self, docket: Docket, picks: Picks) -> None:
        self._docket, self._picks = docket, picks
        self._outer = outer_rows(docket)
        self.rows, self.fold_of = self._outer.rows, self._outer.fold_of
        self.said = self._outer.said(self._say)

    def _say(self, place: Place, held: Held) -> Predictions:
        return predicted_by(self._docket, self._picks[place], place, held)

    def value(self) -> float:
        """The loss alone, by the docket's metric: the value of `figure`, without the work of its interval."""
        return self._outer.value(self.said)

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
                said.append(self._say((repeat, fold), held))
                fold_of.append(np.full(len(rows[-1]), number))
        apart = np.repeat(np.arange(len(rows)), [len(part) for part in rows])
        found = all_rows(docket.metric, docket.table.y[np.concatenate(rows)], joined(said), apart)
        return found.by_fold(np.concatenate(fold_of), len(plan.places))

    def figure(self, metric: Metric | None = None, *, level: float = 0.95) -> Figure:
        """By the docket's metric, or another."""
        return self._outer.figure(self.said, self._without_two, metric=metric, level=level)

    @cached_property
    def _without_two(self) -> WithoutTwo | None:
        return self._outer.without_two(self._say)


def contest(docket: Docket, judged: Iterable[HeldOutRows]) -> RowContest:
    """What is to be compared by the docket's metric, on the same rows; all are absent where one fold was left out."""
    outer = outer_rows(docket)
    found = row_contest(docket.metric, docket.table.y[outer.rows], (each.said for each in judged), outer.tested())
    return found.without(np.full(len(found.values), len(outer.places) < 2))


def training_figure(docket: Docket, picks: Picks) -> float:
    """The loss of all rows by models that have seen them: what stands beside the figure of the same rows held out.

    Of every outer model one fold that it was trained on, so that every row counts once. A family that does not tell
    what it says of rows it has seen gives losses of folds only, and they are averaged.
    """
    outer = outer_rows(docket)
    losses = [picks[place].training.get(place, np.nan) for place in outer.places]
    return outer.seen(lambda place: seen_by(docket, picks[place], place), losses)
