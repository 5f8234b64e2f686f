"""Do the probabilities mean what they say? Measured on held-out rows, for every candidate that gives probabilities.

With two classes the probability of the positive one is compared with how often it came true; with more, the
probability of the class that is named with how often it was right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import special

from venire.combine.calibrate import Sigmoid, fit_calibration
from venire.metrics import calibration_curve
from venire.metrics.predictions import Output
from venire.verdict.held_out_predictions import held_out
from venire.verdict.judgement import Judgement

Floats = NDArray[np.float64]

_EDGE = float(np.finfo(np.float32).eps)
_CHANCE = 1e-3
_MATTERS = 0.02  # of probability: two percentage points, off by less on average few decisions change
MOST_ROWS = 50_000  # that calibration is measured on; of more, so many are drawn, and `rows` says so


@dataclass(frozen=True)
class Reliability:
    """How well calibrated one candidate is.

    Murphy's decomposition over ten bins of equal size: Brier ≈ reliability − resolution + uncertainty, the first
    being what calibration could take away. A slope below 1 means probabilities too far apart. `chance` is the
    probability of a slope and an intercept so far from 1 and 0 if the probabilities were right (likelihood ratio).
    """

    family: str
    rows: int
    calibration_error: float  # mean gap between predicted and observed, over ten bins of equal size
    by_chance: float  # what that gap would be if the probabilities were right: bins hold few rows
    slope: float
    intercept: float
    bias: float  # mean predicted minus mean observed
    reliability: float
    resolution: float
    uncertainty: float
    chance: float

    @property
    def out_of_calibration(self) -> bool:
        """Whether the misfit is beyond chance and large enough to matter.

        A gap and its noise add up as squares do; what is left beside the noise has to be 0.02 or more.
        """
        return self.chance < _CHANCE and self.calibration_error**2 - self.by_chance**2 >= _MATTERS**2

    @property
    def fault(self) -> str:
        """On which side they are off, in words: their level if that is most of it, else their spread."""
        if abs(self.bias) > self.calibration_error / 2:
            return "too high" if self.bias > 0 else "too low"
        return "too far apart" if self.slope < 1 else "too close together"


def reliability(judgement: Judgement, family: str) -> Reliability | None:
    """Measure one candidate, or the procedure, on its outer predictions; None where it gives no probabilities."""
    held = held_out(judgement, family)
    if held.output is not Output.PROBABILITIES:
        return None
    some = held.some(MOST_ROWS, judgement.docket.plan.seed)
    target = judgement.docket.table.target
    return measured(family, *event(some.outputs, some.actual, None if target is None else target.positive))


def measured(family: str, p: Floats, hit: NDArray[np.bool_]) -> Reliability:
    """How well these probabilities fit what came true."""
    curve = calibration_curve(hit, p)
    share, weight = float(hit.mean()), curve.count / len(p)
    pair = np.column_stack([1 - p, p])
    line = fit_calibration(pair, hit.astype(np.intp), "sigmoid").maps[0]
    assert isinstance(line, Sigmoid)
    return Reliability(
        family=family,
        rows=len(p),
        calibration_error=curve.expected_calibration_error,
        by_chance=float((weight * _noise(curve.predicted, curve.count)).sum()),
        slope=line.slope,
        intercept=line.shift,
        bias=float(p.mean()) - share,
        reliability=float((weight * np.square(curve.predicted - curve.observed)).sum()),
        resolution=float((weight * np.square(curve.observed - share)).sum()),
        uncertainty=share * (1 - share),
        chance=_chance(p, line(p), hit),
    )


def _noise(predicted: Floats, rows: NDArray[np.int64]) -> Floats:
    """The mean distance of a bin's share from its probability by chance: that of a normal deviate, √(2/π) of its σ."""
    return np.asarray(np.sqrt(2 / np.pi * predicted * (1 - predicted) / rows))


def looked_at(judgement: Judgement) -> str:
    """In how many rows calibration is measured, where these are not all that were held out; else empty."""
    docket = judgement.docket
    rows = sum(len(docket.rows(docket.plan.outer(0, fold))) for fold in docket.plan.outer_folds())
    return f"looked at in {MOST_ROWS:,} of {rows:,} rows" if rows > MOST_ROWS else ""


def event(
    probabilities: NDArray[Any], actual: NDArray[Any], positive: int | None = None
) -> tuple[Floats, NDArray[np.bool_]]:
    """A probability for each row, and whether it came true; `actual` has codes, and so is `positive` one."""
    outputs = np.clip(probabilities.astype(np.float64), 0.0, 1.0)  # float32 may round a sum past 1
    if outputs.shape[1] == 2:
        code = 1 if positive is None else positive
        return outputs[:, code], np.asarray(actual == code)
    named = outputs.argmax(axis=1)
    return outputs[np.arange(len(named)), named], np.asarray(named == actual)


def _chance(p: Floats, fitted: Floats, hit: NDArray[np.bool_]) -> float:
    """How often a fit this much better than p itself comes by chance: twice the log likelihood ratio is χ² with 2."""
    if np.ptp(p) == 0:  # a constant has no slope, and as a baseline is as right as its training rows were
        return 1.0
    ratio = 2.0 * float((_log_likelihood(fitted, hit) - _log_likelihood(p, hit)).sum())
    return float(special.chdtrc(2, max(ratio, 0.0)))


def _log_likelihood(p: Floats, hit: NDArray[np.bool_]) -> Floats:
    return np.asarray(np.log(np.clip(np.where(hit, p, 1 - p), _EDGE, 1.0)))
