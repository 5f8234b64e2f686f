"""Logistic regression for every strength of the penalty, each to the optimum.

The penalised likelihood is concave with one optimum, which is found to a tight tolerance from the training rows alone:
from strong penalties to weak, each starting where the last few were heading. A step is a quasi-Newton one: the
curvature of a nearby point (of each class by itself, when there are more than two), mended by what the gradients of the
last steps show (L-BFGS). So most steps cost one pass over the rows, where Newton's method builds a matrix each time.
"""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from venire.validation.family import Cancel

Floats = NDArray[np.float64]
TOLERANCE = 1e-9  # of the gradient, a row
_CLOSE = 1e-14  # squared distance from the optimum as curvature measures it; probabilities are then good to about 1e-6
_STEPS = 100  # for one penalty; usually three to ten
_MEMORY = 16
_SLOW = 0.1  # a step that leaves more of the gradient asks for the curvature where it led to


class NotSolved(Exception):
    """The optimum is out of reach: classes that can (nearly) be parted under (nearly) no penalty."""


class Likelihood:
    """The rows: Z [row, column], class codes, and what each row weighs."""

    def __init__(self, Z: Floats, codes: NDArray[Any], classes: int, weights: Floats | None) -> None:
        self.design = np.empty((Z.shape[1] + 1, len(Z)))  # [column, row], the fastest way to multiply by few outputs
        self.design[0] = 1.0
        self.design[1:] = Z.T
        self.weights = weights
        self.rows = float(len(Z) if weights is None else weights.sum())
        shown = np.arange(1, 2)[:, None] == codes if classes == 2 else np.arange(classes)[:, None] == codes
        self.shown = shown.astype(np.float64)  # [output, row]: one output for two classes, one a class for more
        self._narrow = self.design.astype(np.float32)  # enough for curvature, which only shapes the steps

    def gradient(self, at: Floats) -> tuple[Floats, Floats]:
        """Of the negative log-likelihood at coefficients [output, column], and the probabilities [output, row]."""
        said = probabilities(at @ self.design)
        off = said - self.shown
        if self.weights is not None:
            off *= self.weights
        return off @ self.design.T, said

    def curvature(self, said: Floats) -> NDArray[np.float32]:
        """Second derivatives of each output by itself, where the probabilities are these: [output, column, column]."""
        spread = said * (1.0 - said)
        if self.weights is not None:
            spread *= self.weights
        narrow = np.sqrt(np.maximum(spread, 0.0)).astype(np.float32)
        found = np.empty((len(said), len(self.design), len(self.design)), dtype=np.float32)
        for output, root in enumerate(narrow):
            weighed = self._narrow * root
            np.matmul(weighed, weighed.T, out=found[output])
        return found


def probabilities(scores: Floats) -> Floats:
    """Written over the scores [output, row]: of class 1 where there is one output, else of every class."""
    if len(scores) == 1:
        np.negative(scores, out=scores)
        with np.errstate(over="ignore"):  # to infinity, whose reciprocal is the right answer
            np.exp(scores, out=scores)
        scores += 1.0
        return np.reciprocal(scores, out=scores)
    scores -= scores.max(axis=0)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=0)
    return scores


def solve_path(likelihood: Likelihood, penalties: list[float], cancel: Cancel) -> list[Floats]:
    """The coefficients [output, 1 + column] of every penalty λ/2 · ‖β‖², the intercept free; penalties fall."""
    steps = _Steps(likelihood)
    found: list[Floats] = []
    for penalty in penalties:
        cancel()
        found.append(_solve(likelihood, penalty, _start(found, likelihood), steps))
    return found


def _start(found: list[Floats], likelihood: Likelihood) -> Floats:
    """Where the path is heading: a parabola through its last three points, as if evenly spaced."""
    if not found:
        return np.zeros((len(likelihood.shown), len(likelihood.design)))
    if len(found) < 3:
        return found[-1] if len(found) == 1 else 2.0 * found[-1] - found[-2]
    return 3.0 * (found[-1] - found[-2]) + found[-3]


def _solve(likelihood: Likelihood, penalty: float, at: Floats, steps: _Steps) -> Floats:
    gradient, said = _penalised(likelihood, penalty, at)
    steps.begin(penalty, said)
    left = np.abs(gradient).max()
    for _ in range(_STEPS):
        direction = steps.direction(gradient)
        if left <= TOLERANCE * likelihood.rows and -float(np.vdot(gradient, direction)) <= _CLOSE:
            return at
        at, gradient, said, moved, turned = _along(likelihood, penalty, at, direction, gradient)
        before, left = left, np.abs(gradient).max()
        steps.learn(moved, turned, said, slow=bool(left > _SLOW * before))
    raise NotSolved


def _penalised(likelihood: Likelihood, penalty: float, at: Floats) -> tuple[Floats, Floats]:
    gradient, said = likelihood.gradient(at)
    gradient[:, 1:] += penalty * at[:, 1:]
    return gradient, said


def _along(
    likelihood: Likelihood, penalty: float, at: Floats, direction: Floats, gradient: Floats
) -> tuple[Floats, Floats, Floats, Floats, Floats]:
    """One step: the whole of it, unless the slope there says that the lowest point was passed long before."""
    downhill = -float(np.vdot(gradient, direction))
    size = 1.0
    for _ in range(30):
        there = at + size * direction
        new, said = _penalised(likelihood, penalty, there)
        uphill = float(np.vdot(new, direction))
        if uphill <= 0.5 * downhill:
            return there, new, said, size * direction, new - gradient
        size *= max(0.1, downhill / (downhill + uphill))  # where a straight line between the two slopes is zero
    raise NotSolved


class _Steps:
    """Directions: an inverse curvature, mended by the last steps."""

    def __init__(self, likelihood: Likelihood) -> None:
        self._likelihood = likelihood
        self._many = len(likelihood.shown) > 1
        self._curvature: NDArray[np.float32] | None = None
        self._age = 0  # penalties since the curvature was looked at
        self._pairs: deque[tuple[Floats, Floats, float]] = deque(maxlen=_MEMORY)

    def begin(self, penalty: float, said: Floats) -> None:
        """Another penalty. The curvature of many classes costs many passes, and is looked at every second time."""
        self._penalty = penalty
        self._age += 1
        if self._curvature is None or (self._many and self._age >= 2):
            self._look(said)
        else:
            self._invert()

    def learn(self, moved: Floats, turned: Floats, said: Floats, *, slow: bool) -> None:
        """What a step of this length did to the gradient. With two classes a slow one brings a fresh look."""
        if slow and not self._many:
            self._look(said)
            return
        along = float(np.vdot(moved, turned))
        if along > 0:
            self._pairs.append((moved, turned, 1.0 / along))

    def direction(self, gradient: Floats) -> Floats:
        """L-BFGS in two loops around the inverse curvature."""
        left = gradient.copy()
        shares = []
        for moved, turned, scale in reversed(self._pairs):
            share = scale * float(np.vdot(moved, left))
            left -= share * turned
            shares.append(share)
        step = self._apply(left)
        for (moved, turned, scale), share in zip(self._pairs, reversed(shares), strict=True):
            step += (share - scale * float(np.vdot(turned, step))) * moved
        return -step

    def _look(self, said: Floats) -> None:
        self._curvature = self._likelihood.curvature(said)
        self._age = 0
        self._invert()

    def _invert(self) -> None:
        assert self._curvature is not None
        self._pairs.clear()
        # A hair more keeps half precision invertible; it costs a little speed, and nothing else.
        hair = 1e-6 * max(float(np.trace(each)) / len(each) for each in self._curvature)
        ridge = np.full(self._curvature.shape[1], self._penalty + hair, dtype=np.float32)
        ridge[0] = hair
        self._inverse = _inverses(self._curvature + np.diag(ridge))

    def _apply(self, gradient: Floats) -> Floats:
        if not self._many:
            return np.asarray(gradient @ self._inverse[0])
        # Adding the same to all classes changes no probability, and the penalty wants none of it.
        even = gradient - gradient.mean(axis=0)
        step = np.matmul(self._inverse, even[:, :, None])[:, :, 0]
        return np.asarray(step - step.mean(axis=0), dtype=np.float64)


def _inverses(matrices: NDArray[np.float32]) -> Floats:
    """Of symmetric positive matrices, one by one."""
    halves = np.empty(matrices.shape)
    for half, matrix in zip(halves, matrices, strict=True):
        triangle, failed = lapack.spotrf(matrix, lower=1)
        inverse, failed = (triangle, failed) if failed else lapack.spotri(triangle, lower=1)
        if failed:
            raise NotSolved
        half[:] = inverse
    halves *= np.tri(matrices.shape[1]) - 0.5 * np.eye(matrices.shape[1])
    return np.asarray(halves + halves.transpose(0, 2, 1))
