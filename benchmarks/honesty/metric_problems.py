"""Problems on which rules for intervals of every metric are developed; `metric_proof` has those they are shown on.

The two sets have no generator in common: other attributes, other distributions, other shares. What once was proof and
has served for a decision is here too. Each problem gives (X, y, group or time block of every row or None).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Drawn = tuple[Floats, NDArray[Any], NDArray[np.intp] | None]
Draw = Callable[[int, np.random.Generator], Drawn]

CLASSES = ("error", "balanced_error", "log_loss", "brier", "auc", "f1")
NUMBERS = ("rmse", "mae", "r2")


@dataclass(frozen=True)
class Problem:
    """How rows are drawn, which learner is tried on them, and what it is judged by."""

    draw: Draw
    learner: str
    metrics: tuple[str, ...]
    rows: tuple[int, ...]
    folds: int = 10
    repeats: int = 1
    splitting: str = "random"  # or "grouped", "time"
    costs: tuple[tuple[float, ...], ...] | None = None
    level: str = "required"  # "shown": a cell that no interval can hold, printed to say so


def _clouds(apart: float, share: float, columns: int) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Drawn:
        y = (rng.random(n) < share).astype(np.int32)
        X = rng.standard_normal((n, columns))
        X[:, 0] += apart * y
        return X, y, None

    return draw


def _uniform_clouds(apart: float, share: float, columns: int) -> Draw:
    """Attributes with tails: logistic around the class's centre, correlated, two of them informative."""

    def draw(n: int, rng: np.random.Generator) -> Drawn:
        y = (rng.random(n) < share).astype(np.int32)
        X = rng.logistic(size=(n, columns)) * 0.55
        X[:, 1] = 0.6 * X[:, 0] + 0.8 * X[:, 1]
        X[:, :2] += apart / 2**0.5 * y[:, None]
        return X, y, None

    return draw


def _boundary(weights: tuple[float, ...], noise: float) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Drawn:
        X = rng.standard_normal((n, len(weights)))
        return X, (X @ np.array(weights) + noise * rng.standard_normal(n) > 0).astype(np.int32), None

    return draw


def _curved(n: int, rng: np.random.Generator) -> Drawn:
    X = rng.uniform(-1, 1, (n, 6))
    score = 3 * X[:, 0] + 2 * np.sin(3 * X[:, 1]) + X[:, 2] * X[:, 3]
    return X, (rng.random(n) < 1 / (1 + np.exp(-2 * score))).astype(np.int32), None


def _noise(columns: int, share: float) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Drawn:
        return rng.standard_normal((n, columns)), (rng.random(n) < share).astype(np.int32), None

    return draw


def _three(spread: float, shares: tuple[float, ...]) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Drawn:
        y = rng.choice(len(shares), n, p=shares).astype(np.int32)
        centres = np.array([[0.0, 0.0], [2.5, 0.0], [0.0, 2.5], [2.5, 2.5]])[: len(shares)]
        return np.hstack([centres[y] + spread * rng.standard_normal((n, 2)), rng.standard_normal((n, 2))]), y, None

    return draw


def _line(noise: Callable[[int, np.random.Generator], Floats], columns: int) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Drawn:
        X = rng.standard_normal((n, columns))
        return X, X @ np.linspace(1.0, 0.2, columns) + noise(n, rng), None

    return draw


def _wave(noise: Callable[[int, np.random.Generator], Floats], columns: int) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Drawn:
        X = rng.uniform(-2, 2, (n, columns))
        return X, X[:, 0] + np.sin(2 * X[:, 1]) + noise(n, rng), None

    return draw


def _outliers(share: float, size: float) -> Callable[[int, np.random.Generator], Floats]:
    def noise(n: int, rng: np.random.Generator) -> Floats:
        return rng.standard_normal(n) * np.where(rng.random(n) < share, size, 1.0)

    return noise


def _student(df: float) -> Callable[[int, np.random.Generator], Floats]:
    return lambda n, rng: rng.standard_t(df, n)


def _normal(n: int, rng: np.random.Generator) -> Floats:
    return rng.standard_normal(n)


def _log_normal(n: int, rng: np.random.Generator) -> Floats:
    return np.asarray(np.exp(0.8 * rng.standard_normal(n)) - np.exp(0.32))


def _laplace(n: int, rng: np.random.Generator) -> Floats:
    return rng.laplace(size=n)


def _groups(size: tuple[int, int], effect: float) -> Draw:
    """Rows of a group share a shift of the target that no attribute tells."""

    def draw(n: int, rng: np.random.Generator) -> Drawn:
        group = np.repeat(np.arange(n), rng.integers(size[0], size[1] + 1, n))[:n]
        shift = effect * rng.standard_normal(int(group.max()) + 1)
        X = rng.standard_normal((n, 4))
        score = 1.5 * X[:, 0] + X[:, 1] + shift[group] + rng.logistic(size=n)
        return X, (score > 0).astype(np.int32), group

    return draw


def _numbers_in_groups(size: tuple[int, int], effect: float) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Drawn:
        group = np.repeat(np.arange(n), rng.integers(size[0], size[1] + 1, n))[:n]
        shift = effect * rng.standard_normal(int(group.max()) + 1)
        X = rng.standard_normal((n, 4))
        return X, X[:, 0] + 0.5 * X[:, 1] + shift[group] + rng.standard_normal(n), group

    return draw


def _series(memory: float) -> Draw:
    """Rows in time order, whose unexplained part carries over from one row to the next."""

    def draw(n: int, rng: np.random.Generator) -> Drawn:
        X = rng.standard_normal((n, 4))
        step = rng.standard_normal(n) * np.sqrt(1 - memory**2)
        drift = np.empty(n)
        drift[0] = rng.standard_normal()
        for at in range(1, n):
            drift[at] = memory * drift[at - 1] + step[at]
        return X, (1.5 * X[:, 0] + X[:, 1] + drift > 0).astype(np.int32), None

    return draw


def _series_of_numbers(memory: float) -> Draw:
    def draw(n: int, rng: np.random.Generator) -> Drawn:
        X, _, _ = _series(memory)(n, rng)
        drift = np.empty(n)
        drift[0] = rng.standard_normal()
        for at in range(1, n):
            drift[at] = memory * drift[at - 1] + rng.standard_normal() * np.sqrt(1 - memory**2)
        return X, X[:, 0] - X[:, 1] + drift, None

    return draw


_DEAR = ((0.0, 1.0), (50.0, 0.0))
_DEARER = ((0.0, 1.0), (20.0, 0.0))

DEVELOPMENT: dict[str, Problem] = {
    "well separated": Problem(_clouds(4.5, 0.5, 5), "naive_bayes", CLASSES, (100, 200)),
    "well separated, logistic": Problem(_clouds(4.5, 0.5, 5), "logistic", ("error", "log_loss", "brier"), (200,)),
    "6 % positive, costs 1:50": Problem(
        _clouds(2.0, 0.06, 4), "naive_bayes", ("error", "cost", "balanced_error", "auc"), (200,), costs=_DEAR
    ),
    "10 % positive": Problem(_clouds(1.7, 0.1, 4), "logistic", CLASSES, (100, 300)),
    "straight boundary": Problem(_boundary((1.0, 1.0, 0.5, 0.0, 0.0), 1.0), "logistic", CLASSES, (60, 200, 2000)),
    "straight boundary, 5 folds": Problem(
        _boundary((1.0, 1.0, 0.5, 0.0, 0.0), 1.0), "logistic", CLASSES, (200,), folds=5
    ),
    "straight boundary, 3 folds": Problem(
        _boundary((1.0, 1.0, 0.5, 0.0, 0.0), 1.0), "logistic", CLASSES, (200,), folds=3
    ),
    "small tree": Problem(_boundary((1.0, 1.0, 0.5, 0.0, 0.0), 1.0), "tree", CLASSES, (200,), folds=5),
    "nothing to learn": Problem(_noise(5, 0.5), "logistic", CLASSES, (60, 200, 1000)),
    "three classes": Problem(_three(1.1, (0.5, 0.3, 0.2)), "naive_bayes", CLASSES, (150,)),
    "1 % outliers": Problem(_line(_outliers(0.01, 15.0), 4), "linear", NUMBERS, (200,), level="shown"),
    "5 % outliers": Problem(_line(_outliers(0.05, 8.0), 4), "linear", NUMBERS, (200,)),
    "heavy tails": Problem(_line(_student(4), 4), "linear", NUMBERS, (60, 300), level="shown"),
    "normal noise": Problem(_line(_normal, 4), "linear", NUMBERS, (60, 200, 1000)),
    "normal noise, 10 repeats": Problem(_line(_normal, 4), "linear", NUMBERS, (100,), repeats=10),
    "normal noise, small tree": Problem(_line(_normal, 4), "tree", NUMBERS, (200,), folds=5),
    "groups": Problem(_groups((5, 15), 1.5), "logistic", CLASSES, (400,), splitting="grouped"),
    "numbers in groups": Problem(_numbers_in_groups((5, 15), 1.0), "linear", NUMBERS, (400,), splitting="grouped"),
    "time order": Problem(_series(0.9), "logistic", CLASSES, (500,), splitting="time"),
    "numbers in time order": Problem(_series_of_numbers(0.8), "linear", NUMBERS, (500,), splitting="time"),
}

EARLIER_PROOF: dict[str, Problem] = {
    "far apart": Problem(_uniform_clouds(5.0, 0.4, 6), "naive_bayes", CLASSES, (200,)),
    "far apart, logistic": Problem(_uniform_clouds(5.0, 0.4, 6), "logistic", ("error", "log_loss", "brier"), (150,)),
    "5 % positive, costs 1:20": Problem(
        _uniform_clouds(2.5, 0.05, 5), "naive_bayes", ("error", "cost", "balanced_error", "auc"), (250,), costs=_DEARER
    ),
    "8 % positive": Problem(_uniform_clouds(2.0, 0.08, 5), "logistic", CLASSES, (120, 400)),
    "curved boundary": Problem(_curved, "naive_bayes", CLASSES, (80, 300)),
    "curved boundary, logistic": Problem(_curved, "logistic", CLASSES, (2000,)),
    "curved boundary, 5 folds": Problem(_curved, "logistic", CLASSES, (150,), folds=5),
    "curved boundary, 3 folds": Problem(_curved, "logistic", CLASSES, (150,), folds=3),
    "curved boundary, small tree": Problem(_curved, "tree", CLASSES, (300,), folds=5),
    "a coin of 0.4": Problem(_noise(8, 0.4), "naive_bayes", CLASSES, (80, 400)),
    "four classes": Problem(_three(0.9, (0.4, 0.3, 0.2, 0.1)), "naive_bayes", CLASSES, (200,)),
    "2 % outliers on a wave": Problem(_wave(_outliers(0.02, 10.0), 5), "linear", NUMBERS, (200,), level="shown"),
    "noise of log-normal": Problem(_wave(_log_normal, 5), "linear", NUMBERS, (100, 400)),
    "noise of Laplace": Problem(_wave(_laplace, 5), "linear", NUMBERS, (80, 1000)),
    "noise of Laplace, 10 repeats": Problem(_wave(_laplace, 5), "linear", NUMBERS, (100,), repeats=10),
    "noise of Laplace, small tree": Problem(_wave(_laplace, 5), "tree", NUMBERS, (300,), folds=5),
    "wards": Problem(_groups((3, 30), 1.0), "naive_bayes", CLASSES, (600,), splitting="grouped"),
    "numbers in wards": Problem(_numbers_in_groups((3, 30), 0.7), "linear", NUMBERS, (600,), splitting="grouped"),
    "a slower drift": Problem(_series(0.95), "naive_bayes", CLASSES, (600,), splitting="time"),
    "numbers, faster drift": Problem(_series_of_numbers(0.6), "linear", NUMBERS, (400,), splitting="time"),
}

DEVELOPMENT.update(EARLIER_PROOF)
