"""Metrics as losses on one fold of held-out rows, for all settings of a family at once.

A metric turns predictions `[setting, row, output]` into one loss a setting. Every loss is smaller when better
(1 − AUC, 1 − R², 1 − F1) and NaN where the fold does not define it. A metric also knows how people know it: AUC, R²
and F1 are shown as themselves, and so are accuracy and balanced accuracy when they are asked for by these names. The
figures are scikit-learn's, whose functions take one setting at a time: so `formulas` writes them out. This file says
which there are.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire.data.table import Task
from venire.errors import UsageError
from venire.metrics import formulas
from venire.metrics.formulas import Fold
from venire.metrics.predictions import Output, Predictions, cheapest


@dataclass(frozen=True)
class Metric:
    """A loss: what it is called, what it needs from a model, and how it is computed.

    Attributes
    ----------
    name
        Its short name, as `metric` knows it.
    task
        Classes or numbers.
    needs
        The least a model has to say for it.
    label
        Of the loss, as printed.
    score_label
        Of 1 − loss, where that is the figure people know.
    higher_is_better
        Whether it is shown as 1 − loss, under `score_label`.
    bounds
        No loss lies outside.
    formula
        Computes the losses of many predictions of the same rows at once.
    positive
        The class F1 is of; without one it is averaged over the classes.
    costs
        A matrix `[actual][predicted]`.

    Examples
    --------
    >>> auc = metric("auc", Task.CLASSIFICATION)
    >>> auc.label, auc.needs.value, auc.accepts(Output.LABELS)
    ('1 − AUC', 'scores', False)
    >>> round(auc.shown(0.08), 2), auc.shown_label, auc.higher_is_better
    (0.92, 'AUC', True)
    >>> [metric(name, Task.CLASSIFICATION).shown_label for name in ("error", "accuracy", "roc_auc")]
    ['error rate', 'accuracy', 'AUC']
    """

    name: str
    task: Task
    needs: Output
    label: str  # of the loss, as printed
    score_label: str | None  # of 1 − loss, where that is the figure people know
    bounds: tuple[float, float]  # no loss lies outside
    formula: Callable[[Fold], NDArray[np.float64]] = field(repr=False)
    higher_is_better: bool = False  # as it is shown: 1 − loss under `score_label`
    positive: int | None = None  # the class F1 is of; without one it is averaged over the classes
    costs: tuple[tuple[float, ...], ...] | None = None  # [actual][predicted]

    def accepts(self, output: Output) -> bool:
        """Whether this metric is defined for a model with such an output."""
        return output.serves(self.needs)

    @property
    def shown_label(self) -> str:
        """What people call the figure they are shown."""
        return self.score_label if self.higher_is_better and self.score_label else self.label

    def shown(self, loss: float) -> float:
        """The figure people are shown: the score where higher is better, else the loss itself."""
        return 1.0 - loss if self.higher_is_better else loss

    def shown_interval(self, low: float, high: float) -> tuple[float, float]:
        """The ends of an interval of losses as they are shown, the lower one first.

        >>> metric("r2", Task.REGRESSION).shown_interval(0.25, 0.5)
        (0.5, 0.75)
        """
        return (self.shown(high), self.shown(low)) if self.higher_is_better else (low, high)

    @property
    def power(self) -> int:
        """To which power losses of folds are averaged: root mean squares as squares, so that all rows count alike."""
        return 2 if self.name == "rmse" else 1

    def unit(self, y: NDArray[Any]) -> float:
        """The unit of losses: a guess's error in the unit of the target, the most expensive mistake, or 1.

        >>> metric("mae", Task.REGRESSION).unit(np.array([1.0, 3.0])), metric("error", Task.CLASSIFICATION).unit([0, 1])
        (1.0, 1.0)
        """
        if self.costs is not None:
            return max(map(max, self.costs)) - min(map(min, self.costs))
        if self.name in _IN_UNITS_OF_THE_TARGET and len(y):
            return float(np.abs(y - y.mean()).mean())
        return 1.0

    def decided(self, labels: NDArray[Any], outputs: NDArray[Any] | None, output: Output) -> NDArray[Any]:
        """A learner's own decision [setting, row]; under costs the one of least expected cost, by its probabilities."""
        if self.costs is None or outputs is None or output is not Output.PROBABILITIES:
            return labels
        return cheapest(outputs, np.asarray(self.costs))

    def loss(self, y: NDArray[Any], predictions: Predictions, weights: NDArray[np.float64] | None = None) -> float:
        """The loss of one model on one fold; NaN when undefined there.

        >>> predicted = Predictions(np.array([0, 1, 1], dtype=np.int32), None, Output.LABELS)
        >>> round(metric("error", Task.CLASSIFICATION).loss(np.array([0, 0, 1]), predicted), 3)
        0.333
        """
        labels = None if predictions.labels is None else predictions.labels[None]
        outputs = None if predictions.outputs is None else predictions.outputs[None]
        return float(self.losses(y, labels, outputs, predictions.output, weights)[0])

    def losses(
        self,
        y: NDArray[Any],
        labels: NDArray[np.int32] | None,
        outputs: NDArray[Any] | None,
        output: Output,
        weights: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """The losses of all settings: `labels` is [setting, row], `outputs` is [setting, row, output].

        All NaN when the model's output cannot serve this metric, or the fold has no row that counts.
        """
        given = labels if self.needs is Output.LABELS else outputs
        if given is None:
            if self.accepts(output):
                part = "labels" if self.needs is Output.LABELS else "outputs"
                raise UsageError(f"metric {self.name!r} needs {part}, and the predictions hold none")
            held = labels if labels is not None else outputs
            return np.full(0 if held is None else held.shape[0], np.nan)
        return self.of(Fold(y, given, output, weights, self.positive, self.costs))

    def of(self, fold: Fold) -> NDArray[np.float64]:
        """The losses of all settings on one fold; what the fold says of positives and costs holds.

        All NaN when the model's output cannot serve this metric, or the fold has no row that counts.
        """
        nobody = len(fold.y) == 0 or (fold.weights is not None and not fold.weights.any())
        if nobody or not self.accepts(fold.output):
            return np.full(fold.given.shape[0], np.nan)
        return self.formula(fold)


def metric(
    name: str,
    task: Task,
    positive: int | None = None,
    costs: Sequence[Sequence[float]] | NDArray[Any] | None = None,
) -> Metric:
    """The metric of that name for a task.

    Parameters
    ----------
    name
        One of `metric_names(task)`.
    task
        Classes or numbers.
    positive
        The code of the positive class.
    costs
        A matrix `[actual][predicted]`.

    Returns
    -------
    Metric
        What measures predictions.

    Examples
    --------
    >>> metric("rmse", Task.REGRESSION).label
    'RMSE'
    >>> metric("acu", Task.CLASSIFICATION)
    Traceback (most recent call last):
    venire.errors.UsageError: there is no metric 'acu' for classification
    """
    known = _SCORES.get(name, name)
    found = _METRICS.get(known)
    if found is None or found.task is not task:
        raise _unknown(name, task)
    if name in _SCORES:
        found = replace(found, higher_is_better=True)
    if costs is not None and name != "cost":
        raise UsageError(f"costs were given, but metric {name!r} uses none", hint="Use metric 'cost'.")
    if name == "cost":
        checked = _checked_costs(costs)
        # No row costs less than the cheapest outcome, or more than the most expensive.
        return replace(found, positive=positive, costs=checked, bounds=(min(map(min, checked)), max(map(max, checked))))
    if name == "brier" and positive is not None:  # two classes, for which it is halved
        return replace(found, positive=positive, bounds=(0, 1))
    return replace(found, positive=positive)


def every_loss(
    task: Task,
    positive: int | None,
    y: NDArray[Any],
    labels: NDArray[Any],
    outputs: NDArray[Any],
    output: Output,
) -> dict[str, NDArray[np.float64]]:
    """The losses by every metric that needs nothing but predictions, [setting] each; what they share is counted once.

    >>> labels, outputs = np.array([[0, 1, 1]], dtype=np.int16), np.array([[[0.9, 0.1], [0.2, 0.8], [0.4, 0.6]]])
    >>> found = every_loss(Task.CLASSIFICATION, None, np.array([0, 0, 1]), labels, outputs, Output.PROBABILITIES)
    >>> {name: round(float(losses[0]), 3) for name, losses in found.items()}
    {'error': 0.333, 'balanced_error': 0.25, 'log_loss': 0.742, 'brier': 0.27, 'auc': 0.5, 'f1': 0.333}
    """
    predicted, decided = (Fold(y, given, output, positive=positive) for given in (outputs, labels))
    known = (one for one in _METRICS.values() if one.task is task and one.name != "cost")  # costs are the user's
    return {one.name: one.of(decided if one.needs is Output.LABELS else predicted) for one in known}


def metric_names(task: Task) -> tuple[str, ...]:
    """The names a metric of the task can be asked for by, the default first.

    Parameters
    ----------
    task
        Classes or numbers.

    Returns
    -------
    tuple of str
        The names.

    Examples
    --------
    >>> metric_names(Task.REGRESSION)
    ('rmse', 'mae', 'r2')
    >>> metric_names(Task.CLASSIFICATION)[-3:]
    ('accuracy', 'balanced_accuracy', 'roc_auc')
    """
    scores = (name for name, known in _SCORES.items() if _METRICS[known].task is task)
    return (*(known.name for known in _METRICS.values() if known.task is task), *scores)


def is_score(name: str | None) -> bool:
    """Whether what is asked for by this name is shown as a score; an unknown name is none.

    >>> is_score("accuracy"), is_score("auc"), is_score("error"), is_score(None)
    (True, True, False, False)
    """
    return name in _SCORES or (name in _METRICS and _METRICS[name].higher_is_better)


def default_metric(task: Task) -> str:
    """The metric used when none is asked for: `error` or `rmse`.

    Parameters
    ----------
    task
        Classes or numbers.

    Returns
    -------
    str
        The name.

    Examples
    --------
    >>> default_metric(Task.CLASSIFICATION), default_metric(Task.REGRESSION)
    ('error', 'rmse')
    """
    return metric_names(task)[0]


def _unknown(name: str, task: Task) -> UsageError:
    choices = metric_names(task)
    near = difflib.get_close_matches(name, choices, n=1)
    other = _METRICS.get(_SCORES.get(name, name))
    message = f"there is no metric {name!r} for {task.value}"
    if other is not None:
        message += f" (it is one for {other.task.value})"
    hint = f"Did you mean {near[0]!r}? " if near else ""
    return UsageError(message, code="unknown_metric", hint=f"{hint}The choices are {', '.join(choices)}.")


def _checked_costs(
    costs: Sequence[Sequence[float]] | NDArray[Any] | None,
) -> tuple[tuple[float, ...], ...]:
    hint = "Give one row an actual class and one column a predicted class, such as [[0, 1], [5, 0]]."
    if costs is None:
        raise UsageError("metric 'cost' needs costs, and none were given", code="costs", hint=hint)
    rows = tuple(tuple(float(value) for value in row) for row in costs)
    if len(rows) < 2 or any(len(row) != len(rows) for row in rows):
        widths = ", ".join(str(len(row)) for row in rows)
        message = f"the costs must be a square matrix; they have {len(rows)} rows of length {widths}"
        raise UsageError(message, code="costs", hint=hint)
    if not all(isfinite(value) for row in rows for value in row):
        raise UsageError("the costs hold a value that is not a finite number", code="costs", hint=hint)
    return rows


def _known(
    name: str,
    needs: Output,
    label: str,
    score_label: str | None,
    bounds: tuple[float, float],
    formula: Callable[[Fold], NDArray[np.float64]],
) -> tuple[str, Metric]:
    task = Task.REGRESSION if needs is Output.VALUES else Task.CLASSIFICATION
    only_a_score = name not in _SHOWN_AS_LOSS and score_label is not None
    return name, Metric(name, task, needs, label, score_label, bounds, formula, higher_is_better=only_a_score)


_LABELS = Output.LABELS
_IN_UNITS_OF_THE_TARGET = ("rmse", "mae")
_SHOWN_AS_LOSS = ("error", "balanced_error")  # known as a loss and as a score; each name shows what it says
_SCORES = {"accuracy": "error", "balanced_accuracy": "balanced_error", "roc_auc": "auc"}  # names of the same losses
_METRICS: dict[str, Metric] = dict(
    [
        _known("error", _LABELS, "error rate", "accuracy", (0, 1), formulas.error),
        _known("balanced_error", _LABELS, "balanced error", "balanced accuracy", (0, 1), formulas.balanced_error),
        _known("log_loss", Output.PROBABILITIES, "log loss", None, (0, inf), formulas.log_loss),
        _known("brier", Output.PROBABILITIES, "Brier score", None, (0, 2), formulas.brier),
        _known("auc", Output.SCORES, "1 − AUC", "AUC", (0, 1), formulas.one_minus_auc),
        _known("f1", _LABELS, "1 − F1", "F1", (0, 1), formulas.one_minus_f1),
        _known("cost", _LABELS, "mean cost", None, (-inf, inf), formulas.cost),
        _known("rmse", Output.VALUES, "RMSE", None, (0, inf), formulas.rmse),
        _known("mae", Output.VALUES, "MAE", None, (0, inf), formulas.mae),
        _known("r2", Output.VALUES, "1 − R²", "R²", (0, inf), formulas.one_minus_r2),
    ]
)
