"""Every interval by its name, each result saying what it estimates, from which rows and how."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from venire.errors import UsageError, did_you_mean
from venire.inference.areas import delong_interval
from venire.inference.bootstrap import bootstrap_interval
from venire.inference.clusters import clustered_beta
from venire.inference.estimates import Estimate
from venire.inference.halves import conservative_z
from venire.inference.intervals import accuracy_interval, cross_validated, discounted_beta, mean_posterior
from venire.inference.nested import nested_interval


def interval(method: str, *args: Any, **options: Any) -> Estimate:
    """The interval of that name; the further arguments are those of the method's own function.

    | name | for | arguments |
    |---|---|---|
    | `jeffreys` | an accuracy on one fixed test set | `correct, n` |
    | `clustered_beta` | an error rate on one fixed test set whose rows come in groups | `wrong, groups` |
    | `cross_validated` | what the leaderboard shows | `values, test_over_train` (`rows`, `bounds`) |
    | `discounted_beta` | an error rate over the folds of a cross-validation | `error, rows, folds, test_over_train` |
    | `corrected_t` | any loss over the folds of a cross-validation | `values, test_over_train` |
    | `conservative_z` | the same, where halves were validated too | `values, halves` |
    | `nested` | a mean over rows, from models without one and two folds | `outer, inner, fold_of` |
    | `delong` | 1 − AUC over folds or on one test set | `folds` |
    | `bootstrap` | any metric on given predictions, by rows or groups | `metric, y, predictions, rng` |

    Parameters
    ----------
    method
        A name of the table above.
    *args, **options
        The arguments of that method.

    Returns
    -------
    Estimate
        The figure and its interval.

    Examples
    --------
    >>> print(interval("jeffreys", 67, 100))
    0.67 [0.574, 0.7563] (95 %): the accuracy of this model on new rows; from 100 test rows, by jeffreys
    """
    found = METHODS.get(method)
    if found is None:
        raise UsageError(
            f"there is no interval {method!r}{did_you_mean(method, METHODS)}",
            code="unknown_interval",
            hint=f"the choices are {', '.join(METHODS)}",
        )
    return found(*args, **options)


def _jeffreys(correct: float, n: float, *, level: float = 0.95) -> Estimate:
    ends = accuracy_interval(correct, n, level)
    value = correct / n if n else float("nan")
    return Estimate(value, ends, "jeffreys", "the accuracy of this model on new rows", f"{n:g} test rows")


def _corrected_t(values: ArrayLike, test_over_train: float, *, level: float = 0.95) -> Estimate:
    posterior = mean_posterior(values, test_over_train)
    return Estimate(
        posterior.mean,
        posterior.interval(level),
        "corrected_t",
        "the expected loss of models trained on as many rows as these were",
        f"{int((~np.isnan(np.asarray(values, dtype=np.float64))).sum())} held-out folds",
    )


def _cross_validated(values: ArrayLike, test_over_train: float, **options: Any) -> Estimate:
    pure = _corrected_t(values, test_over_train)
    return replace(pure, interval=cross_validated(values, test_over_train, **options), method="cross_validated")


def _discounted_beta(error: float, rows: float, **options: Any) -> Estimate:
    ends = discounted_beta(error, rows, **options)
    target = "the expected error rate of models trained on as many rows as these were"
    return Estimate(error, ends, "discounted_beta", target, f"{rows:g} rows tested by {options['folds']} models")


METHODS: dict[str, Callable[..., Estimate]] = {
    "jeffreys": _jeffreys,
    "clustered_beta": clustered_beta,
    "cross_validated": _cross_validated,
    "discounted_beta": _discounted_beta,
    "corrected_t": _corrected_t,
    "conservative_z": conservative_z,
    "nested": nested_interval,
    "delong": delong_interval,
    "bootstrap": bootstrap_interval,
}
