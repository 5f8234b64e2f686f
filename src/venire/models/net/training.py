"""Training nets side by side: which rows each holds back, and the epochs.

The rows are divided into parts. Each net holds one part back, learns from the others, and keeps the weights of the
epoch that did best on its own part. Nets with different parts see every row between them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from venire._core import NetPack, NetSettings
from venire.models.net.schedule import factors

FEWEST_ROWS = 20  # with fewer, nothing is held back, and a net is trained to its last epoch
Cancel = Callable[[], None]


@dataclass(frozen=True, eq=False)
class Lesson:
    """What nets learn from: encoded rows with a target and, if they differ, weights."""

    x: NDArray[np.float32]
    labels: NDArray[np.int32] | None
    values: NDArray[np.float32] | None
    weights: NDArray[np.float32] | None
    classes: int  # 0 for values


@dataclass(frozen=True)
class Member:
    """One net: its layers and what it is trained with."""

    hidden: tuple[int, ...]
    learning_rate: float
    weight_decay: float
    dropout: float
    smoothing: float
    number: int  # among the nets of its estimator: it decides which part is held back, and the seed


@dataclass(frozen=True)
class Course:
    """What all nets that are trained together share."""

    epochs: int
    batch: int
    patience: int
    schedule: str
    parts: int  # 0: nothing is held back
    seed: int
    betas: tuple[float, float] = (0.9, 0.95)


@dataclass(frozen=True, eq=False)
class Trained:
    """The weights of one net, the epoch they are of, and the loss of every epoch on the part held back."""

    weights: NDArray[np.float32]
    epoch: int
    losses: NDArray[np.float64]


def train(lesson: Lesson, members: Sequence[Member], course: Course, threads: int, cancel: Cancel) -> list[Trained]:
    """All nets in one go; what each becomes depends on no other."""
    rows = len(lesson.x)
    parts = 0 if rows < FEWEST_ROWS else min(course.parts, rows // 4)
    strata = lesson.labels if lesson.labels is not None else np.zeros(rows, dtype=np.int32)
    pack = NetPack.of(
        lesson.x,
        lesson.labels,
        lesson.values,
        lesson.weights,
        divide(strata, max(1, parts), np.random.default_rng([course.seed, 0])),
        classes=lesson.classes,
        members=[_settings(member, parts, course.seed) for member in members],
        batch=course.batch,
        patience=course.patience,
        betas=course.betas,
        seed=course.seed,
    )
    losses = []
    for epoch in range(course.epochs):
        cancel()
        losses.append(pack.run_epoch(factors(course.schedule, epoch, course.epochs, pack.batches), threads=threads))
        if pack.stopped:
            break
    curves = np.array(losses).T
    return [Trained(pack.parameters(k), pack.best_epoch(k), curves[k]) for k in range(len(members))]


def divide(strata: NDArray[Any], parts: int, rng: np.random.Generator) -> NDArray[np.int32]:
    """The part of each row, at random and of like sizes, each class spread over all of them."""
    order = rng.permutation(len(strata))
    order = order[np.argsort(strata[order], kind="stable")]
    found = np.empty(len(strata), dtype=np.int32)
    found[order] = np.arange(len(strata)) % parts
    return found


def _settings(member: Member, parts: int, seed: int) -> NetSettings:
    return NetSettings.of(
        hidden=list(member.hidden),
        learning_rate=member.learning_rate,
        weight_decay=member.weight_decay,
        dropout=member.dropout,
        smoothing=member.smoothing,
        held=member.number % parts if parts > 1 else -1,
        seed=int(np.random.SeedSequence([seed, 1, member.number]).generate_state(1, np.uint64)[0]),
    )
