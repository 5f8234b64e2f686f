"""What one-layer and two-layer validation give back: every loss, every choice and every held-out prediction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.errors import UsageError
from venire.inference.intervals import Interval
from venire.metrics.predictions import Output
from venire.validation.averaging import Averaging
from venire.validation.plans.plan import Plan
from venire.validation.text import described_plan, figure, number, table_of, with_interval
from venire.validation.trials.family import Outcome, Setting

Floats = NDArray[np.float64]
Place = tuple[int, int]  # repeat and outer block

_MOST_LINES = 20


@dataclass(frozen=True, eq=False)
class HeldOut:
    """Predictions of rows by models that had not seen them; one entry a prediction, in the order of the blocks."""

    output: Output
    classes: tuple[Any, ...]  # what the codes stand for; empty when numbers are predicted
    repeats: NDArray[np.intp]
    blocks: NDArray[np.intp]
    rows: NDArray[np.intp]  # of the table
    actual: NDArray[Any]  # class codes, or numbers
    predicted: NDArray[Any]  # class codes, or numbers
    outputs: NDArray[Any]  # [prediction, class]: probabilities or scores; one column of values

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def wrong(self) -> NDArray[np.bool_]:
        """Which predictions of a class are errors."""
        return np.asarray(self.predicted != self.actual)


@dataclass(frozen=True, eq=False)
class OneLayer:
    """Every setting judged on every held-out block, and the setting that does best on those same blocks.

    With one setting the error is honest. With several it is that of the winner on the blocks it won on: too low on
    average, which is why `two_layer` exists. As part of a `TwoLayer` it has the blocks that two layers judge; in time
    order the choice has seen the one before them as well, so that another setting may do better on those shown.
    """

    family: str
    path_label: str
    settings: tuple[Setting, ...]
    chosen: int  # index into `settings`
    rule: str
    places: tuple[Place, ...]
    losses: Floats  # [place, setting]
    training: Floats  # [place, setting]: the same loss on the rows trained on
    plan: Plan
    averaging: Averaging
    warnings: tuple[str, ...]
    _outcomes: tuple[Outcome, ...] = field(repr=False)
    _target: tuple[NDArray[Any], tuple[Any, ...]] = field(repr=False)

    @property
    def metric(self) -> str:
        """The loss that all figures are of."""
        return self.averaging.metric.name

    @property
    def setting(self) -> str:
        """The chosen setting, as printed."""
        return self.settings[self.chosen].label

    @property
    def errors(self) -> Floats:
        """The mean over the blocks of every setting."""
        return self.averaging.mean(self.losses)

    @property
    def error(self) -> float:
        """The mean over the blocks of the chosen setting."""
        return float(self.errors[self.chosen])

    @property
    def interval(self) -> Interval:
        """Of the chosen setting's error; it knows nothing of the choice."""
        wrong = self.held_out().wrong if self.averaging.by_groups else None
        return self.averaging.interval(self.losses[:, self.chosen], wrong=wrong)

    @property
    def training_error(self) -> float:
        """The chosen setting's mean loss on the rows it was trained on."""
        return float(self.averaging.mean(self.training)[self.chosen])

    def held_out(self, setting: int | None = None) -> HeldOut:
        """The predictions of one setting (the chosen one), by models that had not seen the rows."""
        at = self.chosen if setting is None else setting
        if not 0 <= at < len(self.settings):
            raise UsageError(f"there is no setting {at}", hint=f"there are 0 to {len(self.settings) - 1}")
        return gather(self.plan, self.places, self._outcomes, [at] * len(self.places), *self._target)

    def __str__(self) -> str:
        training, metric = self.averaging.mean(self.training), self.averaging.metric
        lines = [
            [
                "→" if s == self.chosen else "",
                setting.label,
                figure(training[s], metric),
                figure(self.errors[s], metric),
            ]
            for s, setting in enumerate(self.settings)
        ]
        shown = [
            f"one-layer validation of {self.family}: {described_plan(self.plan)}",
            "",
            table_of(["", self.path_label, "training", "held out"], lines),
            "",
            f"{metric.shown_label} {with_interval(self.error, self.interval, metric)} at {self.setting}",
        ]
        if len(self.settings) > 1:
            before = " and the one before them" if self.plan.dealing == "time" and self.plan.layers > 1 else ""
            shown.append(f"chosen on these same folds{before}, so too good on average: see two_layer")
        if self.averaging.doubt is not None:
            shown.append(self.averaging.doubt)
        return "\n".join(shown)


@dataclass(frozen=True, eq=False)
class TwoLayer:
    """The error of choosing a setting and using it: for every outer block the choice is made without that block."""

    family: str
    path_label: str
    settings: tuple[Setting, ...]
    rule: str
    places: tuple[Place, ...]
    chosen: tuple[int, ...]  # for each place
    losses: Floats  # [place], at the setting chosen for it
    training: Floats  # [place]
    inner: Floats  # [place, setting]: the means on which the choice was made; NaN where there was nothing to choose
    one_layer: OneLayer  # what choosing and judging on the same blocks would have said
    plan: Plan
    averaging: Averaging
    trials: int  # fits of the whole path
    held_out: HeldOut
    warnings: tuple[str, ...]

    @property
    def metric(self) -> str:
        """The loss that all figures are of."""
        return self.averaging.metric.name

    @property
    def error(self) -> float:
        """The mean over the outer blocks: of the procedure, its choice included."""
        return float(self.averaging.mean(self.losses))

    @property
    def interval(self) -> Interval:
        """Of the error; on a single test part of groups by how much these differ (`clustered_beta`)."""
        return self.averaging.interval(self.losses, wrong=self.held_out.wrong if self.averaging.by_groups else None)

    @property
    def training_error(self) -> float:
        """The mean loss of the chosen settings on the rows they were trained on."""
        return float(self.averaging.mean(self.training))

    @property
    def setting(self) -> str:
        """The choice on all blocks: what one would use."""
        return self.one_layer.setting

    @property
    def optimism(self) -> float:
        """How much lower one layer would have put the error."""
        return self.error - self.one_layer.error

    def __str__(self) -> str:
        name = "hold-out" if self.plan.dealing == "holdout" else "two-layer validation"
        metric = self.averaging.metric
        lines = [
            [
                f"{repeat + 1}.{block + 1}",
                self.settings[s].label,
                figure(self.training[at], metric),
                figure(self.losses[at], metric),
            ]
            for at, ((repeat, block), s) in enumerate(zip(self.places, self.chosen, strict=True))
        ]
        shown = [
            f"{name} of {self.family}: {described_plan(self.plan)}; trials: {self.trials:,}",
            "",
            table_of(["fold", f"chosen {self.path_label}", "training", "held out"], lines[:_MOST_LINES]),
        ]
        if len(lines) > _MOST_LINES:
            shown.append(f"… and {len(lines) - _MOST_LINES:,} more")
        shown += ["", table_of([], self._figures())]
        if self.averaging.doubt is not None:
            shown += ["", self.averaging.doubt]
        return "\n".join(shown)

    def _figures(self) -> list[list[str]]:
        metric = self.averaging.metric
        label = metric.shown_label
        training = [f"training {label}", figure(self.training_error, metric), "on the training rows"]
        error = with_interval(self.error, self.interval, metric)
        if len(self.settings) == 1:
            return [[f"held-out {label}", error, "of the only setting: nothing was chosen"], training]
        choice = f"at {self.setting}, on the folds that chose it; optimism {number(self.optimism)}"
        return [
            [f"two-layer {label}", error, "choosing a setting and using it"],
            [f"one-layer {label}", figure(self.one_layer.error, metric), choice],
            training,
        ]


def gather(
    plan: Plan,
    places: Sequence[Place],
    outcomes: Sequence[Outcome],
    settings: Sequence[int],
    y: NDArray[Any],
    classes: tuple[Any, ...],
) -> HeldOut:
    """The held-out predictions of one setting a place, one after the other."""
    rows = [plan.rows(repeat, (block,)) for repeat, block in places]
    outputs = np.concatenate([outcome.outputs[s] for outcome, s in zip(outcomes, settings, strict=True)])
    labels = np.concatenate([outcome.labels[s] for outcome, s in zip(outcomes, settings, strict=True)])
    sizes = [len(part) for part in rows]
    together = np.concatenate(rows)
    return HeldOut(
        outcomes[0].output,
        classes,
        np.repeat([repeat for repeat, _ in places], sizes),
        np.repeat([block for _, block in places], sizes),
        together,
        y[together],
        labels.astype(np.int32) if classes else outputs[:, 0],
        outputs,
    )
