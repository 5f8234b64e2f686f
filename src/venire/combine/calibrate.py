"""Calibration: probabilities turned into ones that mean what they say, learned on held-out probabilities; arrays only.

Two maps of a probability: a *sigmoid* of its log odds (two numbers, fits few rows) and an *isotonic* step function (any
shape that never falls, needs many rows). With more than two classes each class has its own map and the results are
scaled to sum to one. Whether to calibrate at all, and how, is decided by the log loss on folds the map was not learned
on, and only if the gain exceeds its standard error: probabilities that are good are left alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit
from sklearn.isotonic import isotonic_regression

from venire.combine.threshold import other_folds

Floats = NDArray[np.float64]
Method = Literal["sigmoid", "isotonic"]
Name = Literal["sigmoid", "isotonic", "no 0 or 1"]

METHODS: tuple[Method, ...] = ("sigmoid", "isotonic")
SOBER: Name = "no 0 or 1"
NAMES: tuple[Name, ...] = (*METHODS, SOBER)

# Evidence is kept in float32: no probability is nearer to 0 or 1 than this.
EDGE = float(np.finfo(np.float32).eps)
_NEWTON_STEPS = 50


@dataclass(frozen=True, slots=True)
class Sigmoid:
    """p ↦ 1 / (1 + exp(−(slope · log odds of p + shift)))."""

    slope: float
    shift: float

    def __call__(self, p: Floats) -> Floats:
        """The calibrated probability."""
        return np.asarray(expit(self.slope * _log_odds(p) + self.shift))


@dataclass(frozen=True, slots=True)
class Steps:
    """A map that never falls: straight lines between the points, flat beyond them."""

    at: tuple[float, ...]
    values: tuple[float, ...]

    def __call__(self, p: Floats) -> Floats:
        """The calibrated probability."""
        return np.asarray(np.interp(p, self.at, self.values))


@dataclass(frozen=True, slots=True)
class Calibration:
    """A fitted calibration: one map for class 1 of two, or one for each class of many.

    Attributes
    ----------
    method
        `"sigmoid"`, `"isotonic"` or `"no 0 or 1"`.
    maps
        From probability to probability, one for class 1 of two, or one per class.

    Examples
    --------
    >>> predicted = np.repeat([[0.9, 0.1], [0.1, 0.9]], 50, axis=0)
    >>> truth = np.r_[np.arange(50) < 15, np.arange(50) < 35].astype(int)
    >>> fit_calibration(predicted, truth, "isotonic")(predicted[[0, -1]])
    array([[0.7, 0.3],
           [0.3, 0.7]])
    """

    method: Name
    maps: tuple[Sigmoid | Steps, ...]

    def __call__(self, probabilities: NDArray[Any]) -> Floats:
        """Calibrated probabilities [row, class]."""
        given = np.asarray(probabilities, dtype=np.float64)
        if len(self.maps) == 1:
            second = self.maps[0](given[:, 1])
            return np.column_stack([1.0 - second, second])
        mapped = np.column_stack([each(given[:, code]) for code, each in enumerate(self.maps)])
        total = mapped.sum(axis=1, keepdims=True)
        return np.where(total > 0, mapped / np.where(total > 0, total, 1.0), 1.0 / mapped.shape[1])


def fit_calibration(probabilities: NDArray[Any], y: NDArray[Any], method: Method) -> Calibration:
    """Learn a calibration from held-out probabilities.

    Parameters
    ----------
    probabilities
        `[row, class]`.
    y
        The class codes that came true.
    method
        `"sigmoid"` or `"isotonic"`.

    Returns
    -------
    Calibration
        A function of probabilities.

    Examples
    --------
    >>> predicted = np.repeat([[0.9, 0.1], [0.1, 0.9]], 50, axis=0)
    >>> truth = np.r_[np.arange(50) < 15, np.arange(50) < 35].astype(int)  # 30 % and 70 %, not 10 % and 90 %
    >>> fit_calibration(predicted, truth, "sigmoid")(np.array([[0.9, 0.1], [0.1, 0.9]])).round(2)
    array([[0.69, 0.31],
           [0.31, 0.69]])
    """
    given = np.asarray(probabilities, dtype=np.float64)
    fit = _sigmoid if method == "sigmoid" else _steps
    codes = [1] if given.shape[1] == 2 else range(given.shape[1])
    return Calibration(method, tuple(fit(given[:, code], y == code) for code in codes))


def choose_calibration(
    probabilities: NDArray[Any], y: NDArray[Any], fold: NDArray[Any], repeat_of: NDArray[Any] | None = None
) -> tuple[Calibration | None, Floats]:
    """The calibration worth having, if any, and what its maps give for each fold when learned on the others alone.

    It is worth having where it lowers the log loss of the folds by more than one standard error.

    Parameters
    ----------
    probabilities
        Held-out ones, `[row, class]`.
    y
        The class codes that came true.
    fold
        The fold of each row.
    repeat_of
        Where rows were split into folds more than once: the repeat of each row. A map is learned on other folds of
        the same repeat, and the standard error is that of one repeat.

    Returns
    -------
    tuple
        The calibration or None, and the calibrated probabilities (the given ones where there is none).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> truth = rng.integers(0, 2, 400)
    >>> second = np.where(rng.random(400) < 0.7, truth, 1 - truth) * 0.98 + 0.01  # says 1 % or 99 %, is right in 70 %
    >>> chosen, calibrated = choose_calibration(np.column_stack([1 - second, second]), truth, np.arange(400) % 5)
    >>> chosen.method, round(float(calibrated.max()), 2)
    ('sigmoid', 0.74)
    """
    given = np.asarray(probabilities, dtype=np.float64)
    folds = np.unique(fold)
    if len(folds) < 2 or not np.ptp(given, axis=0).any():  # a constant says no more when bent
        return None, given
    repeats = 1 if repeat_of is None else len(np.unique(repeat_of))
    sober, kept = _sober(given, fold, repeat_of)
    plain = _losses(kept, y, fold)
    best: tuple[float, Method, Floats] | None = None
    for method in METHODS:
        crossed = cross_calibrated(given, y, fold, method, repeat_of)
        gain = plain - _losses(crossed, y, fold)
        reach = gain.std(ddof=1) / np.sqrt(len(gain) / repeats)
        if gain.mean() > reach and (best is None or gain.mean() > best[0]):
            best = (float(gain.mean()), method, crossed)
    if best is None:
        return sober, kept
    return fit_calibration(given, y, best[1]), best[2]


def _sober(given: Floats, fold: NDArray[Any], repeat_of: NDArray[Any] | None) -> tuple[Calibration | None, Floats]:
    """Probabilities that are no surer than rows can show, each fold by the rows of the others; None if they are so."""
    repeats = 1 if repeat_of is None else len(np.unique(repeat_of))
    whole = _least(len(given) // repeats, given.shape[1])
    if given.min() >= whole:
        return None, given
    kept = np.empty_like(given)
    for held in np.unique(fold):
        at = fold == held
        rows = int(other_folds(fold, held, repeat_of).sum())
        kept[at] = _no_less_than(_least(rows, given.shape[1]), given.shape[1])(given[at])
    return _no_less_than(whole, given.shape[1]), kept


def _least(rows: int, classes: int) -> float:
    """The share of each other class that so many rows leave possible when none of them went another way."""
    return 1.0 / ((rows + 2) * max(1, classes - 1))


def _no_less_than(least: float, classes: int) -> Calibration:
    """Every class gets so much, and the rest is scaled down."""
    line = Steps((0.0, 1.0), (least, 1.0 - (classes - 1) * least))
    return Calibration(SOBER, (line,) * (1 if classes == 2 else classes))


def cross_calibrated(
    probabilities: Floats, y: NDArray[Any], fold: NDArray[Any], method: Method, repeat_of: NDArray[Any] | None = None
) -> Floats:
    """Each fold calibrated by a map learned on the other folds (of the same split)."""
    crossed = np.empty_like(probabilities)
    for held in np.unique(fold):
        at, rest = fold == held, other_folds(fold, held, repeat_of)
        crossed[at] = fit_calibration(probabilities[rest], y[rest], method)(probabilities[at])
    return crossed


def _losses(probabilities: Floats, y: NDArray[Any], fold: NDArray[Any]) -> Floats:
    """The log loss on each fold."""
    own = np.clip(probabilities[np.arange(len(y)), y], EDGE, 1.0)
    return np.array([-np.log(own[fold == held]).mean() for held in np.unique(fold)])


def _log_odds(p: Floats) -> Floats:
    return np.asarray(logit(np.clip(p, EDGE, 1.0 - EDGE)))


def _sigmoid(p: Floats, hit: NDArray[np.bool_]) -> Sigmoid:
    """Maximum likelihood by Newton's method, with Platt's targets, which keep it finite where classes part."""
    hits, misses = int(hit.sum()), int((~hit).sum())
    target = np.where(hit, (hits + 1) / (hits + 2), 1 / (misses + 2))
    x = _log_odds(p)
    spread = float(np.ptp(x))
    if spread == 0.0:
        return Sigmoid(1.0, float(logit(target.mean()) - x[0]))
    beta = np.array([0.0, float(logit(target.mean()))])
    reached = _deviance(beta, x, target)
    for _ in range(_NEWTON_STEPS):
        predicted = expit(beta[0] * x + beta[1])
        gap, weight = predicted - target, predicted * (1 - predicted)
        gradient = np.array([(gap * x).sum(), gap.sum()])
        cross = (weight * x).sum()
        hessian = np.array([[(weight * x * x).sum(), cross], [cross, weight.sum()]]) + 1e-12 * np.eye(2)
        step = np.linalg.solve(hessian, gradient)
        while (tried := _deviance(beta - step, x, target)) > reached and np.abs(step).max() > 1e-12:
            step = step / 2
        beta, gained, reached = beta - step, reached - tried, tried
        if gained < 1e-12 * max(1.0, reached):
            break
    # A map that turned the order round would be a fit of noise.
    return Sigmoid(max(float(beta[0]), 0.0), float(beta[1] if beta[0] > 0 else logit(target.mean())))


def _deviance(beta: Floats, x: Floats, target: Floats) -> float:
    z = beta[0] * x + beta[1]
    return float((np.logaddexp(0.0, z) - target * z).sum())


def _steps(p: Floats, hit: NDArray[np.bool_]) -> Steps:
    """Least squares among the maps that never fall; kept off 0 and 1, which no number of rows can prove."""
    at, place = np.unique(p, return_inverse=True)
    rows = np.bincount(place).astype(np.float64)
    share = np.bincount(place, weights=hit) / rows
    edge = 1.0 / (len(p) + 2)
    risen = np.clip(isotonic_regression(share, sample_weight=rows), edge, 1.0 - edge)
    # Inside a flat stretch no point is needed.
    needed = np.ones(len(at), dtype=bool)
    needed[1:-1] = (np.diff(risen)[:-1] != 0) | (np.diff(risen)[1:] != 0)
    return Steps(tuple(at[needed].tolist()), tuple(risen[needed].tolist()))
