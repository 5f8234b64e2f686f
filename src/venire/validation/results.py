"""What one-layer and two-layer validation give back: every loss, every choice and every held-out prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError
from venire.inference import Figure
from venire.inference.intervals import Interval
from venire.metrics.all_rows import of_folds
from venire.metrics.predictions import Output
from venire.validation.averaging import Averaging
from venire.validation.choice import Rule
from venire.validation.held_out import HeldOut, gathered
from venire.validation.honesty.certificate import Certificate
from venire.validation.outer_rows import OuterRows, Say
from venire.validation.plain_text import described_plan, figure, number, with_interval
from venire.validation.plans.plan import Held, Place, Plan
from venire.validation.short_tables import MOST_LINES, ShortTable
from venire.validation.trials.family import Setting
from venire.validation.trying import Tried

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Judged:
    """What was judged: the trials, the folds they were judged on, and how these become one figure."""

    tried: Tried
    rule: Rule
    places: tuple[Place, ...]
    averaging: Averaging

    @classmethod
    def of(cls, tried: Tried, rule: Rule, places: Sequence[Place]) -> Judged:
        """The judgement on these folds."""
        docket = tried.docket
        return cls(
            tried, rule, tuple(places), Averaging.over(docket.plan, docket.metric, table=docket.table, places=places)
        )

    @property
    def held(self) -> list[Held]:
        """Where the predictions of these folds are found."""
        return [self.tried.docket.plan.outer(*place) for place in self.places]

    @cached_property
    def rows(self) -> OuterRows:
        """The rows of these folds, as the leaderboard takes them."""
        return OuterRows(self.tried.docket, self.places)

    def figure(self, settings: Sequence[int], *, test_over_train: float | None = None) -> Figure:
        """The loss of all these rows with its interval, with a setting for each fold."""
        say, rows = self.said(settings), self.rows
        pairs = rows.without_two(say) if rows.all_there(self.tried.family.name) else None
        return rows.figure(rows.said(say), pairs, test_over_train=test_over_train)

    def value(self, settings: Sequence[int]) -> float:
        """The loss alone."""
        return self.rows.value(self.rows.said(self.said(settings)))

    def seen(self, settings: Sequence[int], losses: Floats) -> float:
        """The loss of rows trained on, with a setting for each fold; `losses` are those of the folds."""
        docket, of_fold = self.tried.docket, dict(zip(self.places, settings, strict=True))
        family = self.tried.family.name
        return self.rows.seen(lambda at: docket.seen(family, docket.plan.outer(*at).trial, of_fold[at]), losses)

    def said(self, settings: Sequence[int]) -> Say:
        """What the family says of held-out rows, with a setting for each outer fold."""
        docket, family = self.tried.docket, self.tried.family.name
        of_fold = dict(zip(self.places, settings, strict=True))
        say = docket.decided if docket.metric.needs is Output.LABELS else docket.predicted
        return lambda place, held: say(family, held, of_fold[place])


class _Result:
    """What one layer and two have in common."""

    judged: Judged

    @property
    def error(self) -> float:
        """The one figure it comes to."""
        raise NotImplementedError

    @property
    def interval(self) -> Interval:
        """Of the error."""
        raise NotImplementedError

    @property
    def family(self) -> str:
        """The model."""
        return self.judged.tried.family.name

    def short_table(self) -> ShortTable:
        """What is printed of it, and shown in a notebook."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.short_table().text()

    def __repr__(self) -> str:
        metric = self.averaging.metric
        figures = f"{metric.shown_label} {with_interval(self.error, self.interval, metric)}"
        return f"<{type(self).__name__} of {self.family}: {figures}, {described_plan(self.plan)}>"

    def _repr_html_(self) -> str:
        return self.short_table().html()

    @property
    def path_label(self) -> str:
        """What its settings vary."""
        return self.judged.tried.family.path_label

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Its path, from simple to complex."""
        return self.judged.tried.ledger.settings

    @property
    def rule(self) -> Rule:
        """How a setting is chosen."""
        return self.judged.rule

    @property
    def places(self) -> tuple[Place, ...]:
        """The folds that are judged: repeat and fold."""
        return self.judged.places

    @property
    def plan(self) -> Plan:
        """Which rows were in which fold."""
        return self.judged.tried.docket.plan

    @property
    def averaging(self) -> Averaging:
        """How losses of folds become one figure."""
        return self.judged.averaging

    @property
    def metric(self) -> str:
        """The loss that all figures are of."""
        return self.averaging.metric.name

    @property
    def stopped(self) -> str | None:
        """What ended it before all folds were judged: "budget" or "interrupted"; None if nothing did."""
        return self.judged.tried.stopped

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the learners warned of, and what is to be said of the figures."""
        tried, doubt = self.judged.tried, self.averaging.doubt
        doubts = [] if doubt is None else [doubt]
        if tried.stopped is not None:
            why = "the budget" if tried.stopped == "budget" else "an interruption"
            of_all = f"{len(self.places):,} of {len(self.plan.places):,} folds"
            doubts.append(f"stopped by {why} after {tried.progress}: all figures are of {of_all}")
        return (*sorted(tried.ledger.warnings), *doubts)

    @cached_property
    def certificate(self) -> Certificate:
        """Whether the model learns from rows it must not see: checked when first asked for, with two more fits."""
        return self.judged.tried.certificate()


@dataclass(frozen=True, eq=False, repr=False)
class OneLayer(_Result):
    """Every setting judged on every held-out fold, and the setting that does best on those same folds.

    With one setting the error is honest. With several it is that of the winner on the folds it won on: too low on
    average, which is why `two_layer` exists. As part of a `TwoLayer` it has the folds that two layers judge; in time
    order the choice has seen the one before them as well, so that another setting may do better on those shown.

    Attributes
    ----------
    judged
        The trials, the folds they were judged on, and how these become one figure.
    chosen
        The index into `settings`.
    losses
        `[fold, setting]`.
    training
        The same loss on the rows trained on, `[fold, setting]`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from venire.validation import one_layer
    >>> found = one_layer(KNeighborsClassifier(), load_iris(return_X_y=True), grid={"n_neighbors": [9, 1]}, folds=3)
    >>> found.losses.shape, found.setting
    ((3, 2), 'n_neighbors = 9')
    """

    judged: Judged
    chosen: int  # index into `settings`
    losses: Floats  # [place, setting]
    training: Floats  # [place, setting]: the same loss on the rows trained on

    @property
    def setting(self) -> str:
        """The chosen setting, as printed."""
        return self.settings[self.chosen].label

    @cached_property
    def errors(self) -> Floats:
        """The loss of all held-out rows, of every setting; the choice goes by the mean over the folds."""
        if of_folds(self.averaging.metric):
            return self.averaging.mean(self.losses)
        return np.array([self.judged.value([s] * len(self.places)) for s in range(len(self.settings))])

    @property
    def error(self) -> float:
        """Of the chosen setting."""
        return float(self.errors[self.chosen])

    @cached_property
    def interval(self) -> Interval:
        """Of the chosen setting's error; it knows nothing of the choice."""
        return self.interval_of(self.chosen)

    def interval_of(self, setting: int) -> Interval:
        """Of one setting's error."""
        return self.judged.figure([setting] * len(self.places)).interval

    @property
    def training_error(self) -> float:
        """The chosen setting's loss on rows it was trained on."""
        return float(self.training_errors[self.chosen])

    @cached_property
    def training_errors(self) -> Floats:
        """The same of every setting."""
        if of_folds(self.averaging.metric):
            return self.averaging.mean(self.training)
        every = range(len(self.settings))
        return np.array([self.judged.seen([s] * len(self.places), self.training[:, s]) for s in every])

    def held_out(self, setting: int | None = None) -> HeldOut:
        """The predictions of one setting (the chosen one), by models that had not seen the rows."""
        at = self.chosen if setting is None else setting
        if not 0 <= at < len(self.settings):
            raise UsageError(f"there is no setting {at}", hint=f"there are 0 to {len(self.settings) - 1}")
        return gathered(self.judged.tried.docket, self.family, self.judged.held, [at] * len(self.places))

    def short_table(self) -> ShortTable:
        """Every setting on training rows and on held-out ones."""
        training, metric = self.training_errors, self.averaging.metric
        lines = [
            [
                "→" if s == self.chosen else "",
                setting.label,
                figure(training[s], metric),
                figure(self.errors[s], metric),
            ]
            for s, setting in enumerate(self.settings)
        ]
        below = [f"{metric.shown_label} {with_interval(self.error, self.interval, metric)} at {self.setting}"]
        if len(self.settings) > 1:
            before = " and the one before them" if self.plan.splitting == "time" and self.plan.layers > 1 else ""
            below.append(f"chosen on these same folds{before}, so too good on average: see two_layer")
        if self.rule == "best" and not of_folds(metric) and (self.errors < self.error).any():
            below.append(f"chosen by {metric.shown_label} as a mean of the folds; shown is that of all rows together")
        if self.averaging.doubt is not None:
            below.append(self.averaging.doubt)
        title = f"one-layer validation of {self.family}: {described_plan(self.plan)}"
        head = ["", self.path_label, "training", "held out"]
        return ShortTable(title, head, lines, marked=self.chosen, below=tuple(below))


@dataclass(frozen=True, eq=False, repr=False)
class TwoLayer(_Result):
    """The error of choosing a setting and using it: for every outer fold the choice is made without that fold.

    Attributes
    ----------
    judged
        The trials, the folds they were judged on, and how these become one figure.
    chosen
        The index into `settings`, for each outer fold.
    losses
        At the setting chosen for it, one per outer fold.
    training
        The same loss on rows trained on.
    inner
        The means on which the choice was made, `[fold, setting]`; NaN where there was nothing to choose.
    one_layer
        What choosing and judging on the same folds would have said.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from venire.validation import two_layer
    >>> found = two_layer(KNeighborsClassifier(), load_iris(return_X_y=True), grid={"n_neighbors": [9, 1]}, folds=3)
    >>> len(found.chosen), round(found.error, 2)
    (3, 0.03)
    """

    judged: Judged
    chosen: tuple[int, ...]  # for each place
    losses: Floats  # [place], at the setting chosen for it
    training: Floats  # [place]
    inner: Floats  # [place, setting]: the means on which the choice was made; NaN where there was nothing to choose
    one_layer: OneLayer  # what choosing and judging on the same folds would have said

    @property
    def trials(self) -> int:
        """Fits of the whole path."""
        return len(self.plan.trials)

    @cached_property
    def held_out(self) -> HeldOut:
        """The predictions of every fold with the setting chosen for it, by models that had not seen its rows."""
        return gathered(self.judged.tried.docket, self.family, self.judged.held, self.chosen)

    @cached_property
    def figure(self) -> Figure:
        """The loss of all rows of the outer folds with its interval, as on the leaderboard."""
        return self.judged.figure(self.chosen)

    @property
    def error(self) -> float:
        """Of the procedure, its choice included, on all rows of the outer folds."""
        return self.figure.value

    @property
    def interval(self) -> Interval:
        """Of the error; on a single test part of groups by how much these differ (`clustered_beta`)."""
        return self.figure.interval

    @cached_property
    def training_error(self) -> float:
        """The loss of the chosen settings on rows they were trained on."""
        return self.judged.seen(self.chosen, self.training)

    @property
    def setting(self) -> str:
        """The choice on all folds: what one would use."""
        return self.one_layer.setting

    @property
    def optimism(self) -> float:
        """How much lower one layer would have put the error."""
        return self.error - self.one_layer.error

    def short_table(self) -> ShortTable:
        """Every outer fold with the setting chosen for it, and what they come to."""
        name = "hold-out" if self.plan.splitting == "holdout" else "two-layer validation"
        metric = self.averaging.metric
        lines = [
            [
                f"{repeat + 1}.{fold + 1}",
                self.settings[s].label,
                figure(self.training[at], metric),
                figure(self.losses[at], metric),
            ]
            for at, ((repeat, fold), s) in enumerate(zip(self.places, self.chosen, strict=True))
        ]
        return ShortTable(
            f"{name} of {self.family}: {described_plan(self.plan)}; trials: {self.trials:,}",
            ["fold", f"chosen {self.path_label}", "training", "held out"],
            lines,
            most=MOST_LINES,
            figures=self._figures(),
            below=() if self.averaging.doubt is None else (self.averaging.doubt,),
        )

    def _figures(self) -> list[list[str]]:
        metric = self.averaging.metric
        label = metric.shown_label
        training = [f"training {label}", figure(self.training_error, metric), "on the training rows"]
        error = with_interval(self.error, self.interval, metric)
        together = "" if of_folds(metric) else ", of all rows together"  # and no mean of the folds above
        if len(self.settings) == 1:
            return [[f"held-out {label}", error, f"of the only setting: nothing was chosen{together}"], training]
        choice = f"at {self.setting}, on the folds that chose it; optimism {number(self.optimism)}"
        return [
            [f"two-layer {label}", error, f"choosing a setting and using it{together}"],
            [f"one-layer {label}", figure(self.one_layer.error, metric), choice],
            training,
        ]
