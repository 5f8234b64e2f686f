"""Held-out predictions into one prediction; arrays only."""

from venire.combine.calibrate import Calibration, choose_calibration, fit_calibration
from venire.combine.finish import Finish, learn_finish
from venire.combine.stack import residual_gram, stack_weights
from venire.combine.vote import average

__all__ = [
    "Calibration",
    "Finish",
    "average",
    "choose_calibration",
    "fit_calibration",
    "learn_finish",
    "residual_gram",
    "stack_weights",
]
