"""Bias, variance and noise of a learner, by fitting it again and again to fresh samples from a generator.

At each test row, over the fitted models: for numbers, bias² is (mean prediction − truth)², variance the spread of the
predictions, noise the spread of y around the truth. For classes (Domingos 2000), the main prediction is the class
predicted most often; bias is 1 where it is not the best answer; variance is how often a model strays from the main
prediction, which hurts where that is right and helps where it is wrong; noise is how often y is not the best answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from venire.errors import UsageError

Floats = NDArray[np.float64]
Generator = Callable[[int, np.random.Generator], tuple[NDArray[Any], NDArray[Any]]]
Truth = Callable[[NDArray[Any]], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Decomposition:
    """The parts of the expected error, as means over the test rows and row by row."""

    loss: str  # "squared" or "zero_one"
    X: NDArray[Any]  # the test rows
    truth: NDArray[Any]  # the best answer at each of them
    main: NDArray[Any]  # the mean prediction, or the one made most often
    predictions: NDArray[Any]  # [repeat, row]
    bias_at: Floats  # [row]: bias², or 0 and 1
    variance_at: Floats  # [row]
    noise_at: Floats  # [row]: the loss of the best answer at this row's y
    net_variance: float  # what variance adds to the error: for classes, where it hurts minus where it helps
    error: float  # the mean loss of the models on the test rows, measured directly

    @property
    def bias(self) -> float:
        """Mean bias² (or bias)."""
        return float(self.bias_at.mean())

    @property
    def variance(self) -> float:
        """Mean variance."""
        return float(self.variance_at.mean())

    @property
    def noise(self) -> float:
        """Mean noise: what no model can avoid."""
        return float(self.noise_at.mean())

    @property
    def error_against_truth(self) -> float:
        """The mean loss against the best answer; equal to bias plus net variance."""
        return self.bias + self.net_variance


def bias_variance(
    estimator: Any,
    generator: Generator,
    repeats: int = 50,
    *,
    truth: Truth | None = None,
    rows: int = 20,
    test_rows: int = 1000,
    loss: str | None = None,
    seed: int = 0,
) -> Decomposition:
    """Fit copies of the estimator to `repeats` samples of `rows` rows, and take their error on test rows apart.

    generator : called with a number of rows and a random generator, returns (X, y).
    truth : the best answer for rows X, that is the noiseless value or the likeliest class. Without it y itself is taken
        for the truth: noise is then part of the bias.
    loss : `"squared"` or `"zero_one"`; by default what the estimator is for.

    Straight lines, each through 20 points of a wave: they are all wrong in much the same way.

    >>> from sklearn.linear_model import LinearRegression
    >>> from venire.data.generators import linear_sinusoid, linear_sinusoid_truth
    >>> parts = bias_variance(LinearRegression(), linear_sinusoid, 50, truth=lambda X: linear_sinusoid_truth(X[:, 0]))
    >>> f"bias² {parts.bias:.1f}, variance {parts.variance:.1f}, noise {parts.noise:.2f}"
    'bias² 2.0, variance 0.2, noise 0.04'
    """
    loss = loss or ("zero_one" if is_classifier(estimator) else "squared")
    _check(repeats, rows, test_rows, loss)
    # One stream for the test rows and one a repeat: more repeats do not change the first ones.
    streams = np.random.SeedSequence(seed).spawn(repeats + 1)
    X, y = generator(test_rows, np.random.default_rng(streams[0]))
    predictions = np.stack(
        [
            _fitted(estimator, generator(rows, np.random.default_rng(stream)), stream).predict(X)
            for stream in streams[1:]
        ]
    )
    best = y if truth is None else np.asarray(truth(X))
    return taken_apart(X, y, best, predictions, loss)


def taken_apart(
    X: NDArray[Any], y: NDArray[Any], truth: NDArray[Any], predictions: NDArray[Any], loss: str
) -> Decomposition:
    """The parts of the error of fits that are there already: `predictions` are theirs, [fit, row]."""
    return (_squared if loss == "squared" else _zero_one)(X, y, truth, predictions)


def _check(repeats: int, rows: int, test_rows: int, loss: str) -> None:
    if repeats < 2:
        raise UsageError(f"variance shows between at least two models, and {repeats} were asked for")
    for name, value in (("rows", rows), ("test_rows", test_rows)):
        if value < 1:
            raise UsageError(f"{name} must be at least 1, and is {value}")
    if loss not in ("squared", "zero_one"):
        raise UsageError(f"there is no loss {loss!r}", hint='choose "squared" or "zero_one"')


def _fitted(estimator: Any, sample: tuple[Any, Any], stream: np.random.SeedSequence) -> Any:
    """A copy fitted to the sample; what is random inside follows from the stream, unless the user fixed it."""
    copy = clone(estimator)
    open_seeds = [
        key
        for key, value in sorted(copy.get_params(deep=True).items())
        if value is None and (key == "random_state" or key.endswith("__random_state"))
    ]
    numbers = stream.generate_state(len(open_seeds) + 1)[1:]
    copy.set_params(**{key: int(number >> 1) for key, number in zip(open_seeds, numbers, strict=True)})
    return copy.fit(*sample)


def _squared(X: NDArray[Any], y: NDArray[Any], best: NDArray[Any], predictions: NDArray[Any]) -> Decomposition:
    main = predictions.mean(axis=0)
    variance = predictions.var(axis=0)
    return Decomposition(
        loss="squared",
        X=X,
        truth=best,
        main=main,
        predictions=predictions,
        bias_at=np.square(main - best),
        variance_at=variance,
        noise_at=np.square(y - best),
        net_variance=float(variance.mean()),
        error=float(np.square(predictions - y).mean()),
    )


def _zero_one(X: NDArray[Any], y: NDArray[Any], best: NDArray[Any], predictions: NDArray[Any]) -> Decomposition:
    classes, codes = np.unique(predictions, return_inverse=True)
    counts = np.stack([(codes.reshape(predictions.shape) == c).sum(axis=0) for c in range(len(classes))])
    main = classes[counts.argmax(axis=0)]
    bias = (main != best).astype(np.float64)
    strays = (predictions != main).mean(axis=0)
    helps = (predictions == best).mean(axis=0)  # a model that strays from a wrong main prediction to the right answer
    return Decomposition(
        loss="zero_one",
        X=X,
        truth=best,
        main=main,
        predictions=predictions,
        bias_at=bias,
        variance_at=strays,
        noise_at=(y != best).astype(np.float64),
        net_variance=float(np.where(bias == 0, strays, -helps).mean()),
        error=float((predictions != y).mean()),
    )
