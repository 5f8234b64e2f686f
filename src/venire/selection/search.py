"""The greedy walk through the subsets of attributes, whoever measures them.

Of M attributes there are 2^M subsets. Forward starts from none and adds the attribute that lowers the cross-validated
error most; backward starts from all and removes the one whose loss hurts least. Either looks at no more than
1 + M(M+1)/2 subsets.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from venire.errors import DataError
from venire.validation.choice import mean_defined

Floats = NDArray[np.float64]

# Errors closer than this are equal: what is left between them is rounding. Of equals the first is taken.
_EQUAL = 1e-10


class Engine(Protocol):
    """Measures subsets that differ from the present one by a single attribute."""

    def begin(self, chosen: tuple[int, ...]) -> Floats:
        """Take this subset as the present one; its error on each part."""

    def tried(self, candidates: list[int]) -> Floats:
        """The errors if one attribute were added to (or taken from) the present subset: [candidate, part]."""

    def move(self, attribute: int) -> None:
        """Add the attribute to the present subset, or take it away."""

    def training(self) -> float:
        """The error of the present subset on all rows, by a model fitted on all rows."""


@dataclass(frozen=True, slots=True)
class Step:
    """One subset on the way: its attributes, which of them came or went last, and its error."""

    attributes: tuple[int, ...]  # in ascending order
    changed: int | None  # None at the start
    errors: tuple[float, ...]  # one a part; NaN where the metric is not defined there
    training_error: float

    @property
    def error(self) -> float:
        """The mean over the parts on which it is defined."""
        return float(mean_defined(np.array(self.errors)))


@dataclass(frozen=True, slots=True)
class Walk:
    """The whole way, the place where it is best to stand, and how many subsets were looked at."""

    steps: tuple[Step, ...]
    chosen: int
    subsets: int


@dataclass(frozen=True, slots=True)
class SelectionStep:
    """One subset on the path: how many attributes, which came or went, and its error."""

    attributes: tuple[str, ...]
    changed: str | None  # added or removed; None at the start
    training_error: float  # on all rows, of a model fitted on all rows
    error: float  # cross-validated: the mean over the parts shown
    errors: tuple[float, ...]  # one a part shown
    chosen: bool = False


def walk(engine: Engine, attributes: int, *, forward: bool, whole: bool = False, wanted: int | None = None) -> Walk:
    """Go on while the error falls (or, taking attributes away, does not rise); `whole` and `wanted` go further.

    `whole` goes on to the last subset, `wanted` to that number of attributes. The step that did not help is part of the
    way, so that one sees why it ended. Chosen is the lowest error (of equals the fewest attributes), or the subset with
    the wanted number.
    """
    present: tuple[int, ...] = () if forward else tuple(range(attributes))
    errors = engine.begin(present)
    steps = [Step(present, None, _plain(errors), engine.training())]
    if np.isnan(steps[0].error):
        raise DataError(
            f"the error of {'no' if forward else 'all'} columns is not defined on any part",
            code="undefined_error",
            hint="use fewer folds, or another metric",
        )
    subsets = 1
    while len(present) != (attributes if forward else 0) and len(present) != wanted:
        candidates = [a for a in range(attributes) if (a in present) is not forward]
        tried = engine.tried(candidates)
        subsets += len(candidates)
        best = _first_of_least(mean_defined(tried.T))
        engine.move(candidates[best])
        present = tuple(sorted(set(present) ^ {candidates[best]}))
        steps.append(Step(present, candidates[best], _plain(tried[best]), engine.training()))
        if not whole and wanted is None and not _helps(steps[-2].error, steps[-1].error, forward):
            break
    return Walk(tuple(steps), chosen_step(steps, wanted), subsets)


def named_steps(found: Walk, labels: tuple[str, ...], shown: Sequence[int] | None = None) -> tuple[SelectionStep, ...]:
    """The steps of a walk, with the attributes by name; with the errors on all parts, or on those `shown`."""
    steps = found.steps
    if shown is not None:
        steps = tuple(replace(step, errors=tuple(step.errors[part] for part in shown)) for step in steps)
    return tuple(
        SelectionStep(
            tuple(labels[a] for a in step.attributes),
            None if step.changed is None else labels[step.changed],
            step.training_error,
            step.error,
            step.errors,
            chosen=at == found.chosen,
        )
        for at, step in enumerate(steps)
    )


def _plain(errors: Floats) -> tuple[float, ...]:
    return tuple(float(error) for error in errors)


def _close(a: float, b: float) -> bool:
    return bool(abs(a - b) <= _EQUAL * max(abs(a), abs(b), 1e-300))


def _first_of_least(errors: Floats) -> int:
    if np.isnan(errors).all():
        return 0
    least = float(np.nanmin(errors))
    return next(at for at, error in enumerate(errors) if _close(float(error), least))


def _helps(before: float, after: float, forward: bool) -> bool:
    """An attribute has to earn its place: it comes only if the error falls, and goes unless the error rises."""
    if _close(before, after):
        return not forward
    return after < before


def chosen_step(steps: Sequence[Step], wanted: int | None) -> int:
    """Where it is best to stand: at the lowest error, of equals with the fewest attributes, or with those wanted."""
    if wanted is not None:
        return next((at for at, step in enumerate(steps) if len(step.attributes) == wanted), len(steps) - 1)
    errors = np.array([step.error for step in steps])
    least = float(np.nanmin(errors))
    equal = [at for at, error in enumerate(errors) if _close(float(error), least)]
    return min(equal, key=lambda at: len(steps[at].attributes))
