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

import hashlib
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from venire.errors import DataError, UsageError
from venire.metrics.scores import Metric
from venire.validation.attempt import Tried, attempt
from venire.validation.averaging import NEED_SEVERAL_ROWS
from venire.validation.choice import mean_defined, simplest_best
from venire.validation.no_information import no_information
from venire.validation.options import refuse_unknown
from venire.validation.plans.copies import copies, kept_together
from venire.validation.plans.plan import Plan
from venire.validation.results import HeldOut
from venire.validation.subject import Subject, subject
from venire.validation.text import number, table_of
from venire.validation.trials.family import Outcome, Setting
from venire.validation.trials.generic import GenericFamily
from venire.validation.trials.naive import rows_of

Floats = NDArray[np.float64]

ESTIMATES = ("632+", "632", "out_of_bag")


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """Every setting judged by the bootstrap, with all that the .632+ estimate is made of."""

    family: str
    path_label: str
    metric: Metric
    settings: tuple[Setting, ...]
    chosen: int
    estimate: str  # which of the three chose: "632+", "632" or "out_of_bag"
    training: Floats  # [setting]: of the model of all rows, on all rows
    out_of_bag: Floats  # [setting]: Err₁, every row judged by the samples without it
    no_information: Floats  # [setting]: γ
    overfitting: Floats  # [setting]: R
    weight: Floats  # [setting]: w
    error_632: Floats  # [setting]
    error_632_plus: Floats  # [setting]
    losses: Floats  # [sample, setting], on the rows the sample did not draw
    drawn: NDArray[np.int32]  # [sample, row]: how often
    warnings: tuple[str, ...]
    _outcomes: tuple[Outcome, ...] = field(repr=False)
    _target: tuple[NDArray[Any], tuple[Any, ...]] = field(repr=False)

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
        y, classes = self._target
        rows = [np.flatnonzero(times == 0) for times in self.drawn]
        together = np.concatenate(rows)
        outputs = np.concatenate([outcome.outputs[at] for outcome in self._outcomes])
        labels = np.concatenate([outcome.labels[at] for outcome in self._outcomes])
        samples = np.repeat(np.arange(len(rows)), [len(part) for part in rows])
        predicted = labels.astype(np.int32) if classes else outputs[:, 0]
        output = self._outcomes[0].output
        return HeldOut(output, classes, samples, np.zeros_like(samples), together, y[together], predicted, outputs)

    def __str__(self) -> str:
        header = ["", self.path_label, "training", "out of bag", "γ", "R", ".632", ".632+"]
        columns = (
            self.training, self.out_of_bag, self.no_information, self.overfitting, self.error_632, self.error_632_plus
        )  # fmt: skip
        lines = [
            ["→" if s == self.chosen else "", setting.label, *(number(column[s]) for column in columns)]
            for s, setting in enumerate(self.settings)
        ]
        label = self.metric.label
        return "\n".join(
            [
                f"bootstrap of {self.family}: {len(self.losses)} samples",
                "",
                table_of(header, lines, right=6),
                "",
                f"{label} {number(self.error)} at {self.setting}, by the {self.estimate.replace('_', ' ')} estimate",
            ]
        )


def bootstrap(
    model: Any,
    data: Any,
    target: str | ArrayLike | None = None,
    *,
    samples: int = 100,
    estimate: str = "632+",
    seed: int = 0,
    jobs: int = 1,
    naive: bool = False,
    **given: Any,
) -> Bootstrap:
    """Judge every setting by `samples` draws with replacement; groups, and copies of a row, are drawn as a whole.

    `estimate` is what chooses among the settings: "632+", "632" or "out_of_bag". All else is as in `one_layer`.

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
    refuse_unknown(given, bootstrap, subject)
    if estimate not in ESTIMATES:
        raise UsageError(
            f"there is no estimate {estimate!r}", code="bad_estimate", hint=f"there are {', '.join(ESTIMATES)}"
        )
    case = subject(model, data, target, **given)
    drawn = draw(case, samples, seed)
    settled = replace(case, family=_with_path(case))
    everything = np.arange(case.table.rows)
    tried = _try_all(settled, [(everything, everything), *_parts(drawn)], seed, jobs, naive)
    whole, parts = tried[0], tried[1:]
    training = whole.losses[0]
    out_of_bag, losses = _out_of_bag(case, drawn, parts)
    assert whole.outcome is not None
    gamma = no_information(case.metric, case.table.y, whole.outcome)
    power = 2 if case.metric.name == "rmse" else 1  # squares mix, roots do not
    mixed = mixture(training**power, out_of_bag**power, gamma**power)
    error_632, error_632_plus = mixed.error_632 ** (1 / power), mixed.error_632_plus ** (1 / power)
    errors = {"632+": error_632_plus, "632": error_632, "out_of_bag": out_of_bag}[estimate]
    assert case.table.target is not None
    return Bootstrap(
        case.family.name,
        case.family.path_label,
        case.metric,
        case.settings,
        simplest_best(errors, case.metric.unit(case.table.y)),
        estimate,
        training,
        out_of_bag,
        gamma,
        mixed.overfitting,
        mixed.weight,
        error_632,
        error_632_plus,
        losses,
        drawn,
        tuple(sorted({text for one in tried for text in one.warnings})),
        tuple(one.outcome for one in parts if one.outcome is not None),
        (case.table.y, case.table.target.classes),
    )


@dataclass(frozen=True, eq=False)
class Mixture:
    """The two estimates, and what the second is made of."""

    error_632: Floats
    error_632_plus: Floats
    overfitting: Floats
    weight: Floats


def mixture(training: Floats, out_of_bag: Floats, gamma: Floats) -> Mixture:
    """The .632 and .632+ estimates from their three parts.

    >>> found = mixture(np.array([0.1]), np.array([0.3]), np.array([0.5]))
    >>> [round(part.item(), 4) for part in (found.overfitting, found.weight, found.error_632_plus)]
    [0.5, 0.7745, 0.2549]
    """
    capped = np.minimum(out_of_bag, gamma)
    overfits = (capped > training) & (gamma > training)
    R = np.where(overfits, (capped - training) / np.where(overfits, gamma - training, 1.0), 0.0)
    plain = 0.368 * training + 0.632 * out_of_bag
    plus = plain + (capped - training) * 0.368 * 0.632 * R / (1 - 0.368 * R)
    return Mixture(plain, plus, R, 0.632 / (1 - 0.368 * R))


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
        raise DataError(f"the bootstrap needs at least 2 {what}, and there is 1", code="fewer_rows_than_blocks")
    drawn = np.zeros((samples, table.rows), np.int32)
    for sample in range(samples):
        rng = np.random.default_rng([seed, 0xB007, sample])
        while (times := np.bincount(rng.integers(units, size=units), minlength=units)).all():
            pass
        drawn[sample] = times[unit]
    return drawn


def _parts(drawn: NDArray[np.int32]) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    rows = np.arange(drawn.shape[1])
    return [(np.repeat(rows, times), np.flatnonzero(times == 0)) for times in drawn]


def _with_path(case: Subject) -> Any:
    """The family with the path of the whole table: a sample has more rows, and must not get a longer path."""
    return case.family.with_path(case.settings) if isinstance(case.family, GenericFamily) else case.family


def _try_all(case: Subject, parts: list[Any], seed: int, jobs: int, naive: bool) -> list[Tried]:
    if jobs < 1:
        raise UsageError(f"jobs must be at least 1, not {jobs}", code="bad_jobs", hint="jobs=1 uses one core")
    work = (delayed(_try)(case, *part, f"{seed}|{at}", naive) for at, part in enumerate(parts))
    return list(Parallel(n_jobs=min(jobs, len(parts)))(work))


def _try(case: Subject, train: NDArray[np.intp], test: NDArray[np.intp], name: str, naive: bool) -> Tried:
    """One sample as a table of its own, in which a row drawn twice stands twice."""
    table = rows_of(case.table, np.concatenate([train, test]))
    block_of = np.repeat(np.array([1, 0], np.int32), [len(train), len(test)])[None, :]
    seed = int.from_bytes(hashlib.blake2b(f"bootstrap|{name}".encode(), digest_size=4).digest(), "little")
    plan = Plan(block_of, 2, "nested", seed, layers=1)
    (tried,) = attempt(replace(case, table=table), plan, naive=naive).tried.values()
    return tried


def _out_of_bag(case: Subject, drawn: NDArray[np.int32], parts: list[Tried]) -> tuple[Floats, Floats]:
    """Err₁ of every setting, and the losses of every sample."""
    losses = np.stack([one.losses[0] for one in parts])
    if case.metric.name in NEED_SEVERAL_ROWS:  # ranks and ratios of different models are not mixed
        return mean_defined(losses), losses
    out = drawn == 0
    rows = np.concatenate([np.flatnonzero(left) for left in out])
    # Every row counts once, however many samples are without it.
    weights = 1.0 / out.sum(axis=0)[rows]
    outcomes = [one.outcome for one in parts if one.outcome is not None]
    labels = np.concatenate([outcome.labels for outcome in outcomes], axis=1).astype(np.int32)
    outputs = np.concatenate([outcome.outputs for outcome in outcomes], axis=1)
    return case.metric.losses(case.table.y[rows], labels, outputs, outcomes[0].output, weights), losses
