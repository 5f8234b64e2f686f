"""Trials of one family in memory: run, turned into losses at once, and only the outer predictions kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray

from venire.advice import Advice, Option
from venire.errors import UsageError, VenireError
from venire.validation.plans.plan import Held, Plan, Trial
from venire.validation.subject import Subject
from venire.validation.trials.family import Gregarious, Outcome, Threaded
from venire.validation.trials.naive import naive_outcome
from venire.validation.trials.one_thread import one_thread
from venire.validation.trials.side_by_side import side_by_side

Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tried:
    """What one trial came to: the losses of all settings on each block it predicted."""

    losses: Mapping[int, Floats]  # block → [setting]
    training: Floats  # [setting]; NaN for inner trials
    outcome: Outcome | None  # outer trials only: the predictions themselves
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Attempts:
    """All trials of a plan, looked up by where a held-out prediction is found."""

    tried: Mapping[Trial, Tried]

    def losses(self, held: Sequence[Held]) -> Floats:
        """[held, setting]."""
        return np.stack([self.tried[h.trial].losses[h.block] for h in held])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the learners complained about, each complaint once."""
        return tuple(sorted({text for tried in self.tried.values() for text in tried.warnings}))


def attempt(subject: Subject, plan: Plan, *, jobs: int = 1, naive: bool = False) -> Attempts:
    """Run every trial of a plan, on one thread each; `naive` takes the plain loop instead of the family's own way."""
    if jobs < 1:
        raise UsageError(
            f"jobs must be at least 1, not {jobs}", code="bad_jobs", hint=Advice(Option("jobs", 1), " uses one core")
        )
    trials = plan.trials
    if jobs == 1 or len(trials) == 1:
        return Attempts(dict(zip(trials, _some(subject, plan, trials, naive), strict=True)))
    if not naive and isinstance(subject.family, Threaded) and subject.family.in_threads(subject.table):
        return Attempts(dict(zip(trials, _in_threads(subject, plan, jobs), strict=True)))
    # As many parts as workers: every worker prepares the family's shared work once.
    ends = np.linspace(0, len(trials), min(jobs, len(trials)) + 1).astype(int)
    parts = [trials[begin:end] for begin, end in pairwise(ends)]
    done = Parallel(n_jobs=jobs)(delayed(_some)(subject, plan, part, naive) for part in parts)
    return Attempts(dict(zip(trials, [tried for part in done for tried in part], strict=True)))


def _some(subject: Subject, plan: Plan, trials: Sequence[Trial], naive: bool) -> list[Tried]:
    with one_thread():
        prepared = None if naive else subject.family.prepare(subject.table, plan)
        return [_one(subject, plan, trial, prepared, naive) for trial in trials]


def _in_threads(subject: Subject, plan: Plan, jobs: int) -> list[Tried]:
    """One preparation for all trials, and no process to start."""
    family = subject.family
    with one_thread():
        prepared = family.prepare(subject.table, plan)
        if isinstance(family, Gregarious) and family.in_one_piece(plan):
            with suppress(Exception):  # if it fails, so will the first trial, with a word
                family.share(prepared, plan.trials, jobs)
        return list(side_by_side(lambda trial: _one(subject, plan, trial, prepared, False), plan.trials, jobs))


def _one(subject: Subject, plan: Plan, trial: Trial, prepared: object, naive: bool) -> Tried:
    try:
        if naive:
            outcome = naive_outcome(subject.family, subject.table, plan, trial)
        else:
            outcome = subject.family.run(prepared, trial)
    except VenireError:
        raise
    except Exception as error:
        lines = str(error).strip().splitlines() or ["no message"]
        raise VenireError(
            f"{subject.family.name} failed on {len(plan.train_rows(trial))} rows: {type(error).__name__}: {lines[0]}",
            code="trial_failed",
            hint="the same estimator fails outside of venire, too: try it there",
        ) from error
    outcome = outcome.decided_by(subject.metric)
    return Tried(
        losses_of(subject, plan, trial, outcome),
        training_of(subject, plan, trial, outcome),
        replace(outcome, seen=None) if plan.is_outer(trial) else None,
        outcome.warnings,
    )


def training_of(subject: Subject, plan: Plan, trial: Trial, outcome: Outcome) -> Floats:
    """The losses of all settings on rows the trial has seen; NaN where none are shown."""
    known = outcome.training.get(subject.metric.name)
    if known is not None:
        return np.asarray(known)
    if outcome.seen is None:
        return np.full(len(subject.settings), np.nan)
    (rows,), seen = plan.seen_rows(trial), outcome.seen
    return subject.metric.losses(subject.table.y[rows], seen.labels.astype(np.int32), seen.outputs, outcome.output)


def losses_of(subject: Subject, plan: Plan, trial: Trial, outcome: Outcome) -> dict[int, Floats]:
    """The losses of all settings on every block a trial predicted."""
    rows = plan.test_rows(trial)
    block_of = plan.block_of[trial.repeat][rows]
    found = {}
    for block in trial.test:
        at = block_of == block
        labels, outputs = outcome.labels[:, at].astype(np.int32), outcome.outputs[:, at]
        found[block] = subject.metric.losses(subject.table.y[rows[at]], labels, outputs, outcome.output)
    return found
