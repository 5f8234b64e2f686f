"""Does a family know the answers from elsewhere than the training rows? With the power to tell, computed beforehand.

All labels are shuffled, so that nothing can be learned from them, and then turned round: every class becomes
the next, every number is mirrored. Whatever an honest learner happens to make of random labels, it makes the opposite
of the turned ones; over both, its scores order the rows no better than a coin by the true answers. Scores that still do
have the answers from somewhere else, such as a table of their own. Scores are looked at and not decisions alone: a
learner may know the answers and never cross the threshold.

A solver that is stopped before its optimum does not make quite the opposite of turned labels, and what is left over may
follow the order of the true answers by luck, on all rows together. So whoever is suspected is asked again with other
shuffles: who knows the answers, knows them every time.

How large a leak would have been seen depends on the number of rows. It has to be seen every time: the power is that of
the first shuffle and of all further ones together. Folds are added until a leak of half of the answers would probably
be seen and one of all of them surely, or until there are no more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy import special

from venire.data.table import Table, Task
from venire.metrics.predictions import Output
from venire.metrics.scores import metric
from venire.validation.honesty.garble import run_alone
from venire.validation.plans.plan import Plan, Trial
from venire.validation.trials.family import Cancel, Family, Outcome

Floats = NDArray[np.float64]

_LUCK = 1e-4  # with which an honest learner may be taken for one that knows the answers
_ENOUGH = 0.8  # for a leak of half of the answers; one of all of them is then seen for certain
_MOST_TURNS = 4  # with more classes not every turn is tried
_MOST_TRIALS = 10  # a check is not to take longer than what it checks
_UNDEFINED = inf
_AGAIN, _CLEAR = 3, 2.0  # shuffles on which a suspicion has to hold, by so many standard errors


@dataclass(frozen=True)
class Asked:
    """What came of it.

    Attributes
    ----------
    knows
        Whether the answers are known from elsewhere.
    rows
        On how many rows it was looked at.
    whole, half
        The probability with which a leak of all answers, and one of half of them, would have been seen.
    """

    knows: bool
    rows: int
    whole: float
    half: float


@dataclass(frozen=True, eq=False)
class _Part:
    """The rows of one trial, and by how much each setting ordered them better than a coin."""

    trial: Trial
    rows: int
    variance: float  # of that by chance alone
    above: Floats


def ask(
    family: Family, table: Table, plan: Plan, first: Trial, rng: np.random.Generator, cancel: Cancel, settings: int
) -> Asked:
    """Ask a family for the answers on the folds of one trial, and on further ones while these are too few to tell."""
    limit = -float(special.ndtri(_LUCK / max(1, settings)))
    trials, parts = _trials(plan, first), list[_Part]()
    found, variance, rows = np.zeros(settings), 0.0, 0
    telling = (trial for trial in trials if np.isfinite(_by_chance(table, table.y[plan.test_rows(trial)])))
    for trial in islice(telling, _MOST_TRIALS):
        y = table.y[plan.test_rows(trial)]
        above = _above_chance(family, table, plan, trial, rng, cancel, settings)
        parts.append(_Part(trial, len(y), _by_chance(table, y), above))
        rows += len(y)
        found = np.sum([part.rows / rows * part.above for part in parts], axis=0)
        variance = float(np.sum([(part.rows / rows) ** 2 * part.variance for part in parts]))
        if power(0.5, table, variance, limit) >= _ENOUGH:
            break
    if not parts:  # folds of single rows, or of one class, have no order to ask for
        return Asked(False, 0, 0.0, 0.0)
    suspect = found > limit * sqrt(variance)
    for _ in range(_AGAIN if suspect.any() else 0):
        again = [_above_chance(family, table, plan, part.trial, rng, cancel, settings) for part in parts]
        found = np.sum([part.rows / rows * above for part, above in zip(parts, again, strict=True)], axis=0)
        suspect &= found > _CLEAR * sqrt(variance)
    return Asked(bool(suspect.any()), rows, power(1.0, table, variance, limit), power(0.5, table, variance, limit))


def power(share: float, table: Table, variance: float, limit: float) -> float:
    """The probability with which a leak of this share of the answers is seen: at first, and on all further shuffles.

    Of two rows whose order is asked for, one at least has its answer leaked with probability 1 − (1 − share)². What a
    shuffle adds by chance is another chance every time.
    """
    assert table.target is not None
    above = share if table.target.task is Task.REGRESSION else (1 - (1 - share) ** 2) / 2
    far = above / sqrt(variance)
    return float(special.ndtr(far - limit) * special.ndtr(far - _CLEAR) ** _AGAIN)


def _trials(plan: Plan, first: Trial) -> Sequence[Trial]:
    """The trial drawn, then outer ones of its split whose folds it does not have."""
    if plan.own_tables or plan.own_inner_folds:
        return [first]
    others = [plan.outer(first.repeat, fold).trial for fold in plan.outer_folds() if fold not in first.test]
    return [first, *(trial for trial in others if trial.test)]


def _by_chance(table: Table, y: NDArray[np.generic]) -> float:
    """The variance of the share of pairs in the right order, less a half, (or of a correlation) by chance alone."""
    assert table.target is not None
    if table.target.task is Task.REGRESSION:
        return 1 / (len(y) - 1) if len(y) > 2 else _UNDEFINED
    counts = np.bincount(y.astype(np.intp), minlength=len(table.target.classes))
    own = counts[(counts > 0) & (counts < len(y))]
    return float(np.mean((len(y) + 1) / (12 * own * (len(y) - own)))) if len(own) else _UNDEFINED


def _above_chance(
    family: Family, table: Table, plan: Plan, trial: Trial, rng: np.random.Generator, cancel: Cancel, settings: int
) -> Floats:
    """By how much each setting orders the rows of a trial better than a coin, over labels at random and turned."""
    shuffled = _shuffled(table, plan, trial, rng)
    y, found = table.y[plan.test_rows(trial)], []
    for turned in _turns(table, shuffled):
        cancel()
        world = table.with_values(table.X, turned)
        said = run_alone(family, family.prepare(world, plan), trial, cancel)
        found.append(_order(table, y, said))
    ordered = np.stack(found)
    known = np.isfinite(ordered)  # rows of one class, such as a single row, have no order
    together = np.where(known, ordered, 0.0).sum(axis=0) / np.maximum(1, known.sum(axis=0))
    return np.asarray(np.resize(together, settings), dtype=np.float64)


def _shuffled(table: Table, plan: Plan, trial: Trial, rng: np.random.Generator) -> NDArray[np.generic]:
    """The labels in another order, those trained on among themselves: no class is lost to training."""
    y = np.array(table.y)
    train = plan.train_rows(trial)
    rest = np.setdiff1d(np.arange(table.rows), train)
    for rows in (train, rest):
        y[rows] = y[rng.permutation(rows)]
    return y


def _turns(table: Table, y: NDArray[np.generic]) -> list[NDArray[np.generic]]:
    assert table.target is not None
    if table.target.task is Task.REGRESSION:
        return [y, np.asarray(y.max() + y.min() - y)]
    classes = len(table.target.classes)
    return [np.asarray((y + turn) % classes, dtype=y.dtype) for turn in range(min(classes, _MOST_TURNS))]


def _order(table: Table, y: NDArray[np.generic], said: Outcome) -> Floats:
    """Per setting: AUC less a half, or the correlation with the true numbers; 0 where there is no order at all."""
    assert table.target is not None
    if table.target.task is Task.REGRESSION:
        values = np.asarray(said.outputs[:, :, 0], dtype=np.float64)
        gap, actual = values - values.mean(axis=1, keepdims=True), y - y.mean()
        size = np.sqrt(np.square(gap).sum(axis=1) * float(np.square(actual).sum()))
        none = np.zeros(len(values))
        return np.asarray(np.divide((gap * actual).sum(axis=1), size, out=none, where=size > 0))
    outputs, output = said.outputs, said.output
    if output is Output.LABELS:
        outputs = np.eye(len(table.target.classes))[np.asarray(said.labels, dtype=np.intp)]
        output = Output.SCORES
    return np.asarray(0.5 - metric("auc", Task.CLASSIFICATION).losses(y, None, outputs, output))
