"""The bootstrap: train on rows drawn with replacement, test on the rows that were not drawn.

A sample holds about .632 of the different rows, so its models are worse than one of all rows, while the training error
of a model of all rows is too good. Efron's .632 estimate is a fixed mixture of the two; it fails where the training
error says nothing at all. The .632+ of Efron and Tibshirani (1997) moves towards the rows not drawn by how much the
model overfits, measured against the error γ it would have if attributes and target had nothing to do with each other:

    R = (Err₁ − err) / (γ − err),   w = .632 / (1 − .368 R),   Err.632+ = (1 − w) err + w Err₁

with R between 0 and 1. Where Err₁ exceeds γ, R is 1 and what is added to the .632 estimate is cut to γ, as in their
equations 29 to 32: Err.632+ = Err.632 + (min(Err₁, γ) − err) · .368 · .632 R / (1 − .368 R).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from venire.errors import DataError, UsageError
from venire.metrics.scores import Metric
from venire.validation.averaging import NEED_SEVERAL_ROWS
from venire.validation.choice import simplest_best
from venire.validation.held_out import HeldOut, gathered
from venire.validation.honesty.certificate import Certificate
from venire.validation.no_information import no_information
from venire.validation.plain_text import figure, number
from venire.validation.plans.copies import copies, kept_together
from venire.validation.plans.plan import Held
from venire.validation.plans.samples import sample_plan
from venire.validation.short_tables import ShortTable
from venire.validation.subject import Subject, subject
from venire.validation.trials.docket import Docket
from venire.validation.trials.family import Outcome, Setting
from venire.validation.trials.generic import GenericFamily
from venire.validation.trying import Tried, asked, means, tried
from venire.validation.unknown_options import refuse_unknown

Floats = NDArray[np.float64]

ESTIMATES = ("632+", "632", "out_of_bag")


@dataclass(frozen=True, eq=False, repr=False)
class Bootstrap:
    """Every setting judged by the bootstrap, with all that the .632+ estimate is made of.

    Attributes
    ----------
    tried
        The trials behind it.
    estimate
        Which of the three chooses: "632+", "632" or "out_of_bag".
    chosen
        The index into `settings`.
    training
        Of the model of all rows, on all rows, `[setting]`.
    out_of_bag
        Err₁, every row judged by the samples without it, `[setting]`.
    no_information
        γ, `[setting]`.
    mixture
        The .632 and .632+ estimates, and what the second is made of.
    losses
        On the rows the sample did not draw, `[sample, setting]`.
    drawn
        How often each row is in each sample, `[sample, row]`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.naive_bayes import GaussianNB
    >>> X = np.random.default_rng(0).normal(size=(40, 2))
    >>> found = bootstrap(GaussianNB(), (X, X[:, 0] > 0), samples=20)
    >>> found.losses.shape, found.training.shape
    ((20, 1), (1,))
    """

    tried: Tried
    estimate: str  # which of the three chooses: "632+", "632" or "out_of_bag"
    chosen: int
    training: Floats  # [setting]: of the model of all rows, on all rows
    out_of_bag: Floats  # [setting]: Err₁, every row judged by the samples without it
    no_information: Floats  # [setting]: γ
    mixture: Mixture  # [setting]: of squares where roots are shown
    losses: Floats  # [sample, setting], on the rows the sample did not draw
    drawn: NDArray[np.int32]  # [sample, row]: how often

    @property
    def family(self) -> str:
        """The model."""
        return self.tried.family.name

    @property
    def path_label(self) -> str:
        """What its settings vary."""
        return self.tried.family.path_label

    @property
    def metric(self) -> Metric:
        """The loss that all figures are of."""
        return self.tried.docket.metric

    @property
    def settings(self) -> tuple[Setting, ...]:
        """Its path, from simple to complex."""
        return self.tried.ledger.settings

    @property
    def overfitting(self) -> Floats:
        """R of every setting."""
        return self.mixture.overfitting

    @property
    def weight(self) -> Floats:
        """w of every setting."""
        return self.mixture.weight

    @property
    def error_632(self) -> Floats:
        """The .632 estimate of every setting."""
        return self.mixture.error_632

    @property
    def error_632_plus(self) -> Floats:
        """The .632+ estimate of every setting."""
        return self.mixture.error_632_plus

    @property
    def stopped(self) -> str | None:
        """What ended it before all samples were tried: "budget" or "interrupted"; None if nothing did."""
        return self.tried.stopped

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the learners warned of, and how far it came if not to the end."""
        predicted = tuple(sorted(self.tried.ledger.warnings))
        if self.stopped is None:
            return predicted
        why = "the budget" if self.stopped == "budget" else "an interruption"
        asked = self.tried.docket.plan.repeats - 1
        return (*predicted, f"stopped by {why}: all figures are of {len(self.drawn):,} of {asked:,} samples")

    @cached_property
    def certificate(self) -> Certificate:
        """Whether the model learns from rows it must not see: checked when first asked for, with two more fits."""
        return self.tried.certificate()

    @property
    def errors(self) -> Floats:
        """The estimate of every setting."""
        return {"632+": self.error_632_plus, "632": self.error_632, "out_of_bag": self.out_of_bag}[self.estimate]

    @property
    def error(self) -> float:
        """The estimate of the chosen setting. With several settings it knows nothing of the choice: see `two_layer`."""
        return float(self.errors[self.chosen])

    @property
    def setting(self) -> str:
        """The chosen setting, as printed."""
        return self.settings[self.chosen].label

    def held_out(self, setting: int | None = None) -> HeldOut:
        """What one setting (the chosen one) said of the rows that a sample did not draw; `repeats` are the samples."""
        at = self.chosen if setting is None else setting
        found = gathered(self.tried.docket, self.family, _samples(self.tried), [at] * len(self.drawn))
        return replace(found, repeats=found.repeats - 1)  # the first repeat of the plan is no sample

    def __str__(self) -> str:
        return self.short_table().text()

    def _repr_html_(self) -> str:
        return self.short_table().html()

    def __repr__(self) -> str:
        figures = f"{self.metric.shown_label} {figure(self.error, self.metric)} by {self.estimate.replace('_', ' ')}"
        return f"<Bootstrap of {self.family}: {figures}, {len(self.losses)} samples>"

    def short_table(self) -> ShortTable:
        """Every setting with all that its estimates are made of."""
        header = ["", self.path_label, "training", "out of bag", "γ", "R", ".632", ".632+"]
        shown = (self.training, self.out_of_bag, self.no_information, self.error_632, self.error_632_plus)
        lines = []
        for s, setting in enumerate(self.settings):
            before, after = ([figure(losses[s], self.metric) for losses in part] for part in (shown[:3], shown[3:]))
            mark = "→" if s == self.chosen else ""
            lines.append([mark, setting.label, *before, number(self.overfitting[s]), *after])
        error, by = f"{self.metric.shown_label} {figure(self.error, self.metric)}", self.estimate.replace("_", " ")
        return ShortTable(
            f"bootstrap of {self.family}: {len(self.losses)} samples",
            header,
            lines,
            right=6,
            marked=self.chosen,
            below=(f"{error} at {self.setting}, by the {by} estimate",),
        )


def bootstrap(
    model: Any,
    data: Any,
    target: str | ArrayLike | None = None,
    *,
    samples: int = 100,
    estimate: str = "632+",
    seed: int = 0,
    **given: Any,
) -> Bootstrap:
    """Judge every setting by draws with replacement; groups, and copies of a row, are drawn as a whole.

    Parameters
    ----------
    model, data, target, seed, **given
        As of `one_layer`.
    samples
        How many draws.
    estimate
        What chooses among the settings: "632+", "632" or "out_of_bag".

    Returns
    -------
    Bootstrap
        Every setting, with all that the estimates are made of.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> rng = np.random.default_rng(0)
    >>> noise = rng.normal(size=(60, 2)), rng.permutation(60) % 2
    >>> found = bootstrap(KNeighborsClassifier(1), noise, samples=50)
    >>> print(found)
    bootstrap of kneighbors_classifier: 50 samples
    <BLANKLINE>
       setting  training  out of bag       γ       R    .632   .632+
    →  default    0.0000      0.4908  0.5000  0.9816  0.3102  0.4856
    <BLANKLINE>
    error rate 0.4856 at default, by the 632+ estimate
    """
    refuse_unknown(given, bootstrap, subject, means)
    if estimate not in ESTIMATES:
        raise UsageError(
            f"there is no estimate {estimate!r}", code="bad_estimate", hint=f"there are {', '.join(ESTIMATES)}"
        )
    case, by = asked(model, data, target, given)
    drawn = draw(case, samples, seed)
    found = tried(replace(case, family=_with_path(case)), sample_plan(drawn, seed), by)
    docket, ledger, held = found.docket, found.ledger, _samples(found)
    whole = docket.plan.outer(0, 0)
    if whole not in ledger.losses or not held:
        raise found.unfinished("any sample")
    training = ledger.losses[whole]
    drawn = drawn[[h.trial.repeat - 1 for h in held]]
    if case.metric.name in NEED_SEVERAL_ROWS:  # ranks and ratios of different models are not mixed
        out_of_bag = ledger.mean(held)
    else:
        out_of_bag = _out_of_bag(docket, found.family.name, held, drawn)
    gamma = no_information(case.metric, case.table.y, _decided(docket, found.family.name, whole))
    mixed = mixture(training, out_of_bag, gamma, power=2 if case.metric.name == "rmse" else 1)
    errors = {"632+": mixed.error_632_plus, "632": mixed.error_632, "out_of_bag": out_of_bag}[estimate]
    chosen = simplest_best(errors, case.metric.unit(case.table.y))
    return Bootstrap(
        found,
        estimate,
        chosen,
        training=training,
        out_of_bag=out_of_bag,
        no_information=gamma,
        mixture=mixed,
        losses=ledger.on(held),
        drawn=drawn,
    )


@dataclass(frozen=True, eq=False)
class Mixture:
    """The two estimates, and what the second is made of."""

    error_632: Floats
    error_632_plus: Floats
    overfitting: Floats
    weight: Floats


def mixture(training: Floats, out_of_bag: Floats, gamma: Floats, *, power: int = 1) -> Mixture:
    """The .632 and .632+ estimates from their three parts; with `power=2` squares are mixed, since roots do not.

    >>> found = mixture(np.array([0.1]), np.array([0.3]), np.array([0.5]))
    >>> [round(part.item(), 4) for part in (found.overfitting, found.weight, found.error_632_plus)]
    [0.5, 0.7745, 0.2549]
    """
    training, out_of_bag, gamma = training**power, out_of_bag**power, gamma**power
    capped = np.minimum(out_of_bag, gamma)
    overfits = (capped > training) & (gamma > training)
    R = np.where(overfits, (capped - training) / np.where(overfits, gamma - training, 1.0), 0.0)
    plain = 0.368 * training + 0.632 * out_of_bag
    plus = plain + (capped - training) * 0.368 * 0.632 * R / (1 - 0.368 * R)
    return Mixture(plain ** (1 / power), plus ** (1 / power), R, 0.632 / (1 - 0.368 * R))


def draw(case: Subject, samples: int, seed: int) -> NDArray[np.int32]:
    """How often each row is in each sample; at least one row is left out of every sample."""
    table = case.table
    if table.time is not None:
        raise UsageError("the bootstrap knows no time order", code="bad_split", hint="use folds in time order")
    if samples < 1 or seed < 0:
        wrong = (
            f"samples must be at least 1, not {samples}" if samples < 1 else f"the seed must be 0 or more, not {seed}"
        )
        raise UsageError(wrong, code="bad_samples")
    together = kept_together(table, copies(table))
    unit = np.arange(table.rows) if together is None else together
    if table.groups is not None:
        unit = np.unique(table.groups, return_inverse=True)[1]
    units = int(unit.max()) + 1
    if units < 2:
        what = "different rows" if table.groups is None else "groups"
        raise DataError(f"the bootstrap needs at least 2 {what}, and there is 1", code="fewer_rows_than_folds")
    drawn = np.zeros((samples, table.rows), np.int32)
    for sample in range(samples):
        rng = np.random.default_rng([seed, 0xB007, sample])
        while (times := np.bincount(rng.integers(units, size=units), minlength=units)).all():
            pass
        drawn[sample] = times[unit]
    return drawn


def _with_path(case: Subject) -> Any:
    """The family with the path of the whole table: a sample has more rows, and must not get a longer path."""
    return case.family.with_path(case.settings) if isinstance(case.family, GenericFamily) else case.family


def _samples(found: Tried) -> list[Held]:
    """Where the predictions of the samples are found, as far as they were tried."""
    plan = found.docket.plan
    return [h for repeat in range(1, plan.repeats) if (h := plan.outer(repeat, 0)) in found.ledger.losses]


def _decided(docket: Docket, family: str, held: Held) -> Outcome:
    """What all settings say of a held-out part, with the decisions that are judged."""
    outputs, labels, output = docket.every_setting(family, held)
    return Outcome(output, outputs, docket.metric.decided(labels, outputs, output), {})


def _out_of_bag(docket: Docket, family: str, held: Sequence[Held], drawn: NDArray[np.int32]) -> Floats:
    """Err₁ of every setting."""
    predicted = [_decided(docket, family, h) for h in held]
    out = drawn == 0
    rows = np.concatenate([np.flatnonzero(left) for left in out])
    # Every row counts once, however many samples are without it.
    weights = 1.0 / out.sum(axis=0)[rows]
    labels = np.concatenate([one.labels for one in predicted], axis=1).astype(np.int32)
    outputs = np.concatenate([one.outputs for one in predicted], axis=1)
    return docket.metric.losses(docket.table.y[rows], labels, outputs, predicted[0].output, weights)
