"""The plane of a linear support vector machine: between two classes, or through numbers.

It minimises ‖w‖² / 2C + Σ loss(x·w + b), where a row costs nothing on its side of a margin (classes) or within a tube
(numbers), and in proportion to how far it is beyond. Solvers that move two rows at a time, as libsvm does, take
millions of steps where classes overlap and C is large; this one takes ten to a hundred, each a small linear system.

A row pulls at the plane by at most its weight. The method of multipliers lets it pull by σ times its distance beyond
the margin, on top of what it pulled before: then the best plane minimises a smooth function, piecewise quadratic, which
Newton's method finds in a few steps; then the pulls are taken anew, and σ grows where that brought little. Every time
the pulls prove how far the plane is from the best (the duality gap), and that is what tells when to stop.

Cost: n p a step, and p² times the rows whose pull is neither nothing nor all (or their square times p, if less).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Beyond = Callable[[Floats], tuple[Floats, Floats]]  # heights of rows → which way each pulls, how far it is beyond

_CLOSE = 1e-7  # the duality gap, as a share of what is minimised; and of a hundredth of a row, if that is more
_SETTLED = 1e-5  # the distance from the margin by which a row may still be wrong
_STIFF, _STIFFER, _STIFFEST = 0.5, 3.0, 1e6  # σ, in units of the largest weight: at first, each time, at most
_LITTLE = 0.2  # of the gap is left: then σ may stay as it is
_LOOSE = 0.1  # of what new pulls bring, Newton's method may leave undone
_HELD = 0.01  # by which the intercept is held where it was, in units of the largest weight: it has no penalty
_FLAT = 0.3  # of the slope is left: then a step is long enough
_MOST_PULLS, _MOST_STEPS, _MOST_TRIES = 60, 100, 40


@dataclass(frozen=True, eq=False)
class Plane:
    """Where heights are zero, classes part; or the height of a row is the number."""

    weights: Floats
    intercept: float
    pulls: Floats  # [row], each within ± its weight: C Σ pull · row = weights
    reached: bool  # whether it is proven to be the best

    def heights(self, X: Floats) -> Floats:
        """Above the plane or below it, and how far, in margins."""
        return np.asarray(X @ self.weights + self.intercept)


def parting_plane(
    X: Floats, signs: Floats, C: float, weights: Floats | None = None, start: Plane | None = None
) -> Plane:
    """Between rows of sign +1 and −1; `start` is the plane of another C.

    >>> plane = parting_plane(np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([-1.0, -1.0, 1.0, 1.0]), 10.0)
    >>> plane.weights.round(4), round(plane.intercept, 4), plane.reached
    (array([1.]), -2.0, True)
    """

    def beyond(at: Floats) -> tuple[Floats, Floats]:
        return signs, 1.0 - signs * at

    return _Search(X, C, weights, beyond, lambda pulls: float(signs @ pulls), np.inf).from_(start)


def tube_plane(
    X: Floats, y: Floats, C: float, epsilon: float, weights: Floats | None = None, start: Plane | None = None
) -> Plane:
    """Through numbers; what is within ε of one costs nothing.

    >>> plane = tube_plane(np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 2.0]), 100.0, 0.1)
    >>> plane.heights(np.array([[0.0], [2.0]])).round(3)
    array([0.1, 1.9])
    """

    def beyond(at: Floats) -> tuple[Floats, Floats]:
        off = y - at
        return np.sign(off), np.abs(off) - epsilon

    def worth(pulls: Floats) -> float:
        return float(y @ pulls - epsilon * np.abs(pulls).sum())

    return _Search(X, C, weights, beyond, worth, 2.0 * epsilon).from_(start)


class _Search:
    """Where the search is: the plane (weights and intercept in one), the heights of the rows there, and the pulls."""

    def __init__(
        self,
        X: Floats,
        C: float,
        weights: Floats | None,
        beyond: Beyond,
        worth: Callable[[Floats], float],
        width: float,
    ) -> None:
        rows, columns = X.shape
        self._rows = np.column_stack([X, np.ones(rows)])
        self._C, self._beyond, self._worth, self._width = C, beyond, worth, width  # of where a row costs nothing
        self._most = np.ones(rows) if weights is None else weights
        unit = float(self._most.max())
        self._penalty = np.append(np.full(columns, 1.0 / C), _HELD * unit)
        self._sigma, self._stiffest, self._least = _STIFF * unit, _STIFFEST * unit, 0.01 * unit
        self._at, self._heights = np.zeros(columns + 1), np.zeros(rows)
        self._pulls = np.zeros(rows)

    def from_(self, start: Plane | None) -> Plane:
        """From a plane that is nearly as good, or from none at all."""
        if start is not None:
            self._at, self._pulls = np.append(start.weights, start.intercept), start.pulls
            self._heights = self._rows @ self._at
        price, gap, last, reached = self._price(), np.inf, np.inf, False
        for _ in range(_MOST_PULLS):
            before = self._pulls
            try:
                self._settle(price)
            except np.linalg.LinAlgError:
                break
            settled = np.abs(self._pulls - before).max() <= _SETTLED * self._sigma
            price = self._price()
            gap = self._gap(price)
            reached = bool(settled and gap <= _CLOSE * max(price, self._least))
            if reached or not np.isfinite(gap):
                break
            if gap > _LITTLE * last:
                self._sigma = min(_STIFFER * self._sigma, self._stiffest)
            last = gap
        return Plane(self._at[:-1], self._intercept(), self._pulls, reached)

    def _price(self) -> float:
        """What is minimised."""
        lost = self._most @ np.maximum(0.0, self._beyond(self._heights)[1])
        return float(lost + self._at[:-1] @ self._at[:-1] / (2.0 * self._C))

    def _gap(self, price: float) -> float:
        """By how much it may be above the least possible: the pulls are worth no more than that."""
        drawn = self._rows[:, :-1].T @ self._pulls
        unbalanced = abs(self._at[-1] * self._pulls.sum())
        return abs(price - self._worth(self._pulls) + self._C * float(drawn @ drawn) / 2.0) + float(unbalanced)

    def _pulled(self, heights: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """What rows at these heights pull, and which of them pull something, but not all they can."""
        way, far = self._beyond(heights - self._pulls / self._sigma)
        pull = self._sigma * far
        return way * np.clip(pull, 0.0, self._most), (pull > 0.0) & (pull < self._most)

    def _settle(self, price: float) -> None:
        """The best plane while pulls follow it, by Newton's method; and the pulls there."""
        home = np.zeros(len(self._at))
        home[-1] = self._at[-1]
        pulls, free = self._pulled(self._heights)
        for _ in range(_MOST_STEPS):
            gradient = self._penalty * (self._at - home) - self._rows.T @ pulls
            step = self._newton(gradient, free)
            downhill = -float(gradient @ step)
            if not downhill > 0.0:
                break
            enough = max(0.01 * _CLOSE * price, _LOOSE * float(((pulls - self._pulls) ** 2).sum()) / self._sigma)
            pulls, free = self._move(step, home, downhill)
            if downhill <= enough:
                break
        self._pulls = pulls

    def _newton(self, gradient: Floats, free: NDArray[np.bool_]) -> Floats:
        """To where the gradient would vanish if the same rows stayed free."""
        rows = self._rows[free]
        if len(rows) >= len(gradient):
            curvature = self._sigma * (rows.T @ rows)
            curvature[np.diag_indices_from(curvature)] += self._penalty
            return np.asarray(-np.linalg.solve(curvature, gradient))
        step = -gradient / self._penalty
        if not len(rows):
            return np.asarray(step)
        scaled = rows / self._penalty
        shared = scaled @ rows.T
        shared[np.diag_indices_from(shared)] += 1.0 / self._sigma
        return np.asarray(step - scaled.T @ np.linalg.solve(shared, rows @ step))

    def _move(self, step: Floats, home: Floats, downhill: float) -> tuple[Floats, NDArray[np.bool_]]:
        """Along a step, as far as it leads down: the slope only grows on the way, zero where its sign changes."""
        rise = self._rows @ step
        begun = float(self._penalty * (self._at - home) @ step)
        bend = float(self._penalty * step @ step)
        length, low, high = 1.0, 0.0, np.inf
        for tries in range(_MOST_TRIES):
            pulls, free = self._pulled(self._heights + length * rise)
            slope = begun + length * bend - float(pulls @ rise)
            if abs(slope) <= _FLAT * downhill or (tries == 0 and slope < 0.0):
                break
            low, high = (low, length) if slope > 0.0 else (length, high)
            length -= slope / (bend + self._sigma * float(rise[free] @ rise[free]))
            if not low + 0.05 * (high - low) < length < high - 0.05 * (high - low):
                length = float(np.sqrt(low * high)) if low > 0.0 else 0.1 * high
        self._at = self._at + length * step
        self._heights = self._heights + length * rise
        return pulls, free

    def _intercept(self) -> float:
        """Where it is; but if no row is at its margin, in the middle of where it may be, as libsvm has it."""
        share = np.abs(self._pulls) / np.maximum(self._most, 1e-300)
        if ((share > 1e-9) & (share < 1.0 - 1e-9)).any():
            return float(self._at[-1])
        way, far = self._beyond(self._heights)
        full = share > 0.5
        # A row that pulls all it can must not be lifted across its margin; one that pulls nothing must cost nothing.
        ahead = np.where(full, np.maximum(far, 0.0), self._width + np.minimum(far, 0.0))
        behind = np.where(full, np.inf, np.maximum(-far, 0.0))
        counted = self._most > 0
        up = np.where(way > 0, ahead, behind)[counted].min()
        down = np.where(way > 0, behind, ahead)[counted].min()
        return float(self._at[-1] + (up - down) / 2.0) if np.isfinite(up + down) else float(self._at[-1])
