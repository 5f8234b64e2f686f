"""The problems that rules for intervals are shown on. No rule, constant or choice was made looking at one of them.

Other kinds of attributes than in development (counts, answers of yes and no, rings, grids), other shares, other noise,
other sizes. A problem that has served for a decision moves to `metric_problems`, and a new one takes its place here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.honesty.metric_problems import CLASSES, DEVELOPMENT, NUMBERS, Draw, Drawn, Floats, Problem


def _ring(n: int, rng: np.random.Generator) -> Drawn:
    """One class inside, the other around it."""
    X = rng.standard_normal((n, 4))
    radius = np.hypot(X[:, 0], X[:, 1]) + 0.35 * rng.standard_normal(n)
    return X, (radius > 1.2).astype(np.int32), None


def _counts(share: float, columns: int, strength: float) -> Draw:
    """Attributes that are counts; the rare class has more of the first two."""

    def draw(n: int, rng: np.random.Generator) -> Drawn:
        y = (rng.random(n) < share).astype(np.int32)
        rate = np.full((n, columns), 2.0)
        rate[:, :2] += strength * y[:, None]
        return np.sqrt(rng.poisson(rate).astype(np.float64)), y, None

    return draw


def _questions(n: int, rng: np.random.Generator) -> Drawn:
    """Ten questions of yes and no, five of which matter."""
    X = (rng.random((n, 10)) < np.linspace(0.2, 0.8, 10)).astype(np.float64)
    score = X[:, :5] @ np.array([2.0, -1.5, 1.5, -1.0, 1.0]) - 0.6
    return X, (rng.random(n) < 1 / (1 + np.exp(-score))).astype(np.int32), None


def _dice(share: float, columns: int) -> Draw:
    """Nothing to learn, from whole numbers of one to six."""

    def draw(n: int, rng: np.random.Generator) -> Drawn:
        return rng.integers(1, 7, (n, columns)) / 2.0, (rng.random(n) < share).astype(np.int32), None

    return draw


def _far(n: int, rng: np.random.Generator) -> Drawn:
    """Two groups that hardly touch, with Student's t of five degrees around their centres."""
    y = (rng.random(n) < 0.3).astype(np.int32)
    return rng.standard_t(5, (n, 3)) + 2.6 * y[:, None], y, None


def _petals(n: int, rng: np.random.Generator) -> Drawn:
    """Five classes on a circle, the last two of 8 % each."""
    y = rng.choice(5, n, p=(0.34, 0.3, 0.2, 0.08, 0.08)).astype(np.int32)
    centres = 2.0 * np.column_stack([np.cos(2 * np.pi * np.arange(5) / 5), np.sin(2 * np.pi * np.arange(5) / 5)])
    return np.hstack([centres[y] + rng.standard_normal((n, 2)), rng.standard_normal((n, 1))]), y, None


def _growing(n: int, rng: np.random.Generator) -> Drawn:
    """Noise that grows with the number to predict."""
    X = rng.random((n, 5)) * 2
    level = 1 + X[:, 0] + 0.5 * X[:, 1] ** 2
    return X, level * (1 + 0.3 * rng.standard_normal(n)), None


def _steps(n: int, rng: np.random.Generator) -> Drawn:
    X = rng.random((n, 4))
    return X, 2.0 * (X[:, 0] > 0.5) + (X[:, 1] > 0.3) * (X[:, 2] > 0.6) + 0.7 * rng.standard_normal(n), None


def _gamma(n: int, rng: np.random.Generator) -> Drawn:
    X = rng.standard_normal((n, 6))
    return X, X[:, 0] - 0.7 * X[:, 1] + rng.gamma(2.0, 0.7, n), None


def _jumps(share: float) -> Draw:
    """Residuals that jump upwards in a few rows."""

    def draw(n: int, rng: np.random.Generator) -> Drawn:
        X = rng.standard_normal((n, 3))
        jump = 12.0 * (rng.random(n) < share) * rng.random(n)
        return X, 2 * X[:, 0] + X[:, 1] + rng.standard_normal(n) + jump, None

    return draw


def _schools(numbers: bool) -> Draw:
    """Ten to twenty rows of each; attributes and target are alike within one."""

    def draw(n: int, rng: np.random.Generator) -> Drawn:
        group = np.repeat(np.arange(n), rng.integers(10, 21, n))[:n]
        shared = rng.standard_normal((int(group.max()) + 1, 5))
        X = 0.5 * shared[group, :4] + rng.standard_normal((n, 4))
        score = X[:, 0] + 0.8 * X[:, 1] + 0.9 * shared[group, 4]
        y: NDArray[Any] = score + rng.standard_normal(n)
        return X, (y if numbers else (y > 0).astype(np.int32)), group

    return draw


def _waves(numbers: bool) -> Draw:
    """What is not explained is a moving mean of the last twelve shocks."""

    def draw(n: int, rng: np.random.Generator) -> Drawn:
        X = rng.standard_normal((n, 3))
        shocks = rng.standard_normal(n + 11)
        carried: Floats = np.convolve(shocks, np.full(12, 12**-0.5), "valid")
        y: NDArray[Any] = 1.2 * X[:, 0] - 0.8 * X[:, 1] + carried
        return X, (y if numbers else (y > 0).astype(np.int32)), None

    return draw


_COSTS = ((0.0, 1.0), (10.0, 0.0))

PROOF: dict[str, Problem] = {
    "ring": Problem(_ring, "naive_bayes", CLASSES, (100, 500)),
    "ring, small tree": Problem(_ring, "tree", CLASSES, (250,), folds=5),
    "3 % positive": Problem(_counts(0.03, 4, 3.0), "logistic", CLASSES, (1000,)),
    "12 % positive": Problem(_counts(0.12, 4, 2.0), "logistic", CLASSES, (150, 500)),
    "12 % positive, naive Bayes": Problem(_counts(0.12, 4, 2.0), "naive_bayes", CLASSES, (250,)),
    "7 % positive, costs 1:10": Problem(
        _counts(0.07, 3, 2.5), "logistic", ("error", "cost", "balanced_error", "auc"), (200,), costs=_COSTS
    ),
    "ten questions": Problem(_questions, "logistic", CLASSES, (70, 250, 1500)),
    "ten questions, 5 folds": Problem(_questions, "naive_bayes", CLASSES, (200,), folds=5),
    "ten questions, 3 folds": Problem(_questions, "logistic", CLASSES, (200,), folds=3),
    "ten questions, 5 repeats": Problem(_questions, "logistic", CLASSES, (120,), folds=5, repeats=5),
    "dice": Problem(_dice(0.35, 6), "naive_bayes", CLASSES, (100, 500)),
    "dice, logistic": Problem(_dice(0.5, 4), "logistic", CLASSES, (200,)),
    "far": Problem(_far, "naive_bayes", CLASSES, (120, 300)),
    "far, logistic": Problem(_far, "logistic", CLASSES, (200,)),
    "five petals": Problem(_petals, "naive_bayes", CLASSES, (300,)),
    "noise that grows": Problem(_growing, "linear", NUMBERS, (80, 400)),
    "noise of gamma": Problem(_gamma, "linear", NUMBERS, (60, 250)),
    "noise of gamma, 3 folds": Problem(_gamma, "linear", NUMBERS, (150,), folds=3),
    "noise of gamma, 5 repeats": Problem(_gamma, "linear", NUMBERS, (100,), folds=5, repeats=5),
    "steps, small tree": Problem(_steps, "tree", NUMBERS, (250,), folds=5),
    "jumps in 2 %": Problem(_jumps(0.02), "linear", NUMBERS, (150,), level="shown"),
    "jumps in 8 %": Problem(_jumps(0.08), "linear", NUMBERS, (300,)),
    "schools": Problem(_schools(numbers=False), "logistic", CLASSES, (450,), splitting="grouped"),
    "numbers in schools": Problem(_schools(numbers=True), "linear", NUMBERS, (450,), splitting="grouped"),
    "waves": Problem(_waves(numbers=False), "logistic", CLASSES, (400,), splitting="time"),
    "numbers in waves": Problem(_waves(numbers=True), "linear", NUMBERS, (300,), splitting="time"),
}

SETS = {"development": DEVELOPMENT, "proof": PROOF}
