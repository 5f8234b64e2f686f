"""Finishing a candidate: calibration and decision learned on its held-out predictions, where the metric asks for them.

Under `error` a learner's own decision is judged and under `auc` its ranking. Log loss, Brier score and costs judge
probabilities and what is done with them, so there a candidate is finished: for each outer fold on the inner
predictions alone, and for what is handed over on those of all folds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.combine.finish import Finish, crossed_at_thresholds, has_threshold, learn_finish
from venire.metrics.all_rows import value_of
from venire.metrics.predictions import Output, Predictions
from venire.validation.choice import mean_defined
from venire.validation.plans.plan import Held
from venire.validation.trials.docket import Docket
from venire.validation.trials.ledger import Ledger

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Finished:
    """What held-out predictions of some folds teach."""

    finish: Finish
    losses: Floats  # on each fold, of what the others teach
    said: list[Predictions]  # of each fold, so finished


def finished(docket: Docket, predicted: Sequence[Predictions], held: Sequence[Held]) -> Finished:
    """The finish these held-out predictions teach, and what is said of each fold with what the others teach."""
    truth = [docket.truth(h) for h in held]
    if not docket.finishing:
        losses = [docket.metric.loss(y, p) for y, p in zip(truth, predicted, strict=True)]
        return Finished(Finish(), np.array(losses), list(predicted))
    sizes = [len(y) for y in truth]
    fold, repeat_of = np.repeat(np.arange(len(sizes)), sizes), _repeat_of(held, sizes)
    learned = learn_finish(_together(predicted), np.concatenate(truth), fold, docket.metric.costs, repeat_of)
    said = [_part(learned.crossed, fold == b) for b in range(len(truth))]
    losses = [docket.metric.loss(y, p) for y, p in zip(truth, said, strict=True)]
    return Finished(learned.finish, np.array(losses), said)


def one_layer_figure(docket: Docket, said: Sequence[Predictions]) -> float:
    """What one layer would report of all rows: predictions of `plan.finals`, on the folds that two layers judge, too.

    In time order the choice sees one fold that two layers cannot judge. It is left out, so that the two figures differ
    by nothing but the choice.
    """
    plan = docket.plan
    judged = {plan.outer(*place) for place in plan.places}
    both = [(held, part) for held, part in zip(plan.finals, said, strict=True) if held in judged]
    return value_of(docket.metric, [docket.truth(held) for held, _ in both], [part for _, part in both])


def setting_losses(docket: Docket, ledger: Ledger, held: Sequence[Held]) -> Floats:
    """The losses [fold, setting] on which a setting is chosen: under costs each as it decides best.

    A setting is judged by its least expected cost or by its threshold, whichever costs less on folds that had no part
    in setting the threshold: the choice that `finished` makes for the one that is taken.
    """
    plain = ledger.on(held)
    if docket.metric.costs is None or len(docket.metric.costs) != 2:
        return plain
    truth = [docket.truth(h) for h in held]
    sizes = [len(y) for y in truth]
    y, fold = np.concatenate(truth), np.repeat(np.arange(len(sizes)), sizes)
    repeat_of = _repeat_of(held, sizes)
    every = [docket.every_setting(ledger.family, h) for h in held]
    costs = np.asarray(docket.metric.costs)
    losses = plain.copy()
    for setting in range(plain.shape[1]):
        predicted = _together([_of_setting(outcome, setting) for outcome in every])
        if not has_threshold(predicted, docket.metric.costs):
            return plain
        paid = costs[y, crossed_at_thresholds(predicted, y, fold, costs, repeat_of)]
        at_threshold = np.array([paid[fold == b].mean() for b in range(len(held))])
        if mean_defined(at_threshold) < mean_defined(plain[:, setting]):
            losses[:, setting] = at_threshold
    return losses


def _repeat_of(held: Sequence[Held], sizes: Sequence[int]) -> NDArray[np.intp]:
    """Which split each row's fold is of."""
    return np.repeat(np.array([h.trial.repeat for h in held], dtype=np.intp), sizes)


def _of_setting(every: tuple[NDArray[Any], NDArray[Any], Output], setting: int) -> Predictions:
    outputs, labels, output = every
    return Predictions(labels[setting].astype(np.int32), outputs[setting], output)


def _together(predicted: Sequence[Predictions]) -> Predictions:
    outputs = np.concatenate([np.asarray(p.outputs) for p in predicted])
    labels = np.concatenate([np.asarray(p.labels) for p in predicted])
    return Predictions(labels, outputs, predicted[0].output)


def _part(predicted: Predictions, at: NDArray[np.bool_]) -> Predictions:
    assert predicted.labels is not None
    assert predicted.outputs is not None
    return Predictions(predicted.labels[at], predicted.outputs[at], predicted.output)
