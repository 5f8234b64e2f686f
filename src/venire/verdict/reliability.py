"""Do the probabilities mean what they say? Measured on held-out rows, for every candidate that gives probabilities.

With two classes the probability of class 1 is compared with how often it came true; with more, the probability of the
class that is named with how often it was right.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from venire.combine.calibrate import Sigmoid, cross_calibrated, fit_calibration
from venire.inference import Interval, corrected_t
from venire.metrics import calibration_curve
from venire.metrics.predictions import Output
from venire.verdict.heldout import HeldOut, held_out
from venire.verdict.judgement import Judgement

Floats = NDArray[np.float64]

_EDGE = float(np.finfo(np.float32).eps)


@dataclass(frozen=True)
class Reliability:
    """How well calibrated one candidate is.

    Murphy's decomposition over ten bins of equal size: Brier ≈ reliability − resolution + uncertainty, the first
    being what calibration could take away. A slope below 1 means probabilities too far from a half. `gain` is what the
    log loss would gain by a sigmoid learned on the other blocks; above zero the probabilities are out of calibration.
    """

    family: str
    rows: int
    calibration_error: float  # mean gap between predicted and observed, over ten bins of equal size
    slope: float
    intercept: float
    reliability: float
    resolution: float
    uncertainty: float
    gain: Interval

    @property
    def out_of_calibration(self) -> bool:
        """Whether the gain is beyond doubt and the gap large enough to matter."""
        return self.gain.defined and self.gain.low > 0 and self.calibration_error > _MATTERS


_MATTERS = 0.03


def reliability(judgement: Judgement, family: str) -> Reliability | None:
    """Measure one candidate, or the procedure, on its outer predictions; None where it gives no probabilities."""
    held = held_out(judgement, family)
    if held.output is not Output.PROBABILITIES:
        return None
    p, hit = _event(held)
    curve = calibration_curve(hit, p)
    share, weight = float(hit.mean()), curve.count / len(p)
    pair = np.column_stack([1 - p, p])
    line = fit_calibration(pair, hit.astype(np.intp), "sigmoid").maps[0]
    assert isinstance(line, Sigmoid)
    return Reliability(
        family,
        len(p),
        curve.expected_calibration_error,
        line.slope,
        line.shift,
        float((weight * np.square(curve.predicted - curve.observed)).sum()),
        float((weight * np.square(curve.observed - share)).sum()),
        share * (1 - share),
        _gain(judgement, pair, hit, held.blocks),
    )


def _event(held: HeldOut) -> tuple[Floats, NDArray[np.bool_]]:
    """A probability for each row, and whether it came true."""
    outputs = np.clip(held.outputs.astype(np.float64), 0.0, 1.0)  # float32 may round a sum past 1
    if outputs.shape[1] == 2:
        return outputs[:, 1], np.asarray(held.actual == 1)
    named = outputs.argmax(axis=1)
    return outputs[np.arange(len(named)), named], np.asarray(named == held.actual)


def _gain(judgement: Judgement, pair: Floats, hit: NDArray[np.bool_], block: NDArray[np.int32]) -> Interval:
    """The interval of the log loss a sigmoid from the other blocks would save."""
    blocks = np.unique(block)
    if len(blocks) < 2 or np.ptp(pair[:, 1]) == 0:
        return Interval(np.nan, np.nan)
    code = hit.astype(np.intp)
    crossed = cross_calibrated(pair, code, block, "sigmoid")
    rows = np.arange(len(code))
    saved = np.log(np.clip(crossed[rows, code], _EDGE, 1)) - np.log(np.clip(pair[rows, code], _EDGE, 1))
    return corrected_t([saved[block == b].mean() for b in blocks], judgement.docket.plan.test_over_train())
