"""Logistic regression for every strength of the penalty, each to the optimum.

The penalised likelihood is concave with one optimum, which is found to a tight tolerance from the training rows alone:
from strong penalties to weak, each starting where the last few were heading. A step is a quasi-Newton one: the
curvature of a nearby point (of each class by itself, when there are more than two), mended by what the gradients of the
last steps show (L-BFGS). So most steps cost one pass over the rows, where Newton's method builds a matrix each time.
"""

from __future__ import annotations

from math import comb, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from venire.validation.family import Cancel

Floats = NDArray[np.float64]
TOLERANCE = 1e-9  # of the gradient, a row
_CLOSE = 1e-12  # squared distance from the optimum as curvature measures it: probabilities are then good to 1e-6
_STEPS = 100  # for one penalty; usually three to ten
_MANY_STEPS = 15  # dearer than a look at the curvature of many classes
_MEMORY = 32
_POINTS = 4  # of the path, which the next start continues
_FAINT = 1e-3  # rows whose curvature is a smaller share of the largest are taken together
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
        self._gram = self._narrow @ self._narrow.T
        self._said, self._off = np.empty((2, *self.shown.shape))
        self._heavy = np.empty_like(self._narrow)

    def gradient(self, at: Floats) -> tuple[Floats, Floats]:
        """Of the negative log-likelihood at coefficients [output, column], and the probabilities [output, row].

        The probabilities hold until the next call: fresh memory for every pass would cost as much as the products.
        """
        said = probabilities(np.matmul(at, self.design, out=self._said))
        off = np.subtract(said, self.shown, out=self._off)
        if self.weights is not None:
            off *= self.weights
        return off @ self.design.T, said

    def curvature(self, said: Floats) -> NDArray[np.float32]:
        """Second derivatives of each output by itself, where the probabilities are these: [output, column, column]."""
        spread = said * (1.0 - said)
        if self.weights is not None:
            spread *= self.weights
        spread = np.maximum(spread, 0.0).astype(np.float32)
        found = np.empty((len(said), len(self.design), len(self.design)), dtype=np.float32)
        for output, weighs in enumerate(spread):
            self._products(weighs, found[output])
        return found

    def _products(self, weighs: NDArray[np.float32], out: NDArray[np.float32]) -> None:
        """Weighed cross-products; of many classes, where few rows are in doubt, the others count alike on average."""
        telling = np.flatnonzero(weighs > _FAINT * weighs.max())
        few = len(self.shown) > 1 and 2 * len(telling) < len(weighs)
        if few:
            heavy = self._narrow[:, telling] * np.sqrt(weighs[telling])
        else:
            heavy = np.multiply(self._narrow, np.sqrt(weighs), out=self._heavy)
        np.matmul(heavy, heavy.T, out=out)
        if few:
            rest = float(weighs.sum() - weighs[telling].sum()) / len(weighs)
            out += max(0.0, rest) * self._gram


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
    """Where the path is heading: a polynomial through its last few points, as if evenly spaced."""
    if not found:
        return np.zeros((len(likelihood.shown), len(likelihood.design)))
    points = min(_POINTS, len(found))
    start = points * found[-1]
    for back in range(2, points + 1):
        start += (-1) ** (back + 1) * comb(points, back) * found[-back]
    return start


def _solve(likelihood: Likelihood, penalty: float, at: Floats, steps: _Steps) -> Floats:
    gradient, said = _penalised(likelihood, penalty, at)
    steps.begin(penalty, said)
    left = np.abs(gradient).max()
    close = _CLOSE * min(1.0, sqrt(penalty))  # under a weak penalty rows yet to come may lie where curvature is faint
    for _ in range(_STEPS):
        direction = steps.direction(gradient)
        if left <= TOLERANCE * likelihood.rows and -float(np.vdot(gradient, direction)) <= close:
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
        self._taken = 0  # steps under the penalty
        self._mended = _Mended(likelihood.shown.shape[0] * len(likelihood.design))

    def begin(self, penalty: float, said: Floats) -> None:
        """Another penalty. The curvature of many classes is dear: looked at every second time, or after many steps."""
        self._penalty = penalty
        self._age += 1
        if self._curvature is None or (self._many and (self._age >= 2 or self._taken > _MANY_STEPS)):
            self._look(said)
        else:
            self._invert()
        self._taken = 0

    def learn(self, moved: Floats, turned: Floats, said: Floats, *, slow: bool) -> None:
        """What a step of this length did to the gradient. With two classes a slow one brings a fresh look."""
        self._taken += 1
        if slow and not self._many:
            self._look(said)
        else:
            self._mended.learn(moved.ravel(), turned.ravel())

    def direction(self, gradient: Floats) -> Floats:
        """Downhill by the mended inverse curvature."""
        step = self._mended.step(gradient.ravel(), self._apply(gradient).ravel())
        return -step.reshape(gradient.shape)

    def _look(self, said: Floats) -> None:
        self._curvature = self._likelihood.curvature(said)
        self._age = 0
        self._invert()

    def _invert(self) -> None:
        assert self._curvature is not None
        self._mended.forget()
        # A hair more keeps half precision invertible; it costs a little speed, and nothing else.
        hair = 1e-6 * max(float(np.trace(each)) / len(each) for each in self._curvature)
        ridge = np.full(self._curvature.shape[1], self._penalty + hair, dtype=np.float32)
        ridge[0] = hair
        self._inverse = _inverses(self._curvature + np.diag(ridge))

    def _apply(self, gradient: Floats) -> Floats:
        if not self._many:
            return np.asarray(gradient @ self._inverse[0])
        # Adding the same to all classes changes no probability, and the penalty wants none of it.
        even = gradient - gradient.sum(axis=0) / len(gradient)
        step = np.matmul(self._inverse, even[:, :, None])[:, :, 0]
        return np.asarray(step - step.sum(axis=0) / len(step))


class _Mended:
    """L-BFGS in its compact form (Byrd, Nocedal and Schnabel, 1994): all pairs at once, by products of small matrices.

    With P the given inverse curvature, and moves S and turns Y of the gradient as columns, the mended one is
    P + S (R⁻ᵀ (D + Yᵀ P Y) R⁻¹) Sᵀ − S R⁻ᵀ Yᵀ P − P Y R⁻¹ Sᵀ, where R is the upper triangle of SᵀY and D its diagonal.
    """

    def __init__(self, size: int) -> None:
        self._moved, self._turned, self._bent = np.empty((3, _MEMORY, size))  # [pair, coefficient]: Sᵀ, Yᵀ, (P Y)ᵀ
        self._triangle = np.zeros((_MEMORY, _MEMORY))  # R
        self._inner = np.zeros((_MEMORY, _MEMORY))  # D + Yᵀ P Y
        self.forget()

    def forget(self) -> None:
        """No pairs: P is another."""
        self._pairs = 0
        self._waiting = False
        self._before = np.empty(0)

    def learn(self, moved: Floats, turned: Floats) -> None:
        """A pair; what P makes of the turn is known with the next step."""
        if float(moved @ turned) <= 0:
            return
        if self._pairs == _MEMORY:
            for each in (self._moved, self._turned, self._bent):
                each[:-1] = each[1:]
            for square in (self._triangle, self._inner):
                square[:-1, :-1] = square[1:, 1:].copy()
                square[-1] = 0.0
            self._pairs -= 1
        self._moved[self._pairs], self._turned[self._pairs] = moved, turned
        self._waiting = True

    def step(self, gradient: Floats, applied: Floats) -> Floats:
        """The mended inverse curvature times the gradient, given what P makes of that."""
        if self._waiting:
            self._take(applied)
        self._before = applied
        if not self._pairs:
            return applied
        kept = slice(0, self._pairs)
        moved, bent, triangle = self._moved[kept], self._bent[kept], self._triangle[kept, kept]
        along = blas.dtrsv(triangle, moved @ gradient)
        mend = blas.dtrsv(triangle, self._inner[kept, kept] @ along - bent @ gradient, trans=1)
        return np.asarray(applied + mend @ moved - along @ bent)

    def _take(self, applied: Floats) -> None:
        new, upto = self._pairs, slice(0, self._pairs + 1)
        self._bent[new] = applied - self._before  # P is linear
        self._triangle[upto, new] = self._moved[upto] @ self._turned[new]
        self._inner[upto, new] = self._inner[new, upto] = self._turned[upto] @ self._bent[new]
        self._inner[new, new] += self._triangle[new, new]
        self._pairs += 1
        self._waiting = False


def _inverses(matrices: NDArray[np.float32]) -> Floats:
    """Of symmetric positive matrices, one by one."""
    roots = np.empty(matrices.shape, dtype=np.float32)
    for root, matrix in zip(roots, matrices, strict=True):
        triangle, failed = lapack.spotrf(matrix, lower=1)
        inverse, failed = (triangle, failed) if failed else lapack.strtri(triangle, lower=1)
        if failed:
            raise NotSolved
        root[:] = inverse
    return np.asarray(np.matmul(roots.transpose(0, 2, 1), roots), dtype=np.float64)
